"""Ingest sessions: the input and its results, readable during the run and afterwards.

A session's counts and ids are written in the transactions of its commits, so after a crash they match what is stored.
A repeated ingest with the same key continues its session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4, uuid5

from psycopg.types.json import Jsonb

from engine.domain.clock import Clock
from engine.domain.ingest import IngestedSource, IngestSession, IngestState
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.domain.record import Skipped
from engine.errors import NotFound
from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_text

MOST_LISTED = 1000
"""Skipped sources of one session that are listed; the rest is counted."""
STORED_ALREADY = "Stored already."


class Sessions:
    """The sessions of graphs. All raise StoreUnavailable."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def begin(self, principal: Principal, key: str | None, came: Mapping[str, int]) -> UUID:
        """The id of a new session, or of this principal's session with that key. `came`: sources, turns, files."""
        own_key = principal.own_key(key) if key else None
        session_id = uuid5(principal.user_id, f"ingest {own_key}") if own_key else uuid4()
        parameters = {"session_id": session_id, "key": own_key, "came": Jsonb(dict(came)), "now": self._clock.now()}
        await self._postgres.change(principal, sql_text("ingest/begin"), parameters)
        return session_id

    async def note(
        self, connection: Connection, session_id: UUID, commit_id: UUID, counts: Mapping[str, int], sources: Sequence[Any]
    ) -> None:  # fmt: skip
        """Adds a commit, in its transaction. See `engine.note_ingested` for the contents of the last two."""
        parameters = {"session_id": session_id, "commit_id": commit_id, "now": self._clock.now()}
        parameters |= {"counts": Jsonb(dict(counts)), "sources": Jsonb(list(sources))}
        await connection.execute(sql_text("ingest/noted"), parameters)

    async def end(
        self, principal: Principal, session_id: UUID, state: IngestState, skipped: Sequence[Skipped], failure: str | None
    ) -> None:  # fmt: skip
        """Ends a session; its failed sources are written to the failure log in the same transaction."""
        listed = [one for one in skipped if one.reason != STORED_ALREADY][:MOST_LISTED]
        entries = [
            {
                "source_id": one.source_id[:500] or "?",
                "reason": one.reason,
                "cause": one.cause,
                "stage": one.stage,
                "reference": {"source_id": one.source_id, **one.reference},
            }
            for one in listed
        ]
        parameters = {
            "session_id": session_id,
            "state": state,
            "failure": failure,
            "skipped_count": len(skipped),
            "skipped": Jsonb(entries),
            "now": self._clock.now(),
        }
        await self._postgres.change(principal, sql_text("ingest/end"), parameters)

    async def page(
        self, principal: Principal, *, before: UUID | None = None, key: str | None = None, limit: int = 50
    ) -> tuple[IngestSession, ...]:
        """Sessions of the principal's own graph, newest first; `before` is the last of the page before."""
        check_page(limit)
        parameters = {"before": before, "key": key, "session_id": None, "limit": limit}
        rows = await self._postgres.fetch(principal, sql_text("ingest/sessions_page"), parameters)
        return tuple(IngestSession(**row) for row in rows)

    async def session(self, principal: Principal, session_id: UUID) -> IngestSession:
        """The present state of one session. Raises NotFound."""
        parameters = {"before": None, "key": None, "session_id": session_id, "limit": 1}
        rows = await self._postgres.fetch(principal, sql_text("ingest/sessions_page"), parameters)
        if not rows:
            raise NotFound
        return IngestSession(**rows[0])

    async def sources(
        self, principal: Principal, session_id: UUID, *, after: int = 0, limit: int = 100
    ) -> tuple[IngestedSource, ...]:
        """The result of each source, in order, one page; `after` is the last entry of the page before. Raises NotFound."""
        check_page(limit)
        await self.session(principal, session_id)
        parameters = {"session_id": session_id, "after": after, "limit": limit}
        rows = await self._postgres.fetch(principal, sql_text("ingest/sources_page"), parameters)
        lists = ("records", "superseded")
        return tuple(IngestedSource(**row | {name: tuple(row[name]) for name in lists}) for row in rows)
