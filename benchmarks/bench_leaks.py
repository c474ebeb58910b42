"""The direct leak check of 10,000 records with 40 attributes each, against ``in`` for each attribute.

    python benchmarks/bench_leaks.py [records]

Records of 3.5 kB, half of their attributes still in the text; both ways must give the same verdicts. The main
figure is for texts with letters, dashes or quotation marks beyond ASCII, as 98% of the agency reports, all of
the court rulings and 47% of the clinical notes are that were looked at; a quarter of the records name someone
with a capital beyond ASCII (court rulings: 24%, the most of all). Pure ASCII stands beside it: Python folds
it much faster, and there is less to win. CPU seconds, medians of five passes.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from privasis.text.leaks import direct_leaks

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.answers import DEEDS, DOERS, NAMES, PLACES, THINGS, WHEN, WORDS

ATTRIBUTES, CHARACTERS, ROUNDS = 40, 3500, 5
ACCENTED = ("Zoë Brûlé", "Inés Gómez", "Bjørn Lindström", "Chloé Noël", "João Conceição", "Mária Kovács")
CAPITAL = ("Łukasz Wójcik", "Şule Çelik", "Đặng Hải", "Élodie Côté")

Check = Callable[[str, Sequence[str]], list[bool]]
Record = tuple[str, list[str]]


def each_for_itself(text: str, values: Sequence[str]) -> list[bool]:
    return [value.casefold() in text.casefold() for value in values]


class Writer:
    """Makes records whose attributes are of the kinds that real ones have."""

    def __init__(self, seed: int, beyond: bool) -> None:
        self.rng, self.beyond = np.random.default_rng(seed), beyond
        self.names: Sequence[str] = NAMES

    def pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.rng.integers(len(choices)))]

    def digits(self, count: int) -> str:
        return "".join(map(str, self.rng.integers(10, size=count)))

    def value(self) -> str:
        word, other = self.pick(WORDS), self.pick(WORDS).title()
        kinds = (
            self.pick(self.names),
            f"{word}.{self.digits(2)}@{self.pick(WORDS)}.example",
            f"+{self.digits(2)} {self.digits(3)} {self.digits(3)} {self.digits(2)}",
            f"{int(self.rng.integers(1, 28))} {self.pick(('March', 'July', 'October'))} 19{self.digits(2)}",
            f"{self.digits(3)}.{self.digits(2)} EUR",
            f"{self.digits(2)} {other} Street, {self.pick(WORDS).title()}",
            f"{other} & {self.pick(WORDS).title()} Ltd",
            f"{word[:2].upper()}-{self.digits(7)}",
            self.pick(THINGS),
        )
        return self.pick(kinds)

    def record(self) -> Record:
        if self.beyond:
            self.names = (*NAMES, *ACCENTED, *(CAPITAL if self.rng.random() < 0.25 else ()))
        values = [self.value() for _ in range(ATTRIBUTES)]
        sentences = [f"It is about {value}." for value in values[::2]]
        while sum(map(len, sentences)) + len(sentences) < CHARACTERS:
            who, deed, thing = self.pick((*self.names, *DOERS)), self.pick(DEEDS), self.pick(THINGS)
            sentences.append(f"{who} {deed} {thing} {self.pick(PLACES)} {self.pick(WHEN)}.")
        self.rng.shuffle(sentences)
        return " ".join(sentences)[:CHARACTERS], values


def median(check: Check, records: Sequence[Record]) -> float:
    """Median CPU seconds of a pass over all records."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for text, values in records:
            check(text, values)
        times.append(time.process_time() - began)
    return statistics.median(times)


def compare(title: str, records: Sequence[Record]) -> None:
    verdicts = [direct_leaks(*record) for record in records]
    assert verdicts == [each_for_itself(*record) for record in records], "the verdicts differ"
    ours, theirs = median(direct_leaks, records), median(each_for_itself, records)
    print(
        f"{title}: {len(records)} records, {sum(map(sum, verdicts))} leaks, same verdicts; "
        f"in, for each attribute: {theirs:.3f} s; folded once: {ours:.3f} s; {theirs / ours:.1f} times faster"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    beyond, plain = Writer(11, beyond=True), Writer(11, beyond=False)
    compare("beyond ASCII", [beyond.record() for _ in range(count)])
    compare("pure ASCII", [plain.record() for _ in range(count)])


if __name__ == "__main__":
    main()
