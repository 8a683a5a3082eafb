"""Supervises one server: starts it, restarts it after a crash, ends it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Protocol

from engine.embedded.processes import identity_of
from engine.embedded.reach import Running
from engine.errors import StackError
from engine.progress import Progress

ROOM_LOOK = 2.0
"""Seconds between two checks of the free space on the disk."""
PAUSES = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each attempt to restart a crashed server; after the last one fails, there are no more retries."""
STABLE = 60.0
"""A server that ran this long (seconds) gets a new series of attempts."""


class Server(Protocol):
    """The common interface of the Neo4j and Postgres servers."""

    async def initialise(self) -> None:
        """Prepare the folder; harmless when it is prepared."""

    async def start(self) -> asyncio.subprocess.Process:
        """Start the process."""

    async def wait(self, process: asyncio.subprocess.Process) -> None:
        """Return when the server answers."""

    async def works(self) -> bool:
        """False where it runs but does not work any more and needs a restart."""

    async def stop(self, process: asyncio.subprocess.Process) -> None:
        """End it cleanly."""


class Care:
    """Keeps one server running. `changed` is called whenever its process is another one; `room`: whether its disk has space."""

    def __init__(
        self, name: str, server: Server, port: int, changed: Callable[[], None], room: Callable[[], bool]
    ) -> None:
        self.name, self._server, self._port, self._changed, self._room = name, server, port, changed, room
        self._process: asyncio.subprocess.Process | None = None
        self.running: Running | None = None
        self._turn = asyncio.Lock()
        self._ending = False

    async def bring_up(self, progress: Progress) -> None:
        """First start. Raises StackError."""
        progress.start(self.name, None)
        async with self._turn:
            await self._start()
        progress.finish(self.name)

    async def replace(self, server: Server) -> None:
        """Restart the server with another configuration."""
        async with self._turn:
            if self._process:
                await self._server.stop(self._process)
            self._server = server
            await self._start()

    async def heal(self) -> None:
        """Restart a server that runs but does not work any more. Raises StackError."""
        async with self._turn:
            if self._process and self._process.returncode is None and not await self._server.works():
                print(f"{self.name} does not work any more and is restarted", file=sys.stderr)
                await self._server.stop(self._process)
                await self._start()

    async def end(self) -> None:
        """Stop the server and do not restart it."""
        self._ending = True
        if self._process:
            await self._server.stop(self._process)

    async def watch(self) -> None:
        """Restart the server whenever it ends unexpectedly. Raises StackError when that fails."""
        while True:
            process = self._process
            if process is None:
                return
            since = time.monotonic()
            code = await process.wait()
            async with self._turn:
                if self._ending:
                    return
                if process is self._process:
                    print(f"{self.name} ended with {code} after {time.monotonic() - since:.0f} s", file=sys.stderr)
                    await self._bring_back()

    async def _bring_back(self) -> None:
        for pause in PAUSES:
            await asyncio.sleep(pause)
            while not self._room() and not self._ending:  # noqa: ASYNC110 (it would end again: this is no attempt)
                await asyncio.sleep(ROOM_LOOK)
            if self._ending:
                return
            try:
                await self._start()
            except StackError as error:
                print(f"{self.name} did not come back: {error}", file=sys.stderr)
            else:
                return
        raise StackError(f"{self.name} keeps ending.")

    async def _start(self) -> None:
        try:
            await self._server.initialise()
            self._process = await self._server.start()
        except OSError as error:
            raise StackError(f"{self.name} could not be started: {error.strerror}.") from error
        identity = identity_of(self._process.pid)
        self.running = Running(self.name, identity, self._port) if identity else None
        self._changed()
        try:
            await self._server.wait(self._process)
        except BaseException:
            await self._server.stop(self._process)
            raise
