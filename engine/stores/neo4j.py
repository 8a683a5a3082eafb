"""Neo4j: one driver, reads and idempotent writes, and the only translation of its errors.

A read is one auto-commit statement, one round trip. A write is one transaction of one statement that may be
repeated (everything is MERGE by id), so the driver's own retries are safe. Each has one deadline for connecting,
running and retrying: a stopped server never answers, not even with its own timeout.
"""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, LiteralString, TypeVar, overload

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    NotificationMinimumSeverity,
    Query,
    TrustCustomCAs,
)
from neo4j import exceptions as driver
from neo4j._exceptions import BoltSecurityError
from neo4j.vector import Vector as Vector

from engine import errors
from engine.stores.certificates import NO_AUTHORITY, certificate_refused
from engine.stores.limits import MARGIN, ending_within, noticing_full_disk, remaining
from engine.stores.rows import R, RowMismatch, held, row_maker

Result = tuple[Sequence[str], list[list[Any]]]
T = TypeVar("T")
Statements = Sequence[tuple[LiteralString, dict[str, Any]]]
Complete = Callable[[Sequence[list[object]]], bool]
"""Whether the rows of all statements say that they are whole; of each row the only column."""

STORE = "graph store"
NO_ROOM = ("No space left on device", "OutOfDisk", "no space left")
"""Texts in the server's errors when its disk is full; there is no error code for it."""
NOT_UNIQUE = "ConstraintCreationFailed"
"""In the code of the error where a constraint cannot be made because two nodes have one key."""
STOPPED = "critical error, and needs to be restarted"
_PASSWORD = "refuses the user or the password of NEURIGRAPH_NEO4J_USER and NEURIGRAPH_NEO4J_PASSWORD"
_REFUSED = {
    "Security.Unauthorized": _PASSWORD,
    "Security.AuthenticationRateLimit": f"{_PASSWORD}, and after too many attempts any for some seconds",
    "Database.DatabaseNotFound": "has no database of the name in NEURIGRAPH_NEO4J_DATABASE",
}
"""By the code of a server that lets nobody in: what is said of it."""
_NO_TLS = (
    "ends connections that ask for TLS, as the +s of NEURIGRAPH_NEO4J_URL or NEURIGRAPH_NEO4J_CA has them: at this address it,"
    " or what stands before it, speaks none"
)
LONGEST_END = 5.0
"""Timeout for closing the connections, in seconds."""
STREAMED = 500
"""Rows of a stream that are in memory at once."""
WRITE_ATTEMPTS = 8
"""Attempts of a write: on a deadlock of two writers the server ends one, which retries after growing pauses."""


def translated(error: BaseException) -> errors.NeurigraphError | None:
    """The engine's error for a driver's error; None where it is a bug of the engine."""
    barred = _REFUSED.get((getattr(error, "code", None) or "").removeprefix("Neo.ClientError."))
    if barred or certificate_refused(error):
        return errors.StoreUnavailable(STORE, f"The {STORE} {barred or f'{NO_AUTHORITY}; see NEURIGRAPH_NEO4J_CA'}.")
    if _without_tls(error):
        return errors.StoreUnavailable(STORE, f"The {STORE} {_NO_TLS}.")
    if isinstance(error, driver.ConstraintError) or NOT_UNIQUE in (getattr(error, "code", None) or ""):
        return errors.Conflict()
    if isinstance(error, driver.Neo4jError) and any(words in f"{error.code} {error.message}" for words in NO_ROOM):
        return errors.StoreFull(STORE)
    if isinstance(error, driver.ClientError) and not isinstance(error, driver.AuthError):
        code = error.code or ""
        if "Timeout" in code or "TransactionTimedOut" in code:
            return errors.StoreTimeout(STORE)
        if "Database" in code or "Transaction" in code:
            return errors.StoreUnavailable(STORE)
        refused = errors.StoreFailed(STORE, f"The {STORE} refused a statement ({code}).")
        return errors.InvalidInput() if "Argument" in code else refused
    if isinstance(error, driver.Neo4jError) and STOPPED in (error.message or ""):
        return errors.StoreUnavailable(
            STORE, "The graph store stopped after an error that its log names, such as a full disk; it needs a restart."
        )
    if isinstance(error, driver.TransientError | driver.DriverError | driver.Neo4jError):
        return errors.StoreUnavailable(STORE)
    return None


def _without_tls(error: BaseException) -> bool:
    """Whether the server answers TLS with something else or ends the connection. One that does not answer at all may speak it."""
    cause = error.__cause__
    return isinstance(cause, BoltSecurityError) and isinstance(cause.__cause__, ssl.SSLError | ConnectionResetError)


