"""A replay: all records of a user rebuilt beside the present ones, compared, then swapped or discarded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

ReplayState = Literal["building", "built", "swapped", "discarded"]


@dataclass(frozen=True, slots=True)
class ReplayCounts:
    """How what was made differs from what is there: `records` made so far, of which `differing` come out otherwise; items that
    are `kept`, `added`, `ended`; records with another summary, other keywords; `missing`: records of which a model's answers are
    not all kept, so that what it made of them stays as it is."""

    records: int
    differing: int
    kept: int
    added: int
    ended: int
    summaries: int
    keywords: int
    missing: int


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay as it stands. `total`: records that there were when it began."""

    replay_id: UUID
    state: ReplayState
    began_at: datetime
    ended_at: datetime | None
    total: int
    counts: ReplayCounts


@dataclass(frozen=True, slots=True)
class ReplayComparison:
    """What a swap would do. `changed`: differing records that were changed since then; a swap rebuilds those."""

    counts: ReplayCounts
    changed: int
