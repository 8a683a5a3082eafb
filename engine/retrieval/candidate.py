"""A found item: what ranks it, and its contents, which are read for what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.node import ContentType, FileState
from engine.domain.said import spoken_at
from engine.domain.scope import ScopeKind, SourceKind
from engine.domain.search import ItemKind
from engine.retrieval.weights import Family

ASKS, FOLLOWS_QUESTION, OPENS_SESSION, FIRST_PERSON = 1, 2, 4, 8
"""Bits of `flags`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the statement that finds candidates; the names are those of its columns.

    words, meaning and record_words are z-scores of the item over its family, as far as that was searched, `…_previous`,
    `…_previous2` and `…_next` those of its neighbours in the session, 0 where there is none; `…_overall` are z-scores over
    everything that was searched. `cosine` is None for an
    item without a comparable vector. `number`: its place in the session, from 1. `tokens`: the sign bits of its token
    vectors, one after the other (see `retrieval.coverage`). Of passages: `aboutness` says of each entity whether the passage
    is about it, `passages` how many passages mention it, `weights` the sum of their edges to it (see `retrieval.walk`).
    `found_by`: for an explanation, the lists of best items on which it is, as bits: 1 words, 2 meaning, 4 entities.
    """

    node_id: UUID
    item_id: UUID
    kind: ItemKind
    family: Family
    session: UUID
    position: int
    number: int
    words: float
    words_previous: float
    words_previous2: float
    words_next: float
    meaning: float
    meaning_previous: float
    meaning_next: float
    record_words: float
    has_words: bool
    cosine: float | None
    words_overall: float
    meaning_overall: float
    speaker: str
    occurred_at: datetime | None
    dates: list[str]
    flags: int
    word_count: int
    time_expressions: int
    entities: list[int]
    aboutness: list[int] | None
    passages: list[int] | None
    weights: list[int] | None
    tokens: bytes | None
    found_by: int

    @property
    def said_at(self) -> datetime | None:
        """When it was said, by the clock of its speaker."""
        return spoken_at(self.occurred_at, self.dates)


@dataclass(frozen=True, slots=True)
class Contents:
    """What is shown of a candidate; `row_id` is the candidate's `item_id`."""

    node_id: UUID
    row_id: UUID
    item_id: UUID
    record_id: UUID
    source_ref: str | None
    content: str
    section: str
    record_title: str
    record_summary: str
    content_type: ContentType
    file_id: UUID | None
    file_name: str | None
    file_state: FileState | None
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    path: list[str]
    passed: datetime | None


@dataclass(frozen=True, slots=True)
class DecayRow:
    """One row of a search with decay; without an item where nothing was found. `age_days`: at the moment that is asked for."""

    nodes_searched: int
    items_searched: int
    active: str
    node_id: UUID
    item_id: UUID | None
    kind: ItemKind
    session: UUID
    position: int
    speaker: str
    occurred_at: datetime | None
    cosine: float
    confidence: float
    age_days: float
    decay: float
    score: float
