"""Ctrl-C on a real process: a clean end that says how far it was, and a run that goes on."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from privasis.store.shards import Shards
from privasis.types import Record
from support.killing import privasis
from support.scripted_server import Script, ScriptedServer


def test_ctrl_c_ends_cleanly_with_a_summary(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with ScriptedServer(Script(latency_s=0.02)) as server:
        command = ("generate", "--out", run, "--records", "40", "--base-url", server.base_url)
        options = ("--refinement-steps", "0", "--concurrency", "8", "--shard-size", "2")
        process = privasis(*command, *options)
        deadline = time.monotonic() + 60
        while not Shards(run / "shards", Record).done() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"of 40 so far" in error
        assert b"Traceback" not in error
        kept = Shards(run / "shards", Record).done()
        assert kept
        again = privasis(*command, *options)
        again.communicate(timeout=100)
    assert again.returncode == 0
    assert kept <= Shards(run / "shards", Record).done()
