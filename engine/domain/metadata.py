"""The metadata of a node's records, and the lines of the list of edges."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.node import ContentType, FileState, TriggerType
from engine.domain.scope import ScopeKind, SourceKind

EdgePlace = tuple[str, str, str, UUID]
"""Names of both ends, type and id of an edge: the order of the list of edges."""


@dataclass(frozen=True, slots=True)
class RecordMetadata:
    """A record as the metadata layer holds it; `file_…` describe its file, which stays closed. `file_part`: this reader gets a
    part of it, the passages at this node; its sizes are left out. `last_accessed_at`: for the user alone."""

    record_id: UUID
    revision: int
    title: str
    summary: str
    kw_entities: list[str]
    kw_topics: list[str]
    kw_dates: list[str]
    kw_relationships: list[str]
    kw_source: str
    content_type: ContentType
    trigger_type: TriggerType
    token_count: int
    occurred_at: datetime | None
    created_at: datetime
    last_accessed_at: datetime | None
    embedding_pending: bool
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    file_id: UUID | None
    file_name: str | None
    file_type: str | None
    compression_state: FileState | None
    size_bytes: int | None
    stored_bytes: int | None
    file_part: bool


@dataclass(frozen=True, slots=True)
class MetadataPage:
    """Records, newest first. `cursor` leads to the next page; None on the last page."""

    records: tuple[RecordMetadata, ...]
    cursor: str | None


async def all_records(page: Callable[..., Awaitable[MetadataPage]]) -> list[RecordMetadata]:
    """The records of all pages; `page` takes the cursor by name."""
    found = await page(cursor=None)
    records = [*found.records]
    while found.cursor is not None:
        found = await page(cursor=found.cursor)
        records += found.records
    return records


@dataclass(frozen=True, slots=True)
class RegisteredEdge:
    """A line of the global edge registry; the states are those of the files at both ends."""

    edge_id: UUID
    edge_type: str
    source_id: UUID
    source_name: str
    source_state: FileState
    target_id: UUID
    target_name: str
    target_state: FileState

    @property
    def place(self) -> EdgePlace:
        """Where it stands in the list of edges."""
        return self.source_name, self.target_name, self.edge_type, self.edge_id
