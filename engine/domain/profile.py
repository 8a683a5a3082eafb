"""Profiles: in a few lines what is known of an entity, or of the user by categories of facts; composed when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of an entity, at most 300 tokens of the embedding model, one statement a line: who it is, its strongest
    relations, facts, and what was said of it last. `facts`, `relations`, `records`: what the lines come from."""

    entity_id: UUID
    name: str
    kind: str
    text: str
    tokens: int
    facts: tuple[UUID, ...]
    relations: tuple[UUID, ...]
    records: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A live fact, as a profile shows it. `valid_from` None: from the beginning; `passed`: when the day was over for which it was
    planned."""

    fact_id: UUID
    record_id: UUID
    category: str
    text: str
    valid_from: datetime | None
    confirmations: int
    importance: float
    passed: datetime | None = None


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The live facts of one type or category: how many, when one was last added, and the strongest; `summary` is their texts, one
    a line, at most 100 tokens."""

    name: str
    facts: int
    changed_at: datetime
    summary: str
    strongest: tuple[KnownFact, ...]
