"""The service over real HTTP: answers, refusals, limits, and that no text is in errors, logs or metrics."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from privasis.cleaner.results import Cleaned, Risk, Wish
from privasis.cli.main import run
from privasis.serve.forms import answer
from privasis.serve.guard import Guard, Message, Receive, Scope, Send
from privasis.serve.limits import Gate, Limits
from privasis.serve.metrics import open_metrics
from privasis.serve.workers import Workers
from privasis.types import Edit
from support.serving import TOKEN, cleaning_service

TEXT = "Zofia Brandt called 212-555-0147 about the boiler."
SECRET = "Xanthippe Oyelaran"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    limits = Limits(workers=1, queue=1, body_bytes=200_000, text_seconds=30, read_seconds=1.0)
    with cleaning_service(limits) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


def code(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["code"])


def test_one_text_is_cleaned(client: httpx.Client) -> None:
    got = client.post("/v1/clean", json={"text": TEXT, "instruction": "Remove all phone numbers."}).json()
    assert got["status"] == "clean"
    assert "0147" not in got["text"]
    assert "Zofia Brandt" in got["text"]
    assert [(e["start"], e["end"]) for e in got["edits"]]
    assert got["wishes"][0]["action"] == "drop"


def test_several_texts_keep_their_order(client: httpx.Client) -> None:
    texts = [TEXT, "nothing here", f"{SECRET} too"]
    got = client.post("/v1/clean", json={"texts": texts, "drop": [SECRET], "keep": ["Zofia Brandt"]}).json()
    assert [one["text"] for one in got["results"]] == [TEXT, "nothing here", "too"]


@pytest.mark.parametrize(
    ("instruction", "status", "text"),
    [
        ("Remove all e-mail addresses.", "nothing_found", TEXT),
        ("Remove the flimflam.", "not_understood", None),
    ],
)
def test_what_is_not_found_or_not_understood_is_said(
    client: httpx.Client, instruction: str, status: str, text: str | None
) -> None:
    got = client.post("/v1/clean", json={"text": TEXT, "instruction": instruction}).json()
    assert (got["status"], got["text"]) == (status, text)


def test_a_text_in_which_something_is_left_is_not_given_out() -> None:
    edit = Edit(start=0, end=5, replacement="", target="w0", step="drop")
    cleaned = Cleaned(
        "half clean", (edit,), (), (Risk("left", 0, "line 1"),), (), (Wish("x", "drop", ("x",)),)
    )
    told = answer(cleaned)
    assert told.status == "not_clean"
    assert "half clean" not in told.model_dump_json()
    assert not told.edits
    assert told.risks[0].where == "line 1"


@pytest.mark.parametrize("stream", ["ndjson", "sse"])
def test_progress_comes_before_the_results(client: httpx.Client, stream: str) -> None:
    body = {"texts": [TEXT, "b"], "drop": ["Zofia Brandt"]}
    got = client.post("/v1/clean", params={"stream": stream}, json=body)
    lines = [line.removeprefix("data: ") for line in got.text.splitlines() if line and line[:6] != "event:"]
    events = [json.loads(line) for line in lines]
    assert events[0]["event"] == "progress"
    assert events[0]["of"] == 2
    assert events[-1]["event"] == "end"
    assert events[-1]["done"] == 2
    results = {e["index"]: e["result"]["text"] for e in events if e["event"] == "result"}
    assert results == {0: "called 212-555-0147 about the boiler.", 1: "b"}


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ("{", 400, "cannot be read as JSON"),
        (b"\xff\xfe", 400, "cannot be read as JSON"),
        ("[" * 5000, 400, "cannot be read as JSON"),
        ("[]", 422, "must be a JSON object"),
        ({"instruction": SECRET}, 422, "text is missing"),
        ({"text": SECRET}, 422, "asks for nothing"),
        ({"text": SECRET, "instruction": " \n"}, 422, "instruction is empty"),
        ({"text": [SECRET], "instruction": SECRET}, 422, "text must be a string"),
        ({"text": "a", SECRET: 1, "instruction": "b"}, 422, "not known"),
        ({"texts": ["a", {SECRET: 1}], "drop": [SECRET]}, 422, "texts[1] must be a string"),
        ({"texts": [], "drop": [SECRET]}, 422, "texts is an empty list"),
        ('{"text": "\\ud800", "drop": ["a"]}', 422, "surrogate"),
        ({"text": SECRET * 100, "drop": ["a" * 1001]}, 422, "at most 1000"),
        ({"text": SECRET, "drop": [SECRET], "keep": [SECRET]}, 409, "to go and to stay"),
    ],
)
def test_bad_requests_get_one_clear_line_without_their_text(
    client: httpx.Client, body: object, status: int, says: str
) -> None:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    got = client.post("/v1/clean", content=content, headers={"content-type": "application/json"})
    assert got.status_code == status
    message = got.json()["error"]["message"]
    assert says in message
    assert "\n" not in message
    assert SECRET not in got.text


def test_other_media_types_paths_and_methods(client: httpx.Client) -> None:
    assert client.post("/v1/clean", content="text", headers={"content-type": "text/plain"}).status_code == 415
    assert client.get(f"/v1/{SECRET}").status_code == 404
    wrong = client.put("/v1/clean", json={})
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_request_that_is_too_large_is_refused(client: httpx.Client, chunked: bool) -> None:
    data = b"a" * 3_000_000
    got = client.post("/v1/clean", content=iter([data]) if chunked else data)
    assert got.status_code == 413
    assert code(got) == "too_large"


def test_a_page_elsewhere_cannot_call_itself_us(client: httpx.Client) -> None:
    got = client.get("/health", headers={"host": "attacker.example"})
    assert got.status_code == 403
    assert code(got) == "host"


def test_a_slow_request_is_ended(client: httpx.Client) -> None:
    with socket.create_connection((client.base_url.host, client.base_url.port or 0), timeout=20) as plug:
        plug.sendall(b"POST /v1/clean HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert plug.recv(1000).startswith(b"HTTP/1.1 408")


def test_the_queue_is_bounded(client: httpx.Client) -> None:
    address = (client.base_url.host, client.base_url.port or 0)
    plugs = [socket.create_connection(address, timeout=20) for _ in range(2)]
    try:
        for plug in plugs:
            plug.sendall(b"POST /v1/clean HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            plug.settimeout(20)
        while "privasis_requests_held 2" not in client.get("/metrics").text:
            pass
        got = client.post("/v1/clean", json={"text": "a", "drop": ["a"]})
        assert (got.status_code, got.headers["retry-after"], code(got)) == (429, "1", "busy")
    finally:
        for plug in plugs:
            plug.close()
    while "privasis_requests_held 0" not in client.get("/metrics").text:
        pass
    assert 'status="cut_off"' in client.get("/metrics").text
    assert client.post("/v1/clean", json={"text": "a b", "drop": ["a"]}).status_code == 200


def number(client: httpx.Client, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    assert found
    return float(found[1])


def wait_for(client: httpx.Client, held: int) -> None:
    while number(client, "privasis_requests_held") != held:
        pass


def test_the_work_of_a_client_that_hangs_up_is_dropped(client: httpx.Client) -> None:
    before = number(client, "privasis_characters_total")
    long = {"text": f"{TEXT}\n" * 3500, "instruction": "Remove all names, dates and phone numbers."}
    short = json.dumps({"text": "a" * 7, "drop": ["b"]}).encode()
    head = "POST /v1/clean HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(short)}\r\n\r\n"
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, "/v1/clean", json=long)
        wait_for(client, 1)
        with socket.create_connection((client.base_url.host, client.base_url.port or 0), timeout=20) as plug:
            plug.sendall(head.encode() + short)
            wait_for(client, 2)
        wait_for(client, 1)
        assert not first.done()
        assert first.result().status_code == 200
    assert client.post("/v1/clean", json={"text": "bb", "drop": ["Ann"]}).status_code == 200
    assert number(client, "privasis_characters_total") - before == len(str(long["text"])) + len("bb")


async def test_a_client_that_does_not_read_is_let_go() -> None:
    gate = Gate(1)
    workers = Workers(1, 1.0)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request", "body": b"{}"}

    async def never(_: Message) -> None:
        await asyncio.Event().wait()

    metrics = open_metrics(gate, workers)
    guard = Guard(app, Limits(read_seconds=0.05), gate, metrics, "")
    scope = {"type": "http", "method": "POST", "path": "/v1/clean", "headers": [(b"host", b"localhost")]}
    await guard(scope, receive, never)
    workers.close()
    assert gate.held == 0
    assert b'path="/v1/clean",status="cut_off"' in metrics.page()


def test_no_text_in_logs_and_metrics(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        client.post("/v1/clean", json={"text": f"{SECRET} whistled.", "drop": [SECRET]})
        client.post(f"/{SECRET}?q={SECRET}", json={"text": SECRET})
        client.post("/v1/clean", json={SECRET: SECRET})
        numbers = client.get("/metrics")
    ours = [
        record.getMessage() for record in caplog.records if record.name.startswith(("privasis", "uvicorn"))
    ]
    assert any("/v1/clean 200" in line for line in ours)
    for said in (*ours, numbers.text):
        assert not any(part in said for part in ("Xanthippe", "Oyelaran", "whistled"))
    assert 'privasis_texts_total{status="clean"}' in numbers.text


def test_pages(client: httpx.Client) -> None:
    assert client.get("/health").json()["status"] == "ok"
    page = client.get("/docs").text
    assert "POST /v1/clean" in page
    assert "<script" not in page
    assert "http" not in page
    described = client.get("/openapi.json").json()
    assert {"/v1/clean", "/health", "/metrics"} == set(described["paths"])


def test_a_text_that_takes_too_long_is_ended_and_the_next_is_cleaned() -> None:
    with cleaning_service(Limits(workers=1, text_seconds=0.5), TOKEN) as url:
        with httpx.Client(base_url=url, timeout=60, headers={"authorization": f"Bearer {TOKEN}"}) as client:
            long = {"text": f"{TEXT}\n" * 19_000, "instruction": "Remove all names, dates and phone numbers."}
            got = client.post("/v1/clean", json=long)
            assert got.status_code == 503
            assert code(got) == "too_slow"
            assert client.post("/v1/clean", json={"text": "Ann b", "drop": ["Ann"]}).json()["text"] == "b"
            assert "privasis_workers_replaced 1" in client.get("/metrics").text
            bare = httpx.Client(base_url=url)
            assert bare.get("/health").status_code == 200
            for path in ("/metrics", "/docs", "/openapi.json"):
                assert bare.get(path).status_code == 401
            wrong = bare.post("/v1/clean", json=long, headers={"authorization": "Bearer wrong"})
            assert wrong.status_code == 401
            assert wrong.headers["www-authenticate"] == "Bearer"
            bare.close()


@pytest.mark.parametrize(
    ("arguments", "token", "says"),
    [
        (["--host", "0.0.0.0"], "", "other machines"),
        (["--host", "192.168.1.7"], "", "other machines"),
        (["--host", "0.0.0.0"], "short", "too short"),
        (["--host", "203.0.113.7"], TOKEN, "cannot be used"),
    ],
)
def test_other_addresses_need_a_token(
    arguments: list[str],
    token: str,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PRIVASIS_TOKEN", token)
    assert run(["serve", *arguments]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert len(said.strip().splitlines()) == 1
