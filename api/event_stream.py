"""Server-sent events: a state, and again whenever it has changed, until it is settled or the time is over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from fastapi.encoders import jsonable_encoder
from fastapi.responses import StreamingResponse

from engine.errors import NeurigraphError

FIRST_LOOK, MOST_LOOK = 0.05, 1.0
"""Seconds between two looks: at first, and where nothing changes for long."""

State = TypeVar("State")


def followed(
    first: State, look: Callable[[], Awaitable[State]], moving: Callable[[State], bool], most_s: float
) -> StreamingResponse:
    """The states from `first` on, as long as they are `moving`, for at most so many seconds."""
    return StreamingResponse(
        _events(first, look, moving, most_s), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _events(
    state: State, look: Callable[[], Awaitable[State]], moving: Callable[[State], bool], most_s: float
) -> AsyncIterator[str]:
    ends, pause = asyncio.get_running_loop().time() + most_s, FIRST_LOOK
    yield _event("state", state)
    while moving(state) and asyncio.get_running_loop().time() < ends:
        await asyncio.sleep(pause)
        pause = min(2 * pause, MOST_LOOK)
        try:
            seen = await look()
        except NeurigraphError as error:  # its grant has ended, or a store does not answer
            yield _event("problem", {"detail": error.detail})
            return
        if seen != state:
            state, pause = seen, FIRST_LOOK
            yield _event("state", state)


def _event(name: str, value: object) -> str:
    return f"event: {name}\ndata: {json.dumps(jsonable_encoder(value))}\n\n"
