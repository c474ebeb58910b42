"""``privasis gateway``: what it refuses, and that it runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from privasis.cli.main import run
from support.gateway import Upstream, completion

POLICY = '[[target]]\nvalues = ["Maren Virtanen"]\n'


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[target]", "is no TOML"),
        ("", "target: Field required"),
        ('[[target]]\nwhat = "blorps"', "names no known kind"),
        ('[[target]]\nvalues = [" "]', "has an empty value"),
        ('[[target]]\nvalues = ["x"]\ncolour = "red"', "target.0.colour"),
        ('[[target]]\nvalues = ["Ann"]\ncode = "[P]"', "a code has {n} once"),
        ('[[target]]\nvalues = ["Ann"]\ncode = "P{n}"', "begins and ends with a bracket"),
        ('[[target]]\nvalues = ["Ann"]\ncode = "%{n}%"', "a code has {n} once"),
        ('keep = ["ann"]\n[[target]]\nvalues = ["Ann"]', "to go and to stay"),
    ],
)
def test_a_policy_that_cannot_be_used_is_refused(
    policy: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    policy.write_text(text)
    assert run(["gateway", "--policy", str(policy), "--upstream", "http://127.0.0.1:9/v1"]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--upstream", "host/v1"], "--upstream is the base of an endpoint"),
        (["--upstream", "https://host/v1?key=1"], "--upstream is the base of an endpoint"),
        (["--upstream", "https://host/maren-virtanen"], "holds a value that the policy wants hidden"),
        (["--upstream", "https://host/v1", "--host", "0.0.0.0"], "can be reached from other machines"),
        (["--upstream", "https://host/v1", "--key-env", "NO_SUCH_KEY"], "NO_SUCH_KEY"),
        (["--upstream", "https://host/v1", "--token-env", "A_TOKEN"], "name it by --key-env"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(
    policy: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    message: str,
) -> None:
    monkeypatch.setenv("A_TOKEN", "long-enough-to-be-one")
    assert run(["gateway", "--policy", str(policy), *more]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_it_runs_until_it_is_interrupted_and_logs_no_text(policy: Path) -> None:
    def echo(body: dict[str, Any]) -> dict[str, Any]:
        return completion(body["messages"][0]["content"])

    with Upstream(echo).serving() as upstream:
        command = [sys.executable, "-m", "privasis", "gateway", "--policy", str(policy), "--port", "0"]
        child = subprocess.Popen(
            [*command, "--upstream", upstream.base_url],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PRIVASIS_TOKEN": ""},
        )
        assert child.stderr
        line = child.stderr.readline()
        found = re.search(r"http://\S+/v1", line)
        assert found, line
        body = {"model": "m", "messages": [{"role": "user", "content": "Maren Virtanen"}]}
        with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as client:
            came = client.post(f"{found[0]}/chat/completions", json=body).json()
            refused = client.post(f"{found[0]}/chat/completions", json={**body, "logprobs": True})
        child.send_signal(signal.SIGINT)
        out, rest = child.communicate(timeout=20)
    assert came["choices"][0]["message"]["content"] == "Maren Virtanen"
    assert refused.status_code == 400
    assert "maren" not in f"{upstream.got}".casefold()
    assert (out, rest, child.returncode) == ("", "", 0)
