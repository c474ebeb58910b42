"""Answers that a scripted model gives: made from the request alone, so the same request gets the same one."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

import rstr


def _listed(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split(",")]


NAMES = _listed(
    """
    Amara Okafor, Jonas Lindqvist, Mei Tanaka, Rafael Quiroga, Ingrid Solheim, Tariq Haddad, Leila
    Farouk, Pavel Novotny, Siobhan Keane, Kofi Mensah, Ana Beltran, Dmitri Volkov, Hana Kimura, Lucia
    Moretti, Samuel Abebe, Freya Nilsen, Omar Said, Nadia Petrov, Thomas Brandt, Yara Costa
    """
)
DOERS = _listed(
    """
    the clinic, our office, the landlord, her sister, the insurer, a neighbour, the school, his
    employer, the bank, the notary, the coach, the pharmacist, a caseworker, the archive, the ferry
    company, the choir, their lawyer, the warehouse, a translator, the council
    """
)
DEEDS = _listed(
    """
    confirmed, postponed, reviewed, misplaced, returned, approved, questioned, copied, signed, measured,
    repaired, photographed, translated, cancelled, collected, described, forwarded, weighed, registered,
    counted
    """
)
THINGS = _listed(
    """
    the blue folder, two invoices, a rental agreement, the blood results, an old passport, the repair
    estimate, three letters, the school report, a wedding photograph, the tax return, a broken window,
    the garden plan, the travel voucher, a list of medicines, the piano, her bicycle, the heating bill,
    a ceramic bowl, the insurance card, a box of seeds
    """
)
PLACES = _listed(
    """
    in Bergen, near the harbour, at the north gate, on Maple Street, behind the bakery, in the second
    ward, at the town hall, by the canal, on platform nine, in Valparaiso, at the market, inside the
    chapel, above the workshop, in Accra, beside the library, at counter four, in the cellar, on the
    third floor, across the river, in Sapporo
    """
)
WHEN = _listed(
    """
    before noon, in early spring, on the 14th of March, after the holidays, last Tuesday, without any
    notice, during the storm, at half past six, in 2019, for the second time, a week too late, on her
    birthday, while it rained, just in time, every other month, on the 3rd of October, before the
    hearing, at dawn, in the end, over the weekend
    """
)
WORDS = _listed(
    """
    amber, birch, cedar, delta, ember, fjord, garnet, harbor, island, juniper, kelp, lantern, meadow,
    nectar, orchard, pebble, quartz, river, saffron, thicket, umber, velvet, willow, yarrow, zephyr
    """
)
VERBATIM = frozenset({"value", "quote", "span", "find", "excerpt"})  # such a field quotes the prompt
FACT = re.compile(r"^[-*\s]*([A-Za-z][\w ]{1,30}): (\S.{1,60})$", re.MULTILINE)
MAX_MORE = 4  # items beyond the least number


@dataclass(frozen=True)
class Ask:
    """A request as the scripted model sees it."""

    body: dict[str, Any]
    raw: bytes

    @property
    def system(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def user(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "user")

    @property
    def schema(self) -> dict[str, Any] | None:
        form = self.body.get("response_format")
        return form["json_schema"]["schema"] if form else None

    @property
    def rng(self) -> random.Random:
        return random.Random(sha256(self.raw).digest())


def answer_to(ask: Ask) -> str:
    """A valid instance of the schema, or a text of 100 words and more."""
    if ask.schema is None:
        return prose(ask)
    made = Maker(ask.rng, ask.user, ask.schema.get("$defs", {})).make(ask.schema)
    return json.dumps(made, ensure_ascii=False)


def prose(ask: Ask) -> str:
    """A text that differs with every request; it quotes facts ("name: value" lines) of the prompt."""
    rng = ask.rng
    facts = [f"The {name.strip().lower()} on file is {value}." for name, value in FACT.findall(ask.user)]
    told = [_sentence(rng) for _ in range(rng.randint(11, 16))] + rng.sample(facts, min(8, len(facts)))
    rng.shuffle(told)
    cuts = range(0, len(told), 5)
    return "\n\n".join(" ".join(told[cut : cut + 5]) for cut in cuts)


def _sentence(rng: random.Random) -> str:
    who = rng.choice([*NAMES, *DOERS])
    deed, thing = rng.choice(DEEDS), rng.choice(THINGS)
    other = f"{rng.choice(NAMES)} {rng.choice(DEEDS)} {rng.choice(THINGS)}"
    first = f"{who[0].upper()}{who[1:]} {deed} {thing} {rng.choice(PLACES)} {rng.choice(WHEN)}"
    return f"{first}, and {other} {rng.choice(PLACES)}."


@dataclass(frozen=True)
class Maker:
    """Makes random instances of JSON schemas as pydantic writes them."""

    rng: random.Random
    prompt: str
    defs: dict[str, Any]

    def make(self, schema: dict[str, Any], name: str = "") -> Any:
        """An instance; ``name`` is the field that it is for."""
        if "$ref" in schema:
            return self.make(self.defs[schema["$ref"].rsplit("/", 1)[1]], name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        for key in ("anyOf", "oneOf", "allOf"):
            if key in schema:
                return self.make(self.rng.choice(schema[key]), name)
        return self._typed(schema, name)

    def _typed(self, schema: dict[str, Any], name: str) -> Any:
        match schema.get("type"):
            case "object":
                return {part: self.make(inner, part) for part, inner in schema.get("properties", {}).items()}
            case "array":
                return self._array(schema, name)
            case "integer":
                return self.rng.randint(*_bounds(schema, 1))
            case "number":
                return round(self.rng.uniform(*_bounds(schema, 0)), 3)
            case "boolean":
                return self.rng.random() < 0.5
            case "null":
                return None
        return self._string(schema, name)

    def _array(self, schema: dict[str, Any], name: str) -> list[Any]:
        if "prefixItems" in schema:
            return [self.make(part, name) for part in schema["prefixItems"]]
        most = schema.get("maxItems", MAX_MORE + 1)
        low = schema.get("minItems", min(1, most))
        count = self.rng.randint(low, max(low, min(most, low + MAX_MORE)))
        return [self.make(schema.get("items", {}), name) for _ in range(count)]

    def _string(self, schema: dict[str, Any], name: str) -> str:
        rng = self.rng
        if "pattern" in schema:
            return rng.choice(_matching(schema["pattern"]))
        match schema.get("format"):
            case "date":
                return f"{rng.randint(1950, 2020)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
            case "email":
                return f"{rng.choice(WORDS)}{rng.randint(1, 999)}@example.org"
        text = self._quote() if name in VERBATIM else " ".join(rng.sample(WORDS, 3))
        if name.endswith("_name"):
            text = rng.choice(NAMES)
        while len(text) < schema.get("minLength", 0):
            text += f" {rng.choice(WORDS)}"
        return text[: schema.get("maxLength", len(text))].strip() or "x"

    def _quote(self) -> str:
        """One to three words that stand in the prompt's longest paragraph."""
        paragraph = max(self.prompt.split("\n\n"), key=len)
        words = [match.span() for match in re.finditer(r"[^\W_]+(?:[-'][^\W_]+)*", paragraph)]
        if not words:
            return "x"
        first = self.rng.randrange(len(words))
        last = min(first + self.rng.randrange(3), len(words) - 1)
        quote = paragraph[words[first][0] : words[last][1]]
        return quote if "\n" not in quote else paragraph[slice(*words[first])]


@lru_cache(maxsize=256)
def _matching(pattern: str) -> tuple[str, ...]:
    """Strings that match: drawing one takes milliseconds, so that a busy server can't afford it each time."""
    maker = rstr.Rstr(random.Random(pattern))
    return tuple(maker.xeger(pattern) for _ in range(32))


def _bounds(schema: dict[str, Any], step: int) -> tuple[Any, Any]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0 - step) + step)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 10 + step) - step)
    return low, max(low, high)
