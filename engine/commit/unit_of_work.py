"""A write: one transaction in Postgres, then the graph's part of every commit that it accepted, then visibility.

    async with units.begin(principal) as unit:  # no step of a forgetting goes on beside it
        await unit.require(embeddings=…)
        …statements on unit.connection…
        await unit.accept(RecordsEntered(lines), …)

After the block the commits are applied in the graph and visible; an error inside the block leaves nothing. Errors of the graph's
part (StoreUnavailable, StoreFailed) are raised from the block's end, when Postgres has accepted the commits. Where one function
of the database holds all rules of a write, `units.call` is the whole unit, in one round trip.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from engine.commit.changes import GraphChange, Json, from_row, to_json
from engine.commit.outbox import Commit, Outbox, StoredCommit
from engine.domain.principal import Principal
from engine.stores.limited import Statement
from engine.stores.postgres import Connection, Parameters, Postgres
from engine.stores.rows import R, json_text
from engine.stores.statements import sql_text

Follow = Commit | UUID | None
"""What follows a transaction: a commit that it accepted, the id of one that another writer accepted before, or nothing."""


class UnitOfWork:
    """The transaction of a principal, and the commits to be finished after it."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        self.connection, self.principal = connection, principal
        self.follows: list[Follow] = []
        self.accepted = False
        """Whether Postgres has accepted it: then no error after it takes anything back."""

    async def require(self, *, embeddings: str = "", whole_past: bool = False) -> None:
        """What the write depends on, in one order for all writers.

        `embeddings`: the version that made the vectors stays the active one until the end (a shared lock).
        `whole_past`: this transaction reads what was before the principal's right began, because it writes the next slice of it.
        Raises EmbeddingsChanged; statements are sent together, so a later one may raise it.
        """
        if embeddings:
            await self.connection.execute(sql_text("embedding/required"), {"version": embeddings})
        if whole_past:
            await self.connection.execute(sql_text("access/past_whole"))

    async def accept(self, *changes: GraphChange, commit_id: UUID | None = None) -> UUID:
        """Writes the row of a commit; its changes are applied in the graph in this order and together. Returns its id."""
        commit = Commit(commit_id or uuid4(), [to_json(change) for change in changes])
        ids = {"commit_id": commit.commit_id, "user_id": self.principal.user_id}
        row = ids | {"changes": Jsonb(commit.changes, dumps=json_text)}
        await self.connection.execute(sql_text("commit/accept"), row)
        self.follows.append(commit)
        return commit.commit_id

    def follow(self, follow: Follow) -> None:
        """A commit whose row a function of the database has written, or found."""
        self.follows.append(follow)

    def postpone(self) -> list[UUID]:
        """Takes the commits accepted so far out of the unit and returns their ids: its caller finishes each by its id, and the
        graph's parts of as many commits as a user has records are not held in memory until then."""
        taken, self.follows = self.follows, []
        return [one.commit_id if isinstance(one, Commit) else one for one in taken if one]


class UnitsOfWork:
    """Begins writes of principals."""

    def __init__(self, postgres: Postgres, outbox: Outbox) -> None:
        self.postgres, self.outbox = postgres, outbox

    @asynccontextmanager
    async def begin(self, principal: Principal, *, by_service: bool = False) -> AsyncIterator[UnitOfWork]:
        """A transaction; what follows it is done after it, in the order in which it was accepted.

        `by_service`: the transaction of a user who does not exist yet. Raises CommitSetAside, StoreUnavailable, StoreFailed;
        where Postgres has accepted a commit, recovery finishes it.
        """
        transaction = self.postgres.as_service() if by_service else self.postgres.as_principal(principal)
        async with transaction as connection:
            if by_service:
                await connection.execute(sql_text("commit/hold_writes"), {"user_id": principal.user_id})
            unit = UnitOfWork(connection, principal)
            yield unit
        unit.accepted = True
        await self._finish(principal, unit.follows)

    async def call(
        self, principal: Principal, statement: Statement, parameters: Parameters, row: type[R], follow: Callable[[R], Follow]
    ) -> R:  # fmt: skip
        """A write by one function of the database, whose row `follow` reads; returns that row. Raises the same as `begin`."""
        [made] = await self.postgres.fetch(principal, statement, parameters, row=row, writes=True)
        await self._finish(principal, [follow(made)])
        return made

    async def done_before(self, principal: Principal, commit_id: UUID) -> Sequence[Json] | None:
        """The graph's changes of a commit that an earlier attempt of a request made, whose answer was lost; None where there is
        none. It is finished now where it was not."""
        parameters = {"user_id": principal.user_id, "commit_id": commit_id}
        found = await self.postgres.fetch_as_service(sql_text("commit/payload"), parameters, row=StoredCommit)
        if not found:
            return None
        await self.outbox.await_commit(commit_id)
        return from_row(found[0].kind, found[0].payload)

    async def _finish(self, principal: Principal, follows: Sequence[Follow]) -> None:
        for one in follows:
            if isinstance(one, Commit):
                await self.outbox.carry_out(principal, one)
            elif one is not None:
                await self.outbox.await_commit(one)
