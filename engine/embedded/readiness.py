"""Free ports on the loopback interface, waiting for a server to answer there, and the last words of its log when it did not."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import asdict
from pathlib import Path

from engine.embedded.layout import Home, Ports
from engine.errors import StackError

# Below the range of outgoing connections: a remembered port is seldom taken by chance.
FIRST, LAST = 10_240, 32_000
LOOPBACK = "127.0.0.1"

STATEMENTS = Path(__file__).parent / "statements"
LONGEST_START = 600.0
"""Seconds; a big store that has crashed is recovered before it answers."""
NO_ROOM = "No space left on device"
_SAY_NOTHING = ("at ", "Run with '--verbose'")
"""Beginnings of lines after the one that says what is wrong: where Java was, and how its tools say more."""


def choose_ports(home: Home, keep: Collection[str] = ()) -> Ports:
    """The ports of the last run where they are free, others where not; they are remembered.

    Those named in `keep` are in use by the stack's own servers and stay as they are.
    """
    old = home.remembered_ports()
    chosen = asdict(old) if old else dict.fromkeys(("bolt", "postgres", "http"), 0)
    for name, port in chosen.items():
        taken = {other for key, other in chosen.items() if key != name}
        if name not in keep and (port == 0 or port in taken or not is_free(port)):
            chosen[name] = any_free_port(taken)
    ports = Ports(**chosen)
    if ports != old:
        home.remember_ports(ports)
    return ports


def is_free(port: int) -> bool:
    """Whether a server could listen on this loopback port now."""
    with socket.socket() as probe:
        # As the servers do it: a port whose old connections still linger is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def any_free_port(taken: Collection[int] = ()) -> int:
    """A free port that is not among `taken`. Raises StackError when there is none."""
    for port in random.sample(range(FIRST, LAST), 200):
        if port not in taken and is_free(port):
            return port
    raise StackError("There is no free port on the loopback interface.")


async def until_answering(
    server: str,
    process: asyncio.subprocess.Process,
    address: tuple[str, int],
    answers: Callable[[], Awaitable[bool]],
    log: Path,
) -> None:
    """Return when `answers` is true. Raises StackError when the process ends or ten minutes have gone."""
    deadline = time.monotonic() + LONGEST_START
    while time.monotonic() < deadline:
        if process.returncode is not None:
            raise StackError(f"{server} ended while it started: {last_words(log)}")
        # The port first: failed attempts of drivers are expensive.
        if await listens(address) and await answers():
            return
        await asyncio.sleep(0.05)
    raise StackError(f"{server} did not answer within {LONGEST_START:g} s.")


async def listens(address: tuple[str, int]) -> bool:
    """Whether a server accepts connections there."""
    try:
        _, writer = await asyncio.open_connection(*address)
    except OSError:
        return False
    writer.close()
    return True


def last_words(log: Path) -> str:
    """The line of a log that best shows why a server ended."""
    try:
        tail = log.read_bytes()[-20_000:].decode(errors="replace")
    except OSError:
        return "it left no log."
    if NO_ROOM in tail:
        return "there is no room left on the disk."
    lines = [line.strip() for line in tail.splitlines() if line.strip() and not line.strip().startswith(_SAY_NOTHING)]
    errors = [line for line in lines if any(word in line for word in ("FATAL", "ERROR", "Caused by", "error:"))]
    return (errors or lines or ["it left no log."])[-1][:300]
