"""The door without a token serves this machine alone, and no web page of another origin that its browser has open.

A page reaches 127.0.0.1 in two ways: by a request to it (the browser then names the page's origin, or says that the
request crosses sites), or by a name of its own that is pointed there (DNS rebinding: the name stands in `Host`).
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from api.peer import Peers, is_forwarded, is_loopback

FOREIGN_PAGE = (
    "Without a token this door answers no web page of another origin, unless NEURIGRAPH_CORS_ORIGINS names the origin."
)


class LocalOnly:
    """Decides who may ask without any credential."""

    def __init__(self, peers: Peers, origins: Collection[str]) -> None:
        self._peers, self._origins = peers, frozenset(origins)

    def refusal(self, scope: Scope) -> str | None:
        """Why not, in words; empty for what is said about all such refusals; None where the request may come in."""
        headers = Headers(scope=scope)
        if is_forwarded(scope) or not is_loopback(self._peers.client(scope)) or not _is_own_name(headers):
            return ""
        return FOREIGN_PAGE if self._is_foreign(headers) else None

    def _is_foreign(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            own = {f"{scheme}://{headers.get('host', '')}".lower() for scheme in ("http", "https")}
            return origin not in self._origins and origin.lower() not in own
        # Images, scripts and links of a page name no origin. `none` is a person's own doing; programs send nothing.
        return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")


def _is_own_name(headers: Headers) -> bool:
    """Whether the request asks for this machine by a name that nobody else can point anywhere."""
    try:
        name = urlsplit("//" + headers.get("host", "")).hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or name.endswith(".localhost")
