"""A run folder of records and the corpus made of it, by the scripted server."""

from __future__ import annotations

from pathlib import Path

from privasis.jobs.records import RecordsJob, run_records
from privasis.jobs.triplets import TripletsJob, open_source, run_triplets
from privasis.llm.messages import ClientOptions, Model
from privasis.synthesis.options import SynthesisOptions
from support.scripted_server import ScriptedServer

QUICK = ClientOptions(concurrency=32, backoff_base_s=0.01, timeout_s=20)


def run_and_corpus(root: Path) -> tuple[Path, Path]:
    """Make four records and their triplets below a folder; return both folders."""
    with ScriptedServer() as server:
        models = (Model("scripted", server.base_url),)
        options = SynthesisOptions(refinement_steps=0)
        run_records(
            RecordsJob(root / "run", 4, models, seed=7, concurrency=8, client=QUICK, options=options),
            lambda _: None,
        )
        job = TripletsJob(root / "run", root / "corpus", models, seed=3, concurrency=8, client=QUICK)
        run_triplets(job, open_source(job), lambda _: None)
    return root / "run", root / "corpus"
