"""Time from stopped servers to the first answer, with the real command on an initialised home; and of commands while it is up."""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from engine.connectors import read_history
from engine.embedded import attached, status, stop
from engine.errors import StackError
from engine.lab.benchmarks.corpus import HISTORY
from engine.lab.benchmarks.ground import empty_home
from engine.lab.benchmarks.report import Figure, Report, at_most
from engine.progress import Progress, Silent
from engine.settings import Settings
from engine.wiring.open_engine import open_engine

ROUNDS = 3
REST = 10.0
"""Seconds without requests after which a stack counts as idle."""
MEGABYTE = 1 << 20
COMMANDS, LOOKS = 9, 300
"""Commands of each kind; looks, a tenth of a second apart, for the server of the home."""

_TASK = "start"


@dataclass(frozen=True, slots=True)
class _Start:
    """One start: seconds until the answer, CPU seconds of the command and of the servers until then."""

    wall: float
    command_cpu: float
    server_cpu: float


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """Starts until the first answer, each from stopped servers; then the memory of an idle stack."""
    async with empty_home(settings) as empty:
        fresh = empty.model_copy(update={"workspace": settings.workspace})  # the command reads its own settings
        async with open_engine(fresh, progress=progress) as engine:
            limit = fresh.max_text_bytes
            for history in await read_history(data or HISTORY, max_text_bytes=limit, progress=progress):
                await engine.ingest(history, progress)
                handle = history.handle
        progress.start(_TASK, ROUNDS, "starts")
        starts = []
        for _ in range(ROUNDS):
            await stop(fresh.home)
            starts.append(await _start(fresh, handle))
            progress.advance(_TASK)
        progress.finish(_TASK)
        memory = await _memory_at_rest(fresh, progress)
        attached_to = await _attached(fresh, handle)
    return _report(starts, memory, attached_to)


async def _attached(settings: Settings, handle: str) -> dict[str, list[float]]:
    """Seconds of `tree` on a home that is up: of a bare Python, by itself, and as a client of the server of the home."""
    await _run(settings, ["up"], preload=True)
    for _ in range(LOOKS):
        if any(server.name == "commands" for server in status(settings.home).servers):
            break
        await asyncio.sleep(0.1)
    found: dict[str, list[float]] = {"bare Python": [], "by itself": [], "as a client": []}
    for _ in range(COMMANDS):
        found["bare Python"].append(await _timed([sys.executable, "-c", "pass"], {}))
        for name, preload in (("by itself", False), ("as a client", True)):
            found[name].append(await _run(settings, ["tree", "--user", handle], preload=preload))
    await stop(settings.home)
    return found


async def _run(settings: Settings, words: list[str], *, preload: bool) -> float:
    places = ["--home", str(settings.home), "--cache", str(settings.cache)]
    return await _timed(
        [sys.executable, "-m", "engine.cli", *places, *words], {"NEURIGRAPH_PRELOAD": str(preload).lower()}
    )


async def _timed(command: list[str], settings: dict[str, str]) -> float:
    """Seconds of a process of its own; raises StackError when it fails."""
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **settings}, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    _, complaint = await process.communicate()
    if process.returncode:
        raise StackError(f"{' '.join(command[-3:])} failed: {complaint.decode(errors='replace').strip()}")
    return time.perf_counter() - began


async def _start(settings: Settings, handle: str) -> _Start:
    """Runs `neurigraph ask` in a process of its own; raises StackError when it fails."""
    places = ["--home", str(settings.home), "--cache", str(settings.cache)]
    question = ["ask", "Who is Dave?", "--user", handle, "--json"]
    before, began = _children_cpu(), time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.cli", *places, *question,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, complaint = await process.communicate()
    wall = time.perf_counter() - began
    if process.returncode:
        raise StackError(f"`neurigraph ask` failed: {complaint.decode(errors='replace').strip()}")
    servers = status(settings.home).servers
    return _Start(wall, _children_cpu() - before, sum(server.cpu for server in servers))


def _children_cpu() -> float:
    """CPU seconds of all ended children of this process."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def _memory_at_rest(settings: Settings, progress: Progress) -> dict[str, int]:
    """Resident bytes of each process of an idle stack."""
    async with attached(settings.home, settings.cache, progress=Silent(), base_url=settings.jars_url):
        progress.start("rest", REST, "s")
        await asyncio.sleep(REST)
        progress.finish("rest")
        return {server.name: server.memory for server in status(settings.home).servers}


def _report(starts: list[_Start], memory: dict[str, int], attached_to: dict[str, list[float]]) -> Report:
    wall = statistics.median(one.wall for one in starts)
    command = statistics.median(one.command_cpu for one in starts)
    servers = statistics.median(one.server_cpu for one in starts)
    figures = (
        at_most("CPU of the servers until the first answer", servers, "s", 12),
        Figure("stopped servers to the first answer", round(wall, 2), "s"),
        Figure("CPU of the command", round(command, 2), "s"),
        at_most("`tree` on a home that is up, as a client", statistics.median(attached_to["as a client"]), "s", 0.5),
        Figure("the same by itself", round(statistics.median(attached_to["by itself"]), 2), "s"),
        Figure("a bare Python", round(statistics.median(attached_to["bare Python"]), 2), "s"),
        at_most("memory of the idle stack", sum(memory.values()) / MEGABYTE, "MiB", 900),
        *(Figure(f"of which {name}", round(size / MEGABYTE, 1), "MiB") for name, size in memory.items()),
    )
    spent = {"command": sum(one.command_cpu for one in starts), "servers": sum(one.server_cpu for one in starts)}
    measured = {"starts": starts, "memory_bytes": memory, "attached": attached_to}
    return Report("start", figures, sum(one.wall for one in starts), spent, measured)
