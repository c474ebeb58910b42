"""A scripted server for throughput: its own process, no HTTP library, answers made once for each schema.

    with FastServer(latency_s=0.05, slots=256) as server:
        ... server.base_url ...
        server.stats()  # {"requests": …, "peak": …}

A request waits for a slot, then for the latency: ideal throughput is slots / latency. Answers are those of
answers.py, drawn from a pool of a few dozen for each schema; only a schema with verbatim fields is answered
from the prompt itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any, Self
from urllib.request import urlopen
from zlib import crc32

sys.path.insert(0, str(Path(__file__).parent.parent))

from support.answers import VERBATIM, Ask, answer_to

POOL = 64
FORM = b',"response_format":'


class Answers:
    """Whole HTTP replies, ready to be written."""

    def __init__(self) -> None:
        self._pools: dict[bytes, dict[int, bytes] | None] = {}  # by schema; None = made for each request

    def to(self, body: bytes) -> bytes:
        form = body.partition(FORM)[2]
        if form not in self._pools:
            made_each_time = any(f'"{field}"'.encode() in form for field in VERBATIM)
            self._pools[form] = None if made_each_time else {}
        pool, number = self._pools[form], crc32(body) % POOL
        if pool is None:
            return _reply(body, 0)
        if number not in pool:  # made when first wanted: many schemas are asked for a few times only
            pool[number] = _reply(body, number)
        return pool[number]


def _reply(body: bytes, number: int) -> bytes:
    document = json.loads(body)
    text = answer_to(Ask(document, body + number.to_bytes(2, "big")))
    payload = json.dumps(
        {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "model": document["model"],
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4},
        }
    ).encode()
    return _head(payload) + payload


def _head(payload: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(payload)


class Slots:
    """Requests in work, and those that wait for a slot."""

    def __init__(self, slots: int, latency_s: float) -> None:
        self.free, self.latency_s = slots, latency_s
        self.waiting: deque[tuple[asyncio.Transport, bytes]] = deque()
        self.requests = self.now = self.peak = 0

    def take(self, transport: asyncio.Transport, reply: bytes) -> None:
        self.requests += 1
        self.now += 1
        self.peak = max(self.peak, self.now)
        if not self.free:
            self.waiting.append((transport, reply))
            return
        self.free -= 1
        self._start(transport, reply)

    def _start(self, transport: asyncio.Transport, reply: bytes) -> None:
        asyncio.get_running_loop().call_later(self.latency_s, self._end, transport, reply)

    def _end(self, transport: asyncio.Transport, reply: bytes) -> None:
        transport.write(reply)
        self.now -= 1
        if self.waiting:
            self._start(*self.waiting.popleft())
        else:
            self.free += 1


class Connection(asyncio.Protocol):
    """Just enough HTTP/1.1 for our own client."""

    def __init__(self, answers: Answers, slots: Slots) -> None:
        self.answers, self.slots, self.buffer = answers, slots, b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        if head.startswith(b"GET"):
            self.buffer = rest
            self._get(head)
            return
        place = head.lower().index(b"content-length:")
        length = int(head[place + 15 :].split(b"\r\n", 1)[0])
        if len(rest) >= length:
            self.buffer = rest[length:]
            self.slots.take(self.transport, self.answers.to(rest[:length]))

    def _get(self, head: bytes) -> None:
        if b"/models" in head:
            payload = json.dumps({"data": [{"id": "fast"}]}).encode()
        else:
            payload = json.dumps({"requests": self.slots.requests, "peak": self.slots.peak}).encode()
        self.transport.write(_head(payload) + payload)


class FastServer:
    """Runs the server in a process of its own until the end of the block."""

    def __init__(self, latency_s: float = 0.05, slots: int = 256) -> None:
        self._command = [sys.executable, __file__, "--latency", str(latency_s), "--slots", str(slots)]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.base_url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def stats(self) -> dict[str, int]:
        """Requests so far, and the most at the same time."""
        with urlopen(self.base_url.removesuffix("/v1") + "/stats") as reply:
            return json.loads(reply.read())


async def _serve(latency_s: float, slots: int) -> None:
    answers, working = Answers(), Slots(slots, latency_s)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answers, working), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)  # noqa: T201
    await server.serve_forever()


def _run(main: Any) -> None:
    try:
        import uvloop
    except ImportError:
        asyncio.run(main)
        return
    uvloop.run(main)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--slots", type=int, default=256)
    chosen = parser.parse_args()
    _run(_serve(chosen.latency, chosen.slots))
