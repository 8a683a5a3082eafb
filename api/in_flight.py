"""Limits what one principal may have under way at once: requests with a body, and the bytes of these bodies.

The operator counts as a separate principal for each user in whose graph it acts. The queues for processor time use the
same key (`engine.turns`).
"""

from __future__ import annotations

import re
from collections import Counter

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.body_limit import announced
from api.problems import http_kind, problem
from engine.domain.identity import Identity
from engine.turns import SHARE

RETRY = {"Retry-After": "1"}
TOO_MANY = "Too many requests of this principal are under way; wait for one to end."
TOO_MUCH = "The requests of this principal that are under way hold too many bytes; wait for one to end."
_GRAPH = re.compile(r"/v1/users/([0-9a-fA-F-]{36})(?:/|$)")


class InFlight:
    """Counts the requests and bytes under way for each principal, and refuses those beyond the limits."""

    def __init__(self, app: ASGIApp, writes: int, most_bytes: int, largest: int) -> None:
        self._app, self._writes, self._most, self._largest = app, writes, most_bytes, largest
        self._under_way: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        identity: Identity | None = scope.get("state", {}).get("identity")
        if scope["type"] != "http" or identity is None:
            await self._app(scope, receive, send)
            return
        share = _share(scope, identity)
        token = SHARE.set(share)
        try:
            if scope["method"] in ("GET", "HEAD", "OPTIONS", "DELETE"):
                await self._app(scope, receive, send)
            else:
                await self._counted(share, scope, receive, send)
        finally:
            SHARE.reset(token)

    async def _counted(self, share: str, scope: Scope, receive: Receive, send: Send) -> None:
        expected = announced(scope)
        if expected > self._largest:  # `BodyLimit` refuses it as too large
            await self._app(scope, receive, send)
            return
        why_not = TOO_MANY if self._under_way[share] >= self._writes else self._too_much(share, expected)
        if why_not:
            response = problem(http_kind(429), scope["path"], why_not, headers=RETRY | {"Connection": "close"})
            await response(scope, receive, send)
            return
        held = expected
        self._under_way[share] += 1
        self._bytes[share] += expected
        arrived = 0

        async def weighed() -> Message:
            nonlocal arrived, held
            message = await receive()
            arrived += len(message.get("body", b""))
            if held < arrived <= self._largest:  # no size was announced; `BodyLimit` refuses too large ones
                if why_not := self._too_much(share, arrived - held):
                    raise HTTPException(429, why_not, RETRY | {"Connection": "close"})
                self._bytes[share] += arrived - held
                held = arrived
            return message

        try:
            await self._app(scope, weighed, send)
        finally:
            _less(self._under_way, share, 1)
            _less(self._bytes, share, held)

    def _too_much(self, share: str, more: int) -> str:
        held = self._bytes[share]
        return TOO_MUCH if held and held + more > self._most else ""


def _share(scope: Scope, identity: Identity) -> str:
    graph = _GRAPH.match(scope["path"]) if identity.kind == "operator" else None
    return f"{identity.kind}:{graph[1].lower() if graph else identity.principal_id}"


def _less(counts: Counter[str], share: str, by: int) -> None:
    counts[share] -= by
    if counts[share] <= 0:  # no entry is kept for an idle principal
        del counts[share]
