"""The status of a home, without starting anything."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from pathlib import Path

import psutil

from engine.embedded.door import Message
from engine.embedded.layout import Home
from engine.embedded.ports import LOOPBACK
from engine.embedded.processes import ProcessIdentity
from engine.embedded.reach import Running, ServerStatus, StackStatus, State, read_state


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
