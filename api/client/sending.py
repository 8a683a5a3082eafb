"""How a request is sent: over httpx2, with retries and time limits, for threads and for asyncio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from functools import cached_property, wraps
from inspect import Signature, signature
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import httpx2

from api.client.requests import Call, Endpoint, EventStream, NotReached, Page, pause

P = ParamSpec("P")
T = TypeVar("T")
DEFAULT_URL = "http://localhost:8420"
TIMEOUT_S = 60.0


def options_of(token: str | None, timeout: float) -> dict[str, Any]:
    """What every request has: the token, the time limit."""
    if token is not None and not (token.isascii() and token.isprintable() and token == token.strip()):
        raise ValueError("The token holds characters that no token has, such as the end of a line.")
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    # However many threads or tasks wait for a connection: each request before them ends by its own limits.
    return {"headers": headers, "timeout": httpx2.Timeout(timeout, pool=None)}


def checked(url: str) -> str:
    """The address, if requests can be sent to it. Raises ValueError."""
    try:
        parts = httpx2.URL(url)
        if parts.scheme in ("http", "https") and parts.host and not parts.query and not parts.fragment:
            return url
    except (httpx2.InvalidURL, TypeError):
        pass
    raise ValueError(f"The address of the server is written as http://localhost:8420, not {url!r}.")


def not_reached(call: Call[Any], error: httpx2.RequestError) -> NotReached:
    """The error for a request that got no answer."""
    return NotReached(f"{call.method} {call.path}: no answer from the server ({type(error).__name__}: {error})")


def settled(call: Call[Any], attempt: int, outcome: httpx2.Response | httpx2.RequestError) -> httpx2.Response | float:
    """The answer, or seconds until the request is sent again. Raises NotReached where there is neither."""
    wait = pause(call, attempt, outcome)
    if wait is not None:
        return wait
    if isinstance(outcome, httpx2.RequestError):
        raise not_reached(call, outcome) from outcome
    return outcome


def unseen(cursor: str, seen: set[Any]) -> str:
    """The cursor of the next page. Raises NotReached for one that was there before: its list would never end."""
    if cursor in seen:
        raise NotReached("The server repeats the cursor of a page: the list would never end.")
    seen.add(cursor)
    return cursor


class Sender:
    """Sends requests, one after the other or from several threads. Close it, or use it in a `with` statement."""

    def __init__(self, url: str = DEFAULT_URL, token: str | None = None, *, timeout: float = TIMEOUT_S) -> None:
        """`timeout`: seconds to connect, and between two parts of an answer. Raises ValueError for a wrong address or token."""
        self._http = httpx2.Client(base_url=checked(url), **options_of(token, timeout))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def each(self, method: Callable[P, Page[T]], *args: P.args, **given: P.kwargs) -> Iterator[T]:
        """All entries of a list, page after page: `client.each(client.list_entities, user_id)`."""
        seen = {given.get("cursor")}
        while True:
            page = method(*args, **given)
            yield from page
            if page.cursor is None:
                return
            given["cursor"] = unseen(page.cursor, seen)

    def _sent(self, call: Call[T]) -> T:
        attempt = 1
        while True:
            outcome: httpx2.Response | httpx2.RequestError
            try:
                outcome = self._http.request(**call.sent())
            except httpx2.RequestError as error:
                outcome = error
            answer = settled(call, attempt, outcome)
            if isinstance(answer, httpx2.Response):
                return call.read(answer)
            time.sleep(answer)
            attempt += 1

    def _followed(self, call: Call[T]) -> Iterator[T]:
        try:
            with self._http.stream(**call.sent()) as response:
                if not response.is_success:
                    response.read()
                events = EventStream(call, response)
                for line in response.iter_lines():
                    if (value := events.after(line)) is not None:
                        yield value
        except httpx2.RequestError as error:
            raise not_reached(call, error) from error


class AsyncSender:
    """Sends requests, as many at once as the caller starts. Close it, or use it in an `async with` statement."""

    def __init__(self, url: str = DEFAULT_URL, token: str | None = None, *, timeout: float = TIMEOUT_S) -> None:
        """`timeout`: seconds to connect, and between two parts of an answer. Raises ValueError for a wrong address or token."""
        self._http = httpx2.AsyncClient(base_url=checked(url), **options_of(token, timeout))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def each(self, method: Callable[P, Awaitable[Page[T]]], *args: P.args, **given: P.kwargs) -> AsyncIterator[T]:
        """All entries of a list, page after page: `client.each(client.list_entities, user_id)`."""
        seen = {given.get("cursor")}
        while True:
            page = await method(*args, **given)
            for one in page:
                yield one
            if page.cursor is None:
                return
            given["cursor"] = unseen(page.cursor, seen)

    async def _sent(self, call: Call[T]) -> T:
        attempt = 1
        while True:
            outcome: httpx2.Response | httpx2.RequestError
            try:
                outcome = await self._http.request(**call.sent())
            except httpx2.RequestError as error:
                outcome = error
            answer = settled(call, attempt, outcome)
            if isinstance(answer, httpx2.Response):
                return call.read(answer)
            await asyncio.sleep(answer)
            attempt += 1

    async def _followed(self, call: Call[T]) -> AsyncIterator[T]:
        try:
            async with self._http.stream(**call.sent()) as response:
                if not response.is_success:
                    await response.aread()
                events = EventStream(call, response)
                async for line in response.aiter_lines():
                    if (value := events.after(line)) is not None:
                        yield value
        except httpx2.RequestError as error:
            raise not_reached(call, error) from error


class _Method(Generic[P, T]):
    """A method of both clients: a function without a body, whose arguments are those of the request."""

    way: str
    """The method of a sender that takes the call."""

    def __init__(self, function: Callable[Concatenate[Any, P], T], endpoint: Endpoint[T]) -> None:
        self._function, self._endpoint, self.__doc__ = function, endpoint, function.__doc__

    @cached_property
    def _signature(self) -> Signature:
        return signature(self._function)

    def _of(self, client: Sender | AsyncSender | None) -> Any:
        if client is None:
            return self
        send = getattr(client, self.way)

        @wraps(self._function.__get__(client))
        def called(*args: P.args, **given: P.kwargs) -> Any:
            bound = self._signature.bind(client, *args, **given)
            bound.apply_defaults()
            del bound.arguments["self"]
            return send(self._endpoint.call(bound.arguments))

        return called


class OperationMethod(_Method[P, T]):
    """Sends the request of a method: `Client` waits for the answer, `AsyncClient` is awaited."""

    way = "_sent"

    @overload
    def __get__(self, client: None, owner: object = None) -> Self: ...
    @overload
    def __get__(self, client: AsyncSender, owner: object = None) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: Sender, owner: object = None) -> Callable[P, T]: ...
    def __get__(self, client: Sender | AsyncSender | None, owner: object = None) -> Any:
        return self._of(client)


class StreamMethod(_Method[P, T]):
    """Yields the values of a stream of events, with `for` or `async for`."""

    way = "_followed"

    @overload
    def __get__(self, client: None, owner: object = None) -> Self: ...
    @overload
    def __get__(self, client: AsyncSender, owner: object = None) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, client: Sender, owner: object = None) -> Callable[P, Iterator[T]]: ...
    def __get__(self, client: Sender | AsyncSender | None, owner: object = None) -> Any:
        return self._of(client)


def operation(
    method: str, path: str, read: Callable[[httpx2.Response], T], *, query: str = "", repeats: bool = True
) -> Callable[[Callable[Concatenate[Any, P], T]], OperationMethod[P, T]]:
    """Makes a method of an operation; `query`: the arguments that stand in the query, of a request with a body."""
    endpoint = Endpoint(method, path, read, frozenset(query.split()), repeats)
    return lambda function: OperationMethod(function, endpoint)


def followed(
    method: str, path: str, read: Callable[[httpx2.Response], T], *, query: str = ""
) -> Callable[[Callable[Concatenate[Any, P], T]], StreamMethod[P, T]]:
    """Makes a method of an operation whose answer is a stream of events."""
    endpoint = Endpoint(method, path, read, frozenset(query.split()))
    return lambda function: StreamMethod(function, endpoint)
