"""Private-looking text without anyone's privacy, and private things out of text."""

__version__ = "0.1.0"
__all__ = ["__version__"]
