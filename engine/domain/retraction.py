"""Retractions: a source is withdrawn with all that it alone supports, and may be brought back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.domain.fact import FactRow

RetractionKind = Literal["record", "document", "source", "fact"]
RetractionState = Literal["running", "done", "undoing", "undone"]
FactEffect = Literal["ends", "revives", "stays"]
"""`stays`: another record says the same, so the fact goes on there."""


FactRole = Literal["withdrawn", "promoted", "confirmation", "changed"]
"""What a retraction did to a fact. `promoted`: a confirmation that took the place of a withdrawn fact; `confirmation`: one that
was withdrawn; `changed`: another fact, because of these."""


@dataclass(frozen=True, slots=True)
class RetractionSubject:
    """What is withdrawn: a record, a document or a fact by its id; a source by the id that the caller gave it, with all of its
    records."""

    kind: RetractionKind
    id: str


@dataclass(frozen=True, slots=True)
class Retraction:
    """A retraction. `records`: how many it withdraws; `facts`: how many it has ended; `revived`: how many facts hold again
    because of it; `waiting`: steps that are left to do, or to undo. `number` counts up."""

    retraction_id: UUID
    number: int
    kind: RetractionKind
    subject: str
    reason: str
    authored_by: str
    retracted_at: datetime
    state: RetractionState
    undone_at: datetime | None
    records: int
    facts: int
    revived: int
    waiting: int


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A record of what is withdrawn, and where it lies."""

    record_id: UUID
    node_id: UUID
    title: str


@dataclass(frozen=True, slots=True)
class AffectedFact:
    """What becomes of a fact."""

    fact_id: UUID
    node_id: UUID
    text: str
    effect: FactEffect


@dataclass(frozen=True, slots=True)
class AffectedRelation:
    """A relation that is stated by fewer records then: `left` of `strength`. With none it ends."""

    relation_id: UUID
    relation_type: str
    source_name: str
    target_name: str
    strength: int
    left: int


@dataclass(frozen=True, slots=True)
class RetractionPreview:
    """What a retraction would do. Lists hold the first entries; the numbers count all: facts that end, hold again, stay;
    relations that end, get weaker; mentions that end, entities that no record mentions then."""

    subject: RetractionSubject
    records: tuple[SourceRecord, ...]
    records_ending: int
    facts: tuple[AffectedFact, ...]
    facts_ending: int
    facts_reviving: int
    facts_staying: int
    relations: tuple[AffectedRelation, ...]
    relations_ending: int
    relations_weakened: int
    mentions_ending: int
    entities_unmentioned: int


@dataclass(frozen=True, slots=True)
class LoggedFact:
    """A fact that a retraction changed, as it was before."""

    role: FactRole
    before: FactRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRetraction:
    """What a record mentions and states is withdrawn, or comes back (`undone`), as a change of the graph. `revision`: of the
    record."""

    record_id: UUID
    user_id: UUID
    node_id: UUID
    revision: int
    at: datetime
    undone: bool
