"""Nodes as the registry has them, in the form in which the graph takes them again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.node import NodeType

LABELS: dict[NodeType, str] = {"user": "User", "concept": "Concept", "persona": "Persona"}
NO_VECTORS: dict[str, None] = dict.fromkeys(("embedding", "embedding_version", "embedding_b", "embedding_b_version"))


@dataclass(frozen=True, slots=True)
class RegisteredNode:
    """A node of the registry."""

    node_id: UUID
    user_id: UUID
    parent_id: UUID | None
    name: str
    name_key: str
    node_type: NodeType
    layer: int
    schema_name: str
    created_at: datetime

    @property
    def parent(self) -> str | None:
        """The parent's id as the graph has it."""
        return str(self.parent_id) if self.parent_id else None

    @property
    def graph(self) -> dict[str, Any]:
        """The shell's properties that the registry decides."""
        return {
            "node_id": str(self.node_id),
            "user_id": str(self.user_id),
            "parent_id": self.parent,
            "name": self.name,
            "name_key": self.name_key,
            "node_type": self.node_type,
            "label": LABELS[self.node_type],
            "layer": self.layer,
            "schema_name": self.schema_name,
        }

    def shell(self, first: dict[str, Any] | None) -> dict[str, Any]:
        """A whole shell, with the words of its first commit where that is still kept."""
        words: dict[str, Any] = {"summary": "", "keywords": [], "aliases": [], "alias_keys": []}
        fixed = {
            "user_key": self.user_id.hex,
            "created_at": self.created_at.isoformat(),
        }
        return NO_VECTORS | words | (first or {}) | self.graph | fixed
