"""Talking to models: any OpenAI-compatible endpoint, the embedded engine, and its weights."""

from privasis.llm.cache import ResponseCache
from privasis.llm.client import Client, open_client
from privasis.llm.messages import Answer, BadAnswer, ClientOptions, Model
from privasis.llm.probe import ProbeResult, probe
from privasis.llm.usage import Totals, Usage
from privasis.types import Request, Sampling

__all__ = [
    "Answer",
    "BadAnswer",
    "Client",
    "ClientOptions",
    "Model",
    "ProbeResult",
    "Request",
    "ResponseCache",
    "Sampling",
    "Totals",
    "Usage",
    "open_client",
    "probe",
]
