"""Where a request comes from: its client's address, the account of this machine, and whether it may be served without a
credential.

Forwarding headers count only from the trusted proxies in the settings. Without a token the API serves only this machine, and no
web page of another origin in a browser on it. A page reaches 127.0.0.1 in two ways: by a request to it (the browser then sends
the page's origin, or says that the request crosses sites), or by a domain that resolves to it (DNS rebinding: the domain is in
`Host`).
Every account of a machine can reach 127.0.0.1; without a token only the server's own account, and root, may use the API. Linux
lists each socket with the account that made it (`/proc/net/tcp`, see proc_pid_net(5)). An orphaned socket, closed by its
process while bytes are under way, is listed with account 0 and without an inode: it proves nothing.
"""

from __future__ import annotations

import ipaddress
import os
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from engine.errors import SettingsError
from engine.operations.authenticating import Authentication
from engine.settings import Settings

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip", "via")
"""Headers that a proxy adds; a request with one of them did not come directly from its client."""
FOREIGN_PAGE = "Without a token the API refuses web pages of other origins, except those in NEURIGRAPH_CORS_ORIGINS."
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ROOT = 0

SHORTEST_TOKEN = 24
FEWEST_CHARACTERS = 8
"""Different characters in a token; 24 random hexadecimal digits have fewer once in 10,000 tokens."""
FEWEST_STEPS = 5
"""Different distances between neighbouring characters: `abcdef…` has one."""

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?")


def networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """The networks of the trusted proxies; raises SettingsError for invalid ones."""
    try:
        return tuple(ipaddress.ip_network(text) for text in texts)
    except ValueError as error:
        raise SettingsError(f"NEURIGRAPH_TRUSTED_PROXIES: {error}.") from error


class Peers:
    """Finds the client's address behind trusted proxies."""

    def __init__(self, trusted: Sequence[str]) -> None:
        self._trusted = networks(trusted)

    def client(self, scope: Scope) -> str:
        """The client's address: the peer's, or, where the peer is a trusted proxy, the rightmost address in
        `X-Forwarded-For` that is not one. Addresses to the left of it come from the client and prove nothing."""
        peer = scope["client"][0] if scope.get("client") else ""
        if not self.trusts(peer):
            return peer
        found = peer
        for entry in reversed(",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")):
            address = parsed(_without_port(entry.strip()))
            if address is None:
                return found
            found = str(address)
            if not self.trusts(found):
                return found
        return found

    def trusts(self, host: str) -> bool:
        """Whether this is the address of a trusted proxy."""
        address = parsed(host)
        return address is not None and any(address in network for network in self._trusted)

    def counted(self, scope: Scope) -> str:
        """The key under which failed attempts are counted: an IPv4 address, or an IPv6 /64, which is one client's."""
        client = self.client(scope)
        address = parsed(client)
        if isinstance(address, ipaddress.IPv6Address):
            return str(ipaddress.ip_network((address, 64), strict=False))
        return str(address or client)


class LocalOnly:
    """Decides which requests are accepted without a credential."""

    def __init__(self, peers: Peers, origins: Collection[str]) -> None:
        self._peers, self._origins = peers, frozenset(origins)

    def refusal(self, scope: Scope) -> str | None:
        """The reason of the refusal, empty for the general one; None if the request is accepted."""
        headers = Headers(scope=scope)
        if is_forwarded(scope) or not is_loopback(self._peers.client(scope)) or not _is_own_name(headers):
            return ""
        return FOREIGN_PAGE if self._is_foreign(headers) else None

    def _is_foreign(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            own = {f"{scheme}://{headers.get('host', '')}".lower() for scheme in ("http", "https")}
            return origin not in self._origins and origin.lower() not in own
        # Images, scripts and links of a page send no origin. `none` is the browser's user; programs send no header.
        return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")


def is_forwarded(scope: Scope) -> bool:
    """Whether a proxy passed the request on."""
    headers = Headers(scope=scope)
    return any(name in headers for name in FORWARDED)


def is_loopback(host: str) -> bool:
    """Whether a host, by address or name, is this machine."""
    if host.lower() == "localhost":
        return True
    address = parsed(host)
    return address is not None and address.is_loopback


def parsed(text: str) -> Address | None:
    """The address, an IPv4 one where IPv6 only wraps it; None for anything else."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _without_port(entry: str) -> str:
    """`1.2.3.4:5678` and `[::1]:5678` without port and brackets."""
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry


def _is_own_name(headers: Headers) -> bool:
    """Whether `Host` is a name of this machine that no DNS server resolves."""
    try:
        name = urlsplit("//" + headers.get("host", "")).hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or name.endswith(".localhost")


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


def check_settings(settings: Settings) -> None:
    """Raises SettingsError if a network or any web page could use the API, or credentials could be guessed or forged."""
    _check_token(settings)
    networks(settings.trusted_proxies)
    for origin in settings.cors_origins:
        if not _ORIGIN.fullmatch(origin):
            raise SettingsError(f"NEURIGRAPH_CORS_ORIGINS: {origin} is not an origin like https://app.example.org.")
    Authentication(settings)


def _check_token(settings: Settings) -> None:
    if settings.api_token is None:
        if not is_loopback(settings.host):
            raise SettingsError(
                f"NEURIGRAPH_HOST {settings.host} can be reached from other machines: set NEURIGRAPH_API_TOKEN, "
                "or listen on 127.0.0.1."
            )
        if settings.trusted_proxies:
            raise SettingsError("NEURIGRAPH_TRUSTED_PROXIES needs NEURIGRAPH_API_TOKEN: proxies bring remote clients.")
        return
    token = settings.api_token.get_secret_value().strip()
    if not token:
        raise SettingsError("NEURIGRAPH_API_TOKEN is empty.")
    if len(token) < SHORTEST_TOKEN or not _is_varied(token):
        raise SettingsError(
            f"NEURIGRAPH_API_TOKEN can be guessed: it needs at least {SHORTEST_TOKEN} characters that do not repeat "
            "themselves. `openssl rand -hex 32` makes one."
        )


def _is_varied(token: str) -> bool:
    steps = {ord(right) - ord(left) for left, right in pairwise(token)}
    repeated = token in (token + token)[1:-1]
    return len(set(token)) >= FEWEST_CHARACTERS and len(steps) >= FEWEST_STEPS and not repeated
