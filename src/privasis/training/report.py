"""The report of a training: what was trained on what, the losses as a picture, the speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privasis.errors import MissingExtraError
from privasis.store.files import write_text, write_whole
from privasis.store.summary import write_json
from privasis.training.fit import Point

_LAST = 10  # steps whose mean stands for the loss at the beginning and at the end


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What report.json holds."""

    base: str
    preset: dict[str, Any]
    seed: int
    data_hash: str
    train_examples: int
    validation_examples: int
    too_long: int  # examples left out: longer than the preset's max_tokens
    steps: int
    session_steps: int  # those of the last session: it may have gone on from a checkpoint
    session_seconds: float
    tokens_per_second: float  # of the last session: prompt and answer, without padding
    train: list[Point]
    validation: list[Point]
    measures: dict[str, float]  # of the exported model on the validation part, where it has any

    @property
    def first_loss(self) -> float:
        """The mean training loss of the first steps."""
        return _mean(self.train[:_LAST])

    @property
    def last_loss(self) -> float:
        """The mean training loss of the last steps."""
        return _mean(self.train[-_LAST:])


def write_report(report: TrainingReport, folder: Path) -> None:
    """Write report.json, report.md and curve.png.

    Raises:
        DiskError: If the disk is full or refuses.
        MissingExtraError: matplotlib is missing.
    """
    curves = {name: [point._asdict() for point in getattr(report, name)] for name in ("train", "validation")}
    write_json(folder / "report.json", asdict(report) | curves)
    write_whole(folder / "curve.png", lambda path: _draw(report, path))
    write_text(folder / "report.md", _markdown(report))


def _markdown(report: TrainingReport) -> str:
    rows: list[tuple[str, object]] = [
        ("base model", report.base),
        ("seed", report.seed),
        ("data hash", report.data_hash),
        ("examples", f"{report.train_examples:,} to train on, {report.validation_examples:,} to validate"),
        ("left out", f"{report.too_long:,} longer than max_tokens"),
        ("steps", report.steps),
        ("loss of the first steps", f"{report.first_loss:.3f}"),
        ("loss of the last steps", f"{report.last_loss:.3f}"),
    ]
    if report.validation:
        rows.append(("validation loss", f"{report.validation[-1].loss:.3f}"))
    rows += [(f"validation: {name}", f"{value:.3f}") for name, value in report.measures.items()]
    rows += [
        ("last session", f"{report.session_steps} steps in {report.session_seconds:.0f} s"),
        ("speed", f"{report.tokens_per_second:.0f} tokens/s"),
        *((f"preset: {name}", value) for name, value in report.preset.items()),
    ]
    table = "".join(f"| {name} | {value} |\n" for name, value in rows)
    return f"# Training report\n\n![Losses](curve.png)\n\n| | |\n|---|---|\n{table}"


def _draw(report: TrainingReport, path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(
            "The curve needs an extra that is not installed: pip install 'privasis[train]' "
            "(matplotlib is missing)."
        ) from None
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="step", ylabel="loss (nats for each token)", title="Losses")
    axes.plot(*zip(*report.train, strict=True), label="training", linewidth=1)
    if report.validation:
        axes.plot(*zip(*report.validation, strict=True), label="validation", marker="o")
    axes.legend()
    figure.savefig(path, format="png", dpi=120)


def _mean(points: Sequence[Point]) -> float:
    return sum(point.loss for point in points) / max(len(points), 1)
