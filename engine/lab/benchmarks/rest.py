"""What the REST API adds to a call in Python, and how many reads a second the server answers.

Both ask the same stores: this process through `Memory`, a server of its own (`neurigraph serve`) over HTTP. The CPU of the two
Python processes is compared; the stores do the same work for both.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from uuid import UUID

import psutil

from engine.domain.search import SearchRequest
from engine.errors import StackError
from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, at_least, at_most, percentiles
from engine.lab.benchmarks.retrieval import asked_in, filled
from engine.memory import Memory
from engine.progress import Progress
from engine.settings import Settings

ITEMS, NODES, ROUNDS, CLIENTS, SECONDS = 600, 10, 200, 16, 10.0
OPENS_IN = 120
GOAL_MS, GOAL_RATE = 3, 200
_TASK = "reads over REST"
_PORT = re.compile(r"http://\S+:(\d+)")


@dataclass(frozen=True, slots=True)
class Read:
    """One read in both ways. `share`: of 20 mixed reads."""

    name: str
    request: bytes
    call: Callable[[], Awaitable[object]]
    share: int


@dataclass(slots=True)
class Server:
    """A server of its own, and where it listens."""

    process: asyncio.subprocess.Process
    port: int

    def cpu(self) -> float:
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """Each read 200 times in both ways, in turns; then 16 clients with mixed reads for 10 seconds."""
    base = await base_history(data, settings.max_text_bytes, progress)
    async with empty_ground(settings, progress) as ground:
        memory = await filled(ground, base, progress, ITEMS, NODES)
        reads = await _reads(memory, asked_in(base)[0])
        before = ground.meter.read()
        async with _served(ground) as server:
            figures = await _compared(server, reads, progress)
            figures += await _rate(ground, server, reads)
        whole = ground.meter.read().since(before)
    details = {
        "items": ITEMS,
        "nodes": NODES,
        "rounds": ROUNDS,
        "clients": CLIENTS,
        "mix": {one.name: one.share for one in reads},
    }
    return Report("rest", tuple(figures), whole.wall, dict(whole.cpu), details)


async def _reads(memory: Memory, question: str) -> list[Read]:
    user_id = memory.principal.user_id
    home = f"/v1/users/{user_id}"
    node = (await memory.nodes.children(user_id, limit=1))[0].node_id
    entity: UUID = (await memory.entities.list(limit=1, everything=True))[0].entity_id
    return [
        Read("shell", _get(f"{home}/nodes/{node}"), lambda: memory.nodes.shell(node), 4),
        Read("children", _get(f"{home}/nodes/{user_id}/children"), lambda: memory.nodes.children(user_id), 2),
        Read("metadata", _get(f"{home}/nodes/{node}/metadata?limit=20"), lambda: memory.nodes.metadata(node, limit=20), 2),
        Read("entities", _get(f"{home}/entities?limit=20"), lambda: memory.entities.list(limit=20), 2),
        Read("entity", _get(f"{home}/entities/{entity}"), lambda: memory.entities.get(entity), 3),
        Read("relations", _get(f"{home}/entities/{entity}/relations?limit=20"), lambda: memory.entities.relations(entity), 3),
        Read("facts", _get(f"{home}/entities/{entity}/facts?limit=20"), lambda: memory.entities.facts(entity, limit=1000), 2),
        Read("search", _post(f"{home}/search", {"query": question}), lambda: memory.search(SearchRequest(question)), 2),
    ]  # fmt: skip


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def _post(path: str, body: object) -> bytes:
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


@asynccontextmanager
async def _served(ground: Ground) -> AsyncIterator[Server]:
    """`neurigraph serve` on the same stores, from when it says that it is ready."""
    settings = ground.engine.settings
    environment = os.environ | {"NEURIGRAPH_RATE_LIMIT_PER_MINUTE": "0", "NEURIGRAPH_WORKSPACE": settings.workspace}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.cli", "--home", str(settings.home), "--cache", str(settings.cache), "serve", "--port", "0",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=environment, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    try:
        async with asyncio.timeout(OPENS_IN):
            server = Server(process, await _port(process))
        yield server
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _port(process: asyncio.subprocess.Process) -> int:
    assert process.stdout is not None
    seen = ""
    while line := await process.stdout.readline():
        seen += line.decode()
        if found := _PORT.search(line.decode()):
            return int(found[1])
    raise StackError(f"The server did not start: {seen[-500:]}")


Connected = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _connected(port: int) -> Connected:
    return await asyncio.open_connection("127.0.0.1", port)


async def _answer(connection: Connected, request: bytes) -> tuple[str, bytes]:
    """The head and the body of an answer: without a client library, whose CPU the server's clients here would take from it."""
    reader, writer = connection
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lengths = [line for line in head.split("\r\n") if line.lower().startswith("content-length:")]
    return head, await reader.readexactly(int(lengths[0].partition(":")[2]))


async def _fine(connection: Connected, request: bytes) -> None:
    head, body = await _answer(connection, request)
    if not head.startswith("HTTP/1.1 200"):
        raise StackError(f"The server answered {head.splitlines()[0]}: {body[:300].decode(errors='replace')}")


async def _compared(server: Server, reads: Sequence[Read], progress: Progress) -> list[Figure]:
    figures, ours = list[Figure](), psutil.Process()
    connection = await _connected(server.port)
    progress.start(_TASK, len(reads), "reads")
    for read in reads:
        for _ in range(10):
            await _fine(connection, read.request)
            await read.call()
        seconds, served, called = [], 0.0, 0.0
        for _ in range(ROUNDS // 20):
            before = server.cpu()
            for _ in range(20):
                started = time.perf_counter()
                await _fine(connection, read.request)
                seconds.append(time.perf_counter() - started)
            served += server.cpu() - before
            times = ours.cpu_times()
            for _ in range(20):
                await read.call()
            now = ours.cpu_times()
            called += now.user + now.system - times.user - times.system
        figures += percentiles(read.name, seconds)
        figures += [
            Figure(f"{read.name}, CPU of the call in Python", round(called / ROUNDS * 1000, 2), "ms"),
            at_most(f"{read.name}, CPU that REST adds", (served - called) / ROUNDS * 1000, "ms", GOAL_MS),
        ]
        progress.advance(_TASK)
    progress.finish(_TASK)
    connection[1].close()
    return figures


async def _rate(ground: Ground, server: Server, reads: Sequence[Read]) -> list[Figure]:
    """Mixed reads by several clients at once, each with one request under way."""
    mixed = [read.request for read in reads for _ in range(read.share)]
    numbers, done, seconds = count(), 0, list[float]()
    until = time.perf_counter() + SECONDS

    async def client() -> None:
        nonlocal done
        connection = await _connected(server.port)
        while (started := time.perf_counter()) < until:
            await _fine(connection, mixed[next(numbers) * 7 % len(mixed)])
            seconds.append(time.perf_counter() - started)
            done += 1
        connection[1].close()

    before, cpu, started = ground.meter.read(), server.cpu(), time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    took, spent, served = time.perf_counter() - started, ground.meter.read().since(before), server.cpu() - cpu
    per = {
        f"CPU of {name} for a mixed read": used / done * 1000
        for name, used in {"the server": served, **spent.cpu}.items()
    }
    return [
        at_least(f"mixed reads of {CLIENTS} clients", done / took, "a second", GOAL_RATE),
        *percentiles("a mixed read", seconds),
        *(Figure(name, round(value, 2), "ms") for name, value in per.items()),
    ]
