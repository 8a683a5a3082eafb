"""Arguments as models and clients send them: null for what is left out, numbers as texts, contents in parts, messages without
a word; and ids of memories: what it is, the node where it lies, and its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast
from uuid import UUID

from pydantic import BaseModel, Field, field_validator

from engine.domain.history import Turn
from engine.domain.written import Instant
from engine.errors import InvalidInput

Kind = Literal["record", "item"]
_EXPECTED = "A memory_id is copied from an answer: item/NODE/ID or record/NODE/ID."


def plain_arguments(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without those that are null, or an empty text where no text is asked for: they have their defaults; a number
    where a text is asked for is that text."""
    known, required = schema.get("properties", {}), schema.get("required", ())
    plain = {}
    for name, value in given.items():
        text = known.get(name, {}).get("type") == "string"
        if value is None or (value == "" and not text and name not in required):
            continue
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        plain[name] = str(value) if text and is_number else value
    return plain


class Message(BaseModel):
    """A message of a conversation."""

    role: str = Field(min_length=1, description="user, assistant, or another one.")
    content: str | list[Any] | None = Field(
        default=None, description="What was said: a text, or a list of parts of which those of type text count."
    )
    name: str | None = Field(default=None, description="Who spoke, by name; without it the role.")
    at: Instant | None = Field(default=None, description="When: a time with its offset from UTC, or a day.")

    @field_validator("at", mode="before")
    @classmethod
    def _no_time(cls, at: Any) -> Any:
        return None if at == "" else at

    @property
    def text(self) -> str:
        """What was said, in one text."""
        parts = self.content if isinstance(self.content, list) else [self.content]
        return "\n\n".join(text for text in map(_said, parts) if text.strip())


def _said(part: Any) -> str:
    """The text of a part; nothing of an image or a call of a tool."""
    if isinstance(part, Mapping):
        part = part.get("text") if part.get("type", "text") in ("text", "input_text", "output_text") else ""
    return part if isinstance(part, str) else ""


def turns_of(messages: Sequence[Message]) -> tuple[tuple[Turn, ...], int]:
    """The messages as turns, and how many were passed over because they say nothing."""
    said = [(one, one.text) for one in messages]
    turns = tuple(Turn(one.name or one.role, text, one.at) for one, text in said if text)
    return turns, len(said) - len(turns)


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
