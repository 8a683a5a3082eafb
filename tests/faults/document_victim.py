"""A process that stores a document's second version and is killed at a step: `python -m tests.faults.document_victim HOME CACHE HANDLE STEP`.

Prints what the engine acknowledged. STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import sys

from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of

PARTS = tuple(f"# Part {number}\n\nThe walleye number {number} was caught at dusk.\n\n" for number in range(6))
OLD = "".join(PARTS)
NEW = "".join((*PARTS[:2], "# Part 2\n\nThe perch was caught at dawn.\n\n", *PARTS[3:]))


async def main(home: str, cache: str, handle: str, step: str) -> None:
    trap = Trap(step)
    async with open_engine(on_stores_of(home, cache), on_step=trap, warming=False) as engine:
        memory = engine.memory((await engine.workspace.users.create(handle)).user_id)
        await memory.records.remember_text("Old title", OLD, source_id="paper", node_id=memory.principal.user_id)
        trap.armed = True
        await memory.records.remember_text("New title", NEW, source_id="paper")
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
