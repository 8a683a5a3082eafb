"""What came in, as it is kept: immutable, with its hash."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

ResourceType = Literal["conversation", "event", "document", "webhook"]


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
