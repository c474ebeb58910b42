"""Look at an endpoint before a run starts: what it serves, and whether it answers one token."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

from privasis.errors import EndpointError, Reject
from privasis.llm.dispatch import PING, Dispatch, Question
from privasis.llm.messages import ClientOptions, Model
from privasis.llm.usage import Ledger, Tally
from privasis.llm.wire import EVERYTHING


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """An endpoint that works."""

    endpoint: str  # its address as it may be shown
    model: str  # the name that will be asked for
    listed: tuple[str, ...]  # the models that it lists; () when it does not say
    latency_s: float  # of one token


async def probe(model: Model, options: ClientOptions) -> ProbeResult:
    """Ask an endpoint for its models and for one token.

    Args:
        model: The model to ask.
        options: Its timeout is used; the number of tries is at most two.

    Raises:
        EndpointError: One line that says what is wrong and what to do.
    """
    dispatch = Dispatch([model], replace(options, attempts=min(options.attempts, 2)))
    try:
        endpoint = dispatch.endpoint(model)
        name = await dispatch.name_of(model)
        question = Question(PING, model, 0, None)
        began = perf_counter()
        await dispatch.send(question, question.body(model.name, EVERYTHING), Tally(Ledger(), PING, model))
        latency_s = perf_counter() - began
        return ProbeResult(endpoint.name, name, await endpoint.list_models(), latency_s)
    except Reject as reject:
        raise EndpointError(
            f"{endpoint.name} gives no answer to a call of one token ({reject.detail})."
        ) from None
    finally:
        await dispatch.close()
