"""A process that withdraws a source of several records, or brings it back, and is killed at a step of the second one:
`python -m tests.faults.retraction_victim HOME CACHE HANDLE OPERATION STEP`.

STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import sys

from engine.domain.history import Conversation, Turn
from engine.domain.retraction import RetractionSubject
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of

TURNS = tuple(Turn("Bob", f"Ellen Harlan works at Harlan Joinery, said number {number}.") for number in range(3))
SOURCE = RetractionSubject("source", "told")


async def main(home: str, cache: str, handle: str, operation: str, step: str) -> None:
    trap = Trap(step, 2)
    async with open_engine(on_stores_of(home, cache), on_step=trap, warming=False) as engine:
        memory = engine.memory((await engine.workspace.users.create(handle)).user_id)
        for number in (1, 2, 3):
            await memory.records.remember(Conversation("told", TURNS[:number]))
        if operation == "undo":
            done = await memory.retractions.retract(SOURCE)
            trap.armed = True
            await memory.retractions.undo(done.retraction_id)
        else:
            trap.armed = True
            await memory.retractions.retract(SOURCE)
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
