"""A found item before it is ranked: its signals, its columns, the record and file it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.node import ContentType, FileState
from engine.domain.scope import ScopeKind, SourceKind
from engine.domain.search import ItemKind
from engine.retrieval.weights import Family


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the search statement; the names are those of its columns.

    words, meaning and record_words are z-scores of the item over everything that was searched, `…_previous`,
    `…_previous2` and `…_next` those of its neighbours in the session, 0 where there is none. `cosine` is None for an
    item without a comparable vector.
    """

    node_id: UUID
    path: list[str]
    kind: ItemKind
    family: Family
    session: UUID
    position: int
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
    item_id: UUID
    record_id: UUID
    source_ref: str | None
    speaker: str
    content: str
    occurred_at: datetime | None
    dates: list[str]
    is_question: bool
    previous_has_question: bool
    first_of_session: bool
    first_person: bool
    word_count: int
    time_expressions: int
    section: str
    record_title: str
    record_summary: str
    content_type: ContentType
    file_id: UUID | None
    file_name: str | None
    file_state: FileState | None
    scope: ScopeKind = "user"
    scope_id: str | None = None
    source: SourceKind = "ingested"
