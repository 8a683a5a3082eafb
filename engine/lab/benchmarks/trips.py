"""Network round trips, counted by the drivers' own hooks: libpq's protocol trace and the log of Bolt messages."""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from engine.neurigraph import Engine
from engine.retrieval.touches import Touches

_BOLT_MESSAGE = re.compile(r"\[#(\w+)\].*?([CS]): [A-Z]")
_AWAITED = re.compile(rb"^[^\n]*\tF\t\d+\t(?:Sync|Query)\b", re.MULTILINE)
"""What a client sends before it waits for an answer."""


@dataclass(slots=True)
class Trips:
    """Round trips that were made inside the block, filled at its end."""

    postgres: int = 0
    neo4j: int = 0


class _BoltLog(logging.Handler):
    """Counts how often a connection turns from sending to receiving."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.trips = 0
        self._sending: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        match = _BOLT_MESSAGE.match(record.getMessage())
        if match is None:
            return
        connection, side = match.groups()
        if side == "C":
            self._sending.add(connection)
        elif connection in self._sending:
            self._sending.discard(connection)
            self.trips += 1


@asynccontextmanager
async def counted(engine: Engine) -> AsyncIterator[Trips]:
    """Counts the trips of user requests in the block; work must be sequential, so that no connection is opened.

    Slows both drivers down: do not measure time meanwhile. The service's own recovery, marks and access times are not counted.
    """
    trips, bolt, log = Trips(), _BoltLog(), logging.getLogger("neo4j.io")
    level, spreads, pool = log.level, log.propagate, engine.postgres.request
    with tempfile.TemporaryFile() as trace:
        async with AsyncExitStack() as stack:
            idle = pool.get_stats()["pool_available"]
            traced = [await stack.enter_async_context(pool.connection()) for _ in range(idle)]
            for connection in traced:
                connection.pgconn.trace(trace.fileno())
        # meanwhile no mark and no access times are written to the graph; before it starts, those under way end
        async with engine.installation.alone(), engine.parts[Touches].paused():
            log.addHandler(bolt)
            log.setLevel(logging.DEBUG)
            log.propagate = False
            try:
                yield trips
            finally:
                log.removeHandler(bolt)
                log.setLevel(level)
                log.propagate = spreads
                for connection in traced:
                    connection.pgconn.untrace()
        trace.seek(0)
        trips.postgres = len(_AWAITED.findall(trace.read()))
    trips.neo4j = bolt.trips
