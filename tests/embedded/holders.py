"""Other processes that hold a stack, and short looks at one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import neo4j
import psutil
import psycopg

from engine.embedded import Stack, status

HOLDER = Path(__file__).with_name("holder.py")


class Holder:
    """Another process that holds the stack of a home."""

    def __init__(self, home: Path, cache: Path, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HOLDER), str(home), str(cache)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )

    def stack(self) -> Stack:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the holder ended without a stack"
        return Stack.from_json(json.loads(line))

    def leave(self) -> None:
        self.process.communicate(timeout=30)


@contextmanager
def holding(home: Path, cache: Path, environment: dict[str, str] | None = None) -> Iterator[Holder]:
    """A holder that is gone after the block, whatever happened."""
    holder = Holder(home, cache, environment)
    try:
        yield holder
    finally:
        if holder.process.poll() is None:
            holder.process.kill()
        holder.process.communicate()


def ask_both(stack: Stack) -> tuple[int, int]:
    """One answer of each server over a fresh connection."""
    auth = (stack.neo4j_user, stack.neo4j_password)
    # A bare statement: what the driver retries by itself would hide how long a server was away.
    with neo4j.GraphDatabase.driver(stack.neo4j_url, auth=auth) as driver, driver.session() as session:
        graph = session.run("RETURN 1 AS one").single(strict=True)["one"]
    with psycopg.connect(stack.postgres_url, connect_timeout=5) as connection:
        row = connection.execute("SELECT 1").fetchone()
    assert row is not None
    return graph, row[0]


def pid_of(home: Path, name: str) -> int:
    return next(server.pid for server in status(home).servers if server.name == name)


def eventually(what: Callable[[], bool], seconds: float) -> bool:
    """Whether it becomes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.1)
    return False


def everything(home: Path) -> list[psutil.Process]:
    """All processes of a running stack."""
    own = [psutil.Process(server.pid) for server in status(home).servers]
    return own + [child for process in own for child in process.children(recursive=True)]


def all_gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != "zombie" for process in processes)
