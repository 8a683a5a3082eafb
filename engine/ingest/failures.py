"""The failure log: final failures with stage and cause, until they are replayed or dismissed.

    open       it failed; the same thing failing again is one more attempt of the same entry
    replayed   it was stored, or its job succeeded, later on
    dismissed  the user has decided that it does not matter

An entry names the source and holds none of its content: the source is read again from its path, or sent again.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from engine.domain.clock import Clock
from engine.domain.ingest import Failure, FailureStage, FailureState
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.errors import InvalidInput, NeurigraphError, NotFound
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LONGEST_NOTE = 500

Row = dict[str, Any]


class FailureLog:
    """The failures of a graph, for its user; without a principal those of jobs, for the operator."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def note(
        self, principal: Principal | None, stage: FailureStage, subject: str, error: NeurigraphError, reference: Row
    ) -> None:
        """Notes a failure. Raises StoreUnavailable."""
        entry = {"stage": stage, "subject": subject, "session_id": reference.get("session_id")}
        await self._log(principal, entry, error, {name: str(value) for name, value in reference.items()})

    async def again(self, principal: Principal, failure: Failure, error: NeurigraphError) -> None:
        """Notes one more attempt of a failure, with its cause now. Raises StoreUnavailable."""
        entry = {"stage": failure.stage, "subject": failure.subject, "session_id": failure.session_id}
        await self._log(principal, entry, error, dict(failure.reference))

    async def _log(self, principal: Principal | None, entry: Row, error: NeurigraphError, reference: Row) -> None:
        parameters = {
            **entry,
            "cause": type(error).__name__,
            "detail": error.detail,
            "reference": Jsonb(reference),
            "now": self._clock.now(),
        }
        await self._rows(principal, "failure/log", parameters)

    async def page(
        self, principal: Principal | None, *, state: FailureState | None = "open", before: UUID | None = None, limit: int = 100
    ) -> tuple[Failure, ...]:  # fmt: skip
        """Failures, newest first, one page; `state` None: settled ones, too."""
        check_page(limit)
        parameters = {"state": state, "failure_id": None, "before": before, "limit": limit, "jobs": principal is None}
        return tuple(Failure(**row) for row in await self._rows(principal, "failure/page", parameters))

    async def failure(self, principal: Principal | None, failure_id: UUID) -> Failure:
        """One failure. Raises NotFound."""
        parameters = {"state": None, "failure_id": failure_id, "before": None, "limit": 1, "jobs": principal is None}
        rows = await self._rows(principal, "failure/page", parameters)
        if not rows:
            raise NotFound
        return Failure(**rows[0])

    async def settle(
        self, principal: Principal | None, failure_id: UUID, state: FailureState, note: str = ""
    ) -> Failure:
        """Settles a failure for good; again, nothing changes. Raises NotFound, Conflict (settled otherwise), InvalidInput."""
        if len(note) > LONGEST_NOTE or not note.isprintable():
            raise InvalidInput(f"A note is one line of at most {LONGEST_NOTE} characters.")
        parameters = {"failure_id": failure_id, "state": state, "note": note, "now": self._clock.now()}
        await self._rows(principal, "failure/settle", parameters)
        return await self.failure(principal, failure_id)

    async def _rows(self, principal: Principal | None, statement: str, parameters: Row) -> list[Row]:
        if principal is not None:
            return await self._postgres.fetch(principal, sql_text(statement), parameters)
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text(statement), parameters)
            return await cursor.fetchall()
