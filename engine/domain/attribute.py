"""Attributes: of what facts give the value, as where somebody lives, or a favourite colour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

ValueKind = Literal["date", "number", "name", "text"]


@dataclass(frozen=True, slots=True)
class FactAttribute:
    """The attribute of which a fact speaks, as the table of attributes holds it; all empty where it speaks of none.
    `holds_until`: until when the plan holds that it states; `text_from`: since when the text stands from which this was read."""

    fact_id: UUID
    attribute: str = ""
    label: str = ""
    kind: ValueKind | Literal[""] = ""
    single: bool = False
    holds_until: datetime | None = None
    text_from: datetime | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute in the registry: what most facts call it, what its value mostly is, whether it has one value at a time
    (`single`), how many live facts of how many subjects give one, and when it was said first and last.
    `key`: its place in the list."""

    key: str
    name: str
    kind: ValueKind
    single: bool
    facts: int
    subjects: int
    first_seen_at: datetime
    last_seen_at: datetime
