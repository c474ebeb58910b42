from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from privasis.text.fingerprint import BANDS, fingerprint, is_near_duplicate

WORDS = np.array([f"word{n}" for n in range(2000)])


def record(seed: int, length: int = 500) -> list[str]:
    return np.random.default_rng(seed).choice(WORDS, length).tolist()


def changed(words: list[str], share: float, seed: int) -> list[str]:
    """Replace a share of the words, in one stretch."""
    count = round(len(words) * share)
    at = int(np.random.default_rng(seed).integers(0, len(words) - count))
    return [*words[:at], *record(seed + 10_000, count), *words[at + count :]]


def test_a_fingerprint_is_eight_signed_words() -> None:
    found = fingerprint(" ".join(record(1)))
    assert len(found) == BANDS == 8
    assert all(-(2**63) <= band < 2**63 for band in found)


def test_case_punctuation_and_spacing_do_not_count() -> None:
    words = record(2)
    assert fingerprint(" ".join(words)) == fingerprint("\n".join(words).upper() + "!")


def test_near_copies_are_found_and_strangers_are_not() -> None:
    originals = [record(n) for n in range(60)]
    prints = [fingerprint(" ".join(words)) for words in originals]
    near = [fingerprint(" ".join(changed(words, 0.05, n))) for n, words in enumerate(originals)]
    assert sum(map(is_near_duplicate, prints, near)) >= 57
    strangers = [is_near_duplicate(a, b) for n, a in enumerate(prints) for b in prints[:n]]
    assert not any(strangers)


def test_a_changed_third_is_rarely_a_near_copy() -> None:
    pairs = [(record(n), changed(record(n), 0.35, n)) for n in range(60)]
    found = [is_near_duplicate(fingerprint(" ".join(a)), fingerprint(" ".join(b))) for a, b in pairs]
    assert sum(found) <= 20


def test_scripts_without_spaces_have_shingles_too() -> None:
    letters = [chr(0x4E00 + n) for n in np.random.default_rng(3).integers(0, 3000, 800)]
    text = "".join(letters)
    near = text[:400] + "患者は" + text[420:]
    other = "".join(chr(0x4E00 + n) for n in np.random.default_rng(4).integers(0, 3000, 800))
    assert is_near_duplicate(fingerprint(text), fingerprint(near))
    assert not is_near_duplicate(fingerprint(text), fingerprint(other))


@pytest.mark.parametrize("text", ["", " . ", "one", "four words are here", "患者", "\ud800 x"])
def test_short_texts_have_one_too(text: str) -> None:
    assert fingerprint(text) == fingerprint(text)
    assert not is_near_duplicate(fingerprint(text), fingerprint("five other words stand here"))


def test_long_texts_do_not_depend_on_the_block() -> None:
    words = record(5, 10_000)
    assert is_near_duplicate(fingerprint(" ".join(words)), fingerprint(" ".join(words[:-3])))


def test_every_process_agrees_for_ever() -> None:
    text = "The patient slept well and will be seen again in spring by the ward nurse."
    code = f"from privasis.text.fingerprint import fingerprint; print(fingerprint({text!r}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == str(fingerprint(text))
    assert fingerprint(text)[:2] == KNOWN


KNOWN = (-2067931175307641850, 6701015423675779987)
