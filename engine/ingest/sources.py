"""Values that pass between the steps of the write path: what came in, a source, its drafts, what was stored of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.assignment import Decision
from engine.domain.document import DocumentChange, NewVersion
from engine.domain.extraction import NOTHING, ExtractionReport
from engine.domain.history import Conversation
from engine.domain.node import TriggerType
from engine.domain.record import AssignableNode, RecordDraft, SourceAdvance
from engine.domain.report import DeferredWork, Skipped, StoredRecord
from engine.domain.scope import INGESTED, Origin, Privacy
from engine.errors import NeurigraphError
from engine.ingest.cleaning import Cleaned
from engine.ingest.drafts import Document
from engine.privacy.redact import Counts


@dataclass(frozen=True, slots=True)
class Continuation:
    """The place of a piece in its streamed conversation: the number of turns before it, the text of the last of them (None for
    the first piece), the chain of hashes up to the end of the piece."""

    before: int
    previous: str | None
    content_hash: bytes


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

    @property
    def characters(self) -> int:
        """Of its text."""
        content = self.content
        return len(content.text) if isinstance(content, Document) else sum(len(turn.text) for turn in content.turns)


@dataclass(frozen=True, slots=True)
class SourceSeen:
    """How far a source is stored: its units (turns; 1 for a file), their hash, the newest commit, which may still be pending or
    was set aside; how often it was stored `again` after it was withdrawn, how many of its records hold now, the retraction that
    withdrew others, whether one was `emptied` passage by passage, one of those that were ended by hand; whether the source was
    forgotten. Of one that is forgotten whole nothing is stored: 0 units."""

    source_id: str
    units: int
    content_hash: bytes
    commit_id: UUID
    pending: bool
    set_aside: bool
    again: int
    holding: int
    retraction_id: UUID | None
    emptied: bool
    ended_id: UUID | None
    ended_node: UUID | None
    forgotten: bool = False

    @property
    def gone(self) -> str:
        """What is not there any more of it, and the way back; nothing where all is there."""
        if self.ended_id is not None:
            back = f"neurigraph change record {self.ended_id} ended=false --node {self.ended_node}"
            return f"{'Part of it' if self.holding else 'It'} was ended by hand; `{back}` brings it back."
        if self.retraction_id is None:
            return ""
        back = f"neurigraph retractions undo {self.retraction_id}"
        return f"{'Part of it' if self.holding else 'It'} was withdrawn; `{back}` brings it back."

    @property
    def withdrawn(self) -> bool:
        """Whether all of it was withdrawn or emptied: it is stored anew."""
        gone = self.retraction_id is not None or self.emptied
        return not self.holding and gone and self.ended_id is None

    def key(self, base: str) -> str:
        """Under which it is stored, or will be."""
        number = self.again + self.withdrawn
        return f"{base}#again{number}" if number else base


@dataclass(frozen=True, slots=True)
class HeldVersion:
    """A stored version of a document."""

    source_id: str
    version: int
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class Source:
    """A source to be stored: its id, its session, how far it is stored, and the request, without personal data and private where
    it is scoped."""

    key: str
    session: UUID
    cleaned: Cleaned
    known: SourceSeen | None
    asked: Pending
    trigger: TriggerType


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Content to be assigned: turns or passages in order. Those before `start` are stored already and are only context.
    `node` was given by hand; `may_create`: whether nodes may be created for it."""

    title: str
    texts: Sequence[str]
    speakers: Sequence[str] = ()
    """The speaker of each text; empty for passages."""
    times: Sequence[datetime | None] = ()
    """When each text was said; empty for passages."""
    start: int = 0
    node: AssignableNode | None = None
    may_create: bool = False
    whole: bool = False
    """A document, whose passages belong together unless much speaks for parting them."""
    embedded: Sequence[str] = ()
    """The text to embed for each text from `start` on; not used where the node was given."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A node for each text, a decision for each of these nodes (by id), and the cost of the model."""

    nodes: Sequence[AssignableNode]
    decisions: Mapping[UUID, Decision]
    spent: ExtractionReport = NOTHING


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


def failed(source_id: str, error: NeurigraphError, stage: str, reference: Mapping[str, str] | None = None) -> Skipped:
    """A source that was put aside because of an error; `reference` says where it can be found again."""
    return Skipped(source_id, error.detail, type(error).__name__, stage, reference or {})


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """The records of one commit, and their ids by the sources that they came from."""

    records: tuple[StoredRecord, ...]
    turns: int
    documents: int
    redacted: Counts
    sources: Mapping[str, tuple[UUID, ...]]
    versions: tuple[DocumentChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest stored, what it skipped, what it left for later, its session, and what models read."""

    session_id: UUID
    stored: tuple[StoredBatch, ...]
    skipped: tuple[Skipped, ...]
    left_out: tuple[DeferredWork, ...]
    extraction: ExtractionReport
