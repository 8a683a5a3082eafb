"""What is kept for a time only: answers under idempotency keys, outbox rows of finished commits, the record of runs,
what was appended to conversations that ended, sessions of ingests, the access log.
Ends sessions of ingests whose process is gone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.domain.clock import Clock
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

BATCH = 1000
ABANDONED = timedelta(hours=1)
"""After so long without a heartbeat an ingest counts as ended."""
QUIET = timedelta(hours=1)
"""How long the record of a run that found nothing to do is kept."""


@dataclass(frozen=True, slots=True)
class KeptFor:
    """How long each is kept."""

    answers: timedelta
    commits: timedelta
    runs: timedelta
    sessions: timedelta
    access_log: timedelta


@dataclass(frozen=True, slots=True)
class CleanUpReport:
    """How many were deleted."""

    answers: int
    commits: int
    runs: int
    conversations: int
    sessions: int
    access_log: int


class Retention:
    """Deletes what is past its time, in batches. Safe to run twice at once."""

    def __init__(self, postgres: Postgres, clock: Clock, kept: KeptFor) -> None:
        self._postgres, self._clock, self._kept = postgres, clock, kept

    async def run(self) -> CleanUpReport:
        """One pass; raises StoreUnavailable."""
        now = self._clock.now()
        answers = await self._deleted("clean/answers", before=now - self._kept.answers)
        commits = await self._deleted("clean/commits", before=now - self._kept.commits)
        conversations = await self._deleted("clean/conversations", before=now - self._kept.answers)
        before = now - self._kept.runs
        runs = await self._deleted("clean/runs", before=before, quiet_before=max(before, now - QUIET))
        await self._deleted("clean/queue", before=before)
        await self._deleted("ingest/abandoned", before=now - ABANDONED)
        sessions = await self._deleted("clean/sessions", before=now - self._kept.sessions)
        access_log = await self._deleted("clean/access", before=now - self._kept.access_log)
        return CleanUpReport(answers, commits, runs, conversations, sessions, access_log)

    async def _deleted(self, statement: str, **before: datetime) -> int:
        total = 0
        while True:
            async with self._postgres.as_service() as connection:
                await connection.execute(sql_text("job/queue_path"))  # where the queue's own triggers find their tables
                cursor = await connection.execute(sql_text(statement), before | {"limit": BATCH})
            total += cursor.rowcount
            if cursor.rowcount < BATCH:
                return total
