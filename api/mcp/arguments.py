"""Arguments as models and clients send them: null for what is left out, numbers as texts, contents in parts, messages without
a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, field_validator

from engine.domain.history import Turn
from engine.domain.written import Instant


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
