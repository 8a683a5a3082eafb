"""A process that makes or swaps a replay and is killed at a step: `python replay_victim.py HOME CACHE HANDLE STEP COUNT`.

It dies when it passes the step for the COUNT-th time; a replay that is built already is swapped. STEP "-" lets it live. No
model service is there: one is named, so that its kept answers are found.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from pydantic import SecretStr

from engine.bootstrap import open_engine
from engine.settings import Settings

NOBODY = "http://127.0.0.1:9/v1"


async def main(home: str, cache: str, handle: str, step: str, count: str) -> None:
    left = int(count)

    def reached(name: str) -> None:
        nonlocal left
        left -= name == step
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = Settings(
        _env_file=None, home=Path(home), cache=Path(cache), workspace="tests", language_model="openai:small",
        openai_api_key=SecretStr("key"), openai_base_url=NOBODY,
    )  # fmt: skip
    async with open_engine(settings, on_step=reached) as engine:
        memory = engine.memory((await engine.find_user(handle)).user_id)
        replay = await memory.begin_replay()
        if replay.state == "building":
            await memory.build_replay(replay.replay_id)
        else:
            await memory.swap_replay(replay.replay_id)
        print("acknowledged", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
