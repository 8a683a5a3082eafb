"""A record on its way in: what it says, what can be found of it, the file that holds it whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.domain.document import DocumentChange
from engine.domain.resource import ResourceType
from engine.domain.scope import INGESTED, Origin
from engine.domain.search import ItemKind
from engine.domain.terms import Unit
from engine.domain.utterance import Utterance

ContentType = Literal["conversation", "event", "file_upload", "other"]
Privacy = Literal["org", "private"]
"""Whether others than the user may ever read it: personas and integrations never see what is private."""
TriggerType = Literal["conversation_end", "chunk_threshold", "event_boundary"]


@dataclass(frozen=True, slots=True)
class AssignableNode:
    """A node that content can go to, with the words that speak for it. `path` holds the names from the root down that the
    writer may read, `place` all of them (for file paths), `root_schema` is the schema of the root."""

    node_id: UUID
    schema_name: str
    path: tuple[str, ...]
    layer: int
    root_schema: str
    keywords: tuple[str, ...]
    aliases: tuple[str, ...]
    place: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keywords:
    """What a record is about, as columns that can be asked one by one."""

    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    relationships: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """One searchable piece. `embedded` is what the vector is made from (no names, no dates), `position` its place
    in the session (turns of a conversation, chunks of a file)."""

    item_id: UUID
    kind: ItemKind
    session: UUID
    position: int
    content: str
    embedded: str
    unit: Unit
    speaker: str = ""
    source_ref: str | None = None
    occurred_at: datetime | None = None
    dates: tuple[str, ...] = ()
    utterance: Utterance | None = None
    section: str = ""
    span: tuple[int, int] | None = None
    token_count: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileDraft:
    """The file of a record, from memory or from a path that is read when it is stored."""

    file_id: UUID
    name: str
    file_type: str
    content_type: str
    content: bytes | Path


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """A record for one node. `items` are in the order of the source."""

    record_id: UUID
    node: AssignableNode
    title: str
    text: str
    content_type: ContentType
    trigger_type: TriggerType
    source_id: str
    occurred_at: datetime | None
    items: tuple[ItemDraft, ...]
    file: FileDraft
    summary: str = ""
    keywords: Keywords = Keywords()
    privacy: Privacy = "org"
    origin: Origin = INGESTED
    received_as: ResourceType | None = None


@dataclass(frozen=True, slots=True)
class EmbeddedRecord:
    """A draft with its vectors: `vector` of the summary, one row of `item_vectors` an item."""

    draft: RecordDraft
    vector: NDArray[np.float32]
    item_vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SourceAdvance:
    """How far a source is stored with this commit: from `seen` units to `units`, with the hash of all of them."""

    source_id: str
    seen: int
    units: int
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A committed record: where it went and how many items can be found of it."""

    record_id: UUID
    node_id: UUID
    path: tuple[str, ...]
    title: str
    file_id: UUID
    items: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not stored, and why in one sentence."""

    source_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did: `turns` stored, `records` made, nodes and edges created, what was skipped and why, how much
    personal data of each kind was replaced in what was stored, which versions of `documents` were made."""

    user_id: UUID
    turns: int
    files: int
    items: int
    records: tuple[StoredRecord, ...]
    nodes_created: int
    edges_created: int
    skipped: tuple[Skipped, ...]
    redacted: Mapping[str, int] = field(default_factory=dict)
    documents: tuple[DocumentChange, ...] = ()
