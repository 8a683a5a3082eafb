"""The shell as a person types it, in a home that is up already."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from engine.neurigraph import Engine
from tests.clean_environment import CLEAN


async def typed(
    engine: Engine, folder: Path, handle: str | None, *arguments: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """A command for that user (empty: for none), typed in a folder, on the stores of the session's engine."""
    whose = ("--user", handle) if handle else ()
    home, cache = engine.settings.home, engine.settings.cache
    return await asyncio.to_thread(  # the engine of the test goes on: it may hold what the command waits for
        subprocess.run,
        [sys.executable, "-m", "engine.cli", "--home", str(home), "--cache", str(cache), *arguments, *whose],
        capture_output=True, text=True, timeout=120, cwd=folder, input=stdin, env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"},
    )  # fmt: skip
