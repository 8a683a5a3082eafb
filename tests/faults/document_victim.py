"""A process that stores a document's second version and is killed at a step: `python document_victim.py HOME CACHE HANDLE STEP`.

Prints what the engine acknowledged. STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from engine.bootstrap import open_engine
from engine.settings import Settings

PARTS = tuple(f"# Part {number}\n\nThe walleye number {number} was caught at dusk.\n\n" for number in range(6))
OLD = "".join(PARTS)
NEW = "".join((*PARTS[:2], "# Part 2\n\nThe perch was caught at dawn.\n\n", *PARTS[3:]))


async def main(home: str, cache: str, handle: str, step: str) -> None:
    armed = False

    def reached(name: str) -> None:
        if armed and name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace="tests")
    async with open_engine(settings, on_step=reached) as engine:
        memory = engine.memory((await engine.create_user(handle)).user_id)
        await memory.remember_text("Old title", OLD, source_id="paper", node_id=memory.principal.user_id)
        armed = True
        await memory.remember_text("New title", NEW, source_id="paper")
        print("acknowledged", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
