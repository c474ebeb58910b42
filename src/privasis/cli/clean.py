"""``privasis clean``: take out of a text what an instruction names, and prove that it is gone."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from rich.text import Text

from privasis.cleaner.by_model import Mode, clean_by_model
from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.files import Decoded, decode
from privasis.cleaner.instruction import named_wish, read_instruction
from privasis.cleaner.results import Cleaned, Wish
from privasis.cli.console import err, out, visible
from privasis.cli.serving import Prices, served
from privasis.errors import ConfigError, InputError

NOT_CLEAN = 3
NOTHING_TO_DO = 4


def clean(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="A text file, or - for standard input.")
    ] = "-",
    instruction: Annotated[
        str, typer.Option("--instruction", "-i", help="What to do, in your own words and language.")
    ] = "",
    drop: Annotated[
        list[str] | None, typer.Option(help="A value or a kind of value that goes. Repeatable.")
    ] = None,
    abstract: Annotated[
        list[str] | None, typer.Option(help="A value or kind that is said more generally. Repeatable.")
    ] = None,
    keep: Annotated[list[str] | None, typer.Option(help="A value or kind that stays. Repeatable.")] = None,
    target: Annotated[
        Path | None, typer.Option("--out", help="Where the clean text goes. [default: standard output]")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print text, edits, findings and residual risks as JSON.")
    ] = False,
    diff: Annotated[bool, typer.Option(help="Print the text with its changes coloured.")] = False,
    model: Annotated[
        str | None, typer.Option(help="Let this model find what rules cannot. [default: rules alone]")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Its OpenAI-compatible endpoint.")] = None,
    key_env: Annotated[
        str, typer.Option(help="Environment variable that holds the endpoint's key.")
    ] = "OPENAI_API_KEY",
    mode: Annotated[
        str, typer.Option(help="What the model is asked for: edits, or rewrite (the whole text).")
    ] = "edits",
    report: Annotated[
        Path | None, typer.Option(help="Write what was done to this file as JSON, without any text.")
    ] = None,
) -> int:
    """Clean a text by an instruction, on this machine, by rules alone unless you name a model.

    Exit code 0: clean. 3: something that was to go is left; then no text is printed. 4: the instruction names
    nothing that the text has; nothing was changed.
    """
    decoded = _read(source)
    wishes = _wishes(instruction, decoded.text, drop or [], abstract or [], keep or [])
    if model is None and base_url is None:
        cleaned = clean_with(decoded.text, wishes)
    else:
        with served([model or ""], [base_url] if base_url else [], key_env, Prices(), 4) as (asked,):
            cleaned = asyncio.run(
                clean_by_model(decoded.text, _said(instruction, wishes), wishes, asked, _mode(mode))
            )
    if report is not None:
        report.write_text(json.dumps(_report(cleaned), indent=1) + "\n", "utf-8")
    code = _code(cleaned)
    if as_json:
        sys.stdout.write(json.dumps(_as_json(cleaned), ensure_ascii=False) + "\n")
    elif code == 0:
        _write(cleaned, decoded, target, diff)
    _say(cleaned, code)
    return code


def _read(source: str) -> Decoded:
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}.") from None
    decoded = decode(data, "standard input" if source == "-" else source)
    if decoded.assumed:
        err.print(f"the encoding is taken for {decoded.encoding}: the file is not UTF-8", style="yellow")
    return decoded


def _wishes(
    instruction: str, text: str, drop: list[str], abstract: list[str], keep: list[str]
) -> tuple[Wish, ...]:
    if not (instruction.strip() or drop or abstract):
        raise ConfigError("nothing is to be done. Say what by --instruction, --drop or --abstract.")
    named = (
        *(named_wish(phrase, "drop", text) for phrase in drop),
        *(named_wish(phrase, "abstract", text) for phrase in abstract),
        *(named_wish(phrase, "keep", text) for phrase in keep),
    )
    return (*read_instruction(instruction, text), *named)


def _said(instruction: str, wishes: tuple[Wish, ...]) -> str:
    """Return the whole of what is wanted as one instruction."""
    said = [f"{wish.action} {wish.what}." for wish in wishes if wish.what not in instruction]
    return " ".join((instruction, *said)).strip()


def _mode(word: str) -> Mode:
    if word not in get_args(Mode):
        raise ConfigError(f"--mode {word}: use {' or '.join(get_args(Mode))}.")
    return cast(Mode, word)


def _code(cleaned: Cleaned) -> int:
    if cleaned.risks:
        return NOT_CLEAN
    wanted = [(n, wish) for n, wish in enumerate(cleaned.wishes) if wish.action != "keep"]
    if (
        cleaned.text
        and not cleaned.edits
        and all(n in cleaned.unfound and not wish.values for n, wish in wanted)
    ):
        return NOTHING_TO_DO
    return 0


def _write(cleaned: Cleaned, decoded: Decoded, target: Path | None, diff: bool) -> None:
    if diff:
        out.print(_coloured(decoded.text, cleaned), soft_wrap=True)
    data = cleaned.text.encode(decoded.encoding, "xmlcharrefreplace")
    if target is not None:
        target.write_bytes(data)
    elif not diff:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _coloured(original: str, cleaned: Cleaned) -> Text:
    shown = Text()
    place = 0
    for edit in cleaned.edits:
        shown.append(visible(original[place : edit.start]))
        shown.append(visible(original[edit.start : edit.end]), style="red strike")
        shown.append(visible(edit.replacement), style="green underline")
        place = edit.end
    shown.append(visible(original[place:]))
    return shown


def _say(cleaned: Cleaned, code: int) -> None:
    """Say on standard error how it went; values are never named, wishes only by number."""
    if code == NOT_CLEAN:
        places = ", ".join(sorted({risk.where for risk in cleaned.risks}))
        err.print(f"not clean: {len(cleaned.risks)} places are left ({places}). No text is given out.")
    elif code == NOTHING_TO_DO:
        err.print("nothing in the text is what the instruction names: nothing was changed.")
    for number in cleaned.unfound if code == 0 else ():
        err.print(f"wish {number + 1} of {len(cleaned.wishes)}: nothing found", style="yellow")


def _as_json(cleaned: Cleaned) -> dict[str, Any]:
    return {
        "text": cleaned.text if cleaned.is_clean else None,
        "edits": [
            {"start": e.start, "end": e.end, "replacement": e.replacement, "wish": int(e.target[1:])}
            for e in cleaned.edits
        ],
        "findings": [
            {"start": f.span.start, "end": f.span.end, "wish": f.wish + 1, "kind": f.kind}
            for f in cleaned.findings
        ],
        "risks": [{"reason": r.reason, "wish": r.wish + 1, "where": r.where} for r in cleaned.risks],
        "unfound": [number + 1 for number in cleaned.unfound],
        "wishes": [
            {"what": w.what, "action": w.action, "values": list(w.values), "whose": w.whose}
            for w in cleaned.wishes
        ],
    }


def _report(cleaned: Cleaned) -> dict[str, Any]:
    """Return what was done in numbers: neither the text nor the instruction is in it."""
    return {
        "clean": cleaned.is_clean,
        "edits": len(cleaned.edits),
        "found": dict(Counter(finding.kind for finding in cleaned.findings)),
        "places": [[f.span.start, f.span.end, f.kind, f.wish + 1] for f in cleaned.findings],
        "risks": [[risk.reason, risk.wish + 1, risk.where] for risk in cleaned.risks],
        "unfound": [number + 1 for number in cleaned.unfound],
    }
