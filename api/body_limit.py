"""No request body larger than the limit is taken in, whether it announces its size or not."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import TABLE, problem
from engine.errors import TooLarge


class BodyLimit:
    """Refuses an announced size at once, and counts what arrives."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app, self._most = app, most_bytes
        self._detail = f"A request body has at most {most_bytes} bytes."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isascii() and announced.isdigit() and int(announced[:19]) > self._most:
            response = problem(TABLE[TooLarge], scope["path"], self._detail, headers={"Connection": "close"})
            await response(scope, receive, send)
            return
        arrived = 0

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > self._most:
                raise TooLarge(self._detail)
            return message

        await self._app(scope, counted, send)
