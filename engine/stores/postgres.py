"""Postgres: one pool for the service, one for requests of principals, and the only translation of its errors.

A request transaction is one network round trip: the principal and the statements go out in one pipeline, which
Postgres runs as one implicit transaction, committed at the pipeline's end or not at all. The principal is local
to the transaction, so a pooled connection cannot carry it over.

Every wait has a client-side timeout, too; see `limited`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, conninfo, errors, sql
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from engine.domain.principal import Principal
from engine.errors import (
    Archived,
    Conflict,
    DepthExceeded,
    EmbeddingsChanged,
    InvalidInput,
    MovedIntoItself,
    NameTaken,
    NeurigraphError,
    NodeOutdated,
    NotFound,
    SettingsError,
    StoreDamaged,
    StoreFailed,
    StoreFull,
    StoreTimeout,
    StoreUnavailable,
    WritingStopped,
)
from engine.stores.deadline import MARGIN, ending_within, remaining
from engine.stores.limited import SilentServer, limited
from engine.stores.room import noticing_full_disk
from engine.stores.statements import sql_text
from engine.turns import Turns, TurnTimeout

Connection = AsyncConnection[DictRow]
Parameters = dict[str, Any]

STORE = "metadata store"
OPENING = 15.0
"""Seconds that the first connection may take."""
LONGEST_PREPARATION, PREPARATION_PAUSE = 300.0, 0.2
"""Seconds that a process waits for another one that prepares the database, and between two attempts."""

STOPPED = "NG503"
"""SQLSTATE of the error that refuses writes while the stores' generations differ."""

TABLES_LOST = (NotFound, StoreDamaged)
"""Errors at a node whose tables, or whose rights on them, are missing."""
_OWN_STATES: dict[str, type[NeurigraphError]] = {
    "NG404": NotFound,
    "NG409": Conflict,
    "NG410": NameTaken,
    "NG411": EmbeddingsChanged,
    "NG422": DepthExceeded,
    "NG423": Archived,
    "NG424": MovedIntoItself,
    "NG426": NodeOutdated,
}
_TRANSLATIONS: tuple[tuple[type[BaseException], type[NeurigraphError]], ...] = (
    (errors.QueryCanceled, StoreTimeout),
    (SilentServer, StoreTimeout),
    (errors.DiskFull, StoreFull),
    (errors.OutOfMemory, StoreFull),
    (errors.InsufficientPrivilege, NotFound),
    (errors.UndefinedTable, StoreDamaged),
    (errors.UndefinedColumn, StoreDamaged),
    (errors.UndefinedFunction, StoreDamaged),
    (errors.UndefinedFile, StoreDamaged),
    (errors.InvalidSchemaName, StoreDamaged),
    (errors.DataCorrupted, StoreDamaged),
    (errors.IndexCorrupted, StoreDamaged),
    (errors.InternalError_, StoreDamaged),
    (errors.UniqueViolation, Conflict),
    (errors.ForeignKeyViolation, NotFound),
    (errors.SerializationFailure, Conflict),
    (errors.DeadlockDetected, Conflict),
    (errors.DataError, InvalidInput),
    (PoolTimeout, StoreUnavailable),
    (TurnTimeout, StoreUnavailable),
    (psycopg.OperationalError, StoreUnavailable),
    (psycopg.InterfaceError, StoreUnavailable),
)


def translated(error: BaseException) -> NeurigraphError | None:
    """The engine's error for a driver's error; None where it is a bug of the engine.

    A database's own message never reaches a caller: it could reveal what exists.
    """
    state = getattr(error, "sqlstate", None)
    found = _OWN_STATES.get(state or "")
    if found is None:
        found = next((ours for driver_error, ours in _TRANSLATIONS if isinstance(error, driver_error)), None)
    if state == STOPPED:  # the only message of the database that callers see: the engine wrote it
        diagnostics = getattr(error, "diag", None)
        return WritingStopped(STORE, diagnostics.message_primary if diagnostics else None)
    if found is None:
        return None
    return found(STORE) if issubclass(found, StoreUnavailable | StoreFailed) else found()


