"""A process that writes and is killed at a step: `python victim.py HOME CACHE HANDLE OPERATION STEP`.

Prints what the engine acknowledged. STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from engine.bootstrap import open_engine
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.settings import Settings


async def main(home: str, cache: str, handle: str, operation: str, step: str) -> None:
    armed = False

    def reached(name: str) -> None:
        if armed and name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace="tests")
    async with open_engine(settings, on_step=reached) as engine:
        user = await engine.create_user(handle)
        armed = True
        if operation == "user":
            await engine.create_user(f"{handle}-new")
        elif operation == "node":
            await engine.memory(user.user_id).provision(NewNode(user.user_id, "Victim"))
        else:
            turns = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(40))
            await engine.memory(user.user_id).remember(Conversation("victim", turns))
        print("acknowledged", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
