"""The life of a file after it was stored.

    dormant      compressed, as it was written; without a restored copy
    rehydrating  being restored, once for all readers that wait
    active       a restored copy serves its readers, until its time is over or it is put to sleep

A node is rehydrating while one of its files is, else active while one is, else dormant; without files it is active.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import IO, Literal
from uuid import UUID

from engine.domain.node import FileState

StateTrigger = Literal["retrieval", "ttl", "dormancy", "manual", "recovery", "error", "review"]
"""Why a state changed: the file was read, the time after that was over, it was unused for long, a caller asked for it,
a crash was mended, an error occurred; or nothing changed and its user reviewed an entry."""
LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class FileStatus:
    """The state of a file now. `since` None: since it was stored. `due_at`: when it falls asleep unless it is read again;
    None where it sleeps or was woken by hand. `failure`: why the last attempt to restore it failed, if it did."""

    node_id: UUID
    file_id: UUID
    state: FileState
    since: datetime | None
    due_at: datetime | None
    by_hand: bool
    failure: str | None


@dataclass(frozen=True, slots=True)
class StateEntry:
    """A line of the state log. `reviewed_by` is the entry by which its user reviewed it; `reviews` is the
    entry that this one is about."""

    entry_id: int
    occurred_at: datetime
    node_id: UUID
    file_id: UUID
    from_state: FileState
    to_state: FileState
    trigger: StateTrigger
    actor_kind: str
    actor_id: UUID | None
    detail: str
    needs_review: bool
    reviewed_by: int | None
    reviews: int | None


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A restored file; `content` is positioned at the start and lives as long as the context that gave it. `part`: only the
    passages that lie at the node, or hold now, as a text; the file has others, too."""

    file_id: UUID
    record_id: UUID
    name: str
    content_type: str
    size_bytes: int
    content: IO[bytes]
    part: bool = False
