"""Examples: their answers put together are the sanitized record, and the loss sees the answer only."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.cleaner.answers import edits_answer, rewrite_answer
from privasis.errors import ConfigError
from privasis.text.edits import apply_edits
from privasis.training.examples import IGNORED, Example, data_hash, encode, examples
from privasis.training.pieces import pieces
from privasis.training.presets import Preset, as_preset, load_preset, preset_names
from privasis.types import Edit, Fact, Target, Triplet

TINY = as_preset("tiny", load_preset("tiny"))


def triplet(text: str, edits: tuple[Edit, ...], instruction: str = "Take the name out.") -> Triplet:
    goal = Target("t1", "name", False, (Fact("name", "x"),), "drop", 5.0, "Drop it.")
    return Triplet(
        id="r", record_id="r", number=1, person="P", language="English", record_type="a note",
        category="Other", model="m", text=text, sanitized=apply_edits(text, edits), edits=edits,
        targets=(goal,), keeps=(), base_instruction="b", instruction=instruction, level=0, attributes=(),
        groups=(), calls=(),
    )  # fmt: skip


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, tuple[Edit, ...]]:
    """A text of few letters, so that everything stands in it several times, with disjoint edits."""
    text = draw(st.text("ab .\n", min_size=1, max_size=80))
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    new = st.text("abX ", max_size=4)
    pairs = zip(borders[::2], borders[1::2], strict=False)
    return text, tuple(Edit(start, end, draw(new), "t1", "span") for start, end in pairs)


@given(edited(), st.integers(1, 30))
def test_the_answers_of_all_pieces_are_the_sanitized_record(
    case: tuple[str, tuple[Edit, ...]], size: int
) -> None:
    made = triplet(*case)
    cut = list(pieces(made, size))
    assert "".join(piece.text for piece in cut) == made.text
    assert "".join(rewrite_answer(piece.text, piece.edits) for piece in cut) == made.sanitized


@given(edited())
def test_finds_are_verbatim_and_change_what_the_edits_change(case: tuple[str, tuple[Edit, ...]]) -> None:
    text, edits = case
    pairs = json.loads(edits_answer(text, edits))["edits"]
    assert all(pair["find"] in text for pair in pairs)
    changed = rewrite_answer(text, edits)
    for pair in pairs:  # each stands only where it is to be replaced; so one pair alone never does harm
        assert pair["find"]
        assert pair["find"] != pair["replace"]
    assert bool(pairs) == (changed != text)


def test_an_equal_word_that_stays_is_told_apart_by_its_neighbours() -> None:
    text = "Ann met Ann Lee. Ann Lee left."
    edits = tuple(Edit(start, start + 7, "she", "t1", "span") for start in (8, 17))
    assert json.loads(edits_answer(text, edits)) == {"edits": [{"find": "Ann Lee", "replace": "she"}]}
    text = "Lee called. Lee paid Lee."
    answer = json.loads(edits_answer(text, (Edit(12, 15, "He", "t1", "span"),)))
    assert answer == {"edits": [{"find": "called. Lee paid", "replace": "called. He paid"}]}


def test_half_as_many_unchanged_pieces_as_changed_ones_are_kept() -> None:
    line = "Nothing happened on that day, and nobody wrote anything down at all.\n"
    text = "".join("Maren " + line if n % 10 == 0 else line for n in range(100))
    places = [n for n in range(len(text)) if text.startswith("Maren", n)]
    made = triplet(text, tuple(Edit(n, n + 5, "She", "t1", "span") for n in places))
    answers = [json.loads(one.answer)["edits"] for one in examples([made], TINY)]
    changed = sum(bool(answer) for answer in answers)
    assert 0 < changed < 12
    assert sum(not answer for answer in answers) == round(changed / 2)


@dataclass
class Letters:
    """A tokenizer that has one token a letter."""

    eos_token: str = "$"

    def apply_chat_template(self, conversation: list[dict[str, str]], **options: Any) -> str:
        assert options["add_generation_prompt"]
        return "".join(f"[{turn['role']}]{turn['content']}" for turn in conversation) + "[assistant]"

    def __call__(self, text: str, *, add_special_tokens: bool) -> Any:
        assert not add_special_tokens
        return type("Tokens", (), {"input_ids": [ord(letter) for letter in text]})


def test_the_loss_is_on_the_answer_only() -> None:
    made = triplet("Maren left.", (Edit(0, 5, "She", "t1", "span"),))
    (one,) = examples([made], TINY)
    encoded = encode(one, Letters(), 10_000)
    assert encoded is not None
    seen = "".join(chr(label) for label in encoded.labels if label != IGNORED)
    assert seen == '{"edits": [{"find": "Maren", "replace": "She"}]}$'
    assert "".join(map(chr, encoded.ids)).endswith("Maren left.[assistant]" + seen)
    assert len(encoded.ids) == len(encoded.labels)
    assert encode(one, Letters(), len(encoded.ids) - 1) is None


def test_the_hash_stands_for_every_letter_and_for_the_split() -> None:
    made = triplet("Maren left.", (Edit(0, 5, "She", "t1", "span"),))
    one, other = list(examples([made], TINY)), list(examples([replace(made, instruction="Else.")], TINY))
    assert data_hash([one, other]) == data_hash([list(one), list(other)])
    assert len({data_hash(parts) for parts in ([one, other], [other, one], [one + other, []], [one])}) == 4
    assert isinstance(one[0], Example)


@pytest.mark.parametrize("name", preset_names())
def test_packaged_presets_are_sound(name: str) -> None:
    preset = as_preset(name, load_preset(name))
    assert preset.optimizer.warmup_steps < preset.steps


def appendix_c(name: str) -> tuple[object, ...]:
    p: Preset = as_preset(name, load_preset(name))
    o = p.optimizer
    return (
        p.gpus, p.micro_batch, p.accumulation, p.global_batch, o.learning_rate, o.weight_decay,
        o.warmup_steps, p.steps, p.precision, p.zero_stage, p.prompt, p.chunk_size,
    )  # fmt: skip


def test_presets_have_the_numbers_of_appendix_c() -> None:
    large = (2, 2, 16, 64, 1e-5, 0.01, 50, 1000, "bf16", 2, "cleaner", 0)
    small = (4, 1, 20, 80, 1e-5, 0.1, 23, 750, "bf16", 3, "cleaner", 0)
    assert appendix_c("llama-3.2-3b") == appendix_c("qwen3-4b") == large
    assert appendix_c("qwen3-0.6b") == appendix_c("qwen3-1.7b") == small


def test_a_wrong_preset_is_told_by_its_field(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown\. Known are: .*tiny"):
        load_preset("huge")
    with pytest.raises(ConfigError, match="there is no such file"):
        load_preset(str(tmp_path / "mine.toml"))
    with pytest.raises(ConfigError, match=r"--preset mine: optimizer\.learning_rate: .*greater than 0"):
        as_preset(
            "mine",
            load_preset("tiny") | {"optimizer": {"learning_rate": 0, "weight_decay": 0, "warmup_steps": 1}},
        )
    with pytest.raises(ConfigError, match="--preset mine: speed: "):
        as_preset("mine", load_preset("tiny") | {"speed": 3})
