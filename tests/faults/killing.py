"""Victims: processes that die by our hand at a step of the engine, and what must hold when they are dead.

A victim is a module that is run with home, cache, handle and what it is to do; at its end it says `LIVED`.
"""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import timedelta
from pathlib import Path
from types import ModuleType

from engine.neurigraph import Engine
from engine.settings import Settings
from tests.processes import run_module

LIVED = "acknowledged"


class Trap:
    """Told of every step, it kills its own process when it passes one for the n-th time, once it is armed; "-" is none."""

    def __init__(self, step: str, times: int = 1, *, armed: bool = False) -> None:
        self._step, self._left, self.armed = step, times, armed

    def __call__(self, name: str) -> None:
        if self.armed and name == self._step:
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)


def on_stores_of(home: str, cache: str, **more: object) -> Settings:
    """The settings of a victim."""
    return Settings(_env_file=None, home=Path(home), cache=Path(cache), workspace="tests", **more)


async def printed(engine: Engine, victim: ModuleType, *arguments: str) -> list[str]:
    """The words that a victim printed. Asserts that it died by our hand where it did not live."""
    ended = await asyncio.to_thread(
        run_module, victim.__name__, str(engine.settings.home), str(engine.settings.cache), *arguments
    )
    words = ended.stdout.split()
    assert LIVED in words or ended.returncode == -signal.SIGKILL, ended.stderr
    return words


async def lived(engine: Engine, victim: ModuleType, *arguments: str) -> bool:
    """Whether a victim came to its end; else it died by our hand."""
    return LIVED in await printed(engine, victim, *arguments)


async def all_agree(engine: Engine) -> None:
    """Recovery, as at the next start, the entities of records without them, then the sweep; after that the stores must agree in everything."""
    await engine.outbox.recover()
    await engine.derivations.run("entities")
    await engine.sweep.run(grace=timedelta(0))
    findings = await engine.doctor.examine()
    assert findings == [], findings
