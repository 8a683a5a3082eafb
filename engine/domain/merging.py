"""Merges of entities, and words that two are apart, as changes of the graph carry them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMerge:
    """An entity becomes part of another."""

    merge_id: UUID
    user_id: UUID
    entity_id: UUID
    merged_id: UUID
    at: datetime
    reason: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneMerge:
    """The end of a merge."""

    merge_id: UUID
    user_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldApart:
    """Two entities of a pair that may be one are not."""

    pair_id: UUID
    user_id: UUID
    at: datetime
