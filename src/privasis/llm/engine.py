"""The embedded engine: llama.cpp inside this process, spoken to like any other endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from privasis.errors import MissingExtraError, ModelFileError
from privasis.llm.messages import Model

QUIET = -1  # below errors: native lines would go to stderr behind our back, and could hold text
GGUF_MAGIC = b"GGUF"
LOOPBACK = "127.0.0.1"

Speculation = Literal["none", "ngram"]


@dataclass(frozen=True, slots=True)
class Engine:
    """A running engine."""

    base_url: str
    name: str
    parallel: int  # requests that it works on at the same time
    context: int  # tokens of prompt and answer together, for each of them

    @property
    def model(self) -> Model:
        """The model to ask for; no key is ever sent to it.

        A model of this size talks nonsense at a large model's temperature and repeats itself at a low one:
        the values were tried on the steps of §2.1 (docs/decisions/embedded-model.md).
        """
        return Model(
            name=self.name,
            base_url=self.base_url,
            key_env="",
            temperature_scale=0.55,
            most_tokens=600,
            cuts_back=True,
            frequency_penalty=0.2,
        )


@contextmanager
def embedded_engine(
    weights: Path,
    parallel: int = 4,
    context: int = 4096,
    adapter: Path | None = None,
    speculation: Speculation = "none",
) -> Iterator[Engine]:
    """Run a GGUF file on a loopback address until the end of the block, Ctrl-C included.

    The same request with the same seed gives the same text, whatever else runs beside it.

    Args:
        weights: A GGUF file.
        parallel: Requests worked on at the same time.
        context: Tokens of prompt and answer together, for each request.
        adapter: A LoRA in GGUF, laid over the weights: adapter.gguf of ``privasis train``.
        speculation: ``ngram`` guesses the next tokens from what the prompt has after the last ones; the
            guesses are checked by the model in one pass. For answers that repeat the prompt.

    Raises:
        ModelFileError: A file is missing, broken, or of a kind that the engine does not know.
        MissingExtraError: The native library cannot be loaded on this machine.
    """
    _look_at(weights)
    if adapter:
        _look_at(adapter)
    native = _native()
    parameters = _parameters(native.CommonParams(), weights, parallel, context)
    if adapter:
        parameters.lora_adapters = [_laid(native.CommonAdapterLoraInfo(), adapter)]
    if speculation == "ngram":
        parameters.speculative.types = [native.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE]
    try:
        server = native.Server(parameters)
    except (RuntimeError, ValueError, MemoryError):
        raise ModelFileError(
            f"the engine cannot load {weights}. Pull it again, or take a GGUF file of another kind."
        ) from None
    try:
        # The native task loop starts in a thread of its own; a stop that comes before it is lost, and the
        # destructor then waits for ever. Once one token has passed through the loop, it is running.
        server.handle_completions({"prompt": "a", "n_predict": 1})
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


def _native() -> ModuleType:
    """The native library, loaded on first use.

    Its OpenMP threads spin at every barrier, hundreds of times a token; a busy core beside them then costs
    up to a hundredfold. Sleeping instead is told through the environment, which is read while loading.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingExtraError(
            f"the embedded engine cannot be loaded ({error}). "
            "Install what is missing (pip install xllamacpp; libgomp1), or name an endpoint by --base-url."
        ) from None
    return xllamacpp  # type: ignore[no-any-return]


def _laid(adapter: Any, file: Path) -> Any:
    adapter.path = str(file)
    adapter.scale = 1.0
    return adapter


def _parameters(parameters: Any, weights: Path, parallel: int, context: int) -> Any:
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
    parameters.sampling.penalty_repeat = 1.05  # a small model falls into loops without it
    parameters.sampling.penalty_last_n = 256
    parameters.endpoint_slots = False  # it would show prompts
    parameters.cache_ram_mib = 0
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.poll = 0  # no spinning between requests either
    return parameters
