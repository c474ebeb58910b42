"""A crowd of clients for the service: good requests, and malformed, oversized and cut-off ones among them."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import aiohttp

SRC = Path(__file__).parent.parent.parent / "src"
KINDS = ("good",) * 7 + ("malformed", "oversized", "cut off")
MAX_BYTES = 100_000
PHONE = "212-555-0147"
FORM = {"Content-Type": "application/json"}


@dataclass
class Tally:
    """What the crowd was answered."""

    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: int = 0  # good requests whose answer is not the one that is known
    seconds: list[float] = field(default_factory=list)  # of good requests


@contextmanager
def service_process(workers: int = 2) -> Iterator[tuple[str, int]]:
    """Run ``privasis serve`` on a free port; yield its address and process id."""
    command = [sys.executable, "-m", "privasis", "serve", "--port", "0", "--workers", str(workers)]
    process = subprocess.Popen(
        [*command, "--max-bytes", str(MAX_BYTES)], stderr=subprocess.PIPE, text=True, cwd=SRC
    )
    assert process.stderr is not None
    try:
        found = re.match(r"(http://[\d.:]+)/docs", process.stderr.readline())
        assert found
        drain = _drained(process.stderr.fileno())
        with drain:
            _wait(found[1])
            yield found[1], process.pid
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


@contextmanager
def _drained(descriptor: int) -> Iterator[None]:
    """Read the log so that the pipe never fills up."""
    cat = subprocess.Popen(["cat"], stdin=descriptor, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        cat.terminate()
        cat.wait()


def _wait(url: str) -> None:
    import urllib.error
    import urllib.request

    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/health"):
                return
        except urllib.error.URLError:
            time.sleep(0.05)
    raise TimeoutError


def memory(pid: int) -> int:
    """Return the resident bytes of a process and its children (Linux)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(_resident(int(one)) for one in [pid, *children])


def _resident(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0


async def crowd(url: str, clients: int, requests: int) -> Tally:
    """Send requests from many clients at once; the kinds go round in a fixed order."""
    tally = Tally()
    numbers = count()

    async def client(session: aiohttp.ClientSession) -> None:
        while (number := next(numbers)) < requests:
            kind = KINDS[number % len(KINDS)]
            if kind == "cut off":
                await _cut_off(url)
                tally.statuses[kind, 0] += 1
            else:
                await _ask(session, url, kind, number, tally)

    limits = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=limits, timeout=aiohttp.ClientTimeout(120)) as session:
        await asyncio.gather(*(client(session) for _ in range(clients)))
    return tally


async def _ask(session: aiohttp.ClientSession, url: str, kind: str, number: int, tally: Tally) -> None:
    start = time.monotonic()
    async with session.post(f"{url}/v1/clean", data=_body(kind, number), headers=FORM) as answer:
        got = await answer.json()
        tally.statuses[kind, answer.status] += 1
        if kind == "good":
            tally.seconds.append(time.monotonic() - start)
            tally.wrong += not _is_right(str(got.get("text")), number)


def _lines(number: int) -> int:
    return 1 + number % 20


def _is_right(text: str, number: int) -> bool:
    """Each request has a number of its own in its text: an answer to another one would be seen."""
    return PHONE not in text and text.count(f"about boiler {number}.\n") == _lines(number)


def _body(kind: str, number: int) -> bytes:
    if kind == "oversized":
        return b'{"text": "' + b"a" * (2 * MAX_BYTES) + b'", "drop": ["a"]}'
    if kind == "malformed":
        return (b"{", b'{"text": 5}', b"\xff\xfe{}", b"[]", b'{"text": "a"}')[number // 10 % 5]
    text = f"Zofia Brandt called {PHONE} about boiler {number}.\n" * _lines(number)
    return json.dumps({"text": text, "instruction": "Remove all phone numbers."}).encode()


async def _cut_off(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    head = "POST /v1/clean HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    writer.write(f'{head}Content-Length: 5000\r\n\r\n{{"text": "Zof'.encode())
    await writer.drain()
    writer.close()
    await writer.wait_closed()
