"""Streamed conversations: turns are appended one by one and stored in pieces by the write path.

append   durable in Postgres, nothing else (see `appending`)
run      what is due by `engine.domain.stream`, of all conversations (see `pieces`); silent ones are ended
end      stores the rest, also where it is short
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.history import source_key
from engine.domain.ingest import PLAIN, Terms
from engine.domain.principal import Principal, PrincipalKind
from engine.domain.read_limits import check_page
from engine.domain.stream import Append, Appended, EndedStream, StreamState
from engine.errors import NeurigraphError
from engine.ingest.sources import StoredBatch
from engine.ingest.streams.appending import Appending, Hurry
from engine.ingest.streams.pieces import Pieces
from engine.privacy.redact import Redactor
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

PAGE = 100
RETRY_AFTER = timedelta(minutes=5)
"""Pause after which a conversation that could not be stored is retried."""


@dataclass(frozen=True, slots=True)
class StreamsReport:
    """The result of one run over all conversations; `failed` ones are retried later."""

    turns: int
    records: int
    ended: int
    failed: int


@dataclass(frozen=True, slots=True)
class _Due:
    user_id: UUID
    source_id: str
    principal_kind: PrincipalKind
    principal_id: UUID


class Streams:
    """Streamed conversations of all users."""

    def __init__(
        self, postgres: Postgres, appending: Appending, hurry: Hurry, pieces: Pieces, redactor: Redactor, clock: Clock
    ) -> None:
        self._postgres, self._appending, self._hurry, self._pieces = postgres, appending, hurry, pieces
        self._redactor, self._clock = redactor, clock

    async def append(self, principal: Principal, append: Append) -> Appended:
        """See `Appending.append`. Where many tokens wait, an early run of the job that stores is requested."""
        appended = await self._appending.append(principal, append)
        if appended.waiting_tokens >= self._pieces.limits.cuts.watch_from:
            self._hurry.soon()
        return appended

    async def close(self) -> None:
        await self._hurry.close()

    # looking ---------------------------------------------------------------------------------------------

    async def state(self, principal: Principal, conversation_id: str) -> StreamState:
        parameters = {"source_id": self._key(principal, conversation_id)}
        return only(await self._postgres.fetch(principal, sql_text("conversation/state"), parameters, row=StreamState))

    async def page(self, principal: Principal, *, after: str = "", limit: int = 100) -> tuple[StreamState, ...]:
        check_page(limit)
        parameters = {"after": after, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("conversation/page"), parameters, row=StreamState))

    # storing ---------------------------------------------------------------------------------------------

    async def end(self, principal: Principal, conversation_id: str, terms: Terms = PLAIN) -> EndedStream:
        """Stores the waiting turns, also where they are few. After a crash the job finishes it; repeating it changes nothing.

        Raises NotFound, Conflict (other turns were stored under this id), StoreUnavailable.
        """
        key = self._key(principal, conversation_id)
        await self._pieces.end(principal, key)
        stored = await self._pieces.store_due(principal, key, terms)
        records = tuple(record for one in stored for record in one.records)
        return EndedStream(await self.state(principal, conversation_id), sum(one.turns for one in stored), records)

    async def run(self) -> StreamsReport:
        """Stores the due turns of all users' conversations, and ends silent conversations. Raises StoreUnavailable."""
        turns = records = ended = failed = 0
        last = _Due(UUID(int=0), "", "user", UUID(int=0))
        while due := await self._due_page(last):
            for last in due:
                principal = Principal(last.principal_kind, last.principal_id, last.user_id)
                try:
                    over, stored = await self._look_after(principal, last.source_id)
                except NeurigraphError as error:
                    failed += 1
                    await self._note_failure(principal, last.source_id, error)
                    continue
                turns += sum(one.turns for one in stored)
                records += sum(len(one.records) for one in stored)
                ended += over
        return StreamsReport(turns, records, ended, failed)

    async def _due_page(self, after: _Due) -> list[_Due]:
        now, limits = self._clock.now(), self._pieces.limits
        parameters = {"silent": now - limits.silence, "watch_from": limits.cuts.watch_from, "now": now}
        parameters |= {"after_user": after.user_id, "after_source": after.source_id, "limit": PAGE}
        return await self._postgres.fetch_as_service(sql_text("conversation/due"), parameters, row=_Due)

    async def _look_after(self, principal: Principal, key: str) -> tuple[bool, list[StoredBatch]]:
        """Whether the conversation is over now, and what was stored of it."""
        state = (await self._pieces.end(principal, key, silent=True)).state
        stored = await self._pieces.store_due(principal, key)
        return state != "open", stored

    async def _note_failure(self, principal: Principal, key: str, error: NeurigraphError) -> None:
        retry_at = self._clock.now() + RETRY_AFTER
        parameters = {"source_id": key, "failure": error.detail, "retry_at": retry_at}
        await self._postgres.change(principal, sql_text("conversation/failed"), parameters)

    def _key(self, principal: Principal, conversation_id: str) -> str:
        return principal.own_key(source_key(self._redactor.identifier(conversation_id)))
