"""Sanitization by code against Algorithm 1 to the letter: calls and tokens a triplet; and time by length.

    python benchmarks/bench_sanitize.py

The scripted model answers every question rightly at the first attempt, so neither way pays for re-asks.
Tokens are counted as characters / 4. The texts are about as long as the paper's records (500 words).
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from privasis.jobs.triplets import TripletsJob, open_source, run_triplets
from privasis.llm.messages import ClientOptions, Model
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.rewrite import rewrite
from privasis.store.triplets import TripletsSummary
from privasis.types import Record
from support.answers import Ask, _sentence, answer_to
from support.sanitizing import Told, context, kind_of_ask, record_of, target
from support.scripted_server import Script, ScriptedServer

RECORDS = 200
FIRST = ["Lena", "Ida", "Omar", "Pavel", "Hana", "Kofi", "Yara", "Tariq", "Mei", "Rafael"]
LAST = ["Roth", "Holm", "Said", "Novotny", "Kimura", "Mensah", "Costa", "Haddad", "Tanaka", "Quiroga"]


def made_record(number: int, sentences: int = 26) -> dict[str, Any]:
    """A record of about 500 words; every attribute stands in it once to four times."""
    rng = random.Random(number)
    name = f"{rng.choice(FIRST)} {rng.choice(LAST)}son"
    facts = {
        "full_name": name,
        "birth_date": f"{rng.randint(1, 28)} May {rng.randint(1940, 2005)}",
        "hospital_name": f"{rng.choice(LAST)} Memorial Hospital",
        "doctor_name": f"{rng.choice(FIRST)} {rng.choice(LAST)}berg",
        "diagnosis": rng.choice(["chronic asthma", "type 2 diabetes", "a torn ligament"]),
        "account_number": f"{rng.randint(1000, 9999)}-{rng.randint(100000, 999999)}",
        "monthly_salary": f"{rng.randint(2, 9)},{rng.randint(100, 999)} euros",
        "employer": f"{rng.choice(LAST)} & Daughters Ltd",
        "phone_number": f"+47 {rng.randint(20, 99)} {rng.randint(10, 99)} {rng.randint(10, 99)}",
        "email": f"{name.replace(' ', '.').lower()}@example.org",
    }
    told = [f"The {key.replace('_', ' ')} on file is {value}." for key, value in facts.items()]
    told += [f"It was {name} who asked about {facts['diagnosis']} at {facts['hospital_name']}."]
    told += [f"{facts['doctor_name']} wrote to {name} and to {facts['employer']} about the matter."]
    told += [_sentence(rng) for _ in range(sentences)]
    rng.shuffle(told)
    text = "\n\n".join(" ".join(told[cut : cut + 4]) for cut in range(0, len(told), 4))
    names = list(facts)
    groups = [("identity", names[:2]), ("health", names[2:5]), ("money", names[5:8]), ("contact", names[8:])]
    return {
        "id": f"b-{number:04d}",
        "number": number,
        "text": text,
        "attributes": [{"name": key, "value": value} for key, value in facts.items()],
        "groups": [{"label": label, "attributes": members} for label, members in groups],
    }


def right_answer(ask: Ask) -> str:
    """What a perfect model says."""
    passages = re.findall(r"^```\n(.*?)\n```$", ask.user, re.MULTILINE | re.DOTALL)
    head = ask.user.split("assage")[0]
    values = [value for _, value in re.findall(r"^(\w+): (.+)$", head, re.MULTILINE)]
    match kind_of_ask(ask):
        case "numbers":
            holding = [n for n, passage in enumerate(passages, 1) if any(v in passage for v in values)]
            return json.dumps({"numbers": holding})
        case "quotes":
            found = [value for value in values if any(value in passage for passage in passages)]
            return json.dumps({"quotes": found if "Passage:" in ask.user else []})
        case "replacements":
            forms = re.findall(r"^- (.+)$", ask.user.split("Passages:")[0], re.MULTILINE)
            pairs = [{"find": form, "replace": "something of the kind"} for form in forms]
            return json.dumps({"instruction": "Say only what kind of thing it is.", "replacements": pairs})
        case "passage":
            edited = passages[-1]
            for word in re.findall(r"^- (.+)$", ask.user.split("Passage:")[0], re.MULTILINE):
                edited = edited.replace(word, "something of the kind")
            return json.dumps({"passage": edited})
        case "text":
            return ask.user.removeprefix("Instructions: ").rpartition("\n\n")[0]  # as they are
        case "instruction" if "less exact" in ask.system:
            return json.dumps(
                {"instruction": "Say only what kind of thing it is, as “something of the kind”."}
            )
    return answer_to(ask)


def build(folder: Path, llm_only: bool) -> tuple[TripletsSummary, float]:
    source = folder / "records.jsonl"
    if not source.exists():
        source.write_text("\n".join(json.dumps(made_record(number)) for number in range(RECORDS)))
    with ScriptedServer(Script(answer=right_answer)) as server:
        job = TripletsJob(
            source,
            folder / ("model" if llm_only else "code"),
            (Model("scripted", server.base_url),),
            seed=5,
            concurrency=32,
            options=SanitizeOptions(llm_only=llm_only),
            client=ClientOptions(concurrency=32, timeout_s=60),
        )
        started = time.perf_counter()
        summary = run_triplets(job, open_source(job), lambda outcome: None)
        return summary, time.perf_counter() - started


def compare() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ways = {llm_only: build(Path(folder), llm_only) for llm_only in (False, True)}
    print(
        f"{RECORDS} records of about 500 words, three targets each; the model is right at the first attempt"
    )
    print(f"{'':34}{'by code':>12}{'--llm-only':>12}{'share':>8}")
    rows: dict[str, list[float]] = {}
    for summary, seconds in ways.values():
        total = summary.total()
        tokens = total.prompt_tokens + total.completion_tokens
        for name, value in (
            ("calls a record", total.calls / RECORDS),
            ("tokens a record", tokens / RECORDS),
            ("  of these answered", total.completion_tokens / RECORDS),
            ("calls a selected triplet", total.calls / max(summary.triplets, 1)),
            ("tokens a selected triplet", tokens / max(summary.triplets, 1)),
            ("selected triplets", summary.triplets),
            ("not selected: a form still leaks", summary.failed),
            ("edits a triplet", summary.edits / max(summary.triplets, 1)),
            ("ms a record, model included", 1000 * seconds / RECORDS),
        ):
            rows.setdefault(name, []).append(value)
    for name, (code, model) in rows.items():
        print(f"{name:34}{code:12.1f}{model:12.1f}{code / model if model else 0:8.2f}")
    for llm_only, (summary, _) in ways.items():
        steps = {step: (usage.calls, usage.prompt_tokens, usage.completion_tokens)
                 for step, usage in summary.by_step.items()}  # fmt: skip
        print("--llm-only" if llm_only else "by code", steps)


def one_record(length: int) -> tuple[Record, list[Any]]:
    base = made_record(1, sentences=max(0, length // 110))
    facts = {entry["name"]: entry["value"] for entry in base["attributes"]}
    text = base["text"]
    if len(text) > length:
        text = f"{facts['full_name']} wrote. " * (length // 20)
    text = text[:length]
    facts = {name: value for name, value in facts.items() if value in text}
    chosen = [target("abstract" if n % 2 else "drop", {name: value}, f"t{n}")
              for n, (name, value) in enumerate(list(facts.items())[:3], 1)]  # fmt: skip
    return record_of(text, facts), chosen


def lengths() -> None:
    print("\none record, three targets, all by code and answers at once; median of 3")
    print(f"{'characters':>12}{'edits':>8}{'seconds':>10}{'µs/char':>10}{'peak MiB':>10}")
    for length in (100, 2_000, 20_000, 200_000):
        record, targets = one_record(length)
        seconds, peak, edits = asyncio.run(_timed(record, targets))
        print(
            f"{len(record.text):12}{edits:8}{seconds:10.3f}{1e6 * seconds / length:10.2f}{peak / 2**20:10.1f}"
        )


async def _timed(record: Record, targets: list[Any]) -> tuple[float, int, int]:
    with ScriptedServer(Script(answer=Told())) as server:
        async with context(server) as ctx:
            times = []
            for _ in range(3):
                started = time.perf_counter()
                (version,) = await rewrite(record, targets, ctx.asker(record.id), ctx)
                times.append(time.perf_counter() - started)
            tracemalloc.start()
            await rewrite(record, targets, ctx.asker(record.id), ctx)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return median(times), peak, len(version.draft.edits)


if __name__ == "__main__":
    compare()
    lengths()
