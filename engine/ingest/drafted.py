"""What passes between the steps of the write path: a source on its way in, what it was drafted into, what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.domain.document import DocumentChange, NewVersion
from engine.domain.history import Conversation
from engine.domain.record import AssignableNode, Privacy, RecordDraft, SourceAdvance, StoredRecord, TriggerType
from engine.domain.scope import INGESTED, Origin
from engine.ingest.cleaning import Cleaned
from engine.ingest.drafts import Document
from engine.privacy.redact import Counts


@dataclass(frozen=True, slots=True)
class Pending:
    """A conversation or document with the node it was given by hand, if any, whether others may ever read it, to what it
    belongs and how it came in. What is scoped is private."""

    content: Conversation | Document
    node: AssignableNode | None = None
    privacy: Privacy = "org"
    origin: Origin = INGESTED


@dataclass(frozen=True, slots=True)
class Source:
    """A source on its way in: the id it is kept under, its session, how far it is stored, where it was told to go."""

    key: str
    session: UUID
    cleaned: Cleaned
    known: dict[str, Any] | None
    node: AssignableNode | None
    trigger: TriggerType


@dataclass(frozen=True, slots=True)
class Drafted:
    """One source ready to be processed: its records so far, how far they move the source, the versions that they begin."""

    records: tuple[RecordDraft, ...]
    advance: SourceAdvance
    turns: int
    redacted: Counts
    versions: tuple[NewVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document that is stored in an earlier version, with what its new one was stored as."""

    source: Source
    document: Document
    privacy: Privacy
    origin: Origin


@dataclass(frozen=True, slots=True)
class Stored:
    """What one commit stored."""

    records: tuple[StoredRecord, ...]
    turns: int
    documents: int
    redacted: Counts
    versions: tuple[DocumentChange, ...] = ()
