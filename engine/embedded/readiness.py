"""Waiting for a server to answer, and the last words of its log when it did not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from engine.errors import StackError

STATEMENTS = Path(__file__).parent / "statements"
LONGEST_START = 600.0
"""Seconds; a big store that has crashed is recovered before it answers."""
NO_ROOM = "No space left on device"
_SAY_NOTHING = ("at ", "Run with '--verbose'")
"""Beginnings of lines after the one that says what is wrong: where Java was, and how its tools say more."""


async def until_answering(
    server: str,
    process: asyncio.subprocess.Process,
    address: tuple[str, int],
    answers: Callable[[], Awaitable[bool]],
    log: Path,
) -> None:
    """Return when `answers` is true. Raises StackError when the process ends or ten minutes have gone."""
    deadline = time.monotonic() + LONGEST_START
    while time.monotonic() < deadline:
        if process.returncode is not None:
            raise StackError(f"{server} ended while it started: {last_words(log)}")
        # The port first: failed attempts of drivers are expensive.
        if await listens(address) and await answers():
            return
        await asyncio.sleep(0.05)
    raise StackError(f"{server} did not answer within {LONGEST_START:g} s.")


async def listens(address: tuple[str, int]) -> bool:
    """Whether a server accepts connections there."""
    try:
        _, writer = await asyncio.open_connection(*address)
    except OSError:
        return False
    writer.close()
    return True


def last_words(log: Path) -> str:
    """The line of a log that best shows why a server ended."""
    try:
        tail = log.read_bytes()[-20_000:].decode(errors="replace")
    except OSError:
        return "it left no log."
    if NO_ROOM in tail:
        return "there is no room left on the disk."
    lines = [line.strip() for line in tail.splitlines() if line.strip() and not line.strip().startswith(_SAY_NOTHING)]
    errors = [line for line in lines if any(word in line for word in ("FATAL", "ERROR", "Caused by", "error:"))]
    return (errors or lines or ["it left no log."])[-1][:300]
