"""The pages: results with facets, a record, a triplet, and a place to try the Cleaner."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import parse_qs, urlencode

import jinja2
import uvicorn
from fastapi import FastAPI, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.responses import HTMLResponse, PlainTextResponse

from privasis.cleaner.cleaning import clean
from privasis.errors import PrivasisError
from privasis.web.index import FACETS, PAGE, read_entry, search, update
from privasis.web.marks import both_sides, highlighted

_LOOK_AGAIN_S: Final = 2.0  # a run in progress is looked at this often at most
_LONGEST: Final = 1_000_000  # characters of a text to try
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'"
)

Page = Callable[..., HTMLResponse]


def create_app(index: Path, runs: Sequence[Path]) -> FastAPI:
    """Make the application over run folders; it reads them and never writes there.

    Args:
        index: Where the search index lies or is made.
        runs: Folders of ``generate`` and ``sanitize``.
    """
    page: Page = partial(_page, _environment())
    app = FastAPI(title="Privasis", docs_url=None, redoc_url=None, openapi_url=None)
    # no other host's name may lead here: a page in the same browser could read the records by rebinding one
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    _add_entries(app, page, index, runs)
    _add_playground(app, page)

    @app.get("/health")
    def health() -> PlainTextResponse:
        return PlainTextResponse("ok")

    return app


def _page(pages: jinja2.Environment, name: str, status: int = 200, **content: Any) -> HTMLResponse:
    shown = pages.get_template(name).render(content)
    return HTMLResponse(shown, status, headers={"Content-Security-Policy": _POLICY})


def _add_entries(app: FastAPI, page: Page, index: Path, runs: Sequence[Path]) -> None:
    seen = {"at": -_LOOK_AGAIN_S}

    @app.get("/")
    def results(
        request: Request, q: str = "", attribute: str = "", at: Annotated[int, Query(ge=0, le=100_000)] = 0
    ) -> HTMLResponse:
        if time.monotonic() - seen["at"] > _LOOK_AGAIN_S:
            update(index, runs)
            seen["at"] = time.monotonic()
        chosen = {facet: request.query_params.get(facet, "") for facet in FACETS}
        asked = {"q": q, "attribute": attribute, **chosen}

        def link(**changes: object) -> str:
            return "?" + urlencode({name: value for name, value in {**asked, **changes}.items() if value})

        found = search(index, q, chosen, attribute, at)
        last = max(0, (found.total - 1) // PAGE)
        return page("results.html", found=found, link=link, at=at, last=last, chosen=chosen, **_words(asked))

    @app.get("/entry/{number}")
    def entry(number: int) -> HTMLResponse:
        found = read_entry(index, number)
        if found is None:
            return page("missing.html", 404)
        if found["kind"] == "record":
            return page("record.html", entry=found, marked=highlighted(found["body"]))
        before, after = both_sides(found["body"]["text"], found["body"]["edits"])
        return page("triplet.html", entry=found, before=before, after=after)


def _words(asked: dict[str, str]) -> dict[str, str]:
    return {"q": asked["q"], "attribute": asked["attribute"]}


def _add_playground(app: FastAPI, page: Page) -> None:
    @app.get("/try")
    def empty() -> HTMLResponse:
        return page("try.html", text="", instruction="", cleaned=None, error="")

    @app.post("/try")
    async def tried(request: Request) -> HTMLResponse:
        form = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
        text, instruction = (form.get(name, [""])[0] for name in ("text", "instruction"))
        return await run_in_threadpool(_tried, page, text.replace("\r\n", "\n"), instruction)


def _tried(page: Page, text: str, instruction: str) -> HTMLResponse:
    if len(text) > _LONGEST:
        too_long = f"The text is longer than {_LONGEST:,} characters."
        return page("try.html", text="", instruction=instruction, cleaned=None, error=too_long)
    try:
        cleaned = clean(text, instruction)
    except PrivasisError as error:
        return page("try.html", text=text, instruction=instruction, cleaned=None, error=str(error))
    before, after = both_sides(text, [asdict(edit) for edit in cleaned.edits])
    shown = {"before": before, "after": after, "cleaned": cleaned, "error": ""}
    return page("try.html", text=text, instruction=instruction, **shown)


def serve(app: FastAPI, port: int) -> None:
    """Serve the application on the loopback address until Ctrl-C; what is asked for is not logged."""
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)


def _environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("privasis.web", "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["spaced"] = lambda name: str(name).replace("_", " ")
    return environment
