"""Candidates of a search, for tests of what ranks them."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from engine.retrieval.candidate import ASKS, FIRST_PERSON, FOLLOWS_QUESTION, OPENS_SESSION, Candidate

FLAGS = {
    "is_question": ASKS,
    "previous_has_question": FOLLOWS_QUESTION,
    "first_of_session": OPENS_SESSION,
    "first_person": FIRST_PERSON,
}


def turn(position: int = 0, **columns) -> Candidate:
    """A turn that nothing tells from others; `columns` besides those of a candidate: its flags by name."""
    flags = sum(bit for name, bit in FLAGS.items() if columns.pop(name, False))
    base = Candidate(
        node_id=UUID(int=1), item_id=UUID(int=position + 1), kind="turn", family="turn", session=UUID(int=7), position=position,
        number=position, words=0.0, words_previous=0.0, words_previous2=0.0, words_next=0.0, meaning=0.0, meaning_previous=0.0,
        meaning_next=0.0, record_words=0.0, has_words=False, cosine=0.8, words_overall=0.0, meaning_overall=0.0, speaker="", occurred_at=None, dates=[], flags=flags,
        word_count=0, time_expressions=0, entities=[], aboutness=None, passages=None, weights=None, tokens=None, found_by=0,
    )  # fmt: skip
    return replace(base, **columns)


def passage(position: int, meaning: float, entities: dict[int, tuple[bool, int, int]]) -> Candidate:
    """A passage. `entities`: by number whether it is about it, how many passages mention it, the sum of their edges."""
    return turn(
        position,
        kind="chunk",
        family="passage",
        meaning=meaning,
        entities=list(entities),
        aboutness=[int(about) for about, _, _ in entities.values()],
        passages=[count for _, count, _ in entities.values()],
        weights=[weight for _, _, weight in entities.values()],
    )
