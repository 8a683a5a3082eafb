"""Names that are compared, and what is decided of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.domain.entity import UNKNOWN_KIND
from engine.entities.resolution.clues import gender_told
from engine.entities.resolution.name_likeness import gender_of
from engine.entities.resolution.name_parts import NameParts, parts_of
from engine.entities.resolution.romanized import romanized

Verdict = Literal["same", "review", "apart"]


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name with what is known around it: its kind, other names, texts that mention it, who spoke."""

    name: str
    kind: str = UNKNOWN_KIND
    aliases: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    speaker: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class NameDecision:
    """`score` 0 to 1 orders decisions of one verdict; `reason` is for people."""

    verdict: Verdict
    score: float
    reason: str


def gender_of_person(thing: NamedThing, parts: NameParts) -> str:
    """`f` or `m`, by title, text or first name; empty where nothing tells."""
    listed = gender_of(parts.words[0]) if len(parts.words) > 1 else ""
    return parts.gender or gender_told(thing.texts, thing.name) or listed


def words_of_names(a: NamedThing, b: NamedThing) -> frozenset[str]:
    """The words of all names of both, in Latin letters."""
    named = [parts_of(name) for thing in (a, b) for name in thing.names]
    words = {word for parts in named for word in (*parts.words, *parts.written)}
    return frozenset(words | {romanized(part) for thing in (a, b) for name in thing.names for part in name.split()})
