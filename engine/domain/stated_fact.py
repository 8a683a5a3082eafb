"""What the graph keeps of facts, as changes of the graph carry it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.fact import DoubtKind
from engine.domain.graph import READER, AboutEntity


@dataclass(frozen=True, slots=True, kw_only=True)
class FactState:
    """What a fact is now. `known_to`: from when on it was never so; what was so until another time has `valid_to`.
    `holds_until`: the end of the day of the plan that it states."""

    status: str
    privacy: str
    scope: str
    fact_type: str
    category: str
    confirmations: int
    stale: bool
    valid_from: datetime | None
    valid_to: datetime | None
    holds_until: datetime | None
    said_at: datetime | None
    known_from: datetime
    known_to: datetime | None
    invalidated_at: datetime | None
    last_confirmed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDoubt:
    """An older fact that a fact may replace, or contradicts, which nobody decided."""

    older: UUID
    kind: DoubtKind


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact at a revision of it. `item` False: it only confirms another one. `caption`: the beginning of its text; `about`: the
    entities that it names; both None: as before. `copied`: a fact whose caption and entities it has, where it has none."""

    fact_id: UUID
    revision: int
    item: bool
    caption: str | None
    about: Sequence[AboutEntity] | None
    copied: UUID | None
    confirms: UUID | None
    supersedes: UUID | None
    doubts: Sequence[StatedDoubt]
    state: FactState


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFacts:
    """Facts of a record: new ones, or known ones that are others than before. `reader`: the version of what found the names."""

    record_id: UUID
    user_id: UUID
    node_id: UUID
    commit_id: UUID
    stated: Sequence[StatedFact]
    reader: int = READER
