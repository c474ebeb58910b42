"""What makes a text or a profile unfit (§2.1, item 4), each with the reason word that is counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import py3langid

from privasis.errors import Reject
from privasis.prompts.registry import load
from privasis.synthesis.languages import language_code
from privasis.synthesis.options import SynthesisOptions
from privasis.text.leaks import contains_direct
from privasis.text.words import count_words
from privasis.types import Seed

# How models decline, at the start of a text; other languages are caught by the client's refusal field,
# or fall short of the word count.
_REFUSAL = re.compile(
    r"\W*(?:i(?:['’]m| am) (?:sorry|unable)"
    r"|i (?:can(?:not|['’]t)|won['’]t) (?:help|assist|create|provide|write)"
    r"|as an ai\b|i apologi[sz]e\b|sorry, (?:but )?i\b)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\[(?:your |insert |recipient|name|date|address)[^\]\n]{0,40}\]", re.IGNORECASE)
_LOOP_SHARE = 0.4  # share of word 5-grams that are repetitions: ordinary forms and tables stay under 0.25
_ECHO_WORDS = 12  # a run of so many words in common with the instructions is no coincidence
_LANGUAGE_MIN_CHARACTERS = 200  # below, the language of names and numbers is a guess
_LANGUAGE_CHARACTERS = 800  # more take time in proportion and change no verdict


def check_person(seed: Seed, options: SynthesisOptions) -> None:
    """Refuse profiles under age.

    Raises:
        Reject: With the reason ``under_age``.
    """
    if seed.age < options.min_age:
        raise Reject("filter", "under_age", str(seed.age))


def check_text(text: str, options: SynthesisOptions) -> None:
    """Refuse texts that are too short or degenerate.

    Raises:
        Reject: With the reason word of ``defect``.
    """
    reason = defect(text, load("record.draft").system.render(), options)
    if reason is not None:
        raise Reject("filter", reason, text)


_COMPLAINTS = {
    "refusal": "It was a refusal. All people and events here are invented.",
    "too_short": "It was too short. Write more, with concrete details.",
    "looping": "It repeated itself.",
    "prompt_echo": "It repeated the task. Write the document only.",
    "placeholders": "It had placeholders. Write out every name, date and number.",
    "wrong_language": "It was in another language than the one asked for.",
}


def complaint_about(
    instructions: str, details: Sequence[str], options: SynthesisOptions
) -> Callable[[str], str | None]:
    """Return a check that tells a model what is wrong with its text, so that it can write another one."""

    def check(text: str) -> str | None:
        reason = defect(text, instructions, options)
        if reason is not None:
            return _COMPLAINTS[reason]
        missing = [detail for detail in details if not contains_direct(text, detail)]
        if len(details) - len(missing) < min(options.min_details, len(details)):
            return f"It left out what it must mention: {'; '.join(missing)}."
        return None

    return check


def defect(text: str, instructions: str, options: SynthesisOptions) -> str | None:
    """Return the reason word why a text is unfit, or None.

    One of ``refusal``, ``too_short``, ``looping``, ``prompt_echo``, ``placeholders``, ``wrong_language``.
    """
    words = text.split()
    if _REFUSAL.match(text):
        return "refusal"
    if count_words(text) < options.min_words:
        return "too_short"
    if _repeated_share(words) > _LOOP_SHARE:
        return "looping"
    if _shares_run(words, instructions.split()):
        return "prompt_echo"
    if len(_PLACEHOLDER.findall(text)) >= 3:
        return "placeholders"
    if not _in_language(text, options.language):
        return "wrong_language"
    return None


def _repeated_share(words: Sequence[str]) -> float:
    grams = [tuple(words[i : i + 5]) for i in range(len(words) - 4)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def _shares_run(words: Sequence[str], instructions: Sequence[str]) -> bool:
    def runs(tokens: Sequence[str]) -> set[tuple[str, ...]]:
        return {tuple(tokens[i : i + _ECHO_WORDS]) for i in range(len(tokens) - _ECHO_WORDS + 1)}

    return not runs(words).isdisjoint(runs(instructions))


def _in_language(text: str, language: str) -> bool:
    code = language_code(language)
    if code is None or len(text) < _LANGUAGE_MIN_CHARACTERS:
        return True
    # Records are full of foreign names: the language counts when it is among the three likeliest.
    return code in {name for name, _ in py3langid.rank(text[:_LANGUAGE_CHARACTERS])[:3]}
