"""Put the user's values back into an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from privasis.serve.restore import Restorer


def restore_answer(data: bytes, values: Mapping[str, str]) -> bytes:
    """Return an answer's body with the values put back; what is no JSON is taken as a text.

    Args:
        data: The body.
        values: The user's value of each placeholder.
    """
    restorer = Restorer(values)
    try:
        return json.dumps(restored(json.loads(data), restorer), ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
    except (ValueError, RecursionError):
        return restorer.whole(data.decode("utf-8", "replace")).encode()


def restored(value: Any, restorer: Restorer) -> Any:
    """Return a value of an answer with every string of it restored, keys too."""
    if isinstance(value, dict):
        return {restorer.whole(key): restored(below, restorer) for key, below in value.items()}
    if isinstance(value, list):
        return [restored(below, restorer) for below in value]
    return restorer.whole(value) if isinstance(value, str) else value