class _Unprinted(list[Any]):
    """A parameter of which no text is made. The driver (6.4) makes one of all parameters of each statement for its log, also
    where nothing is logged, and of a vector that takes twenty times as long as what is sent."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} values>"


def _unprinted(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: _Unprinted(value) if isinstance(value, list) else value for name, value in parameters.items()}


@contextmanager
def translating() -> Iterator[None]:
    """Translates the driver's errors inside the block into the engine's."""
    try:
        yield
    except (driver.Neo4jError, driver.DriverError, OSError) as error:
        ours = errors.StoreUnavailable(STORE) if isinstance(error, OSError) else translated(error)
        if ours is None:
            raise
        raise ours from error
    except UnicodeEncodeError as error:
        raise errors.InvalidInput("A text holds half a surrogate pair.") from error


@asynccontextmanager
async def _ending(limit: float) -> AsyncIterator[None]:
    """Raises StoreTimeout when the block exceeds the limit or the operation's deadline."""
    with ending_within(limit):
        try:
            async with asyncio.timeout(remaining(limit)):
                yield
        except TimeoutError as error:
            raise errors.StoreTimeout(STORE) from error


def _encrypted(url: str, authority: Path | None) -> tuple[str, dict[str, Any]]:
    """The URL and the driver's options for TLS: a certificate of the authority, valid for the host name.

    The driver takes a custom authority only with the plain schemes; `+s` becomes an option.
    """
    if authority is None:
        return url, {}
    scheme, separator, place = url.partition("://")
    if scheme.endswith("+ssc"):
        raise errors.SettingsError(
            f"NEURIGRAPH_NEO4J_CA does not go with {scheme}://, which takes any certificate; use +s."
        )
    options = {"encrypted": True, "trusted_certificates": TrustCustomCAs(str(authority))}
    return scheme.removesuffix("+s") + separator + place, options


