"""An ingest: its terms, its session, its permanent failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from engine.errors import InvalidInput

if TYPE_CHECKING:
    from engine.domain.report import Skipped

IngestState = Literal["running", "done", "failed"]
SourceOutcome = Literal["stored", "skipped", "failed"]
LineOutcome = Literal["stored", "skipped", "failed", "forgotten"]
FailureStage = Literal["read", "draft", "commit", "reading", "ingest", "job"]
FailureState = Literal["open", "replayed", "dismissed"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a write; None is no limit. Work beyond a limit is queued, never dropped.

    `milliseconds` of waiting for models, `tokens` given to models, `model_calls`: requests to a model service.
    """

    milliseconds: int | None = None
    tokens: int | None = None
    model_calls: int | None = None


UNLIMITED = Limits()


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms on which contents are stored. The same `key` resumes the earlier session; where `tolerant`, a source
    that cannot be stored does not stop the others. `refused` are sources that could not even be read. `again`: what was forgotten
    is stored anew; `expires_at`: when what is stored is forgotten by itself."""

    key: str | None = None
    tolerant: bool = False
    limits: Limits = UNLIMITED
    refused: tuple[Skipped, ...] = ()
    again: bool = False
    expires_at: datetime | None = None


PLAIN = Terms()


def check_expiry(expires_at: datetime | None, now: datetime) -> None:
    """Raises InvalidInput for a time without an offset from UTC, and for one that is past."""
    if expires_at is None:
        return
    if expires_at.tzinfo is None:
        raise InvalidInput("The time at which something expires needs an offset from UTC.")
    if expires_at <= now:
        raise InvalidInput("The time at which something expires is in the past.")


@dataclass(frozen=True, slots=True)
class IngestSession:
    """One ingest: what came in (`…_in`), what was stored of it, what was skipped because it was there, what failed.

    `pending` counts records that were written without vectors; `attempt` how often it was resumed with its key.
    """

    session_id: UUID
    actor_kind: str
    actor_id: UUID
    key: str | None
    state: IngestState
    attempt: int
    started_at: datetime
    touched_at: datetime
    ended_at: datetime | None
    sources_in: int
    turns_in: int
    files_in: int
    turns: int
    files: int
    records: int
    items: int
    superseded: int
    skipped: int
    failed: int
    pending: int
    failure: str | None


@dataclass(frozen=True, slots=True)
class IngestedSource:
    """The outcome of one source in a session: units (turns, or 1 for a file) `first_unit` to `units`, its hash, ids."""

    entry_id: int
    source_id: str
    outcome: SourceOutcome
    reason: str
    content_hash: str | None
    first_unit: int | None
    units: int | None
    records: tuple[UUID, ...]
    superseded: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A permanent failure. `cause` is the name of the engine's error, `subject` a source, session or job, `reference`
    where its payload can be found again; the payload itself is not kept."""

    failure_id: UUID
    session_id: UUID | None
    stage: FailureStage
    cause: str
    detail: str
    subject: str
    reference: Mapping[str, Any]
    attempts: int
    first_at: datetime
    last_at: datetime
    state: FailureState
    settled_at: datetime | None
    note: str
