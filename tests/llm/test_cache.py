"""The response cache: whole after a kill, shared by processes, clear about a broken file or a full disk."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from privasis.errors import DiskError, RunFolderError
from privasis.llm import ResponseCache

WRITER = """
import sys
from hashlib import sha256
from pathlib import Path
from privasis.llm import ResponseCache
folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with ResponseCache(folder) as cache:
    for number in range(first, first + count):
        cache.put(sha256(b"%d" % number).digest(), b"answer %d " % number * 50, 0.5)
        if number % 100 == 99:
            cache.flush()
            print(number, flush=True)
"""


def key(number: int) -> bytes:
    return sha256(b"%d" % number).digest()


def answer(number: int) -> bytes:
    return b"answer %d " % number * 50


def writer(folder: Path, first: int, count: int, setup: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", setup + WRITER, str(folder), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_an_answer_is_there_at_once_and_after_reopening(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as cache:
        assert cache.get(key(1)) is None
        cache.put(key(1), answer(1), 0.25)
        assert cache.get(key(1)) == answer(1)
        cache.flush()
        assert cache.get(key(1)) == answer(1)
        cache.put(key(2), answer(2), 0.5)
    with ResponseCache(tmp_path) as cache:
        assert [cache.get(key(number)) for number in (1, 2, 3)] == [answer(1), answer(2), None]
        assert cache.paid == 0.75


def test_the_first_answer_to_a_question_stays(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as cache:
        cache.put(key(1), b"first", 1.0)
        cache.flush()
        cache.put(key(1), b"second", 1.0)
        cache.flush()
        assert cache.get(key(1)) == b"first"


def test_a_batch_of_many_is_kept_whole(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as cache:
        for number in range(1234):
            cache.put(key(number), answer(number), 0.0)
        cache.flush()
        assert all(cache.get(key(number)) == answer(number) for number in range(1234))


def test_an_answer_is_durable_soon_without_a_flush(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as mine, ResponseCache(tmp_path) as other:
        mine.put(key(1), answer(1), 0.0)
        deadline = time.monotonic() + 10
        while other.get(key(1)) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert other.get(key(1)) == answer(1)


def test_nothing_that_was_durable_is_lost_by_kills(tmp_path: Path) -> None:
    done = 0
    for _ in range(4):
        process = writer(tmp_path, done, 100_000)
        assert process.stdout is not None
        for _ in range(3):
            done = int(process.stdout.readline()) + 1
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with ResponseCache(tmp_path) as cache:
            assert all(cache.get(key(number)) == answer(number) for number in range(done))


def test_several_processes_write_one_file(tmp_path: Path) -> None:
    processes = [writer(tmp_path, first, 600) for first in (0, 400, 800)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    with ResponseCache(tmp_path) as cache:
        assert all(cache.get(key(number)) == answer(number) for number in range(1400))
        assert cache.paid == 900.0  # those in the middle were paid for twice


def test_a_broken_file_is_one_line(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as cache:
        cache.put(key(1), answer(1), 0.0)
    (file,) = tmp_path.glob("*.sqlite")
    file.write_bytes(b"this is no database " * 500)
    with pytest.raises(RunFolderError) as caught:
        ResponseCache(tmp_path)
    assert str(caught.value) == (
        f"the response cache {file} is broken. Delete {tmp_path} to go on; answers will be paid for again."
    )


def test_a_file_broken_in_its_middle_is_one_line(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as cache:
        for number in range(500):
            cache.put(key(number), answer(number), 0.0)
    (file,) = tmp_path.glob("*.sqlite")
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(RunFolderError, match="is broken"), ResponseCache(tmp_path) as cache:
        cache.get(key(1))


def test_a_full_disk_is_one_line_and_spares_what_is_there(tmp_path: Path) -> None:
    with ResponseCache(tmp_path) as cache:
        cache.put(key(1), answer(1), 0.0)
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))\n"
    _, errors = writer(tmp_path, 0, 1000, limit).communicate(timeout=60)
    last = errors.splitlines()[-1]
    assert last.startswith("privasis.errors.DiskError: the response cache ")
    assert last.endswith("then give the same command again: nothing made so far is lost.")
    with ResponseCache(tmp_path) as cache:
        assert cache.get(key(1)) == answer(1)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DiskError, match="cannot be written"):
        ResponseCache(tmp_path / "file" / "cache")
