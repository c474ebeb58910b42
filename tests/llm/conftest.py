"""The real weights, from the user's cache: fetched once, by the way that users fetch them."""

from __future__ import annotations

from pathlib import Path

import pytest

from privasis.llm import weights


@pytest.fixture(scope="session")
def gguf() -> Path:
    return weights.pull().path
