"""Postgres: one pool for the service, one for requests of principals; rows are values of a class.

A request transaction is one network round trip: the principal and the statements go out in one pipeline, which
Postgres runs as one implicit transaction, committed at the pipeline's end or not at all. The principal is local
to the transaction, so a pooled connection cannot carry it over.

Every wait has a client-side timeout, too; see `limited`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg.rows import dict_row
from psycopg.types.json import Json as Json
from psycopg.types.json import Jsonb as Jsonb
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from engine.domain.principal import Principal
from engine.errors import StoreFull, StoreTimeout, StoreUnavailable, WritingStopped
from engine.stores.limited import STORE, limited, translating
from engine.stores.limited import Connection as Connection
from engine.stores.limited import Parameters as Parameters
from engine.stores.limited import Statement as Statement
from engine.stores.limits import MARGIN, ending_within, noticing_full_disk, remaining
from engine.stores.rows import TIME_TYPE, NearestLoader, R, json_text
from engine.stores.statements import sql_text
from engine.turns import Turns

OPENING = 15.0
"""Seconds that the first connection may take."""
LONGEST_PREPARATION, PREPARATION_PAUSE = 300.0, 0.2
"""Seconds that a process waits for another one that prepares the database, and between two attempts."""


def json_rows(rows: Iterable[Mapping[str, Any]]) -> Jsonb:
    """Rows as one parameter, for `jsonb_to_recordset`: one statement for all. Bytes as hex digits, ids and times as text."""
    return Jsonb(list(rows), dumps=json_text)


async def _prepare(connection: Connection) -> None:
    connection.adapters.register_loader(TIME_TYPE, NearestLoader)
    with suppress(psycopg.ProgrammingError):  # no vector types: the check of the roles reports it
        await register_vector_async(connection)


class Postgres:
    """The pools. `service` owns the schemas; `request` is the unprivileged role that serves principals."""

    def __init__(
        self,
        service_url: str,
        request_url: str,
        *,
        size: int,
        statement_timeout: float,
        connect_timeout: float,
        data: Path | None = None,
    ) -> None:
        options = {
            "autocommit": True,
            "row_factory": dict_row,
            "connect_timeout": max(2, round(connect_timeout)),
            "options": f"-c statement_timeout={round(statement_timeout * 1000)} -c idle_in_transaction_session_timeout=60000"
            " -c timezone=UTC",
            "keepalives_idle": 30,
        }
        self._data = data  # the server's data folder, if on this machine
        self.limit, self._waits = statement_timeout + MARGIN, connect_timeout
        service = max(2, size // 3)
        requests = max(1, size - service)
        self._turns = Turns(requests, each=max(2, requests * 3 // 4))
        self.service = self._pool(service_url, options, service)
        self.request = self._pool(request_url, options, requests)

    def _pool(self, url: str, options: dict[str, Any], size: int) -> AsyncConnectionPool[Connection]:
        return AsyncConnectionPool(
            url,
            connection_class=limited(self.limit),
            kwargs=options,
            min_size=1,
            max_size=size,
            open=False,
            configure=_prepare,
            timeout=self._waits,
            max_lifetime=1800,  # a connection's caches grow with every node it has seen
        )

    async def open_service(self) -> None:
        """Opens the service's pool; raises StoreUnavailable when it cannot connect."""
        with translating():
            await self._open(self.service)

    @asynccontextmanager
    async def preparing(self) -> AsyncIterator[None]:
        """Holds the lock for preparing this database; waits for a process that has it.

        A session lock: preparing takes several transactions, and other stores. Raises StoreTimeout.
        """
        with translating():
            async with self.service.connection() as connection:
                end = monotonic() + LONGEST_PREPARATION
                while not any(await connection.fetch(sql_text("schema/preparation_try"), row=bool)):
                    if monotonic() > end:
                        raise StoreTimeout(STORE)
                    await asyncio.sleep(PREPARATION_PAUSE)
                try:
                    yield
                finally:
                    with suppress(psycopg.Error):  # a lost connection has released the lock
                        await connection.execute(sql_text("schema/preparation_end"))

    async def open_request(self) -> None:
        """Opens the pool of the request role, which the migrations create; raises StoreUnavailable."""
        with translating():
            await self._open(self.request)

    async def _open(self, pool: AsyncConnectionPool[Connection]) -> None:
        try:
            await pool.open(wait=True, timeout=OPENING)
        except PoolTimeout:  # it does not say why; a connection by itself does
            await (await pool.connection_class.connect(str(pool.conninfo), connect_timeout=2)).close()
            raise
        # The pauses between attempts to connect double; after an outage a request must not wait for the next one.
        pool.reconnect_timeout = self._waits

    async def close(self) -> None:
        await self.request.close()
        await self.service.close()

    @asynccontextmanager
    async def as_principal(self, principal: Principal, *, writes: bool = True) -> AsyncIterator[Connection]:
        """A transaction of the request role for a principal, in one round trip unless a result is fetched inside.

        Where it `writes`, it first waits for a step of a forgetting of the user, and the next step waits for its end; else
        Postgres refuses it any write.
        After any error the connection is closed and the pool makes another: the end of a pipeline would commit what
        the block had sent before it failed, and the driver would count statements as prepared that the server skipped.
        """
        with noticing_full_disk(STORE, self._data), translating():
            turn = self._turns.turn(remaining(self._waits))
            async with turn, self.request.connection(remaining(self._waits)) as connection:
                try:
                    async with connection.pipeline():
                        who = {"kind": principal.kind, "id": str(principal.principal_id), "user_id": principal.user_id}
                        await connection.execute(sql_text("access/writer_set" if writes else "access/reader_set"), who)
                        try:
                            yield connection
                        except BaseException:
                            await connection.close()
                            raise
                except psycopg.Error:
                    await self._part_with(connection)
                    raise

    @asynccontextmanager
    async def as_service(self) -> AsyncIterator[Connection]:
        """A transaction of the service, which sees all users: migrations, recovery, jobs; never requests."""
        with noticing_full_disk(STORE, self._data), translating():
            async with self.service.connection(remaining(self._waits)) as connection:
                try:
                    async with connection.transaction():
                        yield connection
                except psycopg.OperationalError:
                    await self._part_with(connection)
                    raise

    @asynccontextmanager
    async def alone(self, limit: float) -> AsyncIterator[Connection]:
        """A connection of the service without a transaction, for statements that take none; each may take so many seconds."""
        with noticing_full_disk(STORE, self._data), translating():
            async with self.service.connection(remaining(self._waits)) as connection:
                usual, connection.limit = connection.limit, limit
                try:
                    yield connection
                except BaseException:
                    await connection.close()  # with its lock and its settings
                    raise
                finally:
                    connection.limit = usual

    async def _part_with(self, connection: Connection) -> None:
        """Closes a failed connection; where the server itself was lost, checks all others before they are used."""
        lost = connection.broken
        await connection.close()
        if lost:
            with ending_within(self._waits):  # in all: a pool checks one after the other, and the server may hang
                await asyncio.gather(self.request.check(), self.service.check())

    async def fetch(
        self, principal: Principal, query: Statement, parameters: Parameters, *, row: type[R], writes: bool = False
    ) -> list[R]:
        """One statement for a principal, which reads, or `writes` what may come twice; its rows, of this class; one round trip.

        A connection that a server restart broke is noticed only in use; then the pool is checked and the
        statement is retried once.
        """
        with ending_within(self.limit):
            try:
                return await self._sent(principal, query, parameters, row=row, writes=writes)
            except StoreUnavailable as error:
                if isinstance(error, StoreTimeout | StoreFull | WritingStopped) or isinstance(
                    error.__cause__, PoolTimeout
                ):
                    raise
                await self.request.check()
                return await self._sent(principal, query, parameters, row=row, writes=writes)

    async def fetch_once(
        self, principal: Principal, query: Statement, parameters: Parameters, *, row: type[R]
    ) -> list[R]:
        """One writing statement for a principal, its rows, of this class; one round trip, never retried."""
        return await self._sent(principal, query, parameters, row=row, writes=True)

    async def _sent(
        self, principal: Principal, query: Statement, parameters: Parameters, *, row: type[R], writes: bool
    ) -> list[R]:
        async with self.as_principal(principal, writes=writes) as connection:
            cursor = await connection.send(query, parameters, row=row)
        return await cursor.fetchall()

    async def change(self, principal: Principal, query: Statement, parameters: Parameters) -> None:
        """One writing statement for a principal; one round trip, never retried."""
        async with self.as_principal(principal) as connection:
            await connection.execute(query, parameters)

    async def fetch_as_service(
        self, query: Statement, parameters: Parameters | None = None, *, row: type[R]
    ) -> list[R]:
        """One statement of the service in a transaction of its own, its rows, of this class."""
        async with self.as_service() as connection:
            return await connection.fetch(query, parameters, row=row)

    async def change_as_service(self, query: Statement, parameters: Parameters | None = None) -> None:
        """One statement of the service in a transaction of its own."""
        async with self.as_service() as connection:
            await connection.execute(query, parameters)