class Neo4j:
    """The driver, for reads and for idempotent writes."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        url: str,
        auth: tuple[str, str],
        *,
        database: str,
        pool: int,
        timeout: float,
        connect_timeout: float,
        authority: Path | None = None,
        data: Path | None = None,
    ) -> None:
        url, encryption = _encrypted(url, authority)
        self._connected: Callable[[str], AsyncDriver] = lambda place: AsyncGraphDatabase.driver(
            place,
            auth=auth,
            **encryption,
            max_connection_pool_size=pool,
            connection_acquisition_timeout=timeout,
            connection_timeout=min(timeout, connect_timeout),
            max_transaction_retry_time=timeout,
            keep_alive=True,
            telemetry_disabled=True,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
        )
        self._url, self.driver = url, self._connected(url)
        self._database = database
        self._timeout, self.limit = timeout, timeout + MARGIN
        self._data = data  # the server's data folder, if on this machine
        self.interruptions = 0
        """How often a connection broke or was refused: a restarted server has lost its cached query plans."""
        self._rehearsals: dict[str, asyncio.Event] = {}

    async def open(self) -> None:
        """Checks that the server answers and accepts the password; raises StoreUnavailable."""
        async with _ending(self.limit):
            with translating():
                try:
                    await self.driver.verify_connectivity()
                # Where it asks for a route it does not say why; a connection by itself does.
                except driver.ServiceUnavailable:
                    if self._url.startswith("neo4j"):
                        async with self._connected(self._url.replace("neo4j", "bolt", 1)) as direct:
                            await direct.verify_connectivity()
                    raise

    async def close(self) -> None:
        """Closes all connections; does not wait for a server that does not answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_END):
                await self.driver.close()

    @overload
    async def read(self, statement: LiteralString, *, row: type[R], **parameters: Any) -> list[R]: ...
    @overload
    async def read(self, statement: LiteralString, **parameters: Any) -> list[object]: ...
    async def read(
        self, statement: LiteralString, *, row: type[R] | None = None, **parameters: Any
    ) -> list[R] | list[object]:
        """The rows of one reading statement, of this class, in one round trip; a dead pooled connection is replaced once.

        Raises StoreDamaged for a value that is not of the field's type, such as an id that is none. A write does not: it has
        happened by then, and StoreDamaged says of a write that it was refused.
        """
        result = await self.table(statement, **parameters)
        try:
            return _made(result, row, statement)
        except RowMismatch:  # a mistake in the statement is not damage
            raise
        except (AttributeError, TypeError, ValueError) as error:
            raise errors.StoreDamaged(STORE) from error

    async def table(self, statement: LiteralString, **parameters: Any) -> Result:
        """The names of the columns, also of no row, and the values of each row; else as `read`."""
        async with _ending(self.limit):
            try:
                return await self._run(statement, parameters, READ_ACCESS)
            except errors.StoreUnavailable as error:
                if isinstance(error, errors.StoreTimeout | errors.StoreFull):
                    raise
                return await self._run(statement, parameters, READ_ACCESS)

    @overload
    async def write(self, statement: LiteralString, *, row: type[R], **parameters: Any) -> list[R]: ...
    @overload
    async def write(self, statement: LiteralString, **parameters: Any) -> list[object]: ...
    async def write(
        self, statement: LiteralString, *, row: type[R] | None = None, **parameters: Any
    ) -> list[R] | list[object]:
        """One idempotent writing statement, its rows; retried once when the connection broke, and for some time after
        deadlocks with other writers."""
        async with _ending(self.limit):
            if rehearsal := self._rehearsals.get(statement):
                await rehearsal.wait()
            return _made(await self._retried(lambda: self._run(statement, parameters, WRITE_ACCESS)), row, statement)

    async def stream(self, statement: LiteralString, limit: float, **parameters: Any) -> AsyncIterator[list[list[Any]]]:
        """The rows of one reading statement, some at a time and never all in memory; `limit` seconds in all. Nothing is repeated:
        where the connection breaks the caller begins anew."""
        with translating(), self._counting():
            async with self.driver.session(
                database=self._database, default_access_mode=READ_ACCESS, fetch_size=STREAMED
            ) as session:
                result = await session.run(Query(statement, timeout=limit), parameters)
                while records := await result.fetch(STREAMED):
                    yield [held(record) for record in records]

    async def migrate(self, statement: LiteralString, limit: float) -> None:
        """One statement of a migration, which may go through the whole graph: `limit` seconds in place of the usual ones. Retried
        like a write."""
        async with _ending(limit + MARGIN):
            await self._retried(lambda: self._run(statement, {}, WRITE_ACCESS, limit))

    async def write_all(self, statements: Statements, complete: Complete) -> bool:
        """Several idempotent writing statements in one transaction, in order; retried like one. Returns what `complete` says
        of their rows: where it is False nothing is written, but by a single statement, which is one round trip."""
        if len(statements) == 1:
            [(statement, parameters)] = statements
            return complete([await self.write(statement, row=object, **parameters)])
        async with _ending(self.limit):
            return await self._retried(lambda: self._run_all(statements, complete))

    async def rehearse(self, statement: LiteralString, parameters: dict[str, Any], limit: float) -> None:
        """Has the server plan a writing statement, and takes back what it wrote. `limit` seconds in place of the usual ones: an
        attempt that is broken off begins to plan anew. A write of this statement waits for it, else the server would plan it
        twice, both times for longer."""
        rehearsal = self._rehearsals.setdefault(statement, asyncio.Event())
        try:
            async with _ending(limit + MARGIN):
                await self._run_all([(statement, parameters)], lambda rows: False, limit)
        finally:
            self._rehearsals.pop(statement, None)
            rehearsal.set()

    async def _retried(self, run: Callable[[], Awaitable[T]]) -> T:
        for attempt in range(1, WRITE_ATTEMPTS):
            try:
                return await run()
            except errors.StoreUnavailable as error:
                in_the_way = isinstance(error.__cause__, driver.TransientError)
                if isinstance(error, errors.StoreTimeout | errors.StoreFull) or (attempt > 1 and not in_the_way):
                    raise
                if in_the_way:
                    await asyncio.sleep(random.uniform(0, 0.02 * 2**attempt))
        return await run()

    @contextmanager
    def _counting(self) -> Iterator[None]:
        try:
            yield
        except (driver.ServiceUnavailable, driver.SessionExpired, OSError):
            self.interruptions += 1
            raise

    async def _run(
        self, statement: LiteralString, parameters: dict[str, Any], access: str, limit: float | None = None
    ) -> Result:
        with noticing_full_disk(STORE, self._data), translating(), self._counting():
            async with self.driver.session(
                database=self._database, default_access_mode=access, fetch_size=-1
            ) as session:
                result = await session.run(
                    Query(statement, timeout=max(0.001, remaining(limit or self._timeout))), _unprinted(parameters)
                )
                return result.keys(), [held(record) async for record in result]

    async def _run_all(self, statements: Statements, complete: Complete, limit: float | None = None) -> bool:
        with noticing_full_disk(STORE, self._data), translating(), self._counting():
            async with self.driver.session(
                database=self._database, default_access_mode=WRITE_ACCESS, fetch_size=-1
            ) as session:
                timeout = max(0.001, remaining(limit or self._timeout))
                async with await session.begin_transaction(timeout=timeout) as transaction:
                    results = [
                        await transaction.run(statement, _unprinted(parameters)) for statement, parameters in statements
                    ]
                    whole = complete([await result.value() for result in results])
                    await (transaction.commit() if whole else transaction.rollback())
                    return whole


def _made(result: Result, row: type[R] | None, statement: str) -> list[R] | list[object]:
    keys, rows = result
    if row is None:
        return list[object](dict(zip(keys, values, strict=True)) for values in rows)
    make = row_maker(row, keys, statement)
    return [make(values) for values in rows]
