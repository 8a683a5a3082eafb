"""What a write did: what the callers of an ingest get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from engine.domain.document import DocumentChange
from engine.domain.extraction import NOTHING, ExtractionReport


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A committed record: where it went, how sure that was, whether the node was made for it, how many items can be
    found of it; whether it waits for its vectors, or for a model to read it."""

    record_id: UUID
    node_id: UUID
    path: tuple[str, ...]
    title: str
    file_id: UUID
    items: int
    embedding_pending: bool = False
    confidence: float = 1.0
    node_created: bool = False
    reading_pending: bool = False


STORED_ALREADY = "Stored already."
FORGOTTEN = "It was forgotten; with `again` it is stored anew."


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not stored, and why in one sentence. Where it failed: the error's name, the stage, and where the
    source can be read again."""

    source_id: str
    reason: str
    cause: str = ""
    stage: str = ""
    reference: Mapping[str, str] = field(default_factory=dict)


DeferredKind = Literal["embeddings", "readings", "placements", "verdicts", "pairs"]


@dataclass(frozen=True, slots=True)
class DeferredWork:
    """What a write left out, of how many items, and why in one sentence: their `embeddings`, or what a language model would have
    found in them (`readings`), for which a job makes up; or its word where they belong (`placements`), or what facts do to
    others (`verdicts`): rules decided then; or whom names mean (`pairs`): the user decides."""

    what: DeferredKind
    items: int
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did: `turns` stored, `records` made, nodes and edges created, what was skipped and why, how much
    personal data of each kind was replaced in what was stored, what models did for it, how many records wait for their vectors
    and for a model to read them, what was left out, which versions of `documents` were made, how many of the skipped sources were
    `forgotten`. Its session can be read later."""

    user_id: UUID
    turns: int
    files: int
    items: int
    records: tuple[StoredRecord, ...]
    nodes_created: int
    edges_created: int
    skipped: tuple[Skipped, ...]
    redacted: Mapping[str, int] = field(default_factory=dict)
    extraction: ExtractionReport = NOTHING
    session_id: UUID | None = None
    embeddings_pending: int = 0
    readings_pending: int = 0
    left_out: tuple[DeferredWork, ...] = ()
    documents: tuple[DocumentChange, ...] = ()
    forgotten: int = 0
