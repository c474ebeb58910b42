"""Run a command, kill it at random moments with SIGKILL, give it again until it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np


def privasis(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start the command line in a process of its own."""
    command = [sys.executable, "-m", "privasis", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PRIVASIS_DEBUG": "1"}
    )


def run_with_kills(arguments: Sequence[str | Path], kills: int, longest_s: float, seed: int) -> int:
    """Kill the command after random times, then let it end; return its exit code.

    Args:
        arguments: Of the command line.
        kills: How often a running process is killed; a process that ends before its time is not counted.
        longest_s: Of the random times between start and kill.
        seed: Of the times.
    """
    rng = np.random.default_rng(seed)
    killed = 0
    while killed < kills:
        process = privasis(*arguments)
        time.sleep(float(rng.uniform(0.5, longest_s)))
        if process.poll() is not None:
            process.communicate()
            break  # it was faster than its killer: the run has ended
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += 1
    process = privasis(*arguments)
    _, error = process.communicate()
    assert b"Traceback" not in error, error.decode()
    assert killed == kills, f"only {killed} kills before the run ended: give it more to do"
    return process.returncode
