"""The failure log: final failures with stage and cause, until they are replayed or dismissed.

    open       it failed; the same thing failing again is one more attempt of the same entry
    replayed   it was stored, or its job succeeded, later on
    dismissed  the user has decided that it does not matter

An entry names the source and holds none of its content: the source is read again from its path, or sent again.
"""

from __future__ import annotations

from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.ingest import Failure, FailureStage, FailureState
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.errors import InvalidInput, NeurigraphError
from engine.stores.postgres import Jsonb, Parameters, Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

LONGEST_NOTE = 500


class FailureLog:
    """The failures of a graph, for its user; without a principal those of jobs, for the operator."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def note(
        self, principal: Principal | None, stage: FailureStage, subject: str, error: NeurigraphError, reference: Parameters
    ) -> None:  # fmt: skip
        """Notes a failure. Raises StoreUnavailable."""
        entry = {"stage": stage, "subject": subject, "session_id": reference.get("session_id")}
        await self._log(principal, entry, error, {name: str(value) for name, value in reference.items()})

    async def again(self, principal: Principal, failure: Failure, error: NeurigraphError) -> None:
        """Notes one more attempt of a failure, with its cause now. Raises StoreUnavailable."""
        entry = {"stage": failure.stage, "subject": failure.subject, "session_id": failure.session_id}
        await self._log(principal, entry, error, dict(failure.reference))

    async def _log(
        self, principal: Principal | None, entry: Parameters, error: NeurigraphError, reference: Parameters
    ) -> None:
        cause = {"cause": type(error).__name__, "detail": error.detail}
        parameters = {**entry, **cause, "reference": Jsonb(reference), "now": self._clock.now()}
        await self._change(principal, "failure/log", parameters)

    async def page(
        self, principal: Principal | None, *, state: FailureState | None = "open", before: UUID | None = None, limit: int = 100
    ) -> tuple[Failure, ...]:  # fmt: skip
        check_page(limit)
        return await self._page(principal, {"state": state, "failure_id": None, "before": before, "limit": limit})

    async def failure(self, principal: Principal | None, failure_id: UUID) -> Failure:
        parameters = {"state": None, "failure_id": failure_id, "before": None, "limit": 1}
        return only(await self._page(principal, parameters))

    async def settle(
        self, principal: Principal | None, failure_id: UUID, state: FailureState, note: str = ""
    ) -> Failure:
        if len(note) > LONGEST_NOTE or not note.isprintable():
            raise InvalidInput(f"A note is one line of at most {LONGEST_NOTE} characters.")
        parameters = {"failure_id": failure_id, "state": state, "note": note, "now": self._clock.now()}
        await self._change(principal, "failure/settle", parameters)
        return await self.failure(principal, failure_id)

    async def _page(self, principal: Principal | None, parameters: Parameters) -> tuple[Failure, ...]:
        page, parameters = sql_text("failure/page"), {**parameters, "jobs": principal is None}
        if principal is None:
            return tuple(await self._postgres.fetch_as_service(page, parameters, row=Failure))
        return tuple(await self._postgres.fetch(principal, page, parameters, row=Failure))

    async def _change(self, principal: Principal | None, statement: str, parameters: Parameters) -> None:
        """Sends the statement, for a principal as one that may be repeated after a restart of the server."""
        if principal is None:
            await self._postgres.change_as_service(sql_text(statement), parameters)
        else:
            await self._postgres.fetch(principal, sql_text(statement), parameters, row=object)
