"""The shell as a person types it, in a home that is up already."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE, CompletedProcess, Popen

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


Run = Callable[..., CompletedProcess[str]]
PATIENCE = 600
"""Seconds for a command at most: a demo has a new server plan its statements, on a busy machine for minutes."""


def command_line(home: Path, cache: Path) -> list[str]:
    """The command on a home, for `Popen`."""
    return [sys.executable, "-m", "engine.cli", "--home", str(home), "--cache", str(cache)]


def started(command: list[str], *arguments: str) -> Popen[str]:
    """A command that stays, with its streams."""
    env = CLEAN | {"PYTHONUNBUFFERED": "1"}
    return Popen([*command, *arguments], stdout=PIPE, stderr=PIPE, text=True, env=env)


def commands_on(home: Path, cache: Path, folder: Path) -> Run:
    """Runs commands on a home, typed in a folder that has no .env; named arguments are settings."""

    def run(*arguments: str, **settings: str) -> CompletedProcess[str]:
        _, _, module, *place = command_line(home, cache)
        return run_module(module, *place, *arguments, folder=folder, env=CLEAN | settings, timeout=PATIENCE)

    return run


def sentence(result: CompletedProcess[str]) -> str:
    """The one line on stderr of a command that failed."""
    lines = [line for line in result.stderr.splitlines() if line and not line.startswith("✓")]
    assert result.returncode == 1 and result.stdout == "" and len(lines) == 1, (result.stdout, result.stderr)
    assert "Traceback" not in result.stderr and "\x1b" not in result.stderr
    return lines[0]
