"""Nodes of a user's graph as readers see them, with the metadata of their records; and the lines of the list of edges."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.domain.principal import IdentityKind
from engine.domain.scope import ScopeKind, SourceKind

NodeType = Literal["user", "concept", "persona"]
FileState = Literal["active", "dormant", "rehydrating"]
ContentType = Literal["conversation", "event", "file_upload", "other"]
TriggerType = Literal["conversation_end", "chunk_threshold", "event_boundary"]
"""What a record was made of."""

MAX_LAYER = 5

EdgePlace = tuple[str, str, str, UUID]
"""Names of both ends, type and id of an edge: the order of the list of edges."""


@dataclass(frozen=True, slots=True)
class User:
    """A user of a workspace. The root node of the graph has the same id."""

    user_id: UUID
    handle: str
    display_name: str
    created: bool
    archived: bool = False
    """With the root, and so with everything."""


@dataclass(frozen=True, slots=True)
class Credential:
    """Of what kind a credential is, and whose if it is a user's."""

    kind: IdentityKind
    user: User | None


@dataclass(frozen=True, slots=True)
class ProvisionedNode:
    """The answer of provisioning. `created` is False where the sibling of that name existed already."""

    node_id: UUID
    schema_name: str
    layer: int
    node_type: NodeType
    created: bool


@dataclass(frozen=True, slots=True)
class NewNode:
    """A requested node: a child of `parent_id`."""

    parent_id: UUID
    name: str
    node_type: Literal["concept", "persona"] = "concept"
    summary: str = ""
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """A cross-node edge as seen from one of its ends; `outgoing` says which. `other_state` is that of the files at the
    other end, none of which an edge wakes."""

    edge_type: str
    other_id: UUID
    other_name: str
    other_path: tuple[str, ...]
    outgoing: bool
    other_state: FileState


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One line of a node's table of contents."""

    record_id: UUID
    title: str
    content_type: ContentType
    file_name: str | None
    occurred_at: datetime | None
    file_id: UUID | None = None
    """To open the file with, for readers who may."""


@dataclass(frozen=True, slots=True)
class ChildNode:
    """A child with the state of its files."""

    node_id: UUID
    name: str
    node_type: NodeType
    layer: int
    state: FileState
    records: int
    children: int
    archived: bool = False
    """Not searched and without new content, by itself or with a node above it."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node as the tree of its graph shows it: where it hangs, how much it holds, the state of its files."""

    node_id: UUID
    parent_id: UUID | None
    name: str
    node_type: NodeType
    layer: int
    state: FileState
    archived: bool
    records: int
    items: int


@dataclass(frozen=True, slots=True)
class RecordDay:
    """How many records of a node happened on a day in UTC, as in 2025-03-01; `day` None: undated ones, which always hold."""

    node_id: UUID
    day: str | None
    records: int


@dataclass(frozen=True, slots=True)
class Shell:
    """The part of a node that is always live: identity, place, edges, what it holds, the state of its files."""

    node_id: UUID
    user_id: UUID
    parent_id: UUID | None
    name: str
    node_type: NodeType
    layer: int
    schema_name: str | None
    path: tuple[str, ...]
    state: FileState
    summary: str
    keywords: tuple[str, ...]
    aliases: tuple[str, ...]
    records: int
    items: int
    created_at: datetime
    last_accessed_at: datetime | None
    children: tuple[ChildNode, ...]
    edges: tuple[Edge, ...]
    manifest: tuple[ManifestEntry, ...]
    """The newest entries; all of them come with the node's metadata."""
    revision: int | None = None
    """How often it was changed, for the next change; returned to the user only."""
    archived: bool = False
    """Not searched and without new content, by itself or with a node above it."""


def shell_text(name: str, summary: str, keywords: Sequence[str]) -> str:
    """What the vector of a shell is made from: name, summary and keywords together."""
    return ". ".join(part for part in (name, summary, ", ".join(keywords)) if part)


@dataclass(frozen=True, slots=True)
class CreatedEdge:
    """The edge. `created` is False where it was there already, `reopened` is True where it had ended and holds again."""

    edge_id: UUID
    created: bool
    reopened: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """A node that a question leads to: why it was found, how strongly (0 to 1), and the path to it."""

    node_id: UUID
    name: str
    summary: str
    node_type: NodeType
    path: tuple[str, ...]
    layer: int
    state: FileState
    score: float
    reasons: tuple[str, ...]
    """Of "name", "alias", "text", "meaning", "edge"."""
    edges: tuple[Edge, ...]
    archived: bool = False
    """Listed by its name, but not searched."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A node that a search could not look at because its tables are damaged."""

    node_id: UUID
    reason: str


@dataclass(frozen=True, slots=True)
class RecordMetadata:
    """A record as the metadata layer holds it; `file_…` describe its file, which stays closed. `file_part`: this reader gets a
    part of it, the passages at this node; its sizes are left out. `last_accessed_at`, and when it `expires_at`: for the user
    alone."""

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
    expires_at: datetime | None


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
