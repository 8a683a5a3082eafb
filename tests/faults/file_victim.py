"""A process that wakes a file, reads it, or puts it to sleep, and is killed at a step:
`python file_victim.py HOME CACHE HANDLE OPERATION STEP`. Its clock is an hour late where it sweeps; STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.bootstrap import open_engine
from engine.settings import Settings


class Later:
    """An hour later than it is."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(hours=1)


async def main(home: str, cache: str, handle: str, operation: str, step: str) -> None:
    armed = False

    def reached(name: str) -> None:
        if armed and name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace="tests")
    clock = Later() if operation == "sweep" else None
    async with open_engine(settings, clock=clock, on_step=reached) as engine:
        user = await engine.find_user(handle)
        memory = engine.memory(user.user_id)
        file = (await memory.metadata(user.user_id)).records[0].file_id
        assert file is not None
        armed = True
        if operation == "read":
            await memory.read_file(user.user_id, file)
        elif operation == "wake":
            await memory.wake(user.user_id, file)
        elif operation == "sleep":
            await memory.sleep(user.user_id, file)
        else:
            await engine.dormancy.run()
        print("acknowledged", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
