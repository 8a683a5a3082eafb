"""The shell as a person types it, in a home that is up already."""

from __future__ import annotations

import asyncio
from pathlib import Path
from subprocess import CompletedProcess

from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.processes import run_module


async def typed(
    engine: Engine, folder: Path, handle: str | None, *arguments: str, stdin: str = ""
) -> CompletedProcess[str]:
    """A command for that user (empty: for none), typed in a folder, on the stores of the session's engine."""
    whose = ("--user", handle) if handle else ()
    home, cache = engine.settings.home, engine.settings.cache
    return await asyncio.to_thread(
        run_module, "engine.cli", "--home", str(home), "--cache", str(cache), *arguments, *whose,
        folder=folder, env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"}, stdin=stdin,
    )  # fmt: skip
