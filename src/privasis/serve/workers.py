"""Processes that clean: the event loop stays free, and a text that takes too long can be ended."""

from __future__ import annotations

import asyncio
import multiprocessing
import queue
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Final

from privasis.serve.forms import Status
from privasis.serve.limits import Refused

_START_SECONDS: Final = 120.0  # a new process loads the Cleaner's word lists
_SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would copy the service's threads' locks


@dataclass(frozen=True, slots=True)
class Job:
    """One text to clean."""

    text: str
    instruction: str = ""
    drop: tuple[str, ...] = ()
    abstract: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a job: ``body`` is a ``forms.Answer`` as JSON, made where the work was done."""

    status: Status
    body: bytes


_WARM: Final = Job("Dr Ann Lee wrote on 3 May 2024.", drop=("all names", "all dates"))  # loads the word lists


class _Worker:
    """A process at the other end of a pipe."""

    def __init__(self) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._ready = False

    def ask(self, job: Job, seconds: float) -> Done | Refused:
        """Hand over a job and wait; a process that does not answer in time is of no more use.

        Raises:
            TimeoutError: The time is over.
            EOFError, OSError: The process has ended.
        """
        if not self._ready:
            self._receive(_START_SECONDS)
            self._ready = True
        self._pipe.send(job)
        answer = self._receive(seconds)
        if not isinstance(answer, Done | Refused):
            raise EOFError
        return answer

    def _receive(self, seconds: float) -> object:
        if not self._pipe.poll(seconds):
            raise TimeoutError
        return self._pipe.recv()

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


class Workers:
    """A fixed number of worker processes; each has a thread here that waits for it.

    Args:
        count: How many.
        seconds: That one text may take.
    """

    def __init__(self, count: int, seconds: float) -> None:
        self._seconds = seconds
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="privasis-worker")
        self._all = [_Worker() for _ in range(count)]
        for worker in self._all:
            self._idle.put(worker)
        self.replaced = 0

    @property
    def count(self) -> int:
        """How many processes there are."""
        return len(self._all)

    async def clean(self, job: Job) -> Done:
        """Clean a text in the next free process, in the order of the calls.

        Raises:
            Refused: It cannot be cleaned: a contradiction, too slow, a defect.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._clean, job)

    def _clean(self, job: Job) -> Done:
        worker = self._idle.get()
        try:
            answer = worker.ask(job, self._seconds)
        except TimeoutError:
            worker = self._new(worker)
            message = f"a text took longer than {self._seconds:g} s. Send it in smaller parts."
            raise Refused(503, "too_slow", message) from None
        except (EOFError, OSError):
            worker = self._new(worker)
            raise Refused(503, "worker_ended", "the process that cleaned has ended. Try again.") from None
        finally:
            self._idle.put(worker)
        if isinstance(answer, Refused):
            raise answer
        return answer

    def _new(self, old: _Worker) -> _Worker:
        old.end()
        self._all.remove(old)
        new = _Worker()
        self._all.append(new)
        self.replaced += 1
        return new

    def close(self) -> None:
        """End all processes."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.end()


def _work(pipe: Connection) -> None:
    """Clean what comes until the pipe is closed (in the worker's process)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service ends its workers itself
    from privasis.serve.work import clean_job

    clean_job(_WARM)
    pipe.send("ready")
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(clean_job(job))
