"""Ids of memories as an assistant gets and sends them: what it is, the node where it lies, and its id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast
from uuid import UUID

from engine.errors import InvalidInput

Kind = Literal["record", "item"]
_EXPECTED = "A memory_id is copied from an answer: item/NODE/ID or record/NODE/ID."


@dataclass(frozen=True, slots=True)
class MemoryId:
    """Prints as `item/NODE/ID`."""

    kind: Kind
    node_id: UUID
    id: UUID

    def __str__(self) -> str:
        return f"{self.kind}/{self.node_id}/{self.id}"


def parsed(text: str) -> MemoryId:
    """Raises InvalidInput for a text that is no such id."""
    kind, *ids = text.strip().split("/")
    try:
        node_id, own_id = map(UUID, ids)
    except ValueError as error:
        raise InvalidInput(_EXPECTED) from error
    if kind not in ("record", "item"):
        raise InvalidInput(_EXPECTED)
    return MemoryId(cast(Kind, kind), node_id, own_id)
