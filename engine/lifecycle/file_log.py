"""The log of the states of files, as its user reads it. The transitions write it; it is append-only."""

from __future__ import annotations

from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.file_state import LONGEST_NOTE, StateEntry
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.errors import InvalidInput
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text


class FileLog:
    """The log of files of a graph, and the entries to review."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def page(
        self, principal: Principal, *, node_id: UUID | None = None, file_id: UUID | None = None, to_review: bool = False,
        before: int | None = None, limit: int = 100,
    ) -> tuple[StateEntry, ...]:  # fmt: skip
        """Entries about the principal's own graph, newest first; `before` is the last entry_id of the page before.

        With `to_review` only failures that were not reviewed yet.
        """
        check_page(limit)
        parameters = {"node_id": node_id, "file_id": file_id, "to_review": to_review, "before": before, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("node/state_log_page"), parameters, row=StateEntry))

    async def review(self, principal: Principal, entry_id: int, note: str = "") -> int:
        """Marks an entry as reviewed; returns the new entry's id, the same when repeated. Raises NotFound, InvalidInput."""
        if len(note) > LONGEST_NOTE or not note.isprintable():
            raise InvalidInput(f"A note is one line of at most {LONGEST_NOTE} characters.")
        parameters = {"entry_id": entry_id, "note": note, "now": self._clock.now()}
        [noted] = await self._postgres.fetch(principal, sql_text("node/state_log_review"), parameters, row=int)
        return noted
