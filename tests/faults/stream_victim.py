"""A process that streams a conversation and is killed at a step: `python -m tests.faults.stream_victim HOME CACHE HANDLE OPERATION STEP TIMES`.

Prints every append that was acknowledged. It dies when it reaches STEP for the TIMES-th time; "-" lets it live.
"""

from __future__ import annotations

import asyncio
import sys

from engine.domain.stream import StreamedTurn
from engine.ingest.streams.streaming import Streams
from engine.memory import Memory
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of

TURNS = 60
THRESHOLDS = {"stream_watch_from": 150, "stream_soft": 160, "stream_hard": 250}


def said(number: int) -> StreamedTurn:
    role = "user" if number % 2 == 0 else "assistant"
    return StreamedTurn(role, f"Sentence number {number} about walleye.", ref=f"r{number}", role=role)


async def append(memory: Memory) -> None:
    for number in range((await memory.conversations.append("s", said(0))).turns, TURNS):
        appended = await memory.conversations.append("s", said(number))
        print(appended.turns, flush=True)


async def main(home: str, cache: str, handle: str, operation: str, step: str, times: str) -> None:
    trap = Trap(step, int(times))
    async with open_engine(on_stores_of(home, cache, **THRESHOLDS), on_step=trap, warming=False) as engine:
        memory = engine.memory((await engine.workspace.users.create(handle)).user_id)
        trap.armed = operation == "append"
        await append(memory)
        trap.armed = True
        if operation == "run":
            await engine.parts[Streams].run()
        elif operation == "end":
            await memory.conversations.end("s")
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