@contextmanager
def translating() -> Iterator[None]:
    """Translates the driver's errors inside the block into the engine's."""
    try:
        yield
    except (psycopg.Error, PoolTimeout, TurnTimeout) as error:
        ours = translated(error)
        if ours is None:
            raise
        raise ours from error


def encrypted(url: str, authority: Path | None) -> str:
    """The URL with TLS required and verified, by the authority and for the host name; raises SettingsError."""
    if authority is None:
        return url
    mode = conninfo.conninfo_to_dict(url).get("sslmode", "verify-full")
    if mode != "verify-full":
        raise SettingsError(f"NEURIGRAPH_POSTGRES_CA means sslmode=verify-full; the URL says sslmode={mode}.")
    # Kerberos would be tried before TLS, without the certificate
    return conninfo.make_conninfo(url, sslmode="verify-full", sslrootcert=str(authority), gssencmode="disable")


async def _first(connection: Connection, name: str) -> DictRow:
    row = await (await connection.execute(sql_text(name))).fetchone()
    assert row is not None
    return row


async def _prepare(connection: Connection) -> None:
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
        self._turns = Turns(size, each=max(2, size * 3 // 4))  # of the connections for requests
        self.service = self._pool(service_url, options, max(2, size // 2))
        self.request = self._pool(request_url, options, size)

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
                while not (await _first(connection, "schema/preparation_try"))["taken"]:
                    if monotonic() > end:
                        raise StoreTimeout(STORE)
                    await asyncio.sleep(PREPARATION_PAUSE)
                try:
                    yield
                finally:
                    with suppress(psycopg.Error):  # a lost connection has released the lock
                        await _first(connection, "schema/preparation_end")

    async def open_request(self) -> None:
        """Opens the pool of the request role, which the migrations create; raises StoreUnavailable."""
        with translating():
            await self._open(self.request)

    async def _open(self, pool: AsyncConnectionPool[Connection]) -> None:
        await pool.open(wait=True, timeout=OPENING)
        # The pauses between attempts to connect double; after an outage a request must not wait for the next one.
        pool.reconnect_timeout = self._waits

    async def close(self) -> None:
        """Closes both pools."""
        await self.request.close()
        await self.service.close()

    @asynccontextmanager
    async def as_principal(self, principal: Principal) -> AsyncIterator[Connection]:
        """A transaction of the request role for a principal, in one round trip unless a result is fetched inside.

        After any error the connection is closed and the pool makes another: the end of a pipeline would commit what
        the block had sent before it failed, and the driver would count statements as prepared that the server skipped.
        """
        with noticing_full_disk(STORE, self._data), translating():
            turn = self._turns.turn(remaining(self._waits))
            async with turn, self.request.connection(remaining(self._waits)) as connection:
                try:
                    async with connection.pipeline():
                        who = {"kind": principal.kind, "id": str(principal.principal_id)}
                        await connection.execute(sql_text("access/principal_set"), who)
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

    async def _part_with(self, connection: Connection) -> None:
        """Closes a failed connection; where the server itself was lost, checks all others before they are used."""
        lost = connection.broken
        await connection.close()
        if lost:
            await asyncio.gather(self.request.check(), self.service.check())

    async def fetch(self, principal: Principal, query: sql.SQL | sql.Composed, parameters: Parameters) -> list[DictRow]:
        """One reading statement for a principal, its rows; one round trip.

        A connection that a server restart broke is noticed only in use; then the pool is checked and the
        statement, which only reads, is retried once.
        """
        with ending_within(self.limit):
            try:
                return await self._fetch(principal, query, parameters)
            except StoreUnavailable as error:
                if isinstance(error, StoreTimeout | StoreFull | WritingStopped) or isinstance(
                    error.__cause__, PoolTimeout
                ):
                    raise
                await self.request.check()
                return await self._fetch(principal, query, parameters)

    async def change(self, principal: Principal, query: sql.SQL | sql.Composed, parameters: Parameters) -> None:
        """One writing statement for a principal; one round trip, never retried."""
        async with self.as_principal(principal) as connection:
            await connection.execute(query, parameters)

    async def _fetch(
        self, principal: Principal, query: sql.SQL | sql.Composed, parameters: Parameters
    ) -> list[DictRow]:
        async with self.as_principal(principal) as connection:
            cursor = await connection.execute(query, parameters)
        return await cursor.fetchall()
