"""``privasis clean``: take out of a text what an instruction names, and prove that it is gone."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from privasis.cleaner.by_model import Mode, clean_by_model
from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.formats.documents import (
    CleanedDocument,
    Cleaner,
    Document,
    clean_documents,
    joined_text,
)
from privasis.cleaner.formats.opening import FORMATS, open_document
from privasis.cleaner.instruction import read_wishes
from privasis.cleaner.results import Cleaned, Wish
from privasis.cli.clean_folder import Work, clean_folder
from privasis.cli.clean_report import as_json, code_of, coloured, in_numbers, say
from privasis.cli.console import err, out
from privasis.cli.serving import Prices, served
from privasis.errors import ConfigError, InputError


def clean(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="A file, a folder, or - for standard input.")
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
        Path | None,
        typer.Option("--out", help="Where what is clean goes. [default: standard output]"),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help=f"Of the files: {', '.join(FORMATS)}. [default: by suffix]")
    ] = "",
    json_wanted: Annotated[
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
    """Clean a text, a document or a folder by an instruction, by rules alone unless you name a model.

    Exit code 0: clean. 2: a file cannot be read. 3: something that was to go is left; then nothing is given
    out. 4: the instruction names nothing that the text has; nothing was changed. Of a folder: the worst.
    """
    wishes_of = partial(_wishes, instruction, drop or [], abstract or [], keep or [])
    with _cleaner(model, base_url, key_env, _mode(mode), instruction) as cleaner:
        if source != "-" and Path(source).is_dir():
            work = Work(wishes_of, cleaner, json_wanted, report)
            return clean_folder(Path(source), target, form, work)
        document = _read(source, form)
        (cleaned,) = clean_documents([document], wishes_of(joined_text([document])), cleaner)
    _report(in_numbers(cleaned), report)
    if json_wanted:
        sys.stdout.write(json.dumps(as_json(cleaned, document.encoding), ensure_ascii=False) + "\n")
    elif code_of(cleaned) == 0:
        _write(cleaned, target, diff)
    say(cleaned, code_of(cleaned))
    return code_of(cleaned)


def _read(source: str, form: str) -> Document:
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}.") from None
    document = open_document(data, "standard input" if source == "-" else source, form)
    if document.assumed:
        err.print(f"the encoding is taken for {document.encoding}: the file is not UTF-8", style="yellow")
    return document


def _report(numbers: dict[str, Any], target: Path | None) -> None:
    if target is not None:
        target.write_text(json.dumps(numbers, indent=1) + "\n", "utf-8")


def _wishes(
    instruction: str, drop: list[str], abstract: list[str], keep: list[str], text: str
) -> tuple[Wish, ...]:
    if not (instruction.strip() or drop or abstract):
        raise ConfigError("nothing is to be done. Say what by --instruction, --drop or --abstract.")
    return read_wishes(instruction, text, drop=drop, abstract=abstract, keep=keep)


@contextmanager
def _cleaner(
    model: str | None, base_url: str | None, key_env: str, mode: Mode, instruction: str
) -> Iterator[Cleaner]:
    if model is None and base_url is None:
        yield clean_with
        return
    with served([model or ""], [base_url] if base_url else [], key_env, Prices(), 4) as (asked,):

        def by_model(text: str, wishes: Sequence[Wish]) -> Cleaned:
            return asyncio.run(clean_by_model(text, _said(instruction, wishes), wishes, asked, mode))

        yield by_model


def _said(instruction: str, wishes: Sequence[Wish]) -> str:
    """Return the whole of what is wanted as one instruction."""
    said = [f"{wish.action} {wish.what}." for wish in wishes if wish.what not in instruction]
    return " ".join((instruction, *said)).strip()


def _mode(word: str) -> Mode:
    if word not in get_args(Mode):
        raise ConfigError(f"--mode {word}: use {' or '.join(get_args(Mode))}.")
    return cast(Mode, word)


def _write(cleaned: CleanedDocument, target: Path | None, diff: bool) -> None:
    for shown in coloured(cleaned) if diff else ():
        out.print(shown, soft_wrap=True)
    data = cleaned.data or b""
    if target is not None:
        target.write_bytes(data)
    elif not diff:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
