"""The bytes that go to an endpoint, and the meaning of the bytes that come back."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic_core import from_json, to_json
from yarl import URL

from privasis.errors import EndpointError
from privasis.llm.reading import Said
from privasis.llm.schema import Shape
from privasis.llm.usage import Tokens
from privasis.types import Request

VERSION_SEGMENT = re.compile(r"v\d+\w*", re.ASCII)
WORD = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)
FAILED_ANSWER_SHOWN = 1500  # characters of a failed answer that the model sees again
SEED_RANGE = 2**31  # some endpoints take no more


@dataclass(frozen=True, slots=True)
class Abilities:
    """What one model at one endpoint was seen to understand; never guessed from its name."""

    schema: Literal["full", "bare", "none"] = "full"
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    top_p: bool = True
    seed: bool = True


EVERYTHING = Abilities()


@dataclass(frozen=True, slots=True)
class Correction:
    """A failed answer and what was wrong with it, for asking again."""

    answer: str  # '' = not shown again
    complaint: str


def chat_url(base_url: str) -> URL:
    """The address of chat completions under a base URL, with or without its /v1.

    Raises:
        EndpointError: No http(s) address.
    """
    try:
        url = URL(base_url.strip())
    except ValueError:
        url = URL()
    if url.scheme not in {"http", "https"} or not url.host:
        raise EndpointError(
            f"the base URL {base_url!r} is no address. Give it like http://127.0.0.1:8000/v1."
        )
    parts = [part for part in url.path.split("/") if part]
    if parts[-2:] == ["chat", "completions"]:
        parts = parts[:-2]
    if not any(VERSION_SEGMENT.fullmatch(part) for part in parts):
        parts.append("v1")
    return url.with_path("/" + "/".join([*parts, "chat", "completions"]))


def shown(url: URL) -> str:
    """An address as it may stand in a message: without user, password and query."""
    return str(url.with_user(None).with_query(None)).removesuffix("/chat/completions")


def body_of(
    request: Request, model: str, seed: int, shape: Shape | None, again: Correction | None, able: Abilities
) -> bytes:
    """One chat completion's body. The constant part comes first."""
    system = request.system
    if shape and able.schema == "none":
        system += f"\n\nAnswer with one JSON value and nothing else. Its JSON schema:\n{shape.words}"
    messages = [{"role": "system", "content": system}] if system else []
    if not again:
        messages.append({"role": "user", "content": request.user})
    elif not again.answer:  # in one turn: many chat templates refuse two of the same role
        messages.append({"role": "user", "content": f"{request.user}\n\n{_plea(again)}"})
    else:
        messages.append({"role": "user", "content": request.user})
        messages.append({"role": "assistant", "content": again.answer[:FAILED_ANSWER_SHOWN]})
        messages.append({"role": "user", "content": _plea(again)})
    sampling = request.sampling
    fields: dict[str, Any] = {"model": model, "messages": messages, able.max_tokens: sampling.max_tokens}
    if able.temperature:
        fields["temperature"] = sampling.temperature
    if able.top_p:
        fields["top_p"] = sampling.top_p
    if able.seed:
        fields["seed"] = seed % SEED_RANGE
    if sampling.frequency_penalty:
        fields["frequency_penalty"] = sampling.frequency_penalty
    body = to_json(fields)
    if not shape or able.schema == "none":
        return body
    return body[:-1] + (shape.full if able.schema == "full" else shape.bare) + b"}"


def _plea(again: Correction) -> str:
    if not again.answer:
        return f"An earlier answer could not be used. {again.complaint}"
    return f"That answer cannot be used. {again.complaint} Answer again, whole and in the form asked for."


@dataclass(frozen=True, slots=True)
class Complaint:
    """What an endpoint says about a request that it refuses: words of its code, never its prose."""

    code: str  # the first of code and type that is a word, such as 'insufficient_quota'
    blamed: str  # the parameter of ours that it names, or ''


BLAMABLE = ("response_format", "max_tokens", "temperature", "top_p", "seed")
SCHEMA_WORDS = ("response_format", "json_schema", "structured output", "grammar", "guided")


def read_complaint(payload: bytes) -> Complaint:
    """Read an error body of any make."""
    try:
        document = from_json(payload)
    except ValueError:
        return Complaint("", "")
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return Complaint("", _blamed("", str(error)))
    codes = (str(error.get(key) or "") for key in ("code", "type"))
    code = next((word for word in codes if WORD.fullmatch(word) and not word.isdigit()), "")
    return Complaint(code, _blamed(str(error.get("param") or ""), _prose(error)))


def _prose(error: dict[str, Any]) -> str:
    """What an error says of itself, without the input that some servers echo."""
    detail = error.get("detail") or error.get("message") or ""
    faults = detail if isinstance(detail, list) else [detail]
    parts = ([fault.get("loc"), fault.get("msg")] if isinstance(fault, dict) else [fault] for fault in faults)
    return " ".join(str(part) for said in parts for part in said)


def _blamed(param: str, prose: str) -> str:
    root = param.split(".")[0]
    if root in BLAMABLE:
        return root
    prose = prose.lower()
    if any(word in prose for word in SCHEMA_WORDS):
        return "response_format"
    return next((word for word in BLAMABLE if word in prose), "")


def humbler(able: Abilities, blamed: str, with_shape: bool) -> Abilities | None:
    """What is left to try after a refusal, or None.

    Args:
        able: What the refused request made use of.
        blamed: The parameter that the endpoint names, or ''.
        with_shape: Whether the request carried a schema: without a name given, that is suspected.
    """
    if blamed == "max_tokens" and able.max_tokens == "max_tokens":
        return replace(able, max_tokens="max_completion_tokens")
    if blamed == "temperature" and able.temperature:
        return replace(able, temperature=False)
    if blamed == "top_p" and able.top_p:
        return replace(able, top_p=False)
    if blamed == "seed" and able.seed:
        return replace(able, seed=False)
    if with_shape and blamed in {"", "response_format"} and able.schema != "none":
        return replace(able, schema="bare" if able.schema == "full" else "none")
    return None


@dataclass(frozen=True, slots=True)
class Reply:
    """A good reply, read."""

    said: Said
    tokens: Tokens


def read_reply(payload: bytes) -> Reply | None:
    """Read a chat completion; None when it is cut off or is none.

    A message without content is a reply (an empty answer); a document without a message is not.
    """
    try:
        document = from_json(payload)
        choice = document["choices"][0]
        message = choice["message"]
        usage = document.get("usage") or {}
        details = usage.get("prompt_tokens_details") or {}
        content, refusal = message.get("content"), message.get("refusal")
        return Reply(
            Said(
                content if isinstance(content, str) else _joined(content),
                choice.get("finish_reason") or "stop",
                refusal if isinstance(refusal, str) else "",
            ),
            Tokens(
                int(usage.get("prompt_tokens") or 0),
                int(details.get("cached_tokens") or 0),
                int(usage.get("completion_tokens") or 0),
            ),
        )
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def _joined(content: Any) -> str:
    """Contents in parts, as some endpoints give them."""
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(part for part in parts if isinstance(part, str))


def pack(reply: Reply) -> bytes:
    """A reply as the response cache keeps it."""
    said, tokens = reply.said, reply.tokens
    counts = (tokens.prompt, tokens.cached, tokens.completion)
    return to_json([said.text, said.finish, said.refusal, *counts])


def unpack(kept: bytes) -> Reply:
    """The reply that was packed."""
    text, finish, refusal, prompt, cached, completion = from_json(kept)
    return Reply(Said(text, finish, refusal), Tokens(prompt, cached, completion))
