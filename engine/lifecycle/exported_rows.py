"""Rows that an export is made of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.node import ContentType
from engine.domain.resource import ResourceType
from engine.domain.scope import Privacy, ScopeKind, SourceKind


@dataclass(frozen=True, slots=True)
class SourceRow:
    """An input, and what the version of a document says that it is."""

    resource_id: UUID
    content_type: ResourceType
    source_id: str
    record_id: UUID
    file_name: str
    media_type: str
    size_bytes: int
    received_at: datetime
    node_id: UUID
    title: str | None
    version: int | None
    newest: bool


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of a conversation."""

    resource_id: UUID
    record_id: UUID
    node_id: UUID
    size_bytes: int
    received_at: datetime
    layout: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Where a record lies now."""

    record_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class RecordRow:
    """What a record says of itself now; `reworded`: one of its items was changed."""

    record_id: UUID
    title: str
    content_type: ContentType
    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    occurred_at: datetime | None
    reworded: bool

    @property
    def origin(self) -> dict[str, Any]:
        """The fields of a line that say to what it belongs."""
        return {"scope": self.scope, "scope_id": self.scope_id, "source": self.source}


@dataclass(frozen=True, slots=True)
class FactFields:
    """What a user stated beside the text of a fact; `withdrawn`: it holds no longer."""

    about: list[str]
    fact_type: str
    category: str
    confidence: float
    importance: float
    at: datetime | None
    withdrawn: bool
