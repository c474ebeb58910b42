"""The page of the description: made here, since the usual ones load their scripts from another site."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
    "pre{background:#f4f4f4;padding:.7rem;overflow:auto}td,th{text-align:left;padding:.2rem 1rem .2rem 0;"
    "vertical-align:top}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}pre{background:#222}}"
)


def description_page(description: Mapping[str, Any]) -> str:
    """Return an OpenAPI description as one HTML page without scripts."""
    info = description["info"]
    title = html.escape(f"{info['title']} {info['version']}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1><p>{html.escape(info.get('summary', ''))}</p>"
        '<p>For programs: <a href="openapi.json">openapi.json</a></p>'
        + "".join(_routes(description))
        + "<h2>Forms</h2>"
        + "".join(_forms(description))
        + "</html>"
    )


def _routes(description: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            yield f"<h2><code>{method.upper()} {html.escape(path)}</code></h2>"
            yield "".join(f"<p>{html.escape(route.get(part, ''))}</p>" for part in ("summary", "description"))
            yield "<table>"
            for status, answer in route["responses"].items():
                yield f"<tr><th>{html.escape(status)}<td>{html.escape(answer.get('description', ''))}"
            yield "</table>"


def _forms(description: Mapping[str, Any]) -> Iterator[str]:
    for name, form in description.get("components", {}).get("schemas", {}).items():
        shown = html.escape(json.dumps(form, indent=1, ensure_ascii=False))
        yield f'<details id="{html.escape(name)}"><summary>{html.escape(name)}</summary>'
        yield f"<pre>{shown}</pre></details>"
