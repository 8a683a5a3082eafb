"""Server-sent events: a state, and again after every change, until it is final or the timeout is reached.

Each poll checks the credential and the right to read again: the stream ends when either does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Generic, TypeVar

from fastapi.encoders import jsonable_encoder
from fastapi.requests import Request
from fastapi.responses import StreamingResponse

from api.auth import Standing
from api.problems import http_kind
from engine.errors import NeurigraphError

FIRST_LOOK, MOST_LOOK = 0.05, 1.0
"""Seconds between two polls: at first, and at most."""
PATIENCE = 4.0
"""Timeout of a poll in seconds; the stream ends then, because its rights could not be checked."""

State = TypeVar("State")


def documented_events(state: str) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI response of a stream of states of this type."""
    event = {
        "type": "object",
        "description": f"One event: `state`, its data {state} as JSON, or `problem`, after which the stream ends.",
        "properties": {
            "event": {"type": "string", "enum": ["state", "problem"]},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
        "required": ["event", "data"],
    }
    return {
        200: {"description": "The events, one after the other.", "content": {"text/event-stream": {"schema": event}}}
    }


def followed(
    request: Request, first: State, look: Callable[[], Awaitable[State]], moving: Callable[[State], bool], most_s: float
) -> StreamingResponse:
    """Streams the states from `first` on while they are `moving` and the request's credential is valid, for at most
    `most_s` seconds."""
    return StreamingResponse(
        _events(first, _Looks(look, request.state.stands), moving, most_s),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store"},
    )


class _Ended(Exception):
    """The stream ends; the message is the reason."""


class _Looks(Generic[State]):
    """Polls a state while the request's credential is valid."""

    def __init__(self, look: Callable[[], Awaitable[State]], stands: Standing) -> None:
        self._look, self._stands = look, stands

    async def next(self) -> State:
        """The current state; raises _Ended."""
        try:
            async with asyncio.timeout(PATIENCE):
                seen = await self._look()
                # Checked last: a state that was read before the credential expired is not sent after it.
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
