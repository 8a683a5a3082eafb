"""The client address of a request. Forwarding headers count only from the trusted proxies in the settings."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from engine.errors import SettingsError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip", "via")
"""Headers that a proxy adds; a request with one of them did not come directly from its client."""


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
