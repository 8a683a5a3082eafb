"""The protocol over stdin and stdout, for one user. It answers before the stores are up; a tool call waits for them, and
opens them again where they could not be opened before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import anyio
from mcp import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from api.mcp.server import Context, MemoryOf, refused, server
from engine.memory import Memory

Opening = Callable[[], AbstractAsyncContextManager[Memory]]


async def serve(opening: Opening) -> None:
    """Until stdin ends. While it runs, whatever else is printed goes to stderr."""
    held = _Held(opening)
    serving = asyncio.create_task(_served(held.memory_of))
    try:
        # Where the stores cannot be opened, it goes on: the assistant reads why, and few clients show what a process printed.
        await asyncio.wait({serving})
    finally:
        await held.end()
    serving.result()
    held.check()


class _Held:
    """The memory, open in a task of its own."""

    def __init__(self, opening: Opening) -> None:
        self._opening, self._ended = opening, asyncio.Event()
        self._begin()

    def _begin(self) -> None:
        self._opened: asyncio.Future[Memory] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(self._opened))

    async def _hold(self, opened: asyncio.Future[Memory]) -> None:
        try:
            async with self._opening() as memory:
                opened.set_result(memory)
                await self._ended.wait()
        except Exception as error:
            if not opened.done():
                opened.set_exception(error)
                opened.exception()  # no call may have asked for it yet
            raise

    async def memory_of(self, _: Context) -> Memory:
        """The memory, when it is open. Raises why it could not be opened; the next call tries again."""
        if self._task.done() and self._task.exception():
            self._begin()
        return await asyncio.shield(self._opened)

    async def end(self) -> None:
        """Closes the memory, or ends its opening."""
        self._ended.set()
        if not self._opened.done():
            self._task.cancel()
        await asyncio.wait({self._task})

    def check(self) -> None:
        """Raises what went wrong when it was opened last."""
        if not self._task.cancelled():
            self._task.result()


async def _served(memory_of: MemoryOf) -> None:
    protocol = server(memory_of)
    async with stdio_server() as (read, write):
        said, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def read_on() -> None:
            async with said:
                async for message in read:
                    if isinstance(message, ValidationError) and (refusal := refused(message)) is not None:
                        await write.send(SessionMessage(refusal))
                    else:
                        await said.send(message)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read_on)
            await protocol.run(heard, write, protocol.create_initialization_options())
            tasks.cancel_scope.cancel()
