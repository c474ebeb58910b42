"""Schemathesis makes requests from the service's own description, good and bad, and finds nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from privasis.serve.limits import Limits
from support.serving import TOKEN, cleaning_service

EXAMPLES = 100
FUZZ = "from schemathesis.cli import schemathesis; schemathesis()"
# By default 413 is not among the answers that count as a refusal of a body that is too large.
SETTINGS = """[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429]
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("token", "seed"), [("", "4"), (TOKEN, "1")])
def test_the_description_is_true(token: str, seed: str, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(SETTINGS, encoding="utf-8")
    options = ["--max-examples", str(EXAMPLES), "--seed", seed, "--no-color"]
    if token:
        options += ["--header", f"Authorization: Bearer {token}"]
    with cleaning_service(Limits(workers=2), token) as url:
        command = [sys.executable, "-c", FUZZ, "run", f"{url}/openapi.json", *options]
        fuzzed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=550)
    assert fuzzed.returncode == 0, fuzzed.stdout[-5000:] + fuzzed.stderr[-2000:]
    assert "3/3" in fuzzed.stdout
