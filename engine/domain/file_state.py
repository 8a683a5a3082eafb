"""Raw resources: what came in, as it is kept, immutable, with its hash; and the life of a file after it was stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import IO, Literal
from uuid import UUID

from engine.domain.node import FileState

ResourceType = Literal["conversation", "event", "document", "webhook"]

StateTrigger = Literal["retrieval", "ttl", "dormancy", "manual", "recovery", "error", "review"]
"""Why a state changed: the file was read, the time after that was over, it was unused for long, a caller asked for it,
a crash was mended, an error occurred; or nothing changed and its user reviewed an entry."""
LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class RawResource:
    """One input, or the part of a conversation that went to one node. `resource_id` is that of its file, `content_hash` SHA-256
    of its bytes in hex, `workspace_id` the application it belongs to, `node_id` where it was stored first."""

    resource_id: UUID
    workspace_id: UUID
    content_type: ResourceType
    source_id: str
    record_id: UUID
    node_id: UUID
    file_name: str
    media_type: str
    content_hash: str
    size_bytes: int
    authored_by: str
    received_at: datetime


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """The bytes of a resource, with the name and media type of the file that they are."""

    content: bytes
    file_name: str
    media_type: str


@dataclass(frozen=True, slots=True)
class FileStatus:
    """The state of a file now. `since` None: since it was stored. `due_at`: when it falls asleep unless it is read again;
    None where it sleeps or was woken by hand. `failure`: why the last attempt to restore it failed, if it did."""

    node_id: UUID
    file_id: UUID
    state: FileState
    since: datetime | None
    due_at: datetime | None
    by_hand: bool
    failure: str | None


@dataclass(frozen=True, slots=True)
class StateEntry:
    """A line of the state log. `reviewed_by` is the entry by which its user reviewed it; `reviews` is the
    entry that this one is about."""

    entry_id: int
    occurred_at: datetime
    node_id: UUID
    file_id: UUID
    from_state: FileState
    to_state: FileState
    trigger: StateTrigger
    actor_kind: str
    actor_id: UUID | None
    detail: str
    needs_review: bool
    reviewed_by: int | None
    reviews: int | None


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A restored file; `content` is positioned at the start and lives as long as the context that gave it. `part`: only the
    passages that lie at the node, or hold now, as a text; the file has others, too."""

    file_id: UUID
    record_id: UUID
    name: str
    content_type: str
    size_bytes: int
    content: IO[bytes]
    part: bool = False
