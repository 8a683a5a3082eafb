"""Intentions: what somebody says that they want to do or plan to do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.domain.forms import Span

IntentionState = Literal["open", "done", "dropped"]
LONGEST_INTENTION = 200
"""Characters of its text: the sentence that states it, cut at a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedIntention:
    """An intention as a record states it, of the entity whose mention holds it. `due`: a date as exact as the text."""

    text: str
    item_id: UUID
    span: str
    due: str | None


@dataclass(frozen=True, slots=True)
class Intention:
    """An intention with who has it, and its evidence: the record, the item and the characters in it that state it."""

    intention_id: UUID
    entity_id: UUID
    entity_name: str
    text: str
    state: IntentionState
    due: str | None
    said_at: datetime
    state_at: datetime | None
    reason: str | None
    record_id: UUID
    node_id: UUID
    title: str
    item_id: UUID
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentionDecision:
    """The state that the user gives an intention."""

    intention_id: UUID
    user_id: UUID
    state: IntentionState
    at: datetime
    reason: str
