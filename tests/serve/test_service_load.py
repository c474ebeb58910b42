"""1,000 requests from 64 clients at once, three of ten bad; and a fuzz of the OpenAPI description."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.service_load import crowd, memory, service_process

pytestmark = pytest.mark.slow
REQUESTS, CLIENTS = 1000, 64
GROWTH = 1.1  # of resident memory, over what a first crowd has left


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.timeout(300)
async def test_a_crowd_is_answered() -> None:
    with service_process() as (url, pid):
        await crowd(url, CLIENTS, REQUESTS)
        before = memory(pid)
        tally = await crowd(url, CLIENTS, REQUESTS)
        after = memory(pid)
    good = [status for (kind, status), n in tally.statuses.items() if kind == "good" for _ in range(n)]
    assert good == [200] * 700
    assert tally.wrong == 0
    assert {status for (kind, status) in tally.statuses if kind == "malformed"} == {400, 422}
    assert {status for (kind, status) in tally.statuses if kind == "oversized"} == {413}
    assert after < GROWTH * before
