"""The Model Context Protocol over standard input and output, with one tool: ``clean_text``."""

from __future__ import annotations

import json
from typing import Any, Final

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from privasis import __version__
from privasis.serve.forms import Answer, CleanOne
from privasis.serve.limits import Limits, Refused
from privasis.serve.refusing import what_is_wrong
from privasis.serve.workers import Job, Workers

TOOL: Final = "clean_text"
_SAYS: Final = (
    "Take out of a text what an instruction names (names, numbers, dates, places, or values that are written "
    "out), on this machine. The text is null when something that was to go is left in it, or when the "
    "instruction names nothing that is known: then say so, and do not use the original in its place."
)


async def serve_stdio(limits: Limits) -> None:
    """Answer the client at the other end of standard input and output until it closes them."""
    workers = Workers(limits.workers, limits.text_seconds)
    try:
        server = mcp_server(workers)
        async with stdio_server() as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())
    finally:
        workers.close()


def mcp_server(workers: Workers) -> Server[Any]:
    """Return the server; the SDK's higher layer is not used, since its errors repeat what was sent."""

    async def tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool()])

    async def call(_: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        if asked.name != TOOL:
            return _refusal(f"there is one tool: {TOOL}.")
        return await clean_text(asked.arguments or {}, workers)

    return Server("privasis", version=__version__, on_list_tools=tools, on_call_tool=call)


async def clean_text(arguments: dict[str, Any], workers: Workers) -> types.CallToolResult:
    """Clean a text; whatever is wrong comes back as one line that holds nothing of what was sent."""
    try:
        asked = CleanOne.model_validate(arguments)
    except ValidationError as error:
        return _refusal(what_is_wrong(error.errors(include_url=False), CleanOne.__name__))
    job = Job(asked.text, asked.instruction, asked.drop, asked.abstract, asked.keep)
    try:
        done = await workers.clean(job)
    except Refused as refusal:
        return _refusal(refusal.message)
    given = done.status in ("clean", "nothing_found")
    body = done.body.decode()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=body)],
        structured_content=json.loads(body),
        is_error=not given,
    )


def _tool() -> types.Tool:
    return types.Tool(
        name=TOOL,
        title="Clean a text",
        description=_SAYS,
        input_schema=CleanOne.model_json_schema(),
        output_schema=Answer.model_json_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _refusal(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)
