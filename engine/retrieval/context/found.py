"""What was gathered for a context, and in which order it tells what is known. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.domain.context import ContextItem, Piece
from engine.domain.search import Hit
from engine.domain.terms import words
from engine.facts.about import DoubtShown, newer_first
from engine.language.asked_state import Period
from engine.retrieval.context.about import About, FactPlace

OF_USER = 8
"""Facts that say who the user is."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was gathered: hits, what is known, who the user is, the items behind all of it, and the lines of relations that the
    question asks for."""

    hits: Sequence[Hit]
    about: About
    of_user: Sequence[FactPlace]
    items: Mapping[UUID, ContextItem]
    asked: Sequence[Piece] = ()
    doubts: Sequence[DoubtShown] = ()
    words: frozenset[str] = frozenset()
    """Those of the question."""
    state_in: Period | None = None
    """The period for which it asks what held in it."""


def facts_in_order(found: Found) -> Iterator[ContextItem]:
    """The user's own, then those that were found, then the others about the named entities; each with its text. What shares words
    with the question, or was found by it, comes before what was said more often."""
    hits = [hit.item_id for hit in found.hits if hit.kind == "fact"]
    about = [one.fact_id for one in found.about.facts]
    found_about = [one for one in hits if one in {*about}]
    others = _best_first(found, dict.fromkeys([*found_about, *hits, *about]))
    order = [*lines_of_user(found), *sorted(others, key=lambda one: _stands_behind(found, one))]
    known = [found.items[one] for one in dict.fromkeys(order) if one in found.items]
    doubts = found.doubts if found.state_in is None else ()  # else what held in the period comes before what is newer
    yield from newer_first(known, doubts, lambda item: item.item_id)


def lines_of_user(found: Found) -> list[UUID]:
    """The lines that say who the user is: no plan whose day has passed."""
    best = _best_first(found, (one.fact_id for one in found.of_user))
    return [one for one in best if one not in found.items or not found.items[one].passed][:OF_USER]


def _best_first(found: Found, facts: Iterable[UUID]) -> list[UUID]:
    """Facts that held in the period that is asked for first, then those that share most words with the question, then the best
    hit and the other hits: among lower ones the given order says more, what changes before what was said often."""
    hits = {hit.item_id for hit in found.hits}
    best = {hit.item_id for hit in found.hits[:1]}

    def place(fact_id: UUID) -> tuple[bool, int, bool, bool]:
        item = found.items.get(fact_id)
        held, shared = (False, 0) if item is None else (_held_in(item, found.state_in), _shared(item, found))
        return not held, -shared, fact_id not in best, fact_id not in hits

    return sorted(facts, key=place)


def _shared(item: ContextItem, found: Found) -> int:
    """How many words of the question a fact has."""
    return len(found.words.intersection(words(item.content)))


def _stands_behind(found: Found, fact_id: UUID) -> bool:
    """Whether a fact did not hold in the period that is asked for; where none is, whether it is a plan whose day has passed."""
    item = found.items.get(fact_id)
    if found.state_in is None:
        return item is not None and item.passed is not None
    return not _held_in(item, found.state_in)


def _held_in(item: ContextItem | None, period: Period | None) -> bool:
    """Whether a fact held in the period that is asked for; all do where none is."""
    if item is None or period is None:
        return True
    began = item.valid_from or item.occurred_at
    return (began is None or began < period[1]) and (item.valid_to is None or item.valid_to > period[0])


def is_asked_about(piece: Piece, found: Found) -> bool:
    """Whether the question speaks of what a line says: it is the best hit, stands for a turn that was found, or has a word of the
    question."""
    best = {hit.item_id for hit in found.hits[:1]}
    return piece.item_id in best or bool(piece.also) or not found.words.isdisjoint(words(piece.text))
