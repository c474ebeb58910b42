"""The embedded model builds triplets from a run folder of records."""

from __future__ import annotations

from pathlib import Path

import pytest

from privasis.cli.models import find_or_pull
from privasis.jobs.records import RecordsJob, run_records
from privasis.jobs.triplets import TripletsJob, open_source, run_triplets
from privasis.llm.engine import embedded_engine
from privasis.llm.messages import ClientOptions, Model
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.wording import tells
from privasis.store.shards import Shards
from privasis.synthesis.options import SynthesisOptions
from privasis.text.edits import apply_edits, changed_fraction
from privasis.types import Span, TripletSet
from support.scripted_server import ScriptedServer


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_embedded_model_gets_through(tmp_path: Path) -> None:
    quiet = ClientOptions(concurrency=2, backoff_base_s=0.01)
    with ScriptedServer() as server:
        options = SynthesisOptions(refinement_steps=0)
        models = (Model("scripted", server.base_url),)
        job = RecordsJob(tmp_path / "run", 3, models, seed=7, options=options, client=quiet)
        run_records(job, lambda outcome: None)
    with embedded_engine(find_or_pull().path, parallel=2) as engine:
        patient = ClientOptions(concurrency=2, timeout_s=300)
        wanted = TripletsJob(
            tmp_path / "run",
            tmp_path / "corpus",
            (engine.model,),
            seed=1,
            concurrency=2,
            options=SanitizeOptions(targets=2),
            client=patient,
        )
        summary = run_triplets(wanted, open_source(wanted), lambda outcome: None)
    assert summary.triplets >= 2
    for outcome in Shards(tmp_path / "corpus" / "shards", TripletSet):
        for triplet in outcome.result.triplets if outcome.result else ():
            assert apply_edits(triplet.text, triplet.edits) == triplet.sanitized != triplet.text
            assert not any(tells(triplet.sanitized, fact) for t in triplet.targets for fact in t.attributes)
            touched = [Span(edit.start, edit.end) for edit in triplet.edits if edit.step != "reference"]
            assert changed_fraction(triplet.text, triplet.edits, touched) < 0.1  # what the model quoted
