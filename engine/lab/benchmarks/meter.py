"""Wall clock and CPU time of this process and of both servers; CPU time is less affected by a busy machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.embedded import status

OURS = "engine"


@dataclass(frozen=True, slots=True)
class Reading:
    """Wall-clock seconds, and CPU seconds by process; also the difference of two readings."""

    wall: float
    cpu: Mapping[str, float]

    def since(self, earlier: Reading) -> Reading:
        """The time used since the earlier reading."""
        return Reading(
            self.wall - earlier.wall, {name: self.cpu[name] - earlier.cpu.get(name, 0.0) for name in self.cpu}
        )

    @property
    def total_cpu(self) -> float:
        """CPU seconds of all processes."""
        return sum(self.cpu.values())


class Meter:
    """Reads the clocks; `home` None: managed servers, only this process is read."""

    def __init__(self, home: Path | None) -> None:
        servers = status(home).servers if home else ()
        self._servers = {server.name: server.pid for server in servers if server.name != "supervisor"}

    def read(self) -> Reading:
        """The clocks now; takes about a millisecond."""
        cpu = {OURS: _own_times(psutil.Process())}
        for name, pid in self._servers.items():
            cpu[name] = _family_times(pid)
        return Reading(time.perf_counter(), cpu)


def _own_times(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _family_times(pid: int) -> float:
    """A server with its children, including ended ones: Postgres has a process for each connection."""
    spent = 0.0
    with contextlib.suppress(psutil.Error):
        server = psutil.Process(pid)
        for process in (server, *server.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                spent += times.user + times.system + times.children_user + times.children_system
    return spent
