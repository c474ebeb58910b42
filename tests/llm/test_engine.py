"""The embedded engine, for real."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.error import URLError
from urllib.request import Request as Get
from urllib.request import urlopen

import pytest
from pydantic import BaseModel, Field

from privasis.errors import ModelFileError, Reject
from privasis.llm import ClientOptions, Request, Sampling, open_client, probe
from privasis.llm.engine import Engine, embedded_engine

pytestmark = pytest.mark.slow


class Person(BaseModel):
    name: str = Field(max_length=30)
    sex: Literal["female", "male"]
    hobbies: list[str] = Field(min_length=2, max_length=3)


def request_for(user: str, max_tokens: int = 60) -> Request:
    return Request("people", "hash", "You invent people.", user, Sampling(0.8, 0.95, max_tokens))


@pytest.fixture(scope="module")
def engine(gguf: Path) -> Iterator[Engine]:
    with embedded_engine(gguf, parallel=3, context=1024) as running:
        yield running


async def test_it_answers_a_probe_by_its_name(engine: Engine) -> None:
    found = await probe(engine.model, ClientOptions())
    assert found.model == engine.name == "smollm2-135m"
    assert found.listed == ("smollm2-135m",)


async def test_schemas_hold(engine: Engine) -> None:
    async with open_client([engine.model], ClientOptions(), None) as client:
        answers = await asyncio.gather(
            *(client.ask(request_for(f"Person {i}", 200), Person, engine.model, i) for i in range(3))
        )
        assert client.usage.total.completion_tokens > 0
    for answer in answers:
        assert len(answer.value.name) <= 30
        assert answer.call.cost == 0.0


async def test_a_seed_gives_its_text_whatever_runs_beside_it(engine: Engine) -> None:
    async def texts(at_once: bool) -> list[str]:
        asked = [client.write(request_for(f"Tell of day {i}."), engine.model, i, None) for i in range(4)]
        if at_once:
            ended = await asyncio.gather(*asked, return_exceptions=True)
        else:
            ended = [(await asyncio.gather(one, return_exceptions=True))[0] for one in asked]
        return [end.detail if isinstance(end, Reject) else getattr(end, "value", repr(end)) for end in ended]

    async with open_client([engine.model], ClientOptions(retries=0), None) as client:
        alone = await texts(at_once=False)
        together = await texts(at_once=True)
    assert alone == together
    assert len(set(alone)) == 4


async def test_a_prompt_longer_than_the_context_ends_one_item(engine: Engine) -> None:
    async with open_client([engine.model], ClientOptions(), None) as client:
        with pytest.raises(Reject, match="people: context_exceeded"):
            await client.write(request_for("word " * 3000), engine.model, 1)
        await client.write(request_for("Say one word.", 20), engine.model, 1, lambda _: None)


def test_no_web_page_may_use_it(engine: Engine) -> None:
    asked = Get(f"{engine.base_url}/models", headers={"Origin": "http://evil.example"})
    with urlopen(asked) as reply:
        assert reply.headers.get("Access-Control-Allow-Origin") != "http://evil.example"
    assert engine.base_url.startswith("http://127.0.0.1:")


def test_it_stops_at_the_end_of_the_block(gguf: Path) -> None:
    with embedded_engine(gguf, parallel=1, context=256) as running:
        url = f"{running.base_url}/models"
        urlopen(url).close()
    with pytest.raises(URLError):
        urlopen(url)


def test_it_can_be_stopped_as_soon_as_it_has_started(gguf: Path) -> None:
    """In a process of its own: a destructor that waits for ever cannot be interrupted from within."""
    program = f"""
from pathlib import Path
from privasis.llm.engine import embedded_engine
for _ in range(5):
    with embedded_engine(Path({str(gguf)!r}), parallel=1, context=256):
        pass
"""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        subprocess.run([sys.executable, "-c", program], check=True, timeout=100)
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_it_says_nothing_and_ends_with_ctrl_c(gguf: Path) -> None:
    program = f"""
import time
from pathlib import Path
from urllib.request import Request, urlopen
from privasis.llm.engine import embedded_engine
body = b'{{"messages": [{{"role": "user", "content": "hello"}}], "max_tokens": 5}}'
try:
    with embedded_engine(Path({str(gguf)!r}), parallel=1, context=256) as engine:
        urlopen(Request(engine.base_url + "/chat/completions", body)).close()
        print(engine.base_url, flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    print("ended", flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=30)
    assert (out, errors, process.returncode) == ("ended\n", "", 0)
    with pytest.raises(URLError):
        urlopen(f"{url}/models")


def test_files_that_are_no_weights(tmp_path: Path) -> None:
    missing, text, broken = (tmp_path / name for name in ("missing.gguf", "text.gguf", "broken.gguf"))
    text.write_text("hello")
    broken.write_bytes(b"GGUF" + bytes(100))
    for path, words in [
        (missing, "Get some: `privasis models pull`."),
        (text, "is no GGUF file"),
        (broken, "the engine cannot load"),
    ]:
        with pytest.raises(ModelFileError, match=words) as caught, embedded_engine(path):
            pass
        assert str(path) in str(caught.value)
