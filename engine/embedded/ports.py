"""Free ports on the loopback interface."""

from __future__ import annotations

import random
import socket
from collections.abc import Collection
from dataclasses import asdict

from engine.embedded.layout import Home, Ports
from engine.errors import StackError

# Below the range of outgoing connections: a remembered port is seldom taken by chance.
FIRST, LAST = 10_240, 32_000
LOOPBACK = "127.0.0.1"


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
