"""A worker that is killed in the middle of a run: `python job_victim.py HOME CACHE JOB [alone|together]`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from engine.domain.job import Report
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.workshop import job, workshop


async def die(_: Any) -> Report:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


async def main(home: str, cache: str, name: str, kind: str) -> None:
    settings = Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace="tests")
    async with open_engine(settings, warming=False) as engine:
        async with workshop(engine, job(name, die, alone=kind == "alone")) as jobs, jobs.working(None):
            await jobs.outcome(await jobs.ask(name), 60)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
