"""Estimates against sums done by hand, and the paper's price of 10,000 records."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from privasis.analysis.estimate import Measured, Rates, Tokens, estimate
from privasis.cli.main import run
from privasis.errors import ConfigError, InputError
from privasis.jobs.estimates import measure, read_rates
from support.answers import Ask, answer_to, prose
from support.scripted_server import Script, ScriptedServer

SMALL = Measured(
    kind="records",
    made=8,
    tried=10,
    passed_share=0.8,
    by_step={"draft": Tokens(6_000, 1_500, 3_000), "judge": Tokens(4_000, 500, 1_000)},
    by_model={"big": Tokens(10_000, 2_000, 4_000)},
    bytes=50_000,
    cache_bytes=20_000,
    item_seconds=40.0,
)


def test_money_counts_cached_tokens_and_the_candidates_that_fail() -> None:
    rates = {"big": Rates(price_in=2.0, price_cached=0.5, price_out=8.0)}
    made = estimate(SMALL, 8_000, rates, concurrency=100)
    assert made.tried == pytest.approx(10_000)
    assert made.tokens == Tokens(10e6, 2e6, 4e6)
    assert made.money == pytest.approx(8 * 2.0 + 2 * 0.5 + 4 * 8.0)
    assert made.bytes == pytest.approx(50e6)
    assert made.cache_bytes == pytest.approx(20e6)
    assert made.wall_seconds == pytest.approx(10_000 * 40 / 100)
    assert made.gpu_hours is None


def test_the_cached_share_can_be_set() -> None:
    rates = {"big": Rates(price_in=2.0, price_cached=0.5, price_out=8.0)}
    made = estimate(SMALL, 8_000, rates, concurrency=1, cached_share=0.5)
    assert made.tokens.cached == pytest.approx(5e6)
    assert made.money == pytest.approx(5 * 2.0 + 5 * 0.5 + 4 * 8.0)


def test_throughput_gives_gpu_hours_rent_and_wall_time() -> None:
    rates = {"big": Rates(prompt_tokens_per_s=10_000, completion_tokens_per_s=1_000, price_gpu_hour=3.0)}
    made = estimate(SMALL, 8_000, rates, concurrency=1, gpus=4)
    hours = (8e6 / 10_000 + 4e6 / 1_000) / 3600
    assert made.gpu_hours == pytest.approx(hours)
    assert made.money == pytest.approx(3.0 * hours)
    assert made.wall_seconds == pytest.approx(hours * 3600 / 4)


def test_a_price_that_is_not_known_is_no_zero() -> None:
    mixed = dataclasses.replace(SMALL, by_model={"big": Tokens(1, 0, 1), "other": Tokens(1, 0, 1)})
    rates = {"big": Rates(price_in=2.0, price_out=8.0)}
    assert estimate(mixed, 10, rates, concurrency=1).money is None
    assert estimate(mixed, 10, rates, concurrency=1, priced_as="big").money is not None
    with pytest.raises(ConfigError, match="--as dear"):
        estimate(mixed, 10, rates, concurrency=1, priced_as="dear")


def test_nothing_made_gives_no_estimate() -> None:
    with pytest.raises(InputError, match="made no records"):
        estimate(dataclasses.replace(SMALL, made=0, passed_share=0.0), 10, {}, concurrency=1)


def test_a_price_list_of_the_users_stands_over_the_packaged_one(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('["gpt-4.1"]\nprice_in = 1.0\nprice_out = 2.0\n[mine]\nprompt_tokens_per_s = 5\n')
    rates = read_rates(own)
    assert rates["gpt-4.1"] == Rates(price_in=1.0, price_cached=1.0, price_out=2.0)
    assert rates["gpt-4.1-mini"] == read_rates(None)["gpt-4.1-mini"]
    assert rates["mine"].prompt_tokens_per_s == 5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a]\nprice_in = -1\n", "entry 'a', field 'price_in'"),
        ("[a]\nprice = 1\n", "entry 'a', field 'price'"),
        ("a = 1\n", "entry 'a'"),
        ("[a\n", "is no TOML"),
    ],
)
def test_a_bad_price_list_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(InputError, match=says):
        read_rates(tmp_path / "bad.toml")


def test_the_command_measures_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    with ScriptedServer() as server:
        made = ["generate", "--out", str(folder), "--records", "2", "--refinement-steps", "0"]
        assert run([*made, "--model", "scripted", "--base-url", server.base_url]) == 0
    summary = json.loads((folder / "summary.json").read_text())
    measured = measure(folder)
    assert sum(tokens.prompt for tokens in measured.by_step.values()) == summary["total"]["prompt_tokens"]
    assert measured.bytes > 0
    assert measured.cache_bytes > 0
    assert measured.item_seconds > 0
    capsys.readouterr()
    assert run(["estimate", str(folder), "-n", "1000"]) == 0
    assert "no price for scripted" in capsys.readouterr().out
    assert run(["estimate", str(folder), "-n", "1000", "--as", "gpt-4.1"]) == 0
    assert "as gpt-4.1" in capsys.readouterr().out


def test_a_folder_without_a_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["estimate", str(tmp_path), "-n", "10"]) == 2
    assert "is no run folder" in capsys.readouterr().err


@pytest.mark.slow
def test_ten_thousand_records_cost_about_what_the_paper_paid(tmp_path: Path) -> None:
    """About 900 dollars by GPT-4.1 (A.1): our prompts, and texts of the paper's length, at its list price."""

    def long(ask: Ask) -> str:
        if ask.schema is not None:
            return answer_to(ask)
        return "\n\n".join(prose(Ask(ask.body, ask.raw + bytes([part]))) for part in range(2))

    folder = tmp_path / "run"
    with ScriptedServer(Script(answer=long)) as server:
        made = ["generate", "--out", str(folder), "--records", "6"]
        assert run([*made, "--model", "scripted", "--base-url", server.base_url]) == 0
    expected = estimate(measure(folder), 10_000, read_rates(None), concurrency=64, priced_as="gpt-4.1")
    assert expected.money is not None
    assert 900 / 2 < expected.money < 900 * 2
