"""The embedded engine: llama.cpp inside this process, spoken to like any other endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import xllamacpp

from privasis.errors import ModelFileError
from privasis.llm.messages import Model

QUIET = -1  # below errors: native lines would go to stderr behind our back, and could hold text
GGUF_MAGIC = b"GGUF"
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Engine:
    """A running engine."""

    base_url: str
    name: str
    parallel: int  # requests that it works on at the same time
    context: int  # tokens of prompt and answer together, for each of them

    @property
    def model(self) -> Model:
        """The model to ask for; no key is ever sent to it."""
        return Model(name=self.name, base_url=self.base_url, key_env="")


@contextmanager
def embedded_engine(weights: Path, parallel: int = 4, context: int = 4096) -> Iterator[Engine]:
    """Run a GGUF file on a loopback address until the end of the block, Ctrl-C included.

    The same request with the same seed gives the same text, whatever else runs beside it.

    Args:
        weights: A GGUF file.
        parallel: Requests worked on at the same time.
        context: Tokens of prompt and answer together, for each request.

    Raises:
        ModelFileError: The file is missing, broken, or of a kind that the engine does not know.
    """
    _look_at(weights)
    try:
        server = xllamacpp.Server(_parameters(weights, parallel, context))
    except (RuntimeError, ValueError, MemoryError):
        raise ModelFileError(
            f"the engine cannot load {weights}. Pull it again, or take a GGUF file of another kind."
        ) from None
    try:
        yield Engine(f"{server.listening_address}/v1", weights.stem, parallel, context)
    finally:
        del server  # the native destructor stops its threads and closes the address


def _look_at(weights: Path) -> None:
    try:
        with weights.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError:
        raise ModelFileError(
            f"there are no weights at {weights}. Get some: `privasis models pull`."
        ) from None
    if magic != GGUF_MAGIC:
        raise ModelFileError(f"{weights} is no GGUF file. Give one, or pull it again.")


def _parameters(weights: Path, parallel: int, context: int) -> xllamacpp.CommonParams:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.model_alias = {weights.stem}  # replies would name the file with its folder otherwise
    parameters.hostnames = [LOOPBACK]
    parameters.port = 0
    parameters.cors_origins = f"http://{LOOPBACK}"  # no web page may use it from a browser
    parameters.cors_credentials = False
    parameters.n_parallel = parallel
    parameters.n_ctx = parallel * context
    parameters.verbosity = QUIET
    parameters.ui = False
    parameters.endpoint_slots = False  # it would show prompts
    parameters.cache_ram_mib = 0
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.poll = 0  # spinning threads starve each other when the cores are shared
    return parameters
