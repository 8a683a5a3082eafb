"""The protocol over stdin and stdout, for one user. It answers before the stores are up; a tool call waits for them."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager

from mcp import stdio_server

from api.mcp.server import Context, MemoryOf, server
from engine.memory import Memory


async def serve(opening: AbstractAsyncContextManager[Memory]) -> None:
    """Until stdin ends. While it runs, whatever else is printed goes to stderr."""
    opened: asyncio.Future[Memory] = asyncio.get_running_loop().create_future()
    ended = asyncio.Event()

    async def hold() -> None:
        try:
            async with opening as memory:
                opened.set_result(memory)
                await ended.wait()
        except Exception as error:
            if not opened.done():
                opened.set_exception(error)
                opened.exception()  # no call may have asked for it yet
            raise

    async def memory_of(_: Context) -> Memory:
        return await asyncio.shield(opened)

    holding = asyncio.create_task(hold())
    serving = asyncio.create_task(_served(memory_of))
    try:
        # Where the stores cannot be opened, it goes on: the assistant reads why, and few clients show what a process printed.
        await asyncio.wait({serving})
    finally:
        ended.set()
        if not opened.done():
            holding.cancel()
        await asyncio.wait({holding})
    serving.result()
    if not holding.cancelled():
        holding.result()


async def _served(memory_of: MemoryOf) -> None:
    protocol = server(memory_of)
    async with stdio_server() as (read, write):
        await protocol.run(read, write, protocol.create_initialization_options())
