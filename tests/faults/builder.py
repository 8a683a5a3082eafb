"""A process that builds the canary and is killed after some batches: `python builder.py HOME CACHE BATCHES`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from engine.domain.embedding import Pace
from engine.progress import Silent
from engine.settings import Settings
from engine.wiring.open_engine import open_engine


class Fuse(Silent):
    """Kills the process when so many batches have been written."""

    def __init__(self, batches: int) -> None:
        self._left = batches

    def advance(self, task: str, amount: float = 1) -> None:
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(home: str, cache: str, batches: str) -> None:
    settings = Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace="tests")
    async with open_engine(settings, warming=False) as engine:
        await engine.workspace.embeddings.build(pace=Pace(duty=1), progress=Fuse(int(batches)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
