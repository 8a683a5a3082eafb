"""Writes conversations until it is killed: `python -m engine.lab.benchmarks.crash_writer HOME CACHE WORKSPACE HANDLE`.

Reads numbers from stdin, one a line, and prints each as soon as the engine has acknowledged its write.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from engine.domain.history import Conversation, Turn
from engine.errors import Conflict, StoreUnavailable
from engine.memory import Memory
from engine.settings import Settings
from engine.wiring.open_engine import open_engine

AT_ONCE = 4
TURNS = 3
PAUSE = 0.2
"""Seconds before the retry of a write that a store refused."""


def conversation(number: int) -> Conversation:
    """The conversation of a number."""
    turns = tuple(Turn("Bob", f"Sentence {turn} of conversation {number} about walleye.") for turn in range(TURNS))
    return Conversation(f"c{number}", turns)


async def main(home: str, cache: str, workspace: str, handle: str) -> None:
    """Writes all numbers, some at once; waits for a store that does not answer."""
    waiting = [int(line) for line in sys.stdin][::-1]
    settings = Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace=workspace)
    async with open_engine(settings, warming=False) as engine:
        memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
        await asyncio.gather(*(_write(memory, waiting) for _ in range(AT_ONCE)))


async def _write(memory: Memory, waiting: list[int]) -> None:
    while waiting:
        number = waiting.pop()
        while True:
            try:
                await memory.records.remember(conversation(number))
                break
            except (StoreUnavailable, Conflict):
                await asyncio.sleep(PAUSE)
        print(number, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
