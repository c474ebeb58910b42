"""What ``privasis clean`` says of a document: coloured, as JSON, in numbers, in a line."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from rich.text import Text

from privasis.cleaner.formats.documents import CleanedDocument, CleanedLeaf
from privasis.cleaner.formats.form import WHOLE
from privasis.cli.console import err, visible

CLEAN = 0
NOT_CLEAN: Final = 3
NOTHING_TO_DO: Final = 4


def code_of(cleaned: CleanedDocument) -> int:
    """Return the exit code for a document."""
    if cleaned.data is None:
        return NOT_CLEAN
    wanted = [(n, wish) for n, wish in enumerate(cleaned.wishes) if wish.action != "keep"]
    changed = any(leaf.edits for leaf in cleaned.leaves)
    if cleaned.data and not changed and all(n in cleaned.unfound and not wish.values for n, wish in wanted):
        return NOTHING_TO_DO
    return CLEAN


def coloured(cleaned: CleanedDocument) -> Iterator[Text]:
    """Yield what changed in a document, a part at a time; of a text all of it."""
    for leaf in cleaned.leaves:
        if leaf.where != WHOLE:
            yield Text(leaf.where, style="bold")
        yield _changes(leaf)


def _changes(leaf: CleanedLeaf) -> Text:
    shown = Text()
    place = 0
    for edit in leaf.edits:
        shown.append(visible(leaf.before[place : edit.start]))
        shown.append(visible(leaf.before[edit.start : edit.end]), style="red strike")
        shown.append(visible(edit.replacement), style="green underline")
        place = edit.end
    shown.append(visible(leaf.before[place:]))
    return shown


def say(cleaned: CleanedDocument, code: int) -> None:
    """Say on standard error how it went; values are never named, wishes only by number."""
    if code == NOT_CLEAN:
        places = ", ".join(sorted({risk.where for risk in cleaned.risks}))
        err.print(f"not clean: {len(cleaned.risks)} places are left ({places}). No text is given out.")
    elif code == NOTHING_TO_DO:
        err.print("nothing in the text is what the instruction names: nothing was changed.")
    for number in cleaned.unfound if code == 0 else ():
        err.print(f"wish {number + 1} of {len(cleaned.wishes)}: nothing found", style="yellow")


def as_json(cleaned: CleanedDocument, encoding: str) -> dict[str, Any]:
    """Return a cleaned document with all that was done; ``part`` says where in a document of many parts."""
    return {
        **_content(cleaned.data, encoding),
        "edits": [
            _part(leaf)
            | {"start": e.start, "end": e.end, "replacement": e.replacement, "wish": int(e.target[1:])}
            for leaf in cleaned.leaves
            for e in leaf.edits
        ],
        "findings": [
            _part(leaf) | {"start": f.span.start, "end": f.span.end, "wish": f.wish + 1, "kind": f.kind}
            for leaf in cleaned.leaves
            for f in leaf.findings
        ],
        "risks": [{"reason": r.reason, "wish": r.wish + 1, "where": r.where} for r in cleaned.risks],
        "unfound": [number + 1 for number in cleaned.unfound],
        "wishes": [
            {"what": w.what, "action": w.action, "values": list(w.values), "whose": w.whose}
            for w in cleaned.wishes
        ],
    }


def _part(leaf: CleanedLeaf) -> dict[str, Any]:
    return {} if leaf.where == WHOLE else {"part": leaf.where}


def _content(data: bytes | None, encoding: str) -> dict[str, Any]:
    """Return the text of a document, or its bytes as base64 where it is none."""
    if data is None:
        return {"text": None}
    try:
        return {"text": data.decode(encoding)}
    except UnicodeDecodeError:
        return {"text": None, "base64": base64.b64encode(data).decode("ascii")}


def in_numbers(cleaned: CleanedDocument) -> dict[str, Any]:
    """Return what was done in numbers: neither the text nor the instruction is in it."""
    findings = [(leaf, finding) for leaf in cleaned.leaves for finding in leaf.findings]
    return {
        "clean": cleaned.data is not None,
        "edits": sum(len(leaf.edits) for leaf in cleaned.leaves),
        "found": dict(Counter(finding.kind for _, finding in findings)),
        "places": [
            [f.span.start, f.span.end, f.kind, f.wish + 1, *_part(leaf).values()] for leaf, f in findings
        ],
        "risks": [[risk.reason, risk.wish + 1, risk.where] for risk in cleaned.risks],
        "unfound": [number + 1 for number in cleaned.unfound],
    }
