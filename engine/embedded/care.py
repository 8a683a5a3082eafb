"""Keeps one server alive: brings it up, brings it back after a crash, ends it."""

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
"""Seconds between two looks at the room on the disk."""
PAUSES = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each attempt to bring a crashed server back; after the last one fails, nobody tries any more."""
STABLE = 60.0
"""A server that lived this long (seconds) has earned a fresh series of attempts."""


class Server(Protocol):
    """What Neo4j and Postgres have in common here."""

    async def initialise(self) -> None:
        """Prepare the folder; harmless when it is prepared."""

    async def start(self) -> asyncio.subprocess.Process:
        """Start the process."""

    async def wait(self, process: asyncio.subprocess.Process) -> None:
        """Return when it answers."""

    async def works(self) -> bool:
        """False where it runs but has given up: it needs a restart."""

    async def stop(self, process: asyncio.subprocess.Process) -> None:
        """End it cleanly."""


class Care:
    """The life of one server. `changed` is called whenever its process is another one; `room` says whether its disk has room."""

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
        """Let another configuration of the same server take over its place."""
        async with self._turn:
            if self._process:
                await self._server.stop(self._process)
            self._server = server
            await self._start()

    async def heal(self) -> None:
        """Start a server again that runs but has given up. Raises StackError."""
        async with self._turn:
            if self._process and self._process.returncode is None and not await self._server.works():
                print(f"{self.name} has given up and is started again", file=sys.stderr)
                await self._server.stop(self._process)
                await self._start()

    async def end(self) -> None:
        """Stop the server and do not bring it back."""
        self._ending = True
        if self._process:
            await self._server.stop(self._process)

    async def watch(self) -> None:
        """Bring the server back whenever it ends unasked. Raises StackError when that does not help."""
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
                    print(
                        f"{self.name} ended with {code} after {time.monotonic() - since:.0f} s",
                        file=sys.stderr,
                    )
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
