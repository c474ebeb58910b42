"""Restore an answer while it streams: nothing is given out before it is certain, nothing is taken back.

Text that comes in pieces (``delta``) is restored by one ``Stream`` for each place that it belongs to. What a
stream still holds when its text ends goes out before the event that says so.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from privasis.serve.gateway_answer import restored
from privasis.serve.gateway_parts import Endpoint
from privasis.serve.restore import Restorer, Stream

_WHOLE: Final = frozenset({"id", "type", "name", "role", "index"})
_PLACES: Final = ("item_id", "output_index", "content_index", "summary_index")

Key = tuple[Any, ...]


class Event(NamedTuple):
    """One server-sent event: its name ("" where it has none) and its data."""

    name: str
    data: str

    def written(self) -> str:
        """Write it as it is sent."""
        name = f"event: {self.name}\n" if self.name else ""
        return name + "".join(f"data: {line}\n" for line in self.data.split("\n")) + "\n"


class EventReader:
    """Reads server-sent events from bytes that are cut anywhere."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = ""
        self._name = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield the events that are whole by now."""
        text = self._line + self._decoder.decode(data)
        *lines, self._line = text.split("\n")
        for line in lines:
            yield from self._take(line.removesuffix("\r"))

    def end(self) -> Iterator[Event]:
        """Yield an event that nothing closed."""
        yield from self._take(self._line)
        yield from self._take("")

    def _take(self, line: str) -> Iterator[Event]:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif not line:
            if self._data:
                yield Event(self._name, "\n".join(self._data))
            self._name, self._data = "", []


class AnswerStream:
    """Restores the events of one streamed answer.

    Args:
        values: The user's value of each placeholder.
        endpoint: Which events they are.
    """

    def __init__(self, values: Mapping[str, str], endpoint: Endpoint) -> None:
        self._restorer = Restorer(values)
        self._reader = EventReader()
        self._pieces: _ChatPieces | _ResponsePieces = (
            _ChatPieces(self._restorer) if endpoint == "chat/completions" else _ResponsePieces(self._restorer)
        )

    def feed(self, data: bytes) -> bytes:
        """Take bytes of the upstream; return those that the client gets."""
        return self._written(self._reader.feed(data))

    def end(self) -> bytes:
        """Return what was held, now that no more comes."""
        last = self._written(self._reader.end())
        return last + "".join(event.written() for event in self._pieces.rest()).encode("utf-8", "replace")

    def _written(self, events: Iterator[Event]) -> bytes:
        out = (made.written() for event in events for made in self._event(event))
        return "".join(out).encode("utf-8", "replace")

    def _event(self, event: Event) -> Iterator[Event]:
        try:
            body = json.loads(event.data)
        except (ValueError, RecursionError):
            yield from self._pieces.rest()
            yield Event(event.name, self._restorer.whole(event.data))
            return
        if not isinstance(body, dict):
            yield Event(event.name, _json(restored(body, self._restorer)))
            return
        yield from self._pieces.event(event.name, body)


class _ChatPieces:
    """The deltas of chat completions: one stream for each string field of each choice and tool call."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._streams: dict[Key, Stream] = {}
        self._frame: dict[str, Any] = {}

    def event(self, name: str, body: dict[str, Any]) -> Iterator[Event]:
        """Yield a chunk restored; a chunk that ends a choice comes after what was held of it."""
        choices = body.get("choices")
        listed = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
        if listed:
            self._frame = {key: body[key] for key in body if key not in {"choices", "usage"}}
        ended = [one.get("index", 0) for one in listed if one.get("finish_reason")]
        made = [self._choice(choice) for choice in listed]
        kept = {key: restored(value, self._restorer) for key, value in body.items() if key != "choices"}
        chunk = {**kept, "choices": made} if listed else restored(body, self._restorer)
        held = [key for key in self._streams if key[0] in ended]
        if not held:
            yield Event(name, _json(chunk))
            return
        silent = [{**one, "finish_reason": None} if one.get("index", 0) in ended else one for one in made]
        if any(one.get("delta") for one in silent):
            yield Event(
                name, _json({**chunk, "choices": silent, **({"usage": None} if "usage" in chunk else {})})
            )
        yield from self._released(held)
        last = [{**one, "delta": {}} for one in made if one.get("index", 0) in ended]
        yield Event(name, _json({**chunk, "choices": last}))

    def rest(self) -> Iterator[Event]:
        """Yield what is still held."""
        yield from self._released(list(self._streams))

    def _released(self, keys: list[Key]) -> Iterator[Event]:
        for key in keys:
            text = self._streams.pop(key).end()
            if text:
                choice = {"index": key[0], "delta": _nested(key[1:], text), "finish_reason": None}
                yield Event("", _json({**self._frame, "choices": [choice]}))

    def _choice(self, choice: dict[str, Any]) -> dict[str, Any]:
        rest = {key: restored(value, self._restorer) for key, value in choice.items() if key != "delta"}
        if "delta" not in choice:
            return rest
        return {**rest, "delta": self._delta(choice["delta"], (choice.get("index", 0),))}

    def _delta(self, value: Any, key: Key) -> Any:
        if isinstance(value, dict):
            return {
                name: restored(below, self._restorer) if name in _WHOLE else self._delta(below, (*key, name))
                for name, below in value.items()
            }
        if isinstance(value, list):
            places = [one.get("index", n) if isinstance(one, dict) else n for n, one in enumerate(value)]
            return [self._delta(one, (*key, place)) for place, one in zip(places, value, strict=True)]
        if isinstance(value, str):
            return self._streams.setdefault(key, Stream(self._restorer)).feed(value)
        return value


