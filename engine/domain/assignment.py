"""Assignments: decisions at which nodes records lie, with confidence and reasons; they can be read and corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

Decider = Literal["engine", "model", "hand"]
"""The engine's rules, a language model, or a person who named the node."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a record goes to its node. `confidence` (0 to 1) is how often such a decision is right; `reasons` are the evidence."""

    confidence: float = 1.0
    reasons: Mapping[str, Any] = field(default_factory=dict)
    decided_by: Decider = "hand"
    created_node: bool = False
    """Whether the node was made for this content."""


BY_HAND = Decision(reasons={"rule": "the writer named the node"})


@dataclass(frozen=True, slots=True)
class Assignment:
    """A kept decision, never changed. The newest of a record names its node. `moved_from`: its node before it was
    moved; `title` is the record's at that time, `author` who wrote or moved it."""

    entry_id: int
    record_id: UUID
    node_id: UUID
    title: str
    confidence: float
    decided_by: Decider
    created_node: bool
    moved_from: UUID | None
    reasons: Mapping[str, Any]
    author: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class AssignmentFilter:
    """A filter of decisions: of one record (then also earlier ones), at one node, with less confidence than `below`,
    by decider; `before` is the last entry_id of the page before."""

    record_id: UUID | None = None
    node_id: UUID | None = None
    below: float | None = None
    decided_by: Decider | None = None
    before: int | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Moved:
    """A record that was moved: its revision now, and when."""

    record_id: UUID
    node_id: UUID
    moved_from: UUID
    revision: int
    moved_at: datetime
