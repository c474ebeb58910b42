"""Presets: how a model is trained, one readable TOML file each (Appendix C)."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from privasis.cleaner.finder import PHRASES
from privasis.errors import ConfigError, InputError

Prompt = Literal["edits", "rewrite", "cleaner"]


class Lora(BaseModel):
    """Low-rank adapters on every linear layer of the blocks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rank: int = Field(ge=1)
    alpha: int = Field(ge=1)
    dropout: float = Field(ge=0, lt=1)


class Optimizer(BaseModel):
    """AdamW, with a warm-up and then a linear decay to zero at the last step (WarmupDecayLR)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: float = Field(gt=0)
    weight_decay: float = Field(ge=0)
    warmup_steps: int = Field(ge=0)


class Schedule(BaseModel):
    """How long, in what steps and on what a model is trained; the data and the seed come beside it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    precision: Literal["fp32", "bf16"]
    micro_batch: int = Field(ge=1)  # examples on one device at once
    accumulation: int = Field(ge=1)
    gpus: int = Field(ge=0)  # how many the numbers are for; 0: a CPU
    zero_stage: Literal[0, 2, 3] = 0  # of DeepSpeed; 0: without
    steps: int = Field(ge=1)  # of the optimizer
    evaluate_every: int = Field(ge=1)  # steps
    save_every: int = Field(ge=1)  # steps
    optimizer: Optimizer

    @property
    def global_batch(self) -> int:
        """Examples that one step of the optimizer sees, on the devices that the preset names."""
        return self.micro_batch * self.accumulation * max(1, self.gpus)


class Preset(Schedule):
    """Everything that decides how a chat model is trained."""

    kind: Literal["chat"]
    base: str  # of the model store, a hub name, a folder, a GGUF file
    prompt: Prompt  # and with it the form of the answer
    chunk_size: int = Field(ge=0)  # characters; 0: whole records
    max_tokens: int = Field(ge=16)  # of prompt and answer together
    unchanged: float = Field(ge=0)  # pieces without a change that are kept, for each one with
    lora: Lora | None = None  # None: all weights are trained


class FinderPreset(Schedule):
    """Everything that decides how the span finder is trained, all weights of the packaged encoder."""

    kind: Literal["finder"]
    phrases: int = Field(ge=1, le=PHRASES)  # asked of a window at once
    variants: int = Field(ge=1)  # times that each window is shown, with other phrases in other words


def preset_names() -> tuple[str, ...]:
    """Return the names of the packaged presets, sorted."""
    folder = files("privasis") / "training" / "presets"
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_preset(name: str) -> dict[str, Any]:
    """Read a preset by its name, or a file of the user's: as it is written, not yet checked.

    Raises:
        ConfigError: There is no such preset.
        InputError: The file is no TOML.
    """
    if name.endswith(".toml"):
        file = Path(name)
        if not file.is_file():
            raise ConfigError(f"--preset {name}: there is no such file.")
        source = file.read_text(encoding="utf-8")
    elif name in preset_names():
        source = (files("privasis") / "training" / "presets" / f"{name}.toml").read_text(encoding="utf-8")
    else:
        known = ", ".join(preset_names())
        raise ConfigError(f"--preset {name}: unknown. Known are: {known}; or give a file ending in .toml.")
    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"--preset {name} is no TOML: {error}.") from None


def as_preset(name: str, content: dict[str, Any]) -> Preset | FinderPreset:
    """Check the content of a preset.

    Raises:
        ConfigError: A field is missing, unknown or impossible; the message names it.
    """
    kind = FinderPreset if content.get("kind") == "finder" else Preset
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"--preset {name}: {field}: {first['msg']}.") from None
