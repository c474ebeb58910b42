"""What a worker process does with one text."""

from __future__ import annotations

from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.instruction import named_wish, read_instruction
from privasis.cleaner.results import Wish
from privasis.errors import ConfigError
from privasis.serve.forms import answer
from privasis.serve.limits import Refused
from privasis.serve.workers import Done, Job


def clean_job(job: Job) -> Done | Refused:
    """Clean a text; whatever goes wrong becomes a refusal without any text in it."""
    try:
        told = answer(clean_with(job.text, _wishes(job)))
        return Done(told.status, told.model_dump_json().encode())
    except ConfigError as error:
        return Refused(409, "contradiction", str(error))
    except Exception as error:  # the text of an unforeseen error may hold the user's text: its kind only
        return Refused(500, "defect", f"a defect of privasis: {type(error).__name__}. Please report it.")


def _wishes(job: Job) -> tuple[Wish, ...]:
    return (
        *read_instruction(job.instruction, job.text),
        *(named_wish(phrase, "drop", job.text) for phrase in job.drop),
        *(named_wish(phrase, "abstract", job.text) for phrase in job.abstract),
        *(named_wish(phrase, "keep", job.text) for phrase in job.keep),
    )
