"""Authentication: one bearer credential of three kinds, or, where no operator token is set, none at all for requests
of the server's own account on this machine:

    the operator's token   acts as the user that a path names
    ngt_…                  a token of a user, a persona, an integration or an administrator
    a signed token (JWT)   of the operator's issuer, for the user whose handle it holds

A wrong credential is refused without a reason, from this machine too. The body is not read before.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.limits import RateLimit
from api.page import files as page
from api.peer import LocalOnly, Peers, is_own_account
from api.problems import engine_problem, http_kind, problem
from engine.domain.principal import Identity
from engine.errors import NeurigraphError
from engine.neurigraph import Engine
from engine.operations.authenticating import Authentication
from engine.settings import Settings

OPEN_PATHS = page.PATHS | {"/docs", "/v1/health/live", "/v1/health/ready", "/v1/openapi.json"}
"""Paths without authentication: they return no memory, and a service's supervisor has no secrets."""
METRICS = "/metrics"
"""May be open to this machine, see `metrics_open`."""
TOKENS = "/v1/tokens"
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="neurigraph"'}
OTHER_ACCOUNT = (
    "Without a token the API serves the account that runs it, and root. Send a token (`neurigraph token create`), set "
    "NEURIGRAPH_API_TOKEN, or let all accounts of this machine be the operator by NEURIGRAPH_LOCAL_ACCOUNTS=any."
)
NO_CREDENTIAL = "Tokens are made by requests with a credential, or in the shell by `neurigraph token create`."
FAILURES = 20
"""An address may fail a twentieth as often as a principal may send requests."""
MOST_PROVEN = 10_000

Standing = Callable[[], Awaitable[bool]]
"""Whether the credential of an accepted request is still valid."""

bearer = HTTPBearer(auto_error=False, description="The operator's token, an `ngt_…` token, or a JWT of the issuer.")
"""Only for the OpenAPI document: `Guard` authenticates before."""


class Guard:
    """Authenticates requests and limits their rate; accepts a request or answers with the refusal."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._authentication = app, Authentication(settings)
        self._token = settings.api_token.get_secret_value().encode() if settings.api_token else None
        self._operator = Identity("operator", None, settings.workspace)
        self._peers = Peers(settings.trusted_proxies)
        self._local = LocalOnly(self._peers, settings.cors_origins)
        limit = settings.rate_limit_per_minute
        self._metrics_open, self._any_account = settings.metrics_open, settings.local_accounts == "any"
        self._requests = RateLimit(limit)
        self._failures = RateLimit(max(1, limit // FAILURES) if limit else 0)
        self._proven: OrderedDict[bytes, None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        try:
            refusal = await self._refusal(scope)
        except NeurigraphError as error:  # a store or the issuer does not answer: the principal is unknown
            refusal = await engine_problem(Request(scope), error)
        await (refusal or self._app)(scope, receive, send)

    async def _refusal(self, scope: Scope) -> Response | None:
        """The refusal; None accepts the request, with its identity in the scope's state."""
        credential, address = _credential(scope), self._peers.counted(scope)
        if credential is None:
            return self._without_credential(scope, address)
        if self._is_operators(credential):
            return self._let_in(scope, self._operator, _always)
        digest = hashlib.sha256(credential.encode("latin-1")).digest()
        # A credential that was valid before is not blocked by another client's failures from the same address.
        if digest not in self._proven and (seconds := self._failures.wait(address)):
            return _too_many(scope, seconds)
        engine: Engine = scope["app"].state.opening.opened()
        identity = await engine.identity(self._authentication, credential)
        if identity is None:
            self._proven.pop(digest, None)  # it has expired: from now on it counts as a failed attempt
            return self._refused(scope, address)
        self._remember(digest)

        async def stands() -> bool:
            return await engine.identity(self._authentication, credential) == identity

        return self._let_in(scope, identity, stands)

    def _without_credential(self, scope: Scope, address: str) -> Response | None:
        why_not = self._local.refusal(scope)
        open_here = self._metrics_open and scope["path"] == METRICS and why_not is None
        if self._token is not None and not open_here:
            return self._refused(scope, address)
        if why_not is None and not (open_here or self._any_account or is_own_account(scope)):
            why_not = OTHER_ACCOUNT
        if why_not is None and _makes_token(scope):
            why_not = NO_CREDENTIAL
        if why_not is None:
            return self._let_in(scope, self._operator, _always)
        # Not counted as a failed attempt: a web page could then block this machine's own clients.
        return problem(http_kind(403), scope["path"], why_not)

    def _is_operators(self, credential: str) -> bool:
        return self._token is not None and hmac.compare_digest(credential.encode("latin-1"), self._token)

    def _refused(self, scope: Scope, address: str) -> Response:
        if seconds := self._failures.take(address):
            return _too_many(scope, seconds)
        return problem(http_kind(401), scope["path"], headers=CHALLENGE)

    def _let_in(self, scope: Scope, identity: Identity, stands: Standing) -> Response | None:
        if seconds := self._requests.take((identity.kind, identity.principal_id)):
            return _too_many(scope, seconds)
        scope.setdefault("state", {}).update(identity=identity, stands=stands)
        return None

    def _remember(self, digest: bytes) -> None:
        self._proven[digest] = None
        self._proven.move_to_end(digest)
        if len(self._proven) > MOST_PROVEN:
            self._proven.popitem(last=False)


async def _always() -> bool:
    """The operator's credential is valid for as long as the process runs."""
    return True


def _makes_token(scope: Scope) -> bool:
    """Whether a request would be answered with the secret of a token, which is valid after the open door was closed."""
    path: str = scope["path"]
    return scope["method"] == "POST" and (path == TOKENS or path.startswith(f"{TOKENS}/"))


def _too_many(scope: Scope, seconds: int) -> Response:
    return problem(http_kind(429), scope["path"], headers={"Retry-After": str(seconds)})


def _credential(scope: Scope) -> str | None:
    """The bearer credential; None where none is sent, and an empty one for any other kind of authorization."""
    header = Headers(scope=scope).get("authorization")
    if header is None:
        return None
    scheme, _, given = header.partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""