class _ResponsePieces:
    """The events of the responses endpoint: ``*.delta`` comes in pieces, everything else is whole."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._streams: dict[Key, Stream] = {}
        self._last: dict[Key, tuple[str, dict[str, Any]]] = {}
        self._number: int | None = None

    def event(self, name: str, body: dict[str, Any]) -> Iterator[Event]:
        """Yield an event restored; what was held of a text goes out before the event that ends it."""
        kind = str(body.get("type", ""))
        if self._number is None and isinstance(body.get("sequence_number"), int):
            self._number = body["sequence_number"]
        key = (kind.removesuffix(".delta").removesuffix(".done"), *(body.get(place) for place in _PLACES))
        if kind.endswith(".delta") and isinstance(body.get("delta"), str):
            piece = self._streams.setdefault(key, Stream(self._restorer)).feed(body["delta"])
            self._last[key] = (name, body)
            rest = {field: value for field, value in body.items() if field != "delta"}
            yield self._numbered(name, {**restored(rest, self._restorer), "delta": piece})
            return
        if kind.endswith(".done"):
            yield from self._released([one for one in self._streams if _ends(key, one)])
        elif kind in {"response.completed", "response.incomplete", "response.failed"}:
            yield from self.rest()
        yield self._numbered(name, restored(body, self._restorer))

    def rest(self) -> Iterator[Event]:
        """Yield what is still held."""
        yield from self._released(list(self._streams))

    def _released(self, keys: list[Key]) -> Iterator[Event]:
        for key in keys:
            text = self._streams.pop(key).end()
            name, body = self._last.pop(key)
            if text:
                yield self._numbered(name, {**body, "delta": text})

    def _numbered(self, name: str, body: dict[str, Any]) -> Event:
        """Number the events anew, since there may be more of them than came."""
        if self._number is not None and "sequence_number" in body:
            body = {**body, "sequence_number": self._number}
            self._number += 1
        return Event(name, _json(body))


def _ends(done: Key, key: Key) -> bool:
    """Tell whether an event that something is done ends a text: its own, or one of its item or part."""
    if done[0] == key[0]:
        return done == key
    whole = done[0] in {"response.output_item", "response.content_part", "response.reasoning_summary_part"}
    return whole and all(a in (None, b) or b is None for a, b in zip(done[1:], key[1:], strict=True))


def _nested(path: Key, text: str) -> dict[str, Any]:
    """Return a delta that holds nothing but a text at a path."""
    value: Any = text
    for step in reversed(path):
        value = (
            [{"index": step, **value}]
            if isinstance(step, int) and isinstance(value, dict)
            else ([value] if isinstance(step, int) else {step: value})
        )
    return value  # type: ignore[no-any-return]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
