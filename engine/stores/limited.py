"""Connections to Postgres: rows of a class, and a client-side timeout, since a stopped server does not enforce its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import psycopg
from psycopg import AsyncConnection, AsyncCursor, errors, sql
from psycopg.abc import PQGen
from psycopg.rows import RowMaker, no_result

from engine.stores.limits import MARGIN, remaining
from engine.stores.rows import R, RowMismatch, row_maker

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
        except errors._WaitTimeout as error:
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
