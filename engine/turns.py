"""Fair scheduling of limited resources: the encoder, threads for the processor, connections to Postgres.

Work belongs to a share (`SHARE`): requests of one principal are one share, everything else of the process another.
Waiting work is served in rotation over the shares, so that a long queue of one does not delay another, and one share
never holds all places.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

SHARE: ContextVar[str] = ContextVar("share", default="")
"""Whose work this is; tasks and threads that it starts inherit it."""

MOST_SHARES = 1000
"""Most shares whose last turn is remembered."""

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class TurnTimeout(Exception):
    """No place was free in time."""


class Turns:
    """At most `places` turns at the same time, and `each` of one share; waiting shares are served in rotation."""

    def __init__(self, places: int, each: int) -> None:
        self._free, self._each = places, each
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._served: OrderedDict[str, None] = OrderedDict()  # the last served at the end

    @property
    def wanted(self) -> bool:
        """Whether work waits for a turn; may be asked in any thread."""
        return bool(self._waiting)

    @asynccontextmanager
    async def turn(self, within: float | None = None) -> AsyncIterator[None]:
        """One turn; waits for it, at most so many seconds. Raises TurnTimeout."""
        share = SHARE.get()
        try:
            async with asyncio.timeout(within):
                await self._take(share)
        except TimeoutError as error:
            raise TurnTimeout from error
        try:
            yield
        finally:
            self._give_back(share)

    async def _take(self, share: str) -> None:
        # No waiting work can be served now: a free place is taken at once, unless the share is at its limit.
        if self._free and self._taken[share] < self._each:
            self._count(share, 1)
            return
        mine = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(share, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # the turn was given at the same moment
                self._give_back(share)
            else:
                self._forget(share, mine)
            raise

    def _give_back(self, share: str) -> None:
        self._count(share, -1)
        while self._free:
            able = [one for one in self._waiting if self._taken[one] < self._each]
            if not able:
                return
            served = self._longest_ago(able)
            first = self._waiting[served].popleft()
            if not self._waiting[served]:
                del self._waiting[served]
            if not first.done():
                self._count(served, 1)
                first.set_result(None)

    def _longest_ago(self, shares: Sequence[str]) -> str:
        """The share that was served longest ago, or not at all."""
        known = set(shares)
        fresh = next((one for one in shares if one not in self._served), None)
        return fresh if fresh is not None else next(one for one in self._served if one in known)

    def _count(self, share: str, by: int) -> None:
        if by > 0:
            self._served[share] = None
            self._served.move_to_end(share)
            if len(self._served) > MOST_SHARES:
                self._served.popitem(last=False)
        self._free -= by
        self._taken[share] += by
        if not self._taken[share]:
            del self._taken[share]

    def _forget(self, share: str, one: asyncio.Future[None]) -> None:
        queue = self._waiting.get(share)
        if queue is not None and one in queue:
            queue.remove(one)
            if not queue:
                del self._waiting[share]


_THREADS = max(2, os.cpu_count() or 2)
_processor = Turns(_THREADS, each=_THREADS - 1)


async def computed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of `work`, run in a thread when it is this share's turn. For long computations; never for waiting."""
    async with _processor.turn():
        return await asyncio.to_thread(work, *args, **kwargs)


async def both(first: Awaitable[T], second: Awaitable[S]) -> tuple[T, S]:
    """Both results, when both are done. Raises the error of the first one, else that of the second."""
    found = await asyncio.gather(first, second, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return found  # type: ignore[return-value]
