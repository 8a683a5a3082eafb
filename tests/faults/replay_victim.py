"""A process that makes or swaps a replay and is killed at a step: `python -m tests.faults.replay_victim HOME CACHE HANDLE STEP COUNT`.

It dies when it passes the step for the COUNT-th time; a replay that is built already is swapped. STEP "-" lets it live. No
model service is there: one is named, so that its kept answers are found.
"""

from __future__ import annotations

import asyncio
import sys

from pydantic import SecretStr

from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of

NOBODY = "http://127.0.0.1:9/v1"


async def main(home: str, cache: str, handle: str, step: str, count: str) -> None:
    model = {"language_model": "openai:small", "openai_api_key": SecretStr("key"), "openai_base_url": NOBODY}
    trap = Trap(step, int(count), armed=True)
    async with open_engine(on_stores_of(home, cache, **model), on_step=trap, warming=False) as engine:
        memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
        replay = await memory.replays.begin()
        if replay.state == "building":
            await memory.replays.build(replay.replay_id)
        else:
            await memory.replays.swap(replay.replay_id)
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
