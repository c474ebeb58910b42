"""Text room: leak checks beside plain ``in``, reading and finding on a record, hostile inputs up to 1 MB.

Run: python benchmarks/bench_text.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from privasis.text.chunks import split
from privasis.text.diff import diff_edits
from privasis.text.fingerprint import fingerprint
from privasis.text.fold import fold
from privasis.text.forms import find_forms
from privasis.text.kinds import ValueKind
from privasis.text.markup import fold_markup
from privasis.text.reading import read
from privasis.text.spans import find_verbatim

RECORDS = 10_000
ATTRIBUTES = 40
LENGTH = 3_500
REPEATS = 3
MEGABYTE = 1_000_000

COMMON = """
the of and to a in that is was he for it with as his on be at by had not are but from or have an they which
one you were her all she there would their we him been has when who will more no if out so said what up its
about into than them can only other new some could time these two may then do first any my now such like our
over man me even most made after also did many before must through back years where much your way well down
should because each just those people mr how too little state good very make world still own see men work
long get here between both life being under never day same another know while last might us great old year
off come since against go came right used take three patient letter meeting clinic account report payment
records office morning evening treatment family notes contract appointment statement address follow review
please received signed return
"""
SYLLABLES = "ka lo mi ren dal sut ber ni chor fel gan wim pos tra ud ez hil jom qua vey"
VALUES: list[tuple[str, ValueKind]] = [
    ("Ilse Vandermeer", "person_name"),
    ("Will Rose", "person_name"),
    ("9 March 2021", "date"),
    ("9:30 PM", "time"),
    ("+44 20 7946 0018", "phone"),
    ("4111 1111 1111 1111", "number"),
    ("$45,000", "amount"),
    ("ilse.v@example.org", "email"),
    ("4 Elm Road, Leeds", "address"),
    ("Royal Tarn Hospital", "organization"),
    ("a.a.a.a", "other"),
]


def median_of(action: Callable[[], object], repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def make_value(rng: np.random.Generator, kind: int) -> str:
    """Invent a value such as records hold: names, days, numbers, addresses, amounts, phrases."""
    first, last = ("".join(rng.choice(SYLLABLES.split(), 2)).title() for _ in range(2))
    digits = "".join(map(str, rng.integers(0, 10, 10)))
    phrase = " ".join(rng.choice(COMMON.split(), 3))
    return (
        f"{first} {last}",
        f"{rng.integers(1, 29)} {rng.choice(['March', 'June', 'October'])} {rng.integers(1950, 2030)}",
        f"+44 20 {digits[:4]} {digits[4:8]}",
        f"{first}.{last}@example.org".lower(),
        f"${digits[:2]},{digits[2:5]}",
        f"{last[:2].upper()}{digits}",
        f"{digits[0]} {last} Road, {first}ton",
        phrase,
        f"{last} {first} Ltd",
        first,
    )[kind % 10]


def make_record(rng: np.random.Generator, *, typographic: bool) -> tuple[str, list[str]]:
    """Make a record of common words in which three of four values stand, and the values."""
    words = COMMON.split()
    shares = 1 / np.arange(1, len(words) + 1)
    body = rng.choice(words, LENGTH // 5, p=shares / shares.sum()).tolist()
    values = [make_value(rng, n) for n in range(ATTRIBUTES)]
    for value in values[: ATTRIBUTES * 3 // 4]:
        body.insert(int(rng.integers(0, len(body))), value)
    text = ". ".join(" ".join(body[i : i + 12]).strip() for i in range(0, len(body), 12))
    if typographic:  # as people and language models write: 96% of 3.5 kB windows of human texts hold some
        text = text.replace(". the", ". “the").replace(" as ", " – ").replace("s the", "’s the")
        text = "Café: " + text
    return text[:LENGTH], values


def bench_record() -> None:
    text, _ = make_record(np.random.default_rng(3), typographic=True)
    text = f"Ilse Vandermeer, 9 March 2021. {text}"
    reading, folded = read(text), fold(text)
    changed = text.replace("Vandermeer", "X").replace(" that ", " THAT ")
    steps: dict[str, Callable[[], object]] = {
        "fold": lambda: fold(text),
        "find_verbatim, one value": lambda: find_verbatim(folded, "Ilse Vandermeer"),
        "read": lambda: read(text),
        "find_forms, a name": lambda: find_forms(reading, "Ilse Vandermeer", "person_name"),
        "find_forms, a date": lambda: find_forms(reading, "9 March 2021", "date"),
        "split": lambda: split(text),
        "fingerprint": lambda: fingerprint(text),
        "diff_edits": lambda: diff_edits(text, changed, target="t", step="s"),
    }
    print(f"One record of {len(text):,} characters (median of 20)")
    for name, action in steps.items():
        print(f"  {name:28} {median_of(action, 20) * 1e3:8.2f} ms")


HOSTILE = {
    unit.encode("unicode_escape").decode(): unit
    for unit in (
        "x",
        "a.",
        "a@",
        "1",
        "1 ",
        "12-",
        "[(",
        "<",
        "&#",
        "aA",
        "a_",
        "/",
        "Z. ",
        "**",
        "one ",
        "Ilse ",
        "Vandermeer, ",
        "May ",
        " at dot",
        "\n> ",
        "- a\n",
        " ",
        "\u200b",
        "a\u0301",
        "患",
        "マ",
        "👩\u200d",
    )
}


def bench_hostile() -> None:
    print("Hostile inputs: seconds for 1 MB; in brackets, as a multiple of four times 250 kB (1.0 = linear)")
    print(f"  {'unit':14} {'split':>12} {'read':>12} {'markup':>12}  slowest of {len(VALUES)} find_forms")
    for name, unit in HOSTILE.items():
        row = [f"  {name:14}"]
        large, small = (unit * (size // len(unit)) for size in (MEGABYTE, MEGABYTE // 4))
        for action in (split, read, fold_markup):
            whole, part = (median_of(lambda a=action, t=text: a(t), 1) for text in (large, small))
            row.append(f"{whole:6.2f} ({whole / (4 * part):3.1f})")
        reading = read(large)
        times = [(median_of(lambda r=reading, v=v, k=k: find_forms(r, v, k), 1), v) for v, k in VALUES]
        slowest, value = max(times)
        print(" ".join(row), f"  {slowest:6.2f}  {value}", flush=True)


if __name__ == "__main__":
    bench_record()
    bench_hostile()
