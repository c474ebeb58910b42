"""The rules of the house that a machine can check."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "privasis"
FILES = sorted(SRC.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_files_and_functions_are_short(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 400, f"{path.name} is over 400 lines: split it by subject"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{path.name}:{node.name} has {length} lines: at most 60"


def test_no_utils_room() -> None:
    assert not [p for p in FILES if p.stem in {"utils", "helpers", "misc", "common"}]


def test_test_files_have_names_of_their_own() -> None:
    """Two test files of one name stop the whole collection, and only when both folders are run together."""
    names = [path.name for path in Path(__file__).parent.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
