"""Limits the size of request bodies, announced or not, and the time in which they must arrive."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import TABLE, problem
from engine.errors import TooLarge

SLOWEST = 64 * 1024
"""The least rate of a body in bytes a second, after its first seconds."""
CLOSE = {"Connection": "close"}


class BodyLimit:
    """Refuses a too large announced size at once, counts the bytes that arrive; `patience`: timeout in seconds."""

    def __init__(self, app: ASGIApp, most_bytes: int, patience: float) -> None:
        self._app, self._most, self._patience = app, most_bytes, patience
        self._detail = f"A request body has at most {most_bytes} bytes."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if announced(scope) > self._most:
            response = problem(TABLE[TooLarge], scope["path"], self._detail, headers=CLOSE)
            await response(scope, receive, send)
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
