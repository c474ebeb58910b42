"""Private-looking text without anyone's privacy, and private things out of text."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["__version__", "clean", "clean_with"]

if TYPE_CHECKING:
    from privasis.cleaner.cleaning import clean, clean_with


def __getattr__(name: str) -> object:
    """Load the Cleaner when it is asked for: ``import privasis`` stays quick."""
    if name in {"clean", "clean_with"}:
        from privasis.cleaner import cleaning

        return getattr(cleaning, name)
    raise AttributeError(f"module 'privasis' has no attribute {name!r}")
