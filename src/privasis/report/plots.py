"""Pictures of a report: bars, as SVG in a data URI, so that a page needs no second file."""

from __future__ import annotations

import base64
import io

from privasis.errors import MissingExtraError
from privasis.report.content import Bars

_LONGEST = 40  # characters of a bar's name


def can_draw() -> bool:
    """Tell whether pictures can be drawn here."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def draw(bars: Bars) -> str:
    """Draw bars, the first on top.

    Returns:
        A data URI. In an ``img`` element nothing in a picture can run.

    Raises:
        MissingExtraError: matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("pictures need matplotlib: pip install 'privasis[report]'.") from None
    figure = Figure(figsize=(7, 0.6 + 0.28 * len(bars.values)), layout="constrained")
    axes = figure.subplots()
    places = range(len(bars.values))
    drawn = axes.barh(list(places), [value for _, value in bars.values], color="#3b6ea5")
    axes.bar_label(drawn, fmt="%.4g", padding=3, fontsize=8)
    axes.set_yticks(list(places), [_name(name) for name, _ in bars.values], fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(out.getvalue()).decode('ascii')}"


def _name(name: str) -> str:
    """A bar's name on one line, with nothing that matplotlib would take for a formula."""
    line = " ".join(name.split()).replace("$", r"\$")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
