"""Records on the embedded model: the chain runs to its end, and every span points at its value."""

from pathlib import Path

import pytest

from privasis.jobs.records import RecordsJob, run_records
from privasis.llm.engine import embedded_engine
from privasis.llm.weights import pull
from privasis.store.records import accepted_records
from privasis.store.shards import Shards
from privasis.synthesis.options import for_small_model
from privasis.text.words import count_words
from privasis.types import Record


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_embedded_model_completes_the_chain(tmp_path: Path) -> None:
    with embedded_engine(pull().path, parallel=4) as engine:
        job = RecordsJob(tmp_path, 2, (engine.model,), 8, seed=7, concurrency=4, options=for_small_model())
        summary = run_records(job, lambda outcome: None)
    assert summary.accepted == 2
    for record in accepted_records(Shards(tmp_path / "shards", Record), 2):
        assert count_words(record.text) >= 64
        assert len(record.attributes) >= 3
        assert 3 <= len(record.groups) <= 8
        for attribute in record.attributes:
            assert all(record.text[span.start : span.end] == attribute.value for span in attribute.spans)
