"""Who may come in: holders of the token, or, where none is configured, this machine alone.

Inside, a request acts as the user that its path names; tokens of users and personas come with the grants.
"""

from __future__ import annotations

import hmac
import ipaddress

from fastapi.security import HTTPBearer
from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.problems import http_kind, problem
from engine.errors import SettingsError
from engine.settings import Settings

OPEN_PATHS = frozenset({"/docs", "/v1/health/live", "/v1/health/ready", "/v1/openapi.json"})
"""Need no token: they hold no memory, and what supervises a service has no secrets."""

bearer = HTTPBearer(auto_error=False, description="The token of `NEURIGRAPH_API_TOKEN`, where one is configured.")
"""Only for the OpenAPI page: `Guard` has decided long before, with no byte of the body read."""


def check_settings(settings: Settings) -> None:
    """Raises SettingsError for a door that would be open to a network."""
    if settings.api_token is None and not _is_loopback(settings.host):
        raise SettingsError(
            f"NEURIGRAPH_HOST {settings.host} can be reached from other machines: set NEURIGRAPH_API_TOKEN, "
            "or listen on 127.0.0.1."
        )
    if settings.api_token is not None and not settings.api_token.get_secret_value().strip():
        raise SettingsError("NEURIGRAPH_API_TOKEN is empty.")


class Guard:
    """Lets a request in or answers it."""

    def __init__(self, app: ASGIApp, token: SecretStr | None) -> None:
        self._app = app
        self._token = token.get_secret_value().encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
        elif self._token is None and not _is_local(scope):
            await problem(http_kind(403), scope["path"])(scope, receive, send)
        elif self._token is not None and not _holds(scope, self._token):
            challenge = {"WWW-Authenticate": 'Bearer realm="neurigraph"'}
            await problem(http_kind(401), scope["path"], headers=challenge)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _holds(scope: Scope, token: bytes) -> bool:
    scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), token)


def _is_local(scope: Scope) -> bool:
    """From this machine, and asked for by a name that only this machine or its network resolves.

    A web page can point a name of its own at 127.0.0.1 and have the browser ask us; such a name has dots.
    """
    client = scope.get("client")
    host = Headers(scope=scope).get("host", "").rsplit("]", 1)[0].lstrip("[")
    name = host if host.count(":") > 1 else host.partition(":")[0]
    own_name = "." not in name or name.lower().endswith(".localhost")
    return client is not None and _is_loopback(client[0]) and (_is_loopback(name) or (own_name and ":" not in name))


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
