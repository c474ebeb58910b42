"""The tree of errors: a person's to mend, an item's to end on, a run's to stop at.

Exit codes of the command line are written on the classes and listed in docs/errors.md.
Messages never hold text of a record, an attribute's value or a key.
"""

from __future__ import annotations

from typing import ClassVar


class PrivasisError(Exception):
    """Root of everything that this package raises on purpose."""

    exit_code: ClassVar[int] = 1
    hint: ClassVar[str] = ""


class UserError(PrivasisError):
    """Something the user can mend: printed as one line, without a traceback."""

    exit_code = 2


class ConfigError(UserError):
    """A flag, an option or a configuration that cannot be used."""


class RunFolderError(UserError):
    """A run folder that cannot be used: another configuration, not a run folder, or not writable."""


class InputError(UserError):
    """A file of the user's that cannot be read; the message names file, row and field."""


class EndpointError(UserError):
    """The endpoint cannot serve the run at all: unreachable, wrong key, unknown model."""


class ClusterError(UserError):
    """The Ray cluster cannot serve the run: no answer, no free processor, or workers that keep dying."""


class ModelFileError(UserError):
    """Weights that are missing, broken, or cannot be fetched."""


class DiskError(UserError):
    """The disk is full or refuses to be written; what was committed before stays."""


class MissingExtraError(UserError):
    """An optional dependency is not installed; the message names the pip line."""


class Stop(PrivasisError):
    """The run ends early and cleanly, and can be resumed."""

    exit_code = 5


class CostLimitReached(Stop):
    """The sum of money named by --max-cost is used up."""


class Reject(PrivasisError):
    """One item ends here, with the step and a reason word that is counted.

    Args:
        step: The step at which the item ended, such as ``draft``.
        reason: A reason word from the step's own list, such as ``too_short``.
        detail: What a developer needs to see; may hold the model's last answer, so it is
            written to the run folder only, never to a log.
    """

    def __init__(self, step: str, reason: str, detail: str = "") -> None:
        super().__init__(f"{step}: {reason}")
        self.step = step
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[Reject], tuple[str, str, str]]:
        """Survive the way from a worker's process: an exception is remade from its arguments."""
        return type(self), (self.step, self.reason, self.detail)
