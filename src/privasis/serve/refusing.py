"""Say what is wrong with a request in one line, and nothing of what was in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from privasis.serve.guard import failure
from privasis.serve.limits import Refused

_JSON: Final = "application/json"
_FIELDS: Final = (
    "text",
    "texts",
    "instruction",
    "drop",
    "abstract",
    "keep",
    "stream",
)  # others are the user's
_MODELS: Final = ("CleanOne", "CleanMany")
_SAYS: Final = {
    "missing": "is missing",
    "extra_forbidden": "has a field that is not known",
    "string_type": "must be a string",
    "string_unicode": "has half of a surrogate pair: it is no Unicode text",
    "string_too_long": "is too long (at most {max_length} characters)",
    "string_pattern_mismatch": "is empty",
    "tuple_type": "must be a list",
    "too_long": "has too many entries (at most {max_length})",
    "too_short": "is an empty list",
    "value_error": "asks for nothing: give instruction, drop or abstract",
    "literal_error": "must be off, ndjson or sse",
    "model_attributes_type": "must be a JSON object",
}
_MOST: Final = 3  # problems that one line names


async def malformed(request: Request, error: Exception) -> Response:
    """Answer a request that has not the form of one."""
    if not isinstance(error, RequestValidationError):
        raise error
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON and not kind.endswith("+json"):
        return refusal(Refused(415, "media_type", f"the body must be JSON, sent as {_JSON}."))
    problems = error.errors()
    if any(problem["type"] == "json_invalid" for problem in problems):
        return refusal(Refused(400, "bad_request", "the body cannot be read as JSON."))
    many = isinstance(error.body, Mapping) and "texts" in error.body
    return refusal(Refused(422, "form", what_is_wrong(problems, "CleanMany" if many else "CleanOne")))


def what_is_wrong(problems: Sequence[Any], model: str) -> str:
    """Return a line for pydantic's errors: places and rules, never what stood there.

    Args:
        problems: As ``ValidationError.errors()`` gives them.
        model: The form that the request was meant to have.
    """
    return "; ".join([*dict.fromkeys(_lines(problems, model))][:_MOST]) + "."


def _lines(problems: Sequence[Any], model: str) -> Iterator[str]:
    """Yield what is wrong; of the two forms that a body may have, only the nearer one is spoken of."""
    for problem in problems:
        # The second step of a place names the form; FastAPI writes it as "function-after[…, CleanOne]".
        forms = [name for name in _MODELS if name in str(problem["loc"][1:2])]
        if forms and model not in forms:
            continue
        says = _SAYS.get(problem["type"], "is not as /docs describes it").format(**problem.get("ctx", {}))
        place = [step for step in problem["loc"] if isinstance(step, int) or step in _FIELDS]
        if problem["type"] == "extra_forbidden":
            place = place[:-1] if place and place[-1] in _FIELDS else place
        named = "".join(f"[{step}]" if isinstance(step, int) else step for step in place)
        yield f"{named or 'the request'} {says}"


async def http_error(_: Request, error: Exception) -> Response:
    """Answer what has no route, or could not be read."""
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 404:
        return refusal(Refused(404, "not_found", "there is nothing here. See /docs."))
    if error.status_code == 405:
        return refusal(Refused(405, "method", "not by this method. See /docs."), error.headers)
    return refusal(
        Refused(error.status_code, "bad_request", "the body cannot be read as JSON."), error.headers
    )


async def refused(_: Request, error: Exception) -> Response:
    """Answer what was refused on the way."""
    if not isinstance(error, Refused):
        raise error
    return refusal(error)


async def defect(_: Request, error: Exception) -> Response:
    """Answer when something unforeseen happens: its text may hold the user's."""
    return refusal(Refused(500, "defect", f"a defect of privasis: {type(error).__name__}. Please report it."))


def refusal(why: Refused, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer that says no."""
    return Response(failure(why), why.status, headers, _JSON)
