"""A process that moves a record, or has a node created, and is killed at a step: `python move_victim.py HOME CACHE HANDLE OPERATION STEP`.

OPERATION is move or create; STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from engine.bootstrap import open_engine
from engine.domain.node import NewNode
from engine.settings import Settings

BEES = "\n\n".join(
    f"The {number}. inspection at Quillfeather Meadow. " + "The hives stand well and the honey is capped. " * 15
    for number in range(9)
)


async def main(home: str, cache: str, handle: str, operation: str, step: str) -> None:
    armed = False

    def reached(name: str) -> None:
        if armed and name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace="tests")
    async with open_engine(settings, on_step=reached) as engine:
        user = await engine.create_user(handle)
        memory = engine.memory(user.user_id)
        if operation == "create":
            armed = True
            await memory.remember_text("Quillfeather Meadow", BEES, source_id="bees")
        else:
            source = await memory.provision(NewNode(user.user_id, "Source"))
            target = await memory.provision(NewNode(user.user_id, "Target"))
            report = await memory.remember_text("Catch", "A walleye was caught.", node_id=source.node_id)
            armed = True
            await memory.move_record(report.records[0].record_id, source.node_id, target.node_id)
        print("acknowledged", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
