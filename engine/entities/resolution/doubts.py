"""Names that may be of an entity that is known already, and what becomes of them when something else decides. Pure.

same        the name is the entity's
different   both stay apart, and are no pair
unsure      both stay apart, and the user is asked
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from engine.domain.names import name_key
from engine.entities.resolution.resolution import FoundName, KnownCandidate, Resolution

SameEntity = Literal["same", "different", "unsure"]
MOST_DOUBTS = 20
"""Pairs of one batch that something else decides; rules saw most in them."""


@dataclass(frozen=True, slots=True)
class NameDoubt:
    """A name of a new entity, and another entity that it may be of: by its key, name, kind, and texts of this batch."""

    found: FoundName
    kind: str
    candidate: str
    name: str
    candidate_kind: str
    texts: tuple[str, ...]
    known: bool


class NameJudge(Protocol):
    """Decides what rules leave open."""

    async def verdicts(self, doubts: Sequence[NameDoubt]) -> Sequence[SameEntity]:
        """A verdict on each. Raises StoreUnavailable."""


def doubts_of(resolved: Mapping[FoundName, Resolution], known: Sequence[KnownCandidate]) -> list[NameDoubt]:
    """The pairs that rules would leave to the user, the likeliest first."""
    there = {one.key: (one.name, one.kind, ()) for one in known}
    made = {
        one.key: (one.name, one.kind, found.texts)
        for found, one in sorted(resolved.items(), key=lambda item: (item[0].name, item[0].record))
        if one.new
    }
    pairs = [
        (review.score, found, one.kind, review.candidate)
        for found, one in resolved.items()
        if one.new
        for review in one.reviews
        if review.candidate in there or review.candidate in made
    ]
    pairs.sort(key=lambda pair: (-pair[0], name_key(pair[1].name), pair[1].record, pair[3]))
    return [
        NameDoubt(found, kind, candidate, *(there.get(candidate) or made[candidate]), known=candidate in there)
        for _, found, kind, candidate in pairs[:MOST_DOUBTS]
    ]


def joined(
    resolved: Mapping[FoundName, Resolution], doubts: Sequence[NameDoubt], verdicts: Sequence[SameEntity]
) -> dict[FoundName, Resolution]:
    """The entities of all names, with these verdicts. Of a name that is said to be of several, none is believed."""
    same: dict[str, set[str]] = {}
    apart: set[tuple[str, str]] = set()
    names: dict[str, tuple[str, str, bool]] = {one.key: (one.name, one.kind, one.new) for one in resolved.values()}
    for doubt, verdict in zip(doubts, verdicts, strict=False):
        key = resolved[doubt.found].key
        names.setdefault(doubt.candidate, (doubt.name, doubt.candidate_kind, False))
        if verdict == "same":
            same.setdefault(key, set()).add(doubt.candidate)
        elif verdict == "different":
            apart.add((key, doubt.candidate))
    into = {key: next(iter(of)) for key, of in same.items() if len(of) == 1}
    return {found: _decided(one, into, apart, names) for found, one in resolved.items()}


def _decided(
    one: Resolution,
    into: Mapping[str, str],
    apart: set[tuple[str, str]],
    names: Mapping[str, tuple[str, str, bool]],
) -> Resolution:
    key = _end(one.key, into)
    if key != one.key:
        name, kind, new = names[key]
        return Resolution(key, name, kind if kind not in ("", "thing") else one.kind, new, "a model says so")
    reviews = {
        end: replace(review, candidate=end)
        for review in one.reviews
        if (one.key, review.candidate) not in apart and (end := _end(review.candidate, into)) != key
    }
    return replace(one, reviews=tuple(reviews.values()))


def _end(key: str, into: Mapping[str, str]) -> str:
    """The entity that a key is joined to in the end."""
    seen = {key}
    while (following := into.get(key)) and following not in seen:
        key = following
        seen.add(key)
    return key
