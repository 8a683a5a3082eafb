"""Without a token the API serves only this machine, and no web page of another origin in a browser on it.

A page reaches 127.0.0.1 in two ways: by a request to it (the browser then sends the page's origin, or says that the
request crosses sites), or by a domain that resolves to it (DNS rebinding: the domain is in `Host`).
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from api.peer import Peers, is_forwarded, is_loopback

FOREIGN_PAGE = "Without a token the API refuses web pages of other origins, except those in NEURIGRAPH_CORS_ORIGINS."


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


def _is_own_name(headers: Headers) -> bool:
    """Whether `Host` is a name of this machine that no DNS server resolves."""
    try:
        name = urlsplit("//" + headers.get("host", "")).hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or name.endswith(".localhost")
