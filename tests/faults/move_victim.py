"""A process that moves a record, or has a node created, and is killed at a step: `python -m tests.faults.move_victim HOME CACHE HANDLE OPERATION STEP TIMES`.

OPERATION is move or create; STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import sys

from engine.domain.node import NewNode
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of

BEES = "\n\n".join(
    f"The {number}. inspection at Quillfeather Meadow. " + "The hives stand well and the honey is capped. " * 15
    for number in range(9)
)


async def main(home: str, cache: str, handle: str, operation: str, step: str, times: str = "1") -> None:
    trap = Trap(step, int(times))
    async with open_engine(on_stores_of(home, cache), on_step=trap, warming=False) as engine:
        user = await engine.workspace.users.create(handle)
        memory = engine.memory(user.user_id)
        if operation == "create":
            trap.armed = True
            await memory.records.remember_text("Quillfeather Meadow", BEES, source_id="bees")
        else:
            source = await memory.nodes.provision(NewNode(user.user_id, "Source"))
            target = await memory.nodes.provision(NewNode(user.user_id, "Target"))
            report = await memory.records.remember_text("Catch", "A walleye was caught.", node_id=source.node_id)
            trap.armed = True
            await memory.records.move(report.records[0].record_id, source.node_id, target.node_id)
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
