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


_UNDONE = "An undo is copied from the answer of delete_memory or update_memory, or is retraction/ID or merge/ID."


@dataclass(frozen=True, slots=True)
class UndoId:
    """What is undone: a retraction or a merge by its id, or the change of a memory that made a revision. Prints as
    `retraction/ID`, `merge/ID` or `change/item/NODE/ID/REVISION`."""

    kind: Literal["retraction", "merge", "change"]
    of: UUID | MemoryId
    revision: int = 0

    def __str__(self) -> str:
        return f"{self.kind}/{self.of}" + (f"/{self.revision}" if self.kind == "change" else "")


def undone(text: str) -> UndoId:
    """Raises InvalidInput for a text that is no such id."""
    kind, _, rest = text.strip().partition("/")
    try:
        if kind == "change":
            memory_id, _, revision = rest.rpartition("/")
            return UndoId("change", parsed(memory_id), int(revision))
        if kind not in ("retraction", "merge"):
            raise ValueError
        return UndoId(cast(Literal["retraction", "merge"], kind), UUID(rest))
    except (ValueError, InvalidInput) as error:
        raise InvalidInput(_UNDONE) from error
