"""Reading of records that no model has read yet: the model did not answer at the write, gave no usable answer, or a limit was
reached; and new versions of documents.

A record is claimed by setting its next attempt, so two runs never take the same one, and a crashed run only uses up an
attempt. A record that fails all attempts goes to the failure log.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.errors import Conflict, NotFound, ProviderUnavailable
from engine.ingest.failures import FailureLog
from engine.ingest.rereading.again import Rereading
from engine.ingest.rereading.held import Place
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

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


@dataclass(frozen=True, slots=True)
class ReadingReport:
    """The result of a run: records that a model has read now, that were given up, that still wait."""

    read: int
    given_up: int
    waiting: int


@dataclass(frozen=True, slots=True)
class _Unread(Place):
    user_id: UUID
    attempts: int


class Readings:
    """Reads records with the configured model after they were written; for the service."""

    def __init__(
        self, postgres: Postgres, rereading: Rereading, failures: FailureLog, clock: Clock, attempts: Attempts
    ) -> None:
        self._postgres, self._rereading, self._failures = postgres, rereading, failures
        self._clock, self._attempts = clock, attempts

    async def run(self) -> ReadingReport:
        """Reads what is due; without a model, nothing. Raises StoreUnavailable; what was read stays read."""
        outcomes: list[str] = []
        for _ in range(MOST_ROUNDS if self._rereading.asks else 0):
            due = await self._due()
            if not due:
                break
            ended = await asyncio.gather(*map(self._read, due), return_exceptions=True)
            for outcome in ended:
                if isinstance(outcome, BaseException):
                    raise outcome
                outcomes.append(outcome)
        return ReadingReport(outcomes.count("read"), outcomes.count("given up"), await self._waiting())

    async def again(self, principal: Principal, record_id: UUID, node_id: UUID) -> None:
        """Retries a record that was given up. Raises StoreUnavailable."""
        parameters = {"records": [record_id], "nodes": [node_id], "reasons": [AGAIN], "now": self._clock.now()}
        await self._postgres.change(principal, sql_text("unread/note"), parameters)

    async def _due(self) -> list[_Unread]:
        parameters = {
            "now": self._clock.now(),
            "most": AT_ONCE,
            "first": self._attempts.first_pause,
            "longest": LONGEST_PAUSE,
        }
        return await self._postgres.fetch_as_service(sql_text("unread/claim"), parameters, row=_Unread)

    async def _read(self, place: _Unread) -> str:
        """Reads one record: "read", "given up", "gone", or "waits"."""
        principal = Principal.user(place.user_id)
        try:
            reread = await self._rereading.reread(principal, place, by_model=True)
            if reread is not None and not reread.rebuilt.unread:
                await self._rereading.store(principal, reread)
        except NotFound:
            reread = None
        except Conflict:  # changed meanwhile, or other embeddings: the next attempt finds it as it is then
            return "waits"
        if reread is None:
            await self._settle(place)
            return "gone"
        if not reread.rebuilt.unread:
            await self._settle(place)
            return "read"
        return await self._failed(principal, place, reread.rebuilt.unread, place.attempts)

    async def _failed(self, principal: Principal, place: Place, reason: str, attempts: int) -> str:
        if attempts < self._attempts.most:
            parameters = {"record_id": place.record_id, "reason": reason}
            await self._postgres.change_as_service(sql_text("unread/failed"), parameters)
            return "waits"
        reference = {"record_id": place.record_id, "node_id": place.node_id}
        error = ProviderUnavailable(reason)
        await self._failures.note(principal, "reading", f"record:{place.record_id}", error, reference)
        await self._settle(place)
        return "given up"

    async def _settle(self, place: Place) -> None:
        await self._postgres.change_as_service(sql_text("unread/settle"), {"record_id": place.record_id})

    async def _waiting(self) -> int:
        [records] = await self._postgres.fetch_as_service(sql_text("unread/waiting"), row=int)
        return records
