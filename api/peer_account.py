"""The account of this machine that a local connection comes from.

Every account of a machine can reach 127.0.0.1; without a token only the server's own account, and root, may use the API. Linux
lists each socket with the account that made it (`/proc/net/tcp`, see proc_pid_net(5)). An orphaned socket, closed by its
process while bytes are under way, is listed with account 0 and without an inode: it proves nothing.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from starlette.types import Scope

from api.peer import Address, parsed

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ROOT = 0


def is_own_account(scope: Scope) -> bool:
    """Whether the request's connection was made by the account of this process, or by root. False where that is not known:
    another system than Linux, or a connection that its client has already closed."""
    account = _account(scope)
    return account is not None and account in (os.geteuid(), ROOT)


def _account(scope: Scope) -> int | None:
    client, server = _end(scope.get("client")), _end(scope.get("server"))
    if client is None or server is None:
        return None
    return next((account for one, other, account in _sockets() if (one, other) == (client, server)), None)


End = tuple[Address, int]


def _end(given: tuple[str, int | None] | None) -> End | None:
    """An end of a connection as ASGI gives it; None for one without a port."""
    address = parsed(given[0]) if given else None
    return (address, given[1]) if given and address is not None and given[1] is not None else None


def _sockets() -> Iterator[tuple[End, End, int]]:
    """The connections of this machine, each seen from the end that is listed, with the account of that end."""
    for table in TABLES:
        try:
            lines = table.read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            _, local, remote, _, _, _, _, account, _, inode, *_ = line.split()
            if inode != "0":
                yield _listed(local), _listed(remote), int(account)


def _listed(text: str) -> End:
    """`0100007F:20E4` is 127.0.0.1, port 8420: words of four bytes in the order of this machine, the port in hexadecimal."""
    address, port = text.split(":")
    words = (int(address[at : at + 8], 16) for at in range(0, len(address), 8))
    packed = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
    found = parsed(str(ipaddress.ip_address(packed)))
    assert found is not None
    return found, int(port, 16)
