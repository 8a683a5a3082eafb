"""Who may come in, and as whom. One bearer credential of three kinds, or, where the operator has set no token of its
own, this machine without any:

    the operator's token   acts as the user that a path names
    ngt_…                  a token of a user, a persona, an integration or an administrator
    a signed token (JWT)   of the operator's issuer, for the user whose handle it holds

A wrong credential is refused without a reason, from this machine too. No byte of a body has been read by then.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections import OrderedDict

from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.problems import engine_problem, http_kind, problem
from api.rate_limit import RateLimit
from engine.access.oidc import Issuer, is_safe, is_token
from engine.access.tokens import is_secret
from engine.domain.identity import Identity
from engine.errors import NeurigraphError, NotFound, SettingsError
from engine.neurigraph import Engine
from engine.settings import Settings

OPEN_PATHS = frozenset({"/docs", "/v1/health/live", "/v1/health/ready", "/v1/openapi.json"})
"""Need no token: they hold no memory, and what supervises a service has no secrets."""
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="neurigraph"'}
FAILURES = 20
"""An address may fail a twentieth as often as a principal may ask."""
MOST_PROVEN = 10_000

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?")

bearer = HTTPBearer(auto_error=False, description="The operator's token, an `ngt_…` token, or a JWT of the issuer.")
"""Only for the OpenAPI page: `Guard` has decided long before."""


def check_settings(settings: Settings) -> None:
    """Raises SettingsError for a door that would be open to a network, to any web page, or to forged keys."""
    if settings.api_token is None and not _is_loopback(settings.host):
        raise SettingsError(
            f"NEURIGRAPH_HOST {settings.host} can be reached from other machines: set NEURIGRAPH_API_TOKEN, "
            "or listen on 127.0.0.1."
        )
    if settings.api_token is not None and not settings.api_token.get_secret_value().strip():
        raise SettingsError("NEURIGRAPH_API_TOKEN is empty.")
    for origin in settings.cors_origins:
        if not _ORIGIN.fullmatch(origin):
            raise SettingsError(f"NEURIGRAPH_CORS_ORIGINS: {origin} is no origin like https://app.example.org.")
    if settings.oidc_issuer is not None and not settings.oidc_audience:
        raise SettingsError("NEURIGRAPH_OIDC_ISSUER needs NEURIGRAPH_OIDC_AUDIENCE.")
    if settings.oidc_issuer is not None and not is_safe(settings.oidc_issuer):
        raise SettingsError("NEURIGRAPH_OIDC_ISSUER must be an https URL, or one of this machine.")


def issuer_of(settings: Settings) -> Issuer | None:
    """The issuer that the settings name, if any."""
    if settings.oidc_issuer is None or settings.oidc_audience is None:
        return None
    return Issuer(settings.oidc_issuer, settings.oidc_audience, claim=settings.oidc_claim, skew=settings.oidc_skew_s)


class Guard:
    """Recognises who asks, counts, and lets the request in or answers it."""

    def __init__(self, app: ASGIApp, settings: Settings, issuer: Issuer | None = None) -> None:
        self._app, self._issuer = app, issuer
        self._token = settings.api_token.get_secret_value().encode() if settings.api_token else None
        self._operator = Identity("operator", None, settings.workspace)
        limit = settings.rate_limit_per_minute
        self._requests = RateLimit(limit)
        self._failures = RateLimit(max(1, limit // FAILURES) if limit else 0)
        self._proven: OrderedDict[bytes, None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        try:
            refusal = await self._refusal(scope)
        except NeurigraphError as error:  # a store or the issuer is silent: nobody knows yet who asks
            refusal = await engine_problem(Request(scope), error)
        await (refusal or self._app)(scope, receive, send)

    async def _refusal(self, scope: Scope) -> Response | None:
        """What to answer instead of serving; None lets the request in, with its identity in the scope's state."""
        credential, address = _credential(scope), _address(scope)
        identity: Identity | None = None
        if credential is None:
            identity = self._operator if self._token is None and _is_local(scope) else None
        elif self._token is not None and hmac.compare_digest(credential.encode("latin-1"), self._token):
            identity = self._operator
        else:
            digest = hashlib.sha256(credential.encode("latin-1")).digest()
            # Who has come in before is not kept out by a neighbour that guesses behind the same address.
            if digest not in self._proven and (seconds := self._failures.wait(address)):
                return _too_many(scope, seconds)
            identity = await self._recognised(scope["app"].state.opening.opened(), credential)
            if identity is not None:
                self._remember(digest)
        if identity is None:
            status = 403 if credential is None and self._token is None else 401
            seconds = self._failures.take(address)
            headers = CHALLENGE if status == 401 else None
            return _too_many(scope, seconds) if seconds else problem(http_kind(status), scope["path"], headers=headers)
        if seconds := self._requests.take((identity.kind, identity.principal_id)):
            return _too_many(scope, seconds)
        scope.setdefault("state", {})["identity"] = identity
        return None

    async def _recognised(self, engine: Engine, credential: str) -> Identity | None:
        """Who holds the credential. Raises StoreUnavailable, ProviderUnavailable."""
        if is_secret(credential):
            return await engine.tokens.authenticate(credential)
        if self._issuer is None or not is_token(credential):
            return None
        handle = await self._issuer.handle_of(credential)
        if handle is None:
            return None
        try:
            user = await engine.find_user(handle)
        except NotFound:
            return None
        return Identity("user", user.user_id, self._operator.workspace)

    def _remember(self, digest: bytes) -> None:
        self._proven[digest] = None
        self._proven.move_to_end(digest)
        if len(self._proven) > MOST_PROVEN:
            self._proven.popitem(last=False)


def _too_many(scope: Scope, seconds: int) -> Response:
    return problem(http_kind(429), scope["path"], headers={"Retry-After": str(seconds)})


def _credential(scope: Scope) -> str | None:
    """The bearer credential; None where none is sent, and an empty one for any other kind of authorization."""
    header = Headers(scope=scope).get("authorization")
    if header is None:
        return None
    scheme, _, given = header.partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


def _address(scope: Scope) -> str:
    """Whom failed attempts are counted for: an IPv4 address, or the network of an IPv6 one, which one client has whole."""
    host = scope["client"][0] if scope.get("client") else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


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
