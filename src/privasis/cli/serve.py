"""``privasis serve`` and ``privasis mcp``: the Cleaner for other programs."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from typing import Annotated

import typer

from privasis.cli.console import err
from privasis.errors import MissingExtraError


def serve(
    host: Annotated[str, typer.Option(help="The address; any but a loopback needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8765,
    token_env: Annotated[
        str, typer.Option(help="Environment variable that holds the bearer token to ask for.")
    ] = "PRIVASIS_TOKEN",
    workers: Annotated[int, typer.Option(help="Processes that clean. [default: one a core]", min=0)] = 0,
    queue: Annotated[int, typer.Option(help="Requests that may wait; one more gets 429.", min=0)] = 128,
    max_bytes: Annotated[int, typer.Option(help="Bytes of one request at most.", min=1)] = 4 << 20,
    timeout: Annotated[float, typer.Option(help="Seconds that one text may take.", min=0.1)] = 60.0,
) -> int:
    """Serve the Cleaner over HTTP: POST /v1/clean, /docs, /health and /metrics, until Ctrl-C.

    Nothing of a text is ever logged. Texts in which something is left are not given out.
    """
    try:
        from privasis.serve.limits import Limits
        from privasis.serve.running import bind, check_address, server
        from privasis.serve.service import build
        from privasis.serve.workers import Workers
    except ImportError as error:
        raise _missing(error) from None
    token = os.environ.get(token_env, "")
    check_address(host, token, token_env)
    count = workers or os.cpu_count() or 1
    limits = Limits(workers=count, queue=queue, body_bytes=max_bytes, text_seconds=timeout)
    bound = bind(host, port)
    _log_to_terminal()
    err.print(f"http://{_shown(host)}:{bound.getsockname()[1]}/docs ({count} workers); Ctrl-C ends it")
    with suppress(KeyboardInterrupt):
        server(build(Workers(count, timeout), limits, token), limits).run(sockets=[bound])
    return 0


def mcp(
    workers: Annotated[int, typer.Option(help="Processes that clean.", min=1)] = 1,
    timeout: Annotated[float, typer.Option(help="Seconds that one text may take.", min=0.1)] = 60.0,
) -> int:
    """Serve the tool clean_text by the Model Context Protocol, on standard input and output.

    Nothing leaves this machine by it; what the client does with its texts is the client's affair.
    """
    try:
        from privasis.serve.limits import Limits
        from privasis.serve.mcp import serve_stdio
    except ImportError as error:
        raise _missing(error) from None
    with suppress(KeyboardInterrupt):
        asyncio.run(serve_stdio(Limits(workers=workers, text_seconds=timeout)))
    return 0


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _missing(error: ImportError) -> MissingExtraError:
    return MissingExtraError(f"this needs: pip install 'privasis[serve]' ({error.name} is missing).")


def _log_to_terminal() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("privasis.serve")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
