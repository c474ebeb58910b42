"""The language of a text, as the wording of abstractions names it."""

from __future__ import annotations

from typing import Final

import py3langid

_NAMES: Final = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "pt": "portuguese",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "sv": "swedish",
    "fi": "finnish",
    "tr": "turkish",
    "ru": "russian",
    "uk": "ukrainian",
    "ar": "arabic",
    "he": "hebrew",
    "hi": "hindi",
    "zh": "chinese",
    "ja": "japanese",
    "ko": "korean",
}
_CHARACTERS: Final = 4000
_SHORTEST: Final = 60  # what is shorter and plain ASCII is taken for English


def language_of(text: str) -> str:
    """Tell a text's language by its first 4,000 characters; "other" for one without a wording of its own."""
    if len(text) < _SHORTEST and text.isascii():
        return "english"
    code, _ = py3langid.classify(text[:_CHARACTERS])
    return _NAMES.get(code, "other")
