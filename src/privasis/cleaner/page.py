"""A text, read once for all that is sought in it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from privasis.cleaner.people import Person, people
from privasis.text.reading import Reading, read, read_markup

WINDOW: Final = 4000  # characters


@dataclass(frozen=True)
class Page:
    """A text, read once for all wishes."""

    text: str

    @cached_property
    def reading(self) -> Reading:
        """The text as it stands."""
        return read(self.text)

    @cached_property
    def rendered(self) -> Reading:
        """The text as it is seen once its markup is rendered."""
        return read_markup(self.text)

    @cached_property
    def _stretches(self) -> dict[int, Page]:
        return {}

    def stretch(self, window: int) -> Page:
        """Return the page of a window of the text with its neighbours, read once."""
        first, last = max(0, window - 1) * WINDOW, (window + 2) * WINDOW
        return self._stretches.setdefault(window, Page(self.text[first:last]))

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """The people that it names."""
        return people(self.text)

    def people_around(self, place: int) -> tuple[Person | None, Person | None]:
        """Return the last person named before a place, and the first one from there on."""
        after = bisect_left(self.people, place, key=lambda person: person.span.start)
        before = self.people[after - 1] if after else None
        return before, self.people[after] if after < len(self.people) else None

    def name_of(self, person: Person) -> str:
        """Return a person's name as it stands."""
        return self.text[person.span.start : person.span.end]
