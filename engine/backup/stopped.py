"""Stops the servers of a home and keeps them stopped while their files are changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from engine.backup.parts import whole
from engine.embedded import stop
from engine.embedded.file_locks import FileLock
from engine.embedded.layout import Home
from engine.errors import BackupError

ATTEMPTS = 20


@asynccontextmanager
async def servers_stopped(home: Path) -> AsyncIterator[None]:
    """Neither server runs meanwhile, and none can be started: processes that use them wait, and their requests fail."""
    lock = FileLock(Home(whole(home)).lock)
    for _ in range(ATTEMPTS):
        await stop(home)
        if lock.take():  # else a process that uses them was faster and is restarting them
            break
        await asyncio.sleep(0.2)
    else:
        raise BackupError(f"Another process restarts the servers of {home}; end it first.")
    try:
        yield
    finally:
        lock.give_back()
