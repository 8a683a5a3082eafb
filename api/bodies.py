"""Bodies of requests: JSON, read strictly (UTF-8, one value, no text that a database could not hold), and bodies and answers of
lines (NDJSON), both read and sent as streams.

An import answers while its body still arrives. Some clients read nothing before they have sent everything: were the reports to
wait for them, and the body for the reports, both would wait for ever. So reports go to a `Spool`, and the body is read on.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from inspect import Parameter, Signature, signature
from typing import Any, NoReturn, get_type_hints

from fastapi import Body
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine.domain.written import MEDIA_TYPE
from engine.errors import InvalidInput, InvalidText, WrongContentType
from engine.turns import computed

AT_ONCE = 1 << 16
"""Bytes that are parsed at once; larger bodies are queued for processor time."""

_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""Only these escapes can produce NUL or half a surrogate pair."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

IN_MEMORY = 1 << 20
"""Bytes of reports that wait in memory; what is more waits in a temporary file."""
MOST_WAITING = 256 << 20
"""Bytes of reports that wait at all: of a million lines or more. An import whose client has not read them ends there."""
PART = 1 << 16
"""Bytes that are sent at once."""
PATIENCE = 60.0
"""Seconds without a byte read after which a client that has sent its body is given up."""


class JsonRoute(APIRoute):
    """A route whose body, if it takes one, must be JSON; no body is `{}` where no field is required."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        endpoint.__signature__ = _with_default_body(endpoint)  # type: ignore[attr-defined]
        super().__init__(path, endpoint, **more)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler; it gets the body already read and parsed."""
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            if request.method not in ("POST", "PUT", "PATCH"):
                return await handle(request)
            parsed = JsonRequest(request.scope, request.receive)
            needed = self.body_field is not None and self.body_field.field_info.is_required()
            if needed or await parsed.body():  # `curl -X POST` sends neither a body nor its type
                check_content_type(request)
                await parsed.json()
            return await handle(parsed)

        return read_and_handle


def _with_default_body(endpoint: Callable[..., Any]) -> Signature:
    """What an endpoint takes, with a default for a body without required fields: FastAPI documents it as not required, too."""
    taken, types = signature(endpoint), get_type_hints(endpoint)
    parameters = []
    for one in taken.parameters.values():
        model = types[one.name]
        if (
            isinstance(model, type)
            and issubclass(model, BaseModel)
            and not any(field.is_required() for field in model.model_fields.values())
        ):
            one = one.replace(default=Body(default_factory=model))
        parameters.append(one.replace(kind=Parameter.KEYWORD_ONLY))  # where those without a default may follow
    return taken.replace(parameters=parameters)


class JsonRequest(Request):
    """A request whose JSON is parsed by the rules of this module."""

    async def json(self) -> Any:
        """The parsed body; raises HTTPException (400) and InvalidText."""
        if not hasattr(self, "_parsed"):
            body = await self.body()
            self._parsed = parsed_json(body) if len(body) <= AT_ONCE else await computed(parsed_json, body)
        return self._parsed


def check_content_type(request: Request, expected: str = "application/json") -> None:
    """Raises WrongContentType for anything but this media type, plain, in UTF-8."""
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = re.search(r"charset=\"?([^\s;\"]+)", parameters, re.IGNORECASE)
    if media_type.strip().lower() != expected or (charset and charset[1].lower() not in ("utf-8", "utf8")):
        raise WrongContentType(f"This body is {expected} in UTF-8.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise WrongContentType("Bodies are sent uncompressed.")


def parsed_json(body: bytes) -> Any:
    """The value of a JSON text. Raises HTTPException (400) saying where it is malformed, InvalidText saying
    which string cannot be stored."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"The body is not UTF-8: byte {error.start} cannot be read.") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise HTTPException(400, f"The body is not JSON: {error.msg} ({place}).") from error
    except RecursionError as error:
        raise HTTPException(400, "The body is nested too deeply.") from error
    except ValueError as error:
        raise HTTPException(400, f"The body holds a number that cannot be read: {error}.") from error
    if _ESCAPED.search(text):
        _check_strings(value)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_strings(value: Any) -> None:
    """Raises InvalidText for the first string, key or value, with NUL or half a surrogate pair."""
    waiting = [(value, "body")]
    while waiting:
        part, place = waiting.pop()
        if isinstance(part, str) and (found := _UNSTORABLE.search(part)):
            what = "a NUL character" if found[0] == "\x00" else "half a surrogate pair"
            raise InvalidText(f"{place} holds {what} (character {found.start() + 1}).")
        if isinstance(part, list):
            waiting.extend((entry, f"{place}[{index}]") for index, entry in enumerate(part))
        elif isinstance(part, dict):
            waiting.extend((key, f"a key of {place}") for key in part)
            waiting.extend((entry, f"{place}.{key}") for key, entry in part.items() if not _UNSTORABLE.search(key))


