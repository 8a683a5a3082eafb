"""Commits: their kinds, and those that were set aside."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

CommitKind = Literal[
    "node",
    "records",
    "granted",
    "revoked",
    "node_revised",
    "record_revised",
    "edge_revised",
    "mentions",
    "relations",
    "facts",
    "entities_merged",
    "merge_undone",
    "told_apart",
    "relation_decided",
    "entity_corrected",
    "alias_decided",
    "intention_decided",
    "record_retracted",
    "record_reworded",
]
CommitState = Literal["pending", "done", "set_aside", "discarded"]


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """A commit that is set aside: its user, what it writes, why it failed, and the commits that it waits for."""

    commit_id: UUID
    user_id: UUID
    handle: str
    kind: CommitKind
    subject: str | None
    created_at: datetime
    attempts: int
    cause: str
    waits_for: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """The state of a commit after it was retried or discarded."""

    commit_id: UUID
    state: CommitState
    cause: str = ""
