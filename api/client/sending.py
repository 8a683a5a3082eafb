"""How a request is sent: over httpx, with retries and time limits. `synchronous.py` has the same for threads, made from this."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, ParamSpec, Self, TypeVar

import httpx

from api.client.errors import NotReached, error_of
from api.client.requests import Call, Page, event_of, page_of, pause, value_of

P = ParamSpec("P")
T = TypeVar("T")
DEFAULT_URL = "http://localhost:8420"
TIMEOUT_S = 60.0


def options_of(token: str | None, timeout: float) -> dict[str, Any]:
    """What every request has: the token, the time limit."""
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return {"headers": headers, "timeout": timeout}


def not_reached(call: Call, error: httpx.TransportError) -> NotReached:
    """The error for a request that got no answer."""
    return NotReached(f"{call.method} {call.path}: no answer from the server ({type(error).__name__}: {error})")


class AsyncSender:
    """Sends requests, as many at once as the caller starts. Close it, or use it in an `async with` statement."""

    def __init__(self, url: str = DEFAULT_URL, token: str | None = None, *, timeout: float = TIMEOUT_S) -> None:
        """`timeout`: seconds to connect, and between two parts of an answer."""
        self._http = httpx.AsyncClient(base_url=url, **options_of(token, timeout))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def each(self, method: Callable[P, Awaitable[Page[T]]], *args: P.args, **given: P.kwargs) -> AsyncIterator[T]:
        """All entries of a list, page after page: `client.each(client.list_entities, user_id)`."""
        while True:
            page = await method(*args, **given)
            for one in page:
                yield one
            if page.cursor is None:
                return
            given["cursor"] = page.cursor

    async def _send(self, call: Call) -> httpx.Response:
        attempt = 1
        while True:
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = await self._http.request(**call.sent())
            except httpx.TransportError as error:
                outcome = error
            wait = pause(call, attempt, outcome)
            if wait is None:
                if isinstance(outcome, httpx.TransportError):
                    raise not_reached(call, outcome) from outcome
                return outcome
            await asyncio.sleep(wait)
            attempt += 1

    async def _value(self, call: Call, shape: type[T]) -> T:
        return value_of(await self._send(call), shape)

    async def _page(self, call: Call, shape: type[T]) -> Page[T]:
        return page_of(await self._send(call), shape)

    async def _file(self, call: Call, waiting: type[T]) -> bytes | T:
        response = await self._send(call)
        return value_of(response, waiting) if response.status_code == 202 else value_of(response, bytes)

    async def _events(self, call: Call, shape: type[T]) -> AsyncIterator[T]:
        try:
            async with self._http.stream(**call.sent()) as response:
                if response.is_error:
                    await response.aread()
                    raise error_of(response)
                lines: list[str] = []
                async for line in response.aiter_lines():
                    if line:
                        lines.append(line)
                    elif (value := event_of(lines, shape)) is not None:
                        yield value
                    lines = lines if line else []
        except httpx.TransportError as error:
            raise not_reached(call, error) from error
