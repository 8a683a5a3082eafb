"""How to reach a running stack, and what is known of it: the values that supervisor and callers exchange; and the status of a
home, without starting anything.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from engine.embedded.door import Message
from engine.embedded.layout import Home, write_private
from engine.embedded.processes import ProcessIdentity
from engine.embedded.readiness import LOOPBACK


@dataclass(frozen=True, slots=True)
class Stack:
    """How to reach the running servers. `postgres_admin_url` is the operator's, the engine uses `postgres_url`."""

    neo4j_url: str
    neo4j_user: str
    neo4j_password: str
    postgres_url: str
    postgres_admin_url: str
    home: Path
    browser_url: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain values; `from_json` is the way back."""
        return {**asdict(self), "home": str(self.home)}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Stack:
        return cls(**{**content, "home": Path(content["home"])})


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """One running process with its children; the supervisor's port is its door.

    `memory` is what is resident, in bytes, shared pages counted once; times are in seconds.
    """

    name: str
    pid: int
    port: int
    memory: int
    cpu: float
    uptime: float


@dataclass(frozen=True, slots=True)
class StackStatus:
    """What runs for a home. `holders` are the attached processes; `kept` means that it stays without any."""

    running: bool
    servers: tuple[ServerStatus, ...] = ()
    holders: tuple[str, ...] = ()
    kept: bool = False
    browser_url: str | None = None

    @property
    def leases(self) -> int:
        return len(self.holders)

    @property
    def memory(self) -> int:
        return sum(server.memory for server in self.servers)


@dataclass(frozen=True, slots=True)
class Running:
    """One process of the stack, as the state file names it."""

    name: str
    identity: ProcessIdentity
    port: int


@dataclass(frozen=True, slots=True)
class State:
    """The state file: where the supervisor's door is, the token that opens it, and who runs."""

    supervisor: Running
    token: str
    servers: tuple[Running, ...] = ()

    def save(self, home: Home) -> None:
        write_private(home.state, asdict(self))

    @property
    def alive(self) -> bool:
        return self.supervisor.identity.process() is not None


def read_state(home: Home) -> State | None:
    """The state file of a living supervisor; None when it is absent, damaged or stale."""
    with contextlib.suppress(FileNotFoundError, ValueError, KeyError, TypeError):
        content = json.loads(home.state.read_text())
        servers = tuple(_running(server) for server in content["servers"])
        state = State(_running(content["supervisor"]), content["token"], servers)
        return state if state.alive else None
    return None


def _running(content: dict[str, Any]) -> Running:
    return Running(content["name"], ProcessIdentity(**content["identity"]), content["port"])


def status(home: Path) -> StackStatus:
    """Look at the processes of a home and ask its supervisor, if there is one. Raises StackError where other accounts may write
    into the home."""
    place = Home(Path(os.path.abspath(home.expanduser())))
    place.refuse_if_shared()
    state = read_state(place)
    if state is None:
        return StackStatus(running=False)
    said = _ask(state)
    running = (_look_at(one) for one in (state.supervisor, *state.servers, *running_server(place)))
    return StackStatus(
        running=True,
        servers=tuple(server for server in running if server),
        holders=tuple(said.get("holders", ())),
        kept=said.get("kept", False),
        browser_url=said.get("browser_url"),
    )


def running_server(home: Home) -> tuple[Running, ...]:
    """The server that carries out commands, if one was left there; it has no port."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        return (Running("commands", ProcessIdentity(**json.loads(home.commands.read_text())), 0),)
    return ()


def _look_at(running: Running) -> ServerStatus | None:
    process = running.identity.process()
    if process is None:
        return None
    memory, cpu = 0, 0.0
    for part in _family(process, running.name):
        with contextlib.suppress(psutil.Error):
            times = part.cpu_times()
            memory += _resident(part)
            cpu += times.user + times.system
    uptime = time.time() - running.identity.started
    return ServerStatus(running.name, running.identity.pid, running.port, memory, cpu, uptime)


def _resident(process: psutil.Process) -> int:
    """Bytes in memory; what the processes of Postgres share is counted once, where the system can tell."""
    with contextlib.suppress(psutil.AccessDenied):
        info = process.memory_full_info()
        return int(getattr(info, "pss", info.rss))
    return process.memory_info().rss


def _family(process: psutil.Process, name: str) -> list[psutil.Process]:
    """A server with its children; the supervisor without, because its children are the servers."""
    with contextlib.suppress(psutil.Error):
        return [process] if name == "supervisor" else [process, *process.children(recursive=True)]
    return [process]


def _ask(state: State) -> Message:
    """The supervisor's answer; empty when it is busy or about to end."""
    try:
        with (
            socket.create_connection((LOOPBACK, state.supervisor.port), timeout=2) as connection,
            connection.makefile("rb") as answer,
        ):
            connection.sendall(json.dumps({"token": state.token, "ask": "status"}).encode() + b"\n")
            content: Message = json.loads(answer.readline())["status"]
            return content
    except (OSError, ValueError, KeyError):
        return {}
