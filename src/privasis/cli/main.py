"""The command ``privasis``: its subcommands, and the one place where errors become a line and a code."""

from __future__ import annotations

import os
import sys

# The matrices here are small: a second BLAS thread costs more than it brings, and a hundred times as much on
# a busy machine. It must be said before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import typer
from typer.exceptions import TyperException

from privasis import __version__
from privasis.cli import (
    analyze,
    clean,
    compare,
    demo,
    doctor,
    estimate,
    evaluate,
    export,
    gateway,
    generate,
    gold,
    models,
    nap2,
    report,
    sanitize,
    serve,
    show,
    split,
    tab,
    tables,
    train,
    view,
    zero,
)
from privasis.cli.console import err
from privasis.errors import PrivasisError, Stop

app = typer.Typer(
    name="privasis",
    help="Private-looking text without anyone's privacy, and private things out of text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("generate")(generate.generate)
app.command("clean")(clean.clean)
app.command("serve")(serve.serve)
app.command("mcp")(serve.mcp)
app.command("gateway")(gateway.gateway)
app.command("sanitize")(sanitize.sanitize)
app.command("split")(split.split)
app.command("train")(train.train)
app.command("gold")(gold.gold)
app.command("predict")(gold.predict)
app.command("evaluate")(evaluate.evaluate)
app.command("nap2")(nap2.nap2)
app.command("dedupe")(export.dedupe)
app.command("export")(export.export)
app.command("estimate")(estimate.estimate)
app.command("tab")(tab.tab)
app.command("report")(report.report)
app.command("show")(show.show)
app.command("triplet")(compare.triplet)
app.command("view")(view.view)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.add_typer(analyze.app, name="analyze")
app.add_typer(tables.app, name="table")
app.add_typer(zero.app, name="zero")
app.add_typer(models.app, name="models")

USAGE = 2
INTERRUPTED = 130


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    if version:
        print(f"privasis {__version__}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code (docs/errors.md)."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        result = app(arguments, standalone_mode=False)
    except typer.Abort:
        return _fail("interrupted. Give the same command again to go on.", INTERRUPTED)
    except KeyboardInterrupt:
        return _fail("interrupted. Give the same command again to go on.", INTERRUPTED)
    except TyperException as error:
        return _fail(f"{error} See privasis --help.", USAGE)
    except Stop as error:
        return _fail(str(error), error.exit_code, word="stopped")
    except PrivasisError as error:
        return _fail(str(error), error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("PRIVASIS_DEBUG"):
            raise
        # The text of an unforeseen error may hold a record's text: only its kind is shown.
        return _fail(
            f"a defect of privasis: {type(error).__name__}. Set PRIVASIS_DEBUG=1 to see where, "
            "and please report it.",
            1,
        )
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int, word: str = "error") -> int:
    err.print(f"[bold red]{word}:[/] ", end="")
    err.print(" ".join(message.split()), markup=False, highlight=False, soft_wrap=True)
    return code
