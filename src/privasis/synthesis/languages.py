"""Names of languages and the ISO 639-1 codes that language identification knows."""

from __future__ import annotations

_CODES = {
    "afrikaans": "af", "albanian": "sq", "amharic": "am", "arabic": "ar", "armenian": "hy",
    "azerbaijani": "az", "basque": "eu", "belarusian": "be", "bengali": "bn", "bosnian": "bs",
    "bulgarian": "bg", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da",
    "dutch": "nl", "english": "en", "estonian": "et", "finnish": "fi", "french": "fr", "galician": "gl",
    "georgian": "ka", "german": "de", "greek": "el", "gujarati": "gu", "hebrew": "he", "hindi": "hi",
    "hungarian": "hu", "icelandic": "is", "indonesian": "id", "irish": "ga", "italian": "it",
    "japanese": "ja", "kannada": "kn", "kazakh": "kk", "khmer": "km", "korean": "ko", "kyrgyz": "ky",
    "lao": "lo", "latvian": "lv", "lithuanian": "lt", "macedonian": "mk", "malay": "ms",
    "malayalam": "ml", "maltese": "mt", "marathi": "mr", "mongolian": "mn", "nepali": "ne",
    "norwegian": "no", "pashto": "ps", "persian": "fa", "polish": "pl", "portuguese": "pt",
    "punjabi": "pa", "romanian": "ro", "russian": "ru", "serbian": "sr", "sinhala": "si", "slovak": "sk",
    "slovenian": "sl", "spanish": "es", "swahili": "sw", "swedish": "sv", "tagalog": "tl", "tamil": "ta",
    "telugu": "te", "thai": "th", "turkish": "tr", "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi",
    "welsh": "cy", "xhosa": "xh", "zulu": "zu",
}  # fmt: skip


def language_code(language: str) -> str | None:
    """Return the ISO 639-1 code of a language's English name or code; None if it is not known."""
    name = language.strip().casefold()
    return name if name in _CODES.values() else _CODES.get(name)
