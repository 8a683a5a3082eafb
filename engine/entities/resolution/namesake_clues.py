"""What stands beside the name of a person, by which two of one name are kept apart: a role (to whom), a home, an age. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from engine.entities.resolution.homes import StatedHome, different_homes, home_of
from engine.entities.resolution.ties import Age, age_of, different_ages, different_ties, ties_of
from engine.naming.towns import far_apart


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some words around a name in a record, and when that happened."""

    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Clues:
    """Of one person."""

    ties: frozenset[str] = frozenset()
    homes: frozenset[StatedHome] = frozenset()
    ages: frozenset[Age] = frozenset()

    def __or__(self, other: Clues) -> Clues:
        return Clues(self.ties | other.ties, self.homes | other.homes, self.ages | other.ages)

    def __bool__(self) -> bool:
        return bool(self.ties or self.homes or self.ages)

    @property
    def order(self) -> tuple[str, ...]:
        """The same for the same, whatever the order of its sets."""
        return tuple(sorted(map(repr, (*self.ties, *self.homes, *self.ages))))

    def differs(self, other: Clues) -> str:
        """Why these are of two people, in plain words; empty where they may be of one."""
        return (
            different_ties(self.ties, other.ties)
            or different_homes(self.homes, other.homes)
            or different_ages(self.ages, other.ages)
        )

    def fits(self, other: Clues) -> bool:
        """Whether some clue is one of the other, too. Of what is stored it is not known who spoke."""
        anybodys = self.ties | {f"|{tie.partition('|')[2]}" for tie in self.ties}
        return (
            not anybodys.isdisjoint(other.ties)
            or any(
                one.places and his.places and not far_apart(one.places, his.places)
                for one in self.homes
                for his in other.homes
            )
            or any(not different_ages([one], [his]) for one in self.ages for his in other.ages)
        )


NO_CLUES = Clues()


def clues_at(
    text: str, start: int, end: int, ties: frozenset[str], said_by: str = "", at: datetime | None = None
) -> Clues:
    """What a text tells beside the name that stands there."""
    home, years = home_of(text, start, end, said_by, at), age_of(text, start, end)
    return Clues(
        ties,
        frozenset([home] if home else ()),
        frozenset([Age(years, at)] if years is not None else ()),
    )


def clues_in(names: Iterable[str], said: Iterable[Excerpt]) -> Clues:
    """What stored words tell of one with these names; it is not known who spoke."""
    clues = NO_CLUES
    for name in names:
        for one in said:
            for place in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", one.text):
                ties = ties_of(one.text, place.start(), place.end())
                clues |= clues_at(one.text, place.start(), place.end(), ties, "", one.at)
    return clues
