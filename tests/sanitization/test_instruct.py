"""Instructions name every target and every keep, and tell no value."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.errors import Reject
from privasis.sanitization.instruct import (
    FRAME,
    Instructions,
    base_instruction,
    complaint,
    discreet,
    fixed_drop_instruction,
    names,
    write_instructions,
)
from privasis.sanitization.options import SanitizeOptions
from privasis.types import Fact, Target
from support.answers import Ask
from support.sanitizing import context, record_of, target
from support.scripted_server import Said, Script, ScriptedServer

NAME = {"full_name": "Maren Kallio"}
MONEY = {"amount": "40 euros", "account": "NO-4471"}
KEEPS = [Fact("payment_date", "3 March 2024")]
GOOD = "Please take out the full name, make money vague, and leave the payment date."
TARGETS = [target("drop", NAME), target("abstract", MONEY, "t2", "money")]


def wrong(text: str, targets: list[Target], keeps: list[Fact] | None = None, *by_label: str) -> str | None:
    return complaint(text, targets, keeps or [], frozenset(by_label))


async def written(
    answer: object, targets: list[Target], options: SanitizeOptions | None = None, item: str = "r-0"
) -> tuple[Instructions, list[Ask]]:
    asks: list[Ask] = []

    def said(ask: Ask) -> str:
        asks.append(ask)
        return answer(ask) if callable(answer) else str(answer)

    with ScriptedServer(Script(answer=said)) as server:
        async with context(server, options) as ctx:
            record = record_of("Maren Kallio paid.", NAME, id=item)
            return await write_instructions(record, targets, KEEPS, ctx.asker(item), ctx), asks


def test_the_base_instruction_by_hand() -> None:
    targets = [
        replace(TARGETS[0], instruction=fixed_drop_instruction("full_name")),
        replace(TARGETS[1], instruction="Abstract the money matters as 'some money'"),
    ]
    assert base_instruction(targets, KEEPS) == (
        "Drop the information about full name from the text. Abstract the money matters as 'some money'. "
        "This means amount and account. Keep payment date as it is in the text."
    )
    assert "This means" not in base_instruction(targets, KEEPS, frozenset({"t2"}))


def test_targets_without_an_instruction_get_a_plain_one() -> None:
    assert base_instruction(TARGETS, []) == (
        "Drop the information about full name from the text. Abstract the information about money. "
        "This means amount and account."
    )


@pytest.mark.parametrize("poor", ["Be vague", "Write nothing about Maren Kallio", "", "  "])
@pytest.mark.parametrize("action", ["drop", "abstract"])
def test_the_base_instruction_names_all_and_tells_nothing_whatever_the_model_said(
    poor: str, action: str
) -> None:
    poorly = replace(target(action, MONEY, "t2", "money"), instruction=poor)
    for by_label in (frozenset(), frozenset({"t2"})):
        base = base_instruction([TARGETS[0], poorly], KEEPS, by_label)
        assert complaint(base, [TARGETS[0], poorly], KEEPS, by_label) is None
        assert names(base, "money")


def test_the_words_of_base_instructions_are_the_frames() -> None:
    plain = [target("drop", {"xx": "1"}), target("abstract", {"xx": "1", "xxx": "2"}, "t2", "xx")]
    odd = [replace(plain[1], instruction="Xx.", label="xxx")]
    said = " ".join(base_instruction(goals, [Fact("xx", "1"), Fact("xxx", "2")]) for goals in (plain, odd))
    assert {w.strip(".,:").casefold() for w in said.split()} - {"xx", "xxx"} <= {
        w.strip(".,").casefold() for w in FRAME.split()
    }


def test_the_base_instruction_lists_no_name_that_tells() -> None:
    goal = target("drop", {"full_name": "Maren Kallio", "kallio_account": "NO-4471"}, label="identity")
    assert base_instruction([goal], []).endswith("This means full name.")


def test_all_must_be_named() -> None:
    assert wrong(GOOD, TARGETS, KEEPS) is None
    assert "full name" in str(wrong(GOOD.replace("full name", "person"), TARGETS, KEEPS))
    assert "payment date" in str(wrong(GOOD.replace("payment date", "day"), TARGETS, KEEPS))


def test_a_group_is_named_by_its_label_or_by_all_its_members() -> None:
    members = "Drop the full name; blur the amount and the account; keep the payment date."
    assert wrong(members, TARGETS, KEEPS) is None
    assert "money" in str(wrong(members.replace("and the account", ""), TARGETS, KEEPS))
    assert "money" in str(wrong(members, TARGETS, KEEPS, "t2"))  # by its label alone


@pytest.mark.parametrize(
    ("text", "words", "named"),
    [
        ("Drop my AGE.", "age", True),
        ("Please manage my language.", "age", False),
        ("the payment\ndate", "payment date", True),
        ("all payment dates", "payment date", True),
        ("the contact detail", "contact details", True),
        ("the payment_date field", "payment date", True),
        ("the person's phone", "person", True),
        ("请删除住所信息", "住所", True),
        ("the date of the payment", "payment date", False),
    ],
)
def test_naming(text: str, words: str, named: bool) -> None:
    assert names(text, words) is named


@pytest.mark.parametrize(
    "telling",
    [
        "MAREN KALLIO",
        "Maren\nKallio",
        "Ｍaren Ka\u200bllio",
        "maren.kallio@example.org",
        "Ms Kallio",
    ],
)
def test_no_form_of_a_dropped_value_is_told(telling: str) -> None:
    said = wrong(f"{GOOD} It is {telling}.", TARGETS, KEEPS)
    assert said is not None
    assert "full name" in said
    assert "kallio" not in said.casefold()  # the model is told what is wrong, and not the value again


def test_part_of_another_word_tells_nothing() -> None:
    smoker = [target("drop", {"smoker": "no"})]
    assert wrong("Note that the smoker entry must go now.", smoker) is None
    assert wrong("Drop the smoker entry, it says no.", smoker) is not None


def test_of_an_abstracted_value_its_own_instruction_may_be_repeated() -> None:
    plain = target("abstract", {"company": "Fjord Bank"})
    own = replace(plain, instruction="Write 'a bank' instead of 'Fjord Bank' for the company.")
    assert wrong("Make the company, Fjord Bank, just a bank.", [plain]) is not None
    assert wrong("Make the company, Fjord Bank, just a bank.", [own]) is None
    assert wrong("Make the company, Fjord Bank, just a bank.", [replace(own, action="drop")]) is not None


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Maren Kallio's Contact Details", "Contact Details"),
        ("Contact details of Maren Kallio", "Contact details of"),
        ("Identifiers (Maren Kallio)", "Identifiers"),
        ("Maren Kallio – Health", "Health"),
        ("kallio_account_number", "account number"),
        ("money matters", "money matters"),
        ("MAREN KALLIO", ""),
        ("", ""),
    ],
)
def test_labels_are_said_without_values(label: str, said: str) -> None:
    assert discreet(label, [Fact("full_name", "Maren Kallio")]) == said


@given(st.text("abM k_'(", max_size=12), st.text("abM ", min_size=2, max_size=4))
def test_what_is_left_of_a_label_tells_no_more(label: str, value: str) -> None:
    left = discreet(label, [Fact("thing", value)])
    assert len(left) <= len(label)
    assert wrong(left, [target("drop", {"thing": value}, label=left or "thing")]) in (
        None,
        "It did not name thing.",
        f"It did not name {left}.",
    )


async def test_a_natural_instruction_is_taken() -> None:
    made, asks = await written(GOOD, TARGETS)
    assert made.user == GOOD
    assert made.base.startswith("Drop the information about full name")
    assert len(asks) == 1
    assert made.base in asks[0].user


async def test_one_that_tells_is_asked_again() -> None:
    answers = iter([f"{GOOD} I mean Maren Kallio.", GOOD])
    made, asks = await written(lambda ask: next(answers), TARGETS)
    assert made.user == GOOD
    assert len(asks) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "I am sorry.",
        f"{GOOD} I mean maren kallio.",
        "",
        f"Here is a revised version:\n\n1. {GOOD}",
        "More people know of the payment date, the full name and the money of their neighbours than ever.",
        f"{GOOD} And then there is more to say about all of it. " * 20,
    ],
)
async def test_the_base_stands_for_one_that_cannot_be_used(answer: str) -> None:
    made, _ = await written(answer, TARGETS)
    assert made.user == made.base


async def test_groups_are_named_by_their_label_alone_in_the_given_share() -> None:
    targets = [target("drop", MONEY, "t1", "money"), target("drop", NAME, "t2")]
    for share, expected in ((0.0, 0), (1.0, 8)):
        options = SanitizeOptions(label_only_share=share)
        told = Counter()
        for number in range(8):
            made, _ = await written(GOOD, targets, options, f"r-{number}")
            told["This means" not in made.base] += 1
        assert told[True] == expected


async def test_a_failed_endpoint_is_no_bad_instruction() -> None:
    def answer(ask: Ask) -> str | Said:
        return Said(status=500) if "Instructions:" in ask.user else "yes"  # it lives, and fails this question

    with ScriptedServer(Script(answer=answer)) as server:
        async with context(server) as ctx:
            with pytest.raises(Reject) as failed:
                await write_instructions(record_of("x", {}), TARGETS, KEEPS, ctx.asker("r"), ctx)
    assert failed.value.reason == "endpoint_failed"
