"""What a worker process does with one text."""

from __future__ import annotations

from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.instruction import read_wishes
from privasis.errors import ConfigError
from privasis.serve.forms import answer
from privasis.serve.limits import Refused
from privasis.serve.workers import Done, Job


def clean_job(job: Job) -> Done | Refused:
    """Clean a text; whatever goes wrong becomes a refusal without any text in it."""
    try:
        wishes = read_wishes(job.instruction, job.text, drop=job.drop, abstract=job.abstract, keep=job.keep)
        told = answer(clean_with(job.text, wishes))
        return Done(told.status, told.model_dump_json().encode())
    except ConfigError as error:
        return Refused(409, "contradiction", str(error))
    except Exception as error:  # the text of an unforeseen error may hold the user's text: its kind only
        return Refused(500, "defect", f"a defect of privasis: {type(error).__name__}. Please report it.")
