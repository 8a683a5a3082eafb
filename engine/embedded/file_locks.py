"""Locks between processes. They are released when their holder ends, also after a crash."""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

from engine.progress import Progress


class FileLock:
    """An exclusive lock on a file. The file stays; only the lock on it counts."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Try once; False when another process (or another object here) holds it."""
        descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def give_back(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def is_held(file: Path) -> bool:
    """Whether some process holds the lock at this moment."""
    if not file.exists():
        return False
    probe = FileLock(file)
    free = probe.take()
    probe.give_back()
    return not free


@asynccontextmanager
async def locked(file: Path, progress: Progress, waiting_for: str, patience: float = math.inf) -> AsyncIterator[bool]:
    """Hold the lock; while another process has it, a progress task named `waiting_for` is shown. Whether it is held: not where
    the other one has it for more than `patience` seconds."""
    lock, end = FileLock(file), monotonic() + patience
    held = lock.take()
    if not held:
        progress.start(waiting_for, None)
        while not held and monotonic() < end:
            await asyncio.sleep(0.2)
            held = lock.take()
        progress.finish(waiting_for, "" if held else "not waited for any longer")
    try:
        yield held
    finally:
        lock.give_back()
