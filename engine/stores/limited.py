"""Connections to Postgres: rows of a class, a client-side timeout, since a stopped server does not enforce its own, and the
errors of Postgres and of its driver in the engine's words; the only place where they are translated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import psycopg
from psycopg import AsyncConnection, AsyncCursor, sql
from psycopg import errors as driver
from psycopg.abc import PQGen
from psycopg.rows import RowMaker, no_result
from psycopg_pool import PoolTimeout

from engine import errors
from engine.stores.certificates import NO_AUTHORITY
from engine.stores.limits import MARGIN, remaining
from engine.stores.rows import R, RowMismatch, row_maker
from engine.turns import TurnTimeout

Parameters = dict[str, Any]
Statement = sql.SQL | sql.Composed
Found = TypeVar("Found")


class SilentServer(psycopg.OperationalError):
    """The server did not answer within the client's timeout; the connection is closed."""


class Connection(AsyncConnection[object]):
    """A connection that waits for its server no longer than `limit` seconds, nor beyond the operation's deadline.

    Rows are read by `send`, `fetch` and `first`; those of the driver's own `execute` are objects without fields.
    """

    limit = 30.0 + MARGIN

    async def send(self, statement: Statement, parameters: Parameters | None = None, *, row: type[R]) -> AsyncCursor[R]:
        """Sends a statement; its rows, of this class, can be fetched later: in a pipeline it does not wait for them."""

        def factory(cursor: AsyncCursor[Any]) -> RowMaker[R]:
            if cursor.description is None:
                return no_result
            try:
                return row_maker(row, (column.name for column in cursor.description), statement, native=True)
            except RowMismatch as error:
                return _refusing(error)  # when a row is read: an error here would break off a pipeline

        return await self.cursor(row_factory=factory).execute(statement, parameters)

    async def fetch(self, statement: Statement, parameters: Parameters | None = None, *, row: type[R]) -> list[R]:
        """The rows of one statement, of this class."""
        return await (await self.send(statement, parameters, row=row)).fetchall()

    async def first(self, statement: Statement, parameters: Parameters | None = None, *, row: type[R]) -> R | None:
        """The first row of one statement, of this class; None where there is none."""
        return await (await self.send(statement, parameters, row=row)).fetchone()

    async def wait(self, gen: PQGen[Found], interval: float = 0.1, timeout: float | None = None) -> Found:
        """Every wait of the driver for an answer. Raises SilentServer."""
        try:
            return await super().wait(gen, interval, remaining(self.limit) if timeout is None else timeout)
        except driver._WaitTimeout as error:
            if timeout is not None:
                raise  # the caller's own timeout, which it handles
            self.pgconn.finish()
            raise SilentServer("The server did not answer within the limit.") from error


def _refusing(error: RowMismatch) -> Callable[[Sequence[Any]], NoReturn]:
    def refuse(_: Sequence[Any]) -> NoReturn:
        raise error

    return refuse


def limited(seconds: float) -> type[Connection]:
    """The class of connections with this limit."""
    return type("Connection", (Connection,), {"limit": seconds})


STORE = "metadata store"
DriverError = psycopg.Error
RaisedError = driver.RaiseException
"""An error that a function of the database raised by itself."""

STOPPED = "NG503"
"""SQLSTATE of the error that refuses writes while the stores' generations differ."""

TABLES_LOST = (errors.NotFound, errors.StoreDamaged)
"""Errors at a node whose tables, or whose rights on them, are missing."""
_OWN_STATES: dict[str, type[errors.NeurigraphError]] = {
    "NG404": errors.NotFound,
    "NG409": errors.Conflict,
    "NG410": errors.NameTaken,
    "NG411": errors.EmbeddingsChanged,
    "NG422": errors.DepthExceeded,
    "NG423": errors.Archived,
    "NG424": errors.MovedIntoItself,
    "NG425": errors.Forgotten,
    "NG426": errors.OnHold,
}
_TRANSLATIONS: Mapping[type[errors.NeurigraphError], tuple[type[BaseException], ...]] = {
    errors.StoreTimeout: (driver.QueryCanceled, SilentServer),
    errors.StoreFull: (driver.DiskFull, driver.OutOfMemory),
    errors.NotFound: (driver.InsufficientPrivilege, driver.ForeignKeyViolation),
    errors.StoreDamaged: (
        driver.UndefinedTable, driver.UndefinedColumn, driver.UndefinedFunction, driver.UndefinedFile,
        driver.InvalidSchemaName, driver.DataCorrupted, driver.IndexCorrupted, driver.InternalError_,
    ),
    errors.Conflict: (driver.UniqueViolation, driver.SerializationFailure, driver.DeadlockDetected),
    errors.InvalidInput: (driver.DataError,),
    errors.StoreUnavailable: (PoolTimeout, TurnTimeout, psycopg.OperationalError, psycopg.InterfaceError),
}  # fmt: skip
"""The first that fits: several of these are operational errors, too."""


_AUTHORITY = f"{NO_AUTHORITY}; see NEURIGRAPH_POSTGRES_CA"
_NO_CONNECTION = "has no connection left: raise max_connections there, or lower NEURIGRAPH_POSTGRES_POOL"
_REFUSED: Mapping[str, str] = {
    "password authentication failed": "refuses the password in its URL, or has no such role, or one that has no password"
    " and may not log in; run `neurigraph prepare`",
    "does not exist": "has no such role or database as its URL names; `neurigraph prepare` makes the roles",
    "not permitted to log in": "does not let the role in its URL log in; run `neurigraph prepare`",
    "certificate verify failed": _AUTHORITY,
    "root certificate file": _AUTHORITY,
    "server does not support SSL": "does not encrypt its connections, as its URL or NEURIGRAPH_POSTGRES_CA asks",
    "no pg_hba.conf entry": "does not let this role connect from here, or only with TLS",
    "too many": _NO_CONNECTION,
    "remaining connection slots": _NO_CONNECTION,
}
"""By words of a server that refuses a connection, for which the driver has no codes: what is said instead, without a name."""


def _refused(error: psycopg.OperationalError) -> errors.StoreUnavailable:
    said = next((ours for theirs, ours in _REFUSED.items() if theirs in str(error)), None)
    return errors.StoreUnavailable(STORE, f"The {STORE} {said}." if said else None)


def translated(error: BaseException) -> errors.NeurigraphError | None:
    """The engine's error for a driver's error; None where it is a bug of the engine.

    A database's own message never reaches a caller: it could reveal what exists.
    """
    state = getattr(error, "sqlstate", None)
    found = _OWN_STATES.get(state or "")
    if found is None:
        found = next((ours for ours, theirs in _TRANSLATIONS.items() if isinstance(error, theirs)), None)
    if state == STOPPED:  # the only message of the database that callers see: the engine wrote it
        diagnostics = getattr(error, "diag", None)
        return errors.WritingStopped(STORE, diagnostics.message_primary if diagnostics else None)
    if found is None:
        return None
    if found is errors.StoreUnavailable and isinstance(error, psycopg.OperationalError):
        return _refused(error)
    return found(STORE) if issubclass(found, errors.StoreUnavailable | errors.StoreFailed) else found()


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
    except UnicodeEncodeError as error:  # the driver raises its own error only outside of arrays
        raise errors.InvalidInput("A text holds half a surrogate pair.") from error
