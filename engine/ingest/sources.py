"""Values that pass between the steps of the write path: a source, its drafts, its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.document import DocumentChange, NewVersion
from engine.domain.extraction import ExtractionReport
from engine.domain.history import Conversation
from engine.domain.record import AssignableNode, RecordDraft, Skipped, SourceAdvance, StoredRecord, TriggerType
from engine.domain.scope import INGESTED, Origin, Privacy
from engine.ingest.allowance import Allowance
from engine.ingest.cleaning import Cleaned
from engine.ingest.continuing import Continuation
from engine.ingest.drafts import Document
from engine.privacy.redact import Counts


@dataclass(frozen=True, slots=True)
class Pending:
    """A conversation or document with the node it was given by hand, if any, whether others may ever read it, to what it
    belongs and how it came in. What is scoped is private. `piece`: the turns are a piece of a streamed conversation."""

    content: Conversation | Document
    node: AssignableNode | None = None
    privacy: Privacy = "org"
    origin: Origin = INGESTED
    piece: Continuation | None = None
    creates: bool = False
    """Whether a node may be created for it."""
    arrived: datetime | None = None
    """When it was written, where it was written live: content without a time of its own was said then. None for what was
    imported, which stays undated."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source to be stored: its id, its session, how far it is stored, and the request, without personal data and private where
    it is scoped."""

    key: str
    session: UUID
    cleaned: Cleaned
    known: Mapping[str, Any] | None
    asked: Pending
    trigger: TriggerType


@dataclass(frozen=True, slots=True)
class Drafted:
    """One source ready to be processed: its records, how far they advance the source, the model's cost of assigning them, the
    document versions that they start."""

    records: tuple[RecordDraft, ...]
    advance: SourceAdvance
    turns: int
    redacted: Counts
    placing: ExtractionReport
    versions: tuple[NewVersion, ...] = ()

    @property
    def source_id(self) -> str:
        """The id of the source as its user knows it."""
        return (self.records[0].source_id if self.records else self.advance.source_id).removeprefix("conversation:")


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document that is stored in an earlier version."""

    source: Source
    document: Document


@dataclass(frozen=True, slots=True)
class Run:
    """One run of sources through the pipeline: what it may take of models, whether it goes on where a source cannot be drafted
    (`tolerant`), what set it off; and what it puts aside: sources that are skipped, and documents that have a new version."""

    allowance: Allowance
    tolerant: bool
    trigger: TriggerType
    skipped: list[Skipped] = field(default_factory=list)
    changed: list[ChangedDocument] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stored:
    """The records of one commit, and their sources."""

    records: tuple[StoredRecord, ...]
    turns: int
    documents: int
    redacted: Counts
    sources: tuple[str, ...]
    versions: tuple[DocumentChange, ...] = ()