class Unread(InvalidInput):
    """The reports of this import were not read; read them while the body is sent, or send fewer lines at once."""


class Spool:
    """Bytes that wait to be sent, in order: in memory, then in a file."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed with the answer)
        self._start = self._end = self.sent = 0
        self._news = asyncio.Event()
        self._ended = False

    def put(self, data: bytes) -> None:
        """Adds bytes. Raises Unread where too many wait."""
        if self._end - self._start + len(data) > MOST_WAITING:
            raise Unread
        self.put_last(data)

    def put_last(self, data: bytes) -> None:
        """Adds bytes that are few, however many wait."""
        self._file.seek(self._end)
        self._file.write(data)
        self._end += len(data)
        self._news.set()

    def end(self) -> None:
        """No more come."""
        self._ended = True
        self._news.set()

    async def wait(self) -> None:
        """Until there are bytes, or no more come."""
        await self._news.wait()

    async def blocks(self) -> AsyncIterator[bytes]:
        """What was put, until the end."""
        while True:
            await self._news.wait()
            if self._start < self._end:
                self._file.seek(self._start)
                part = self._file.read(PART)
                self._start += len(part)
                yield part
                self.sent += len(part)
            elif self._ended:
                return
            else:  # all is sent: the file begins anew
                self._start = self._end = 0
                self._file.truncate(0)
                self._news.clear()

    @property
    def empty(self) -> bool:
        """Whether no byte waits."""
        return self._start == self._end

    def close(self) -> None:
        self._file.close()


class AnsweredLines(Response):
    """Sends a spool while `work` fills it and reads the body. The framework's own streams would take the body for themselves, to
    notice a client that has gone; here the reader of the body notices it."""

    media_type = MEDIA_TYPE

    def __init__(self, spool: Spool, work: asyncio.Task[None]) -> None:
        super().__init__(headers={"Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._spool, self._work = spool, work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.create_task(self._send(send))
        try:
            await asyncio.wait([self._work])
            while not sending.done():
                sent = self._spool.sent
                await asyncio.wait([sending], timeout=PATIENCE)
                if self._spool.sent == sent:
                    break
            self._work.result()
        finally:
            self._work.cancel()
            sending.cancel()
            await asyncio.gather(self._work, sending, return_exceptions=True)
            self._spool.close()

    async def _send(self, send: Send) -> None:
        async for part in self._spool.blocks():
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def answering(work: Callable[[Spool], Awaitable[None]]) -> AnsweredLines:
    """The answer of a work that puts lines into the spool, once it has put the first. What it raises before that is raised."""
    spool = Spool()

    async def run() -> None:
        try:
            await work(spool)
        finally:
            spool.end()

    task = asyncio.create_task(run())
    try:
        await spool.wait()
        if spool.empty:
            await task
    except BaseException:
        task.cancel()
        spool.close()
        raise
    return AnsweredLines(spool, task)
