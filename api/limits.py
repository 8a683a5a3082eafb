"""Limits of requests: size and time of a body; requests with a body, and their bytes, that one principal has under way at once;
requests a minute of one key.

The operator counts as a separate principal for each user in whose graph it acts. The queues for processor time use the
same key (`engine.turns`).
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import TABLE, http_kind, problem
from engine.domain.principal import Identity
from engine.errors import TooLarge
from engine.turns import SHARE

SLOWEST = 64 * 1024
"""The least rate of a body in bytes a second, after its first seconds."""
MOST_BUCKETS = 10_000
"""Beyond it the key with the oldest request is dropped; it starts again with a full bucket."""
CLOSE = {"Connection": "close"}
RETRY = {"Retry-After": "1"}
TOO_MANY = "Too many requests of this principal are under way; wait for one to end."
TOO_MUCH = "The requests of this principal that are under way hold too many bytes; wait for one to end."
_GRAPH = re.compile(r"/v1/users/([0-9a-fA-F-]{36})(?:/|$)")


class BodyLimit:
    """Refuses a too large announced size at once, counts the bytes that arrive; `patience`: timeout in seconds."""

    def __init__(self, app: ASGIApp, most_bytes: int, patience: float) -> None:
        self._app, self._most, self._patience = app, most_bytes, patience
        self._detail = f"A request body has at most {most_bytes} bytes."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if announced(scope) > self._most:
            await problem(TABLE[TooLarge], scope["path"], self._detail, headers=CLOSE)(scope, receive, send)
            return
        arrived, whole = 0, False
        started = asyncio.get_running_loop().time()

        async def counted() -> Message:
            nonlocal arrived, whole
            if whole:  # only the disconnect follows
                return await receive()
            try:
                async with asyncio.timeout_at(started + self._patience + arrived / SLOWEST):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, headers=CLOSE) from error
            arrived += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if arrived > self._most:
                raise TooLarge(self._detail)
            return message

        await self._app(scope, counted, send)


def announced(scope: Scope) -> int:
    """The announced size of a request's body; 0 without one."""
    length = Headers(scope=scope).get("content-length", "")
    return int(length[:19]) if length.isascii() and length.isdigit() else 0


class InFlight:
    """Counts the requests and bytes under way for each principal, and refuses those beyond the limits."""

    def __init__(self, app: ASGIApp, writes: int, most_bytes: int, largest: int) -> None:
        self._app, self._writes, self._most, self._largest = app, writes, most_bytes, largest
        self._under_way: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
            await problem(http_kind(429), scope["path"], why_not, headers=RETRY | CLOSE)(scope, receive, send)
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
                    raise HTTPException(429, why_not, RETRY | CLOSE)
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


class RateLimit:
    """A token bucket for each key, refilled evenly, one token a request. At most `per_minute` requests a minute for each key on
    average, with bursts of as many; 0: no limit."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._size, self._now = float(per_minute), now
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait(self, key: Hashable) -> int:
        """Whole seconds until a request of the key is accepted; 0: now. Takes no token."""
        if not self._size:
            return 0
        left = self._left(key)
        return 0 if left >= 1 else math.ceil((1 - left) * 60 / self._size)

    def take(self, key: Hashable) -> int:
        """Takes a token for a request of the key. Returns what `wait` does; a refused request takes none."""
        seconds = self.wait(key)
        if self._size and not seconds:
            self._buckets[key] = (self._left(key) - 1, self._now())
            self._buckets.move_to_end(key)
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        return seconds

    def _left(self, key: Hashable) -> float:
        left, at = self._buckets.get(key, (self._size, self._now()))
        return min(self._size, left + (self._now() - at) * self._size / 60)
