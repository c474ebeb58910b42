"""Numbers for Prometheus: counts, sizes and times; no label ever holds anything of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from privasis.serve.limits import Gate
from privasis.serve.workers import Workers

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
PATHS: Final = ("/v1/clean", "/health", "/metrics", "/docs", "/openapi.json")
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


@dataclass(frozen=True, slots=True)
class Metrics:
    """What is counted, in a registry of this service's own."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    results: Counter
    characters: Counter

    def request(self, path: str, status: str, seconds: float) -> None:
        """Count a request; a path that is none of ours is "other", whatever it says."""
        known = path if path in PATHS else "other"
        self.requests.labels(known, status).inc()
        self.seconds.labels(known).observe(seconds)

    def result(self, status: str, characters: int) -> None:
        """Count a text."""
        self.results.labels(status).inc()
        self.characters.inc(characters)

    def page(self) -> bytes:
        """Return all numbers in the format that Prometheus reads."""
        return generate_latest(self.registry)


def open_metrics(gate: Gate, workers: Workers) -> Metrics:
    """Start counting from zero."""
    registry = CollectorRegistry()
    held = Gauge("privasis_requests_held", "Requests in work or waiting.", registry=registry)
    held.set_function(lambda: gate.held)
    replaced = Gauge(
        "privasis_workers_replaced", "Worker processes that were ended and replaced.", registry=registry
    )
    replaced.set_function(lambda: workers.replaced)
    return Metrics(
        registry=registry,
        requests=Counter(
            "privasis_requests", "Requests by path and status.", ("path", "status"), registry=registry
        ),
        seconds=Histogram(
            "privasis_request_seconds",
            "From a request's head to the end of its answer.",
            ("path",),
            registry=registry,
            buckets=_SECONDS,
        ),
        results=Counter("privasis_texts", "Texts by what became of them.", ("status",), registry=registry),
        characters=Counter("privasis_characters", "Characters of the texts.", registry=registry),
    )
