"""A process that wakes a file, reads it, or puts it to sleep, and is killed at a step:
`python -m tests.faults.file_victim HOME CACHE HANDLE OPERATION STEP`. Its clock is an hour late where it sweeps; STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import sys

from engine.wiring.open_engine import open_engine
from tests.clock import Ahead
from tests.faults.killing import LIVED, Trap, on_stores_of


async def main(home: str, cache: str, handle: str, operation: str, step: str) -> None:
    trap = Trap(step)
    clock = Ahead(hours=1) if operation == "sweep" else None
    async with open_engine(on_stores_of(home, cache), clock=clock, on_step=trap, warming=False) as engine:
        user = await engine.workspace.users.find(handle)
        memory = engine.memory(user.user_id)
        file = (await memory.nodes.metadata(user.user_id)).records[0].file_id
        assert file is not None
        trap.armed = True
        if operation == "read":
            await memory.files.read(user.user_id, file)
        elif operation == "wake":
            await memory.files.wake(user.user_id, file)
        elif operation == "sleep":
            await memory.files.sleep(user.user_id, file)
        else:
            await engine.dormancy.run()
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
