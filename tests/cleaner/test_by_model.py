"""A model behind the Cleaner: its answers are checked, repaired by rules, never passed on unproved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from privasis.cleaner.by_model import CleaningError, Mode, clean_by_model
from privasis.cleaner.instruction import read_instruction
from privasis.cleaner.results import Cleaned
from privasis.cli.main import run
from privasis.llm.messages import Model
from privasis.text.edits import apply_edits
from support.answers import Ask
from support.scripted_server import Script, ScriptedServer

TEXT = "Ada Quill has a gluten allergy. She asked Bo Reed for bread. Quill paid 40 EUR.\n"
INSTRUCTION = "Remove Ada Quill and that she cannot eat wheat. Keep 40 EUR."


async def cleaned(answer: Callable[[Ask], str], mode: Mode, text: str = TEXT) -> Cleaned:
    with ScriptedServer(Script(answer=answer)) as server:
        model = Model(name="scripted", base_url=server.base_url)
        return await clean_by_model(text, INSTRUCTION, read_instruction(INSTRUCTION, text), model, mode)


def changes(*pairs: tuple[str, str]) -> Callable[[Ask], str]:
    return lambda _: json.dumps({"edits": [{"find": find, "replace": new} for find, new in pairs]})


async def test_edits_of_a_model_and_what_it_left() -> None:
    found = await cleaned(changes((" has a gluten allergy", " is a customer")), "edits")
    assert found.is_clean
    assert "gluten" not in found.text
    assert "Quill" not in found.text
    assert "40 EUR" in found.text
    assert apply_edits(TEXT, found.edits) == found.text


async def test_a_rewrite_is_read_as_edits_and_keeps_are_put_back() -> None:
    answer = "The client is a customer. She asked Bo Reed for bread. She paid some money."
    found = await cleaned(lambda _: answer, "rewrite")
    assert found.is_clean
    assert "Ada" not in found.text
    assert "40 EUR" in found.text
    assert found.text.endswith("\n")


@pytest.mark.parametrize("answer", [changes(("Eve Lang", "x")), lambda _: "no JSON at all", lambda _: ""])
async def test_nonsense_gives_no_text(answer: Callable[[Ask], str]) -> None:
    with pytest.raises(CleaningError) as failed:
        await cleaned(answer, "edits")
    assert "Quill" not in str(failed.value)


def test_command_with_an_endpoint(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(TEXT, "utf-8")
    with ScriptedServer(Script(answer=changes((" has a gluten allergy", " is a customer")))) as server:
        asked = ["clean", str(file), "-i", INSTRUCTION, "--base-url", server.base_url]
        assert run(asked) == 0
        assert "gluten" not in capfd.readouterr().out
    with ScriptedServer(Script(answer=lambda _: "nonsense")) as server:
        assert run(["clean", str(file), "-i", INSTRUCTION, "--base-url", server.base_url]) == 3
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "Quill" not in shown.err
