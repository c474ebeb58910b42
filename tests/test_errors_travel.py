"""Errors that end one item must survive the way from a worker's process."""

from __future__ import annotations

import pickle

from privasis.errors import Reject
from privasis.llm.messages import BadAnswer
from privasis.types import Call


def test_a_rejection_survives_pickling() -> None:
    again = pickle.loads(pickle.dumps(Reject("draft", "too_short", "the text")))
    assert (again.step, again.reason, again.detail) == ("draft", "too_short", "the text")


def test_a_bad_answer_keeps_its_call() -> None:
    call = Call("draft", "hash", "model", 3, 10, 0, 5, 0.25, False)
    again = pickle.loads(pickle.dumps(BadAnswer("draft", "empty_answer", "", call)))
    assert isinstance(again, BadAnswer)
    assert again.call == call
