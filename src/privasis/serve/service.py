"""The HTTP service: ``POST /v1/clean``, health, metrics and the page of its description."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final, Literal, cast

from fastapi import APIRouter, Body, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, StreamingResponse
from starlette.exceptions import HTTPException

from privasis import __version__
from privasis.serve import refusing
from privasis.serve.batch import Service, clean_many, clean_one, joined
from privasis.serve.forms import Answer, Answers, CleanMany, CleanOne, Failure, Health
from privasis.serve.guard import CLEAN, App, Guard
from privasis.serve.limits import Gate, Limits, Refused
from privasis.serve.metrics import CONTENT_TYPE, open_metrics
from privasis.serve.page import description_page
from privasis.serve.streaming import MEDIA_TYPES, events
from privasis.serve.workers import Job, Workers

_JSON: Final = "application/json"
_SAYS_NO: Final = {
    400: "The body is no JSON.",
    401: "The bearer token is missing or wrong.",
    403: "Without a token only requests to localhost are answered.",
    408: "The request came too slowly.",
    409: "The same value is to go and to stay.",
    413: "The request is too large.",
    415: "The body is not sent as JSON.",
    422: "The request has not the form that is described here.",
    429: "Too many requests are waiting; the header Retry-After says how many seconds to wait.",
    500: "A defect of privasis.",
    503: "The text takes too long, or the process that cleaned it has ended.",
}
_EVENT: Final = {"type": "object", "properties": {"event": {"type": "string"}, "data": {"type": "string"}}}
_STREAMS: Final = {
    MEDIA_TYPES["ndjson"]: {"schema": {"type": "string", "description": "A JSON object a line."}},
    MEDIA_TYPES["sse"]: {"schema": _EVENT},
}
_NUMBERS: Final = {"description": "The numbers.", "content": {"text/plain": {"schema": {"type": "string"}}}}
_router: Final = APIRouter()


def build(workers: Workers, limits: Limits, token: str = "") -> Guard:
    """Build the application; it closes the workers when it ends.

    Args:
        workers: The processes that clean.
        limits: Sizes and times.
        token: The bearer token to ask for; empty for none.
    """
    gate = Gate(limits.requests)
    service = Service(workers, open_metrics(gate, workers))

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()

    app = FastAPI(
        title="Privasis",
        version=__version__,
        summary="Takes out of texts what an instruction names, and proves that it is gone.",
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )
    app.state.service = service
    app.include_router(_router)
    app.add_exception_handler(RequestValidationError, refusing.malformed)
    app.add_exception_handler(HTTPException, refusing.http_error)
    app.add_exception_handler(Refused, refusing.refused)
    app.add_exception_handler(Exception, refusing.defect)
    return Guard(cast(App, app), limits, gate, service.metrics, token)


def _no(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Failure, "description": _SAYS_NO[status]} for status in statuses}


def _service(request: Request) -> Service:
    service = request.app.state.service
    if not isinstance(service, Service):
        raise TypeError
    return service


@_router.post(
    CLEAN,
    response_model=Answer | Answers,
    responses={**_no(*_SAYS_NO), 200: {"description": "What became of the texts.", "content": _STREAMS}},
    summary="Clean one text or several",
)
async def clean(
    request: Request,
    asked: Annotated[CleanOne | CleanMany, Body()],
    stream: Annotated[
        Literal["off", "ndjson", "sse"], Query(description="Tell every second how far it is.")
    ] = "off",
) -> Response:
    """Take out what the instruction names; a text is given back only if nothing of it is left.

    With `stream` the answer is a line of JSON (or an event) every second, one for each text when it is whole
    and proven, and a last one; a text that cannot be cleaned then has the status `refused`.
    """
    service = _service(request)
    texts = (asked.text,) if isinstance(asked, CleanOne) else asked.texts
    jobs = [Job(text, asked.instruction, asked.drop, asked.abstract, asked.keep) for text in texts]
    if stream != "off":
        return StreamingResponse(events(jobs, service, stream), media_type=MEDIA_TYPES[stream])
    if isinstance(asked, CleanOne):
        return Response((await clean_one(jobs[0], service)).body, media_type=_JSON)
    return Response(joined(await clean_many(jobs, service)), media_type=_JSON)


@_router.get("/health", responses=_no(403), summary="Whether the service answers")
async def health(request: Request) -> Health:
    """Tell that the service runs, and its version."""
    return Health(status="ok", version=__version__)


@_router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={**_no(401, 403), 200: _NUMBERS},
    summary="Numbers for Prometheus",
)
async def metrics(request: Request) -> Response:
    """Return counts, sizes and times; nothing of any text is in them."""
    return Response(_service(request).metrics.page(), headers={"content-type": CONTENT_TYPE})


@_router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """Return this description as a page."""
    return HTMLResponse(description_page(request.app.openapi()))
