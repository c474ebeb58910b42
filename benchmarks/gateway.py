"""How long the gateway takes to clean a conversation, and to restore hostile streams.

Usage: python benchmarks/gateway.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

from privasis.serve.gateway_request import clean_request
from privasis.serve.policy import parse_policy
from privasis.serve.restore import Restorer, Stream

POLICY = """
[[target]]
values = ["Maren Virtanen", "maren@virtanen.no"]
[[target]]
what = "phone numbers"
"""
PARAGRAPH = "Dear Maren Virtanen, the ferry of Tuesday was late again, call +47 912 34 567 please. " * 10
HOSTILE = ("[", "\\", "&#91;", "%5B", "[PERSON_1", "[PERSON_1]", '{"a": "[PERSON_1]')
SIZE = 1_000_000
PIECE = 1_000


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def restore(text: str) -> None:
    stream = Stream(Restorer({"[PERSON_1]": 'Ann "A" Roe'}))
    for place in range(0, len(text), PIECE):
        stream.feed(text[place : place + PIECE])
    stream.end()


def main() -> None:
    wishes = parse_policy(POLICY)
    for number in (10, 40, 160):
        messages = [{"role": "user", "content": f"{n}. {PARAGRAPH}"} for n in range(number)]
        body = {"model": "m", "messages": messages}
        took = seconds(lambda body=body: clean_request(body, "chat/completions", wishes))
        print(f"clean {number * len(PARAGRAPH):>8} characters in {number:>3} messages: {took:.2f} s")
    for unit in HOSTILE:
        text = unit * (SIZE // len(unit))
        print(f"restore {len(text)} characters of {unit}: {seconds(lambda text=text: restore(text)):.2f} s")


if __name__ == "__main__":
    main()
