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

from api.problems import http_kind, problem
from engine.domain.principal import Identity
from engine.domain.problems import TABLE
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
TWO_LENGTHS = "A request has Content-Length or Transfer-Encoding, not both."
_IMPORT = re.compile(r"/v1/users/[^/]+/import")
_GRAPH = re.compile(r"/v1/users/([0-9a-fA-F-]{36})(?:/|$)")


class OneLength:
    """Refuses a request with two lengths, `Content-Length` and `Transfer-Encoding`, and closes its connection: a proxy that goes
    by the other one would take what follows for another request (RFC 9112, 6.3)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and {"content-length", "transfer-encoding"} <= set(Headers(scope=scope)):
            refusal = problem(http_kind(400), scope["path"], TWO_LENGTHS, headers=CLOSE)
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class BodyLimit:
    """Refuses a too large announced size at once, counts the bytes that arrive; `patience`: timeout in seconds. `most_imported`
    is for a body that is read line by line."""

    def __init__(self, app: ASGIApp, most_bytes: int, most_imported: int, patience: float) -> None:
        self._app, self._most, self._most_imported, self._patience = app, most_bytes, most_imported, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._most_imported if is_import(scope) else self._most
        detail = f"A request body has at most {most} bytes."
        if announced(scope) > most:
            await problem(TABLE[TooLarge], scope["path"], detail, headers=CLOSE)(scope, receive, send)
            return
        arrived, whole, waited = 0, False, 0.0
        time = asyncio.get_running_loop().time

        async def counted() -> Message:
            nonlocal arrived, whole, waited
            if whole:  # only the disconnect follows
                return await receive()
            started = time()
            try:
                async with asyncio.timeout(self._patience + arrived / SLOWEST - waited):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, headers=CLOSE) from error
            waited += time() - started  # an import is stored between two messages: that time is not the client's
            arrived += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if arrived > most:
                raise TooLarge(detail)
            return message

        await self._app(scope, counted, send)


def announced(scope: Scope) -> int:
    """The announced size of a request's body; 0 without one."""
    length = Headers(scope=scope).get("content-length", "")
    return int(length[:19]) if length.isascii() and length.isdigit() else 0


def is_import(scope: Scope) -> bool:
    """Whether the body is read line by line, and not held as a whole."""
    return scope["method"] == "POST" and _IMPORT.fullmatch(scope["path"]) is not None


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
        lines = _Lines(self._largest) if is_import(scope) else None
        expected = 0 if lines else announced(scope)
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
            arrived = lines.held(message) if lines else arrived + len(message.get("body", b""))
            if lines or held < arrived <= self._largest:  # no size was announced; `BodyLimit` refuses too large ones
                if why_not := self._too_much(share, arrived - held, held):
                    raise HTTPException(429, why_not, RETRY | CLOSE)
                self._bytes[share] += arrived - held
                held = arrived
            return message

        try:
            await self._app(scope, weighed, send)
        finally:
            _less(self._under_way, share, 1)
            _less(self._bytes, share, held)

    def _too_much(self, share: str, more: int, own: int = 0) -> str:
        """Why a request may not hold more. One that is alone always may: of an import the longest line and a message."""
        held = self._bytes[share]
        return TOO_MUCH if more > 0 and held > own and held + more > self._most else ""


class _Lines:
    """How many bytes an import holds: a message, and before it the beginning of its first line, unless that is too long."""

    def __init__(self, largest: int) -> None:
        self._largest, self._rest = largest, 0

    def held(self, message: Message) -> int:
        """While this message is read."""
        body = message.get("body", b"")
        before, ended = self._rest, body.rfind(b"\n") + 1
        self._rest = len(body) - ended if ended else before + len(body)
        return min(before, self._largest) + len(body)


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
