"""Server-sent events: a state, and again whenever it has changed, until it is settled or the time is over.

Whoever listens is asked for again at every look: a stream ends with its credential, as it does with its right to see
the state.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

from fastapi.encoders import jsonable_encoder
from fastapi.requests import Request
from fastapi.responses import StreamingResponse

from api.auth import Standing
from api.problems import http_kind
from engine.errors import NeurigraphError

FIRST_LOOK, MOST_LOOK = 0.05, 1.0
"""Seconds between two looks: at first, and where nothing changes for long."""
PATIENCE = 4.0
"""Seconds that a look may take; the stream ends then, since nobody knows whether it still may go on."""

State = TypeVar("State")


def followed(
    request: Request,
    first: State,
    look: Callable[[], Awaitable[State]],
    moving: Callable[[State], bool],
    most_s: float,
) -> StreamingResponse:
    """The states from `first` on, as long as they are `moving` and the request's credential is good, for at most so
    many seconds."""
    return StreamingResponse(
        _events(first, _Looks(look, request.state.stands), moving, most_s),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store"},
    )


class _Ended(Exception):
    """Nothing more is sent; the message says why."""


class _Looks(Generic[State]):
    """Looks at a state for as long as whoever asked may come in."""

    def __init__(self, look: Callable[[], Awaitable[State]], stands: Standing) -> None:
        self._look, self._stands = look, stands

    async def next(self) -> State:
        """The state as it is now; raises _Ended."""
        try:
            async with asyncio.timeout(PATIENCE):
                seen = await self._look()
                # Asked last: what was seen before the credential ended is not sent after it.
                if not await self._stands():
                    raise _Ended(http_kind(401).title)
        except NeurigraphError as error:  # its grant has ended, or a store does not answer
            raise _Ended(error.detail) from error
        except TimeoutError as error:
            raise _Ended(http_kind(503).title) from error
        return seen


async def _events(
    state: State, looks: _Looks[State], moving: Callable[[State], bool], most_s: float
) -> AsyncIterator[str]:
    ends, pause = asyncio.get_running_loop().time() + most_s, FIRST_LOOK
    yield _event("state", state)
    while moving(state) and asyncio.get_running_loop().time() < ends:
        await asyncio.sleep(pause)
        pause = min(2 * pause, MOST_LOOK)
        try:
            seen = await looks.next()
        except _Ended as end:
            yield _event("problem", {"detail": str(end)})
            return
        if seen != state:
            state, pause = seen, FIRST_LOOK
            yield _event("state", state)


def _event(name: str, value: object) -> str:
    return f"event: {name}\ndata: {json.dumps(jsonable_encoder(value))}\n\n"
