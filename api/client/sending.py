"""How a request is sent: over httpx, with retries and time limits. `synchronous.py` has the same for threads, made from this."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, ParamSpec, Self, TypeVar

import httpx

from api.client.errors import NotReached
from api.client.requests import Call, Page, accepted, event_of, page_of, pause, value_of

P = ParamSpec("P")
T = TypeVar("T")
DEFAULT_URL = "http://localhost:8420"
TIMEOUT_S = 60.0


def options_of(token: str | None, timeout: float) -> dict[str, Any]:
    """What every request has: the token, the time limit."""
    if token is not None and not (token.isascii() and token.isprintable() and token == token.strip()):
        raise ValueError("The token holds characters that no token has, such as the end of a line.")
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return {"headers": headers, "timeout": timeout}


def checked(url: str) -> str:
    """The address, if requests can be sent to it. Raises ValueError."""
    try:
        parts = httpx.URL(url)
        if parts.scheme in ("http", "https") and parts.host and not parts.query and not parts.fragment:
            return url
    except (httpx.InvalidURL, TypeError):
        pass
    raise ValueError(f"The address of the server is written as http://localhost:8420, not {url!r}.")


def not_reached(call: Call, error: httpx.RequestError) -> NotReached:
    """The error for a request that got no answer."""
    return NotReached(f"{call.method} {call.path}: no answer from the server ({type(error).__name__}: {error})")


class AsyncSender:
    """Sends requests, as many at once as the caller starts. Close it, or use it in an `async with` statement."""

    def __init__(self, url: str = DEFAULT_URL, token: str | None = None, *, timeout: float = TIMEOUT_S) -> None:
        """`timeout`: seconds to connect, and between two parts of an answer. Raises ValueError for a wrong address or token."""
        self._http = httpx.AsyncClient(base_url=checked(url), **options_of(token, timeout))

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
            outcome: httpx.Response | httpx.RequestError
            try:
                outcome = await self._http.request(**call.sent())
            except httpx.RequestError as error:
                outcome = error
            wait = pause(call, attempt, outcome)
            if wait is None:
                if isinstance(outcome, httpx.RequestError):
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
                if not response.is_success:
                    await response.aread()
                accepted(response)
                if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
                    raise NotReached(f"The answer of {call.path} holds no events.")
                lines: list[str] = []
                async for line in response.aiter_lines():
                    if line:
                        lines.append(line)
                    elif (value := event_of(lines, shape)) is not None:
                        yield value
                    lines = lines if line else []
        except httpx.RequestError as error:
            raise not_reached(call, error) from error
