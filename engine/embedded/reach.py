"""How to reach a running stack, and what is known of it: the values that supervisor and callers exchange."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.embedded.layout import Home, write_private
from engine.embedded.processes import ProcessIdentity


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
