"""A process that mends, backs up or restores and is killed at a step: `python -m tests.faults.mend_victim HOME CACHE OPERATION FOLDER STEP`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from engine.backup import back_up, restore
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of


async def main(home: str, cache: str, operation: str, folder: str, step: str) -> None:
    settings, trap = on_stores_of(home, cache, statement_timeout_s=120), Trap(step, armed=True)
    if operation == "backup":
        await back_up(settings, Path(folder), on_step=trap)
    elif operation == "restore":
        await restore(settings, Path(folder), on_step=trap)
    else:
        async with open_engine(settings, on_step=trap, warming=False) as engine:
            await engine.mending.run()
    print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
