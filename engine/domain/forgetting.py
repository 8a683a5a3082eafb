"""Forgettings: what is erased for good, how far that is, and what it took away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from engine.domain.retraction import RetractionPreview

ForgettingKind = Literal["record", "document", "source", "item", "node", "user", "retention"]
ForgettingState = Literal["planned", "running", "settling", "done", "left", "failed"]
"""`settling`: nothing is shown any more, and writers that began before are waited for; `left`: something was found that should
be gone."""
OVER = frozenset({"done", "left", "failed"})


@dataclass(frozen=True, slots=True)
class ForgettingSubject:
    """What is forgotten: a record, a document or an item by its id; a source, as a conversation, by the id that the caller gave
    it, with all of its records; a node, by its id, with all that lies below it; a user with everything; of `retention` some
    records that were due by a rule, whose id it begins with, or that had expired."""

    kind: ForgettingKind
    id: str


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """A record, and the node where it lies."""

    node_id: UUID
    schema_name: str
    record_id: UUID


@dataclass(frozen=True, slots=True)
class Forgetting:
    """A forgetting. `subject`: empty once it is done; `counts`: what was erased, by store and place; `settles_at`: until when
    writers that began before are waited for; `number` counts up."""

    forgetting_id: UUID
    number: int
    user_id: UUID | None
    kind: ForgettingKind
    subject: str
    reason: str
    authored_by: str
    state: ForgettingState
    step: str
    asked_at: datetime
    began_at: datetime | None
    settles_at: datetime | None
    ended_at: datetime | None
    failure: str
    counts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether nothing is left to do without being asked again."""
        return self.state in OVER


@dataclass(frozen=True, slots=True)
class Trace:
    """Something of the forgotten that is still there: in which column, property, key or file name, and how often. `store`: as the
    catalogue of personal data names it; `place`: the table with its schema, the label, the type, the kind of key or file."""

    store: str
    place: str
    column: str
    count: int


@dataclass(frozen=True, slots=True)
class ReceiptCheck:
    """A receipt that is signed as it is, and what was found by it: nothing where all is still gone. A word may have been said
    again since."""

    forgetting_id: UUID
    number: int
    kind: str
    ended_at: datetime
    ids: int
    words: int
    found: tuple[Trace, ...]


@dataclass(frozen=True, slots=True)
class ForgettingPreview:
    """What a forgetting would erase; nothing is written. `withdrawn`: what ends with it and what holds again, with examples, but
    of a user and of a node; the numbers: what is erased in the stores, all versions counted. Items of a user are not counted."""

    subject: ForgettingSubject
    nodes: int = 0
    sources: int = 0
    records: int = 0
    items: int = 0
    facts: int = 0
    files: int = 0
    bytes: int = 0
    withdrawn: RetractionPreview | None = None
