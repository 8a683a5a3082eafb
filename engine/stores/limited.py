"""Connections to Postgres with a client-side timeout: a stopped server does not enforce its own `statement_timeout`."""

from __future__ import annotations

from typing import TypeVar

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.abc import PQGen
from psycopg.rows import DictRow

from engine.stores.deadline import MARGIN, remaining

Found = TypeVar("Found")


class SilentServer(psycopg.OperationalError):
    """The server did not answer within the client's timeout; the connection is closed."""


class LimitedConnection(AsyncConnection[DictRow]):
    """A connection that waits for its server no longer than `limit` seconds, nor beyond the operation's deadline."""

    limit = 30.0 + MARGIN

    async def wait(self, gen: PQGen[Found], interval: float = 0.1, timeout: float | None = None) -> Found:
        """Every wait of the driver for an answer. Raises SilentServer."""
        try:
            return await super().wait(gen, interval, remaining(self.limit) if timeout is None else timeout)
        except errors._WaitTimeout as error:
            if timeout is not None:
                raise  # the caller's own timeout, which it handles
            self.pgconn.finish()
            raise SilentServer("The server did not answer within the limit.") from error


def limited(seconds: float) -> type[LimitedConnection]:
    """The class of connections with this limit."""
    return type("LimitedConnection", (LimitedConnection,), {"limit": seconds})
