"""An engine that is opened in the background: a process that stays says at once that it lives, and waits for its stores.

    opening   a store does not answer yet, or is being prepared: `reason` says what is waited for
    warming   the engine answers; the statements of a search are being planned
    ready     the first search is as quick as the others; what else is asked is planned beside it, first for the first write

The embedded servers are held all the while: a server that recovers is not ended because an attempt was too early.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from time import monotonic

from engine.errors import NeurigraphError, StoreTimeout, StoreUnavailable
from engine.neurigraph import Engine
from engine.progress import Progress, Silent
from engine.settings import Settings
from engine.wiring.addresses import addresses_of
from engine.wiring.open_engine import open_engine
from engine.wiring.warming import warm_others, warm_patiently

log = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds between two attempts to open the engine."""
SAID_AGAIN = 60.0
"""Seconds after which the same reason is logged once more."""
LOOK = 0.5
"""Seconds between looks at whether the graph store was away."""


class Opening:
    """Opens an engine and keeps it open while `run` runs."""

    def __init__(
        self, settings: Settings, progress: Progress | None = None, warn: Callable[[str], None] = log.warning
    ) -> None:
        self._settings, self._progress, self._warn = settings, progress or Silent(), warn
        self._said = ("", 0.0)
        self.engine: Engine | None = None
        self.reason = "The stores are being started."
        self.ready = asyncio.Event()

    @classmethod
    def done(cls, engine: Engine) -> Opening:
        """The opening of an engine that its caller has opened and closes."""
        opening = cls(engine.settings)
        opening.engine, opening.reason = engine, ""
        opening.ready.set()
        return opening

    def opened(self) -> Engine:
        """The engine. Raises StoreUnavailable with the reason while it is being opened."""
        if self.engine is None:
            raise StoreUnavailable("engine", self.reason)
        return self.engine

    async def run(self) -> None:
        """Opens the engine, however long its stores take, and closes it when cancelled.

        Raises what no waiting mends: SettingsError, MigrationError, StackError.
        """
        async with AsyncExitStack() as lease:
            addresses = await addresses_of(self._settings, self._progress, lease)
            while True:
                try:
                    async with open_engine(
                        self._settings, progress=self._progress, worker=True, addresses=addresses, warming=False
                    ) as engine:
                        await self._serve(engine)
                except StoreUnavailable as error:
                    self._wait_for(error.detail)
                await asyncio.sleep(PAUSE)

    async def _serve(self, engine: Engine) -> None:
        """Until cancelled. Plans the search before it is ready, and again after each time that the graph store was away."""
        self.engine = engine
        prepared: int | None = None  # how often the graph store had been away when the search was planned
        try:
            while True:
                seen = engine.neo4j.interruptions
                if seen != prepared:
                    self.reason = "The search is being prepared."
                    others = asyncio.create_task(_quietly(warm_others(engine)))
                    try:
                        if await _warmed(engine):
                            prepared, self.reason = seen, ""
                            self.ready.set()
                            await others
                    finally:
                        others.cancel()
                        await asyncio.wait([others])
                await asyncio.sleep(LOOK)
        finally:
            self.engine = None
            self.ready.clear()

    def _wait_for(self, reason: str) -> None:
        self.reason = reason
        said, at = self._said
        if reason != said or monotonic() - at > SAID_AGAIN:
            self._said = (reason, monotonic())
            self._warn(f"Not ready yet, waiting: {reason}")


async def _quietly(work: Awaitable[None]) -> None:
    with suppress(NeurigraphError):  # met again by who asks
        await work


async def _warmed(engine: Engine) -> bool:
    """False while a store does not answer. Other failures meet a request, too, and are not waited for: a model service that
    is down, a statement's limit that is shorter than planning takes."""
    try:
        await warm_patiently(engine)
    except NeurigraphError as error:
        if isinstance(error, StoreUnavailable) and not isinstance(error, StoreTimeout):
            return False
        if isinstance(error, StoreTimeout) and not all(store.healthy for store in await engine.health()):
            return False
        log.warning("The first search may be slow: %s", error)
    return True
