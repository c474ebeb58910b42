"""The viewer in a real browser: no console error, search and facets work, a hostile record stays text."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import sync_playwright

from privasis.store.run import open_run
from privasis.store.shards import Shards
from privasis.types import Outcome, Record
from privasis.web.app import create_app
from support.sanitizing import record_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOSTILE = "Dear <script>document.title = 'taken'</script> <img src=x onerror=alert(1)> نور الكرمي, Leeds."

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    texts = ["The garden needs rain.", "The boiler was serviced.", HOSTILE]
    records = [
        record_of(text, {"city": "Leeds"} if text == HOSTILE else {}, number=n, id=f"r{n}")
        for n, text in enumerate(texts)
    ]
    with open_run(tmp_path / "run", "records", {}) as run:
        Shards(run.shards, Record).commit(0, [Outcome(r.id, r.number, r, None, ()) for r in records])
    app = create_app(tmp_path / "index.sqlite", [tmp_path / "run"])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def test_search_facets_and_a_hostile_record(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        assert page.locator("#total").inner_text() == "3"
        page.get_by_label("Words", exact=True).fill("leeds")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=leeds**")
        assert page.locator("#total").inner_text() == "1"
        page.locator("ol.found a").first.click()
        page.wait_for_url("**/entry/**")
        assert "نور الكرمي" in page.locator(".text").first.inner_text()
        assert "<script>" in page.locator(".text").first.inner_text()
        assert page.title() != "taken"
        assert page.locator("mark[title=city]").inner_text() == "Leeds"
        page.goto(address)
        page.locator("a.facet").first.click()
        assert page.locator(".chosen").count() == 1
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390  # readable on a phone: nothing runs out of the page
        browser.close()
    assert errors == []
