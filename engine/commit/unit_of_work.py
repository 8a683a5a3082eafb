"""A write: one transaction in Postgres, then the graph's part of every commit that it accepted, then visibility.

    async with work.begin(principal) as unit:
        await unit.require(embeddings=…, current=nodes)
        …statements on unit.connection…
        await unit.accept("records", payload)

After the block the commits are applied in the graph and visible; an error inside the block leaves nothing. Errors of the graph's
part (StoreUnavailable, StoreFailed) are raised from the block's end, when Postgres has accepted the commits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID, uuid4

from engine.commit.outbox import Commit, CommitKind, Outbox
from engine.commit.outdated import upgrade
from engine.domain.principal import Principal
from engine.errors import NodeOutdated
from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_text

T = TypeVar("T")


class UnitOfWork:
    """The transaction of a principal, and the commits to be finished after it."""

    def __init__(self, connection: Connection, principal: Principal, outbox: Outbox, *, keeps: bool = True) -> None:
        """`keeps`: the commits are kept to be finished after the transaction."""
        self.connection, self.principal = connection, principal
        self.commits: list[Commit] = []
        self._outbox, self._keeps = outbox, keeps

    async def require(self, *, embeddings: str = "", current: Sequence[UUID] = (), whole_past: bool = False) -> None:
        """What the write depends on, in one order for all writers.

        `embeddings`: the version that made the vectors stays the active one until the end (a shared lock).
        `current`: the tables of these nodes have the newest version.
        `whole_past`: this transaction reads what was before the principal's right began, because it writes the next slice of it.
        Raises EmbeddingsChanged, NodeOutdated; statements are sent together, so a later one may raise it.
        """
        if embeddings:
            await self.connection.execute(sql_text("embedding/required"), {"version": embeddings})
        if current:
            await self.connection.execute(sql_text("node/require_current"), {"nodes": list(current)})
        if whole_past:
            await self.connection.execute(sql_text("access/past_whole"))

    async def accept(self, kind: CommitKind, payload: Mapping[str, Any], commit_id: UUID | None = None) -> UUID:
        """Writes a commit's row in the outbox, with the graph's part; returns its id."""
        commit = Commit(commit_id or uuid4(), kind, payload)
        await self._outbox.accept(self.connection, self.principal, commit)
        self._keep(commit)
        return commit.commit_id

    def accepted(self, kind: CommitKind, payload: Mapping[str, Any], commit_id: UUID) -> None:
        """A commit whose row a function of the database has written."""
        self._keep(Commit(commit_id, kind, payload))

    def _keep(self, commit: Commit) -> None:
        if self._keeps:
            self.commits.append(commit)


class UnitsOfWork:
    """Begins writes of principals."""

    def __init__(self, postgres: Postgres, outbox: Outbox) -> None:
        self._postgres, self._outbox = postgres, outbox

    @asynccontextmanager
    async def begin(self, principal: Principal) -> AsyncIterator[UnitOfWork]:
        """A transaction; its commits are applied in the graph after it, in the order in which they were accepted.

        Raises StoreUnavailable, StoreFailed; where Postgres has accepted a commit, recovery finishes it.
        """
        async with self._postgres.as_principal(principal) as connection:
            unit = UnitOfWork(connection, principal, self._outbox)
            yield unit
        for commit in unit.commits:
            await self._outbox.carry_out(principal, commit)

    @asynccontextmanager
    async def begin_unfinished(self, principal: Principal) -> AsyncIterator[UnitOfWork]:
        """A transaction of as many commits as a user has records: its caller finishes each by its id (`await_commit`)."""
        async with self._postgres.as_principal(principal) as connection:
            yield UnitOfWork(connection, principal, self._outbox, keeps=False)

    async def await_commit(self, commit_id: UUID) -> None:
        """Returns when the commit is visible. Raises CommitSetAside, StoreUnavailable, StoreFailed."""
        await self._outbox.await_commit(commit_id)

    async def on_current(self, nodes: Sequence[UUID], write: Callable[[], Awaitable[T]]) -> T:
        """The result of a write that requires these nodes to be current; outdated ones are upgraded, and it is repeated."""
        try:
            return await write()
        except NodeOutdated:
            await upgrade(self._postgres, nodes)
            return await write()
