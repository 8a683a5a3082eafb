"""Says on a terminal that an answer is waited for: a Neo4j that has just been started plans its first queries for seconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.embedded import status
from engine.shell.session import Session

SILENCE = 2.0
"""Seconds that an answer may take before anything is said."""
PLANNING = 120.0
"""Seconds after the start of Neo4j in which most queries are still new to it."""


@asynccontextmanager
async def waiting(here: Session) -> AsyncIterator[None]:
    """From the third second on a line on a terminal's stderr, which goes with the answer."""
    saying = asyncio.create_task(_say(here)) if here.notes.is_terminal else None
    try:
        yield
    finally:
        if saying is not None:
            saying.cancel()
            await asyncio.wait([saying])


async def _say(here: Session) -> None:
    await asyncio.sleep(SILENCE)
    servers = () if here.is_managed else status(here.settings.home).servers
    young = any(one.name == "neo4j" and one.uptime < PLANNING for one in servers)
    why = ": Neo4j has just been started and plans its first queries" if young else ""
    with here.notes.status(f"Waiting for the answer{why}…"):
        await asyncio.Event().wait()
