"""The job behind ``privasis estimate``: read a small run's folder and a price list."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from privasis.analysis.estimate import Measured, Rates, Tokens
from privasis.errors import InputError, RunFolderError
from privasis.store.run import read_config

_MADE = {"records": "accepted", "triplets": "triplets"}  # by kind of folder: what summary.json calls it


class _Entry(BaseModel):
    """One entry of a price list, as a person writes it."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    price_in: float | None = Field(None, ge=0)
    price_cached: float | None = Field(None, ge=0)
    price_out: float | None = Field(None, ge=0)
    prompt_tokens_per_s: float | None = Field(None, gt=0)
    completion_tokens_per_s: float | None = Field(None, gt=0)
    price_gpu_hour: float = Field(0.0, ge=0)


def read_rates(path: Path | None) -> dict[str, Rates]:
    """Return the packaged price list, and over it the entries of a user's own.

    Raises:
        InputError: If the file cannot be read; the message names the entry and the field.
    """
    packaged = (files("privasis") / "data" / "prices.toml").read_text(encoding="utf-8")
    rates = _parse(packaged, "prices.toml")
    if path is None:
        return rates
    try:
        return rates | _parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read ({type(error).__name__}).") from None


def _parse(text: str, where: str) -> dict[str, Rates]:
    try:
        entries = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where} is no TOML: {error}.") from None
    return {name: _rates(name, entry, where) for name, entry in entries.items()}


def _rates(name: str, entry: object, where: str) -> Rates:
    try:
        read = _Entry.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: entry {name!r}, field {field!r}: {first['msg']}.") from None
    # Who names no price for cached tokens pays the full one for them.
    cached = read.price_in if read.price_cached is None else read.price_cached
    return Rates(
        price_in=read.price_in,
        price_cached=cached or 0.0,
        price_out=read.price_out or 0.0,
        prompt_tokens_per_s=read.prompt_tokens_per_s,
        completion_tokens_per_s=read.completion_tokens_per_s,
        price_gpu_hour=read.price_gpu_hour,
    )


def measure(folder: Path) -> Measured:
    """Read what a run of records or triplets took.

    Raises:
        RunFolderError: If the folder is no such run, or has no summary yet.
    """
    kind = read_config(folder)["kind"]
    if kind not in _MADE:
        raise RunFolderError(f"{folder} holds {kind}: estimates are made from records or triplets.")
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        return _measured(folder, kind, summary, _item_seconds(folder))
    except FileNotFoundError:
        raise RunFolderError(f"{folder} has no summary.json yet: let the run end, then ask again.") from None
    except (ValueError, KeyError, TypeError):
        raise RunFolderError(
            f"{folder / 'summary.json'} is broken or of another version: "
            "give the command that makes it again."
        ) from None


def _measured(folder: Path, kind: str, summary: Mapping[str, Any], seconds: float) -> Measured:
    made, tried = int(summary[_MADE[kind]]), int(summary["tried"])
    judged = tried - int(summary.get("surplus", 0))  # what was made ahead of need says nothing of the yield
    cache = _bytes_of(folder / "cache")
    return Measured(
        kind=kind,
        made=made,
        tried=tried,
        passed_share=made / judged if judged else 0.0,
        by_step={step: _tokens(usage) for step, usage in summary["by_step"].items()},
        by_model={model: _tokens(usage) for model, usage in summary["by_model"].items()},
        bytes=_bytes_of(folder) - cache,
        cache_bytes=cache,
        item_seconds=seconds / tried if tried else 0.0,
    )


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    return Tokens(
        float(usage["prompt_tokens"]), float(usage["cached_tokens"]), float(usage["completion_tokens"])
    )


def _item_seconds(folder: Path) -> float:
    """Return the seconds of all sessions, each counted once for every place in work."""
    try:
        sessions = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["sessions"]
    except FileNotFoundError:
        return 0.0
    return sum(float(session["seconds"]) * int(session["concurrency"]) for session in sessions)


def _bytes_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
