"""What a reader takes for the same character: the tables behind ``fold``."""

from __future__ import annotations

from typing import Final

IGNORABLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Default-ignorable code points (Unicode's DerivedCoreProperties), inside of a character class."""

_PUNCTUATION: Final = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02b9\u02bb\u02bc\u02bd\u02be\u02bf\u02c8", "'"),
    **dict.fromkeys("\u02ca\u02cb\u0060\u00b4\u055a\u05f3\ua78b\ua78c\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u05f4\u301d\u301e\uff02", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u058a\u05be\u2e3a\u2e3b", "-"),
    **dict.fromkeys("\ufe58\ufe63\uff0d\u30a0", "-"),
    **dict.fromkeys("\u2039\u2329\u27e8", "<"),
    **dict.fromkeys("\u203a\u232a\u27e9", ">"),
    **dict.fromkeys("\u2044\u2215\u29f8", "/"),
    **dict.fromkeys("\u3002\uff61\u06d4", "."),
    **dict.fromkeys("\u060c\u3001\uff64", ","),
}

# Lower-case letters of other scripts that look like a Latin one in either case. A letter and its capital
# must fold alike, or real Greek and Cyrillic words would no longer match in other cases: where only the
# capital looks Latin (eta: H), both become what the capital looks like.
_CYRILLIC: Final = dict(zip("авекмнорстухѕіјԛԝһԁӏԍү", "abekmhopctyxsijqwhdlgy", strict=True))
_GREEK: Final = dict(zip("αβεζηικμνορτυχϳ", "abezhikmnoptyxj", strict=True))
_OTHER: Final = {
    "ı": "i",
    "ɑ": "a",
    "ɡ": "g",
    "ɩ": "i",
    "ʀ": "r",
    "ᴀ": "a",
    "ᴄ": "c",
    "ᴅ": "d",
    "ᴇ": "e",
    "ᴊ": "j",
    "ᴋ": "k",
    "ᴍ": "m",
    "ɴ": "n",
    "ᴏ": "o",
    "ᴘ": "p",
    "ꜱ": "s",
    "ᴛ": "t",
    "ᴜ": "u",
    "ᴠ": "v",
    "ᴡ": "w",
    "ᴢ": "z",
    "օ": "o",
    "ո": "n",
    "ս": "u",
    "հ": "h",
    "ց": "g",
    "ք": "p",
}

LOOKALIKES: Final = {**_PUNCTUATION, **_CYRILLIC, **_GREEK, **_OTHER}
"""Case-folded character -> what stands for it in a folded text."""

# Letters whose mark is a part of the glyph, so that Unicode does not decompose them.
BARE_LETTERS: Final = {
    "ł": "l",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ħ": "h",
    "ŧ": "t",
    "ɨ": "i",
    "ƀ": "b",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "ŋ": "n",
    "ə": "e",
    "ʻ": "",
    "أ": "ا",
    "إ": "ا",
    "آ": "ا",
    "ٱ": "ا",
    "ى": "ي",
    "ئ": "ي",
    "ؤ": "و",
    "ة": "ه",
    "ک": "ك",
    "ی": "ي",
    "ـ": "",
}
"""Letter -> letter without its mark, where decomposition alone does not tell."""

OPTIONAL_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"  # Latin, Greek, Cyrillic
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08ff"
)
"""Marks that a text may leave out without becoming another word, inside of a character class.

The vowel signs of Thai and of the Indic scripts and the voicing marks of kana are not among them.
"""
