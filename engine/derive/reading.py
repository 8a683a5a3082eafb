"""Reading of records that no model has read yet: the model did not answer at the write, gave no usable answer, or a limit was
reached; and new versions of documents.

A record is claimed by setting its next attempt, so two runs never take the same one, and a crashed run only uses up an
attempt. A record that fails all attempts goes to the failure log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from engine.commit.rows import due
from engine.commit.rows.due import DueRecord
from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.errors import Conflict, NotFound, ProviderUnavailable
from engine.ingest.rereading.again import Rereading
from engine.ingest.sessions import FailureLog
from engine.records.writer import RecordPlace
from engine.stores.postgres import Postgres

AT_ONCE = 8
"""Records that a run reads at the same time."""
MOST_ROUNDS = 20
LONGEST_PAUSE = 6 * 3600.0
AGAIN = "Another attempt was requested."


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts for a record in all, and the pause after the first attempt in seconds; it is doubled each time."""

    most: int
    first_pause: float


class Readings:
    """Reads records with the configured model after they were written; for the service."""

    def __init__(
        self, postgres: Postgres, rereading: Rereading, failures: FailureLog, clock: Clock, attempts: Attempts
    ) -> None:
        self._postgres, self._rereading, self._failures = postgres, rereading, failures
        self._clock, self._attempts = clock, attempts

    async def run(self) -> Mapping[str, int]:
        """Reads what is due; without a model, nothing. How many records were read, given up. Raises StoreUnavailable;
        what was read stays read."""
        outcomes: list[str] = []
        for _ in range(MOST_ROUNDS if self._rereading.asks else 0):
            claimed = await due.claim_readings(
                self._postgres, self._clock.now(), AT_ONCE, self._attempts.first_pause, LONGEST_PAUSE
            )
            if not claimed:
                break
            ended = await asyncio.gather(*map(self._read, claimed), return_exceptions=True)
            for outcome in ended:
                if isinstance(outcome, BaseException):
                    raise outcome
                outcomes.append(outcome)
        return {"read": outcomes.count("read"), "given_up": outcomes.count("given up")}

    async def again(self, principal: Principal, record_id: UUID, node_id: UUID) -> None:
        """Retries a record that was given up. Raises StoreUnavailable."""
        async with self._postgres.as_principal(principal) as connection:
            await due.note_readings(connection, [(record_id, node_id, AGAIN)], self._clock.now())

    async def _read(self, record: DueRecord) -> str:
        """Reads one record: "read", "given up", "gone", or "waits"."""
        principal, place = (
            Principal.user(record.user_id),
            RecordPlace(record.record_id, record.node_id, record.schema_name),
        )
        try:
            reread = await self._rereading.reread(principal, place, by_model=True)
            if reread is not None and not reread.rebuilt.unread:
                await self._rereading.store(principal, reread)
        except NotFound:
            reread = None
        except Conflict:  # changed meanwhile, or other embeddings: the next attempt finds it as it is then
            return "waits"
        if reread is not None and reread.rebuilt.unread:
            return await self._failed(principal, record, reread.rebuilt.unread)
        await due.settle_reading(self._postgres, record)
        return "gone" if reread is None else "read"

    async def _failed(self, principal: Principal, record: DueRecord, reason: str) -> str:
        if record.attempts < self._attempts.most:
            await due.reading_failed(self._postgres, record, reason)
            return "waits"
        reference = {"record_id": record.record_id, "node_id": record.node_id}
        error = ProviderUnavailable(reason)
        await self._failures.note(principal, "reading", f"record:{record.record_id}", error, reference)
        await due.settle_reading(self._postgres, record)
        return "given up"
