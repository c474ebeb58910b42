"""The service over real HTTP, in a thread of the test's process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from privasis.serve.guard import App
from privasis.serve.limits import Limits
from privasis.serve.running import bind, server
from privasis.serve.service import build
from privasis.serve.workers import Workers

TOKEN = "a-token-of-the-tests"


@contextmanager
def served(app: App, limits: Limits) -> Iterator[str]:
    """Serve an application on a free port and yield its address."""
    bound = bind("127.0.0.1", 0)
    runs: uvicorn.Server = server(app, limits)
    thread = threading.Thread(target=runs.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not runs.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        runs.should_exit = True
        thread.join(20)
        bound.close()


@contextmanager
def cleaning_service(limits: Limits, token: str = "") -> Iterator[str]:
    """Serve the Cleaner."""
    with served(build(Workers(limits.workers, limits.text_seconds), limits, token), limits) as url:
        yield url
