"""What both clients have in common: a request as a value, what its answer is, when it is sent again, and what goes wrong: the
problem details (RFC 9457) of the server as exceptions, by status.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Final, Generic, TypeVar, cast
from urllib.parse import quote
from uuid import uuid4

import httpx2
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from engine.domain.written import MEDIA_TYPE

PREFIX = "urn:neurigraph:problem:"
T = TypeVar("T")
OMIT: Final[Any] = type("Omitted", (), {"__repr__": lambda _: "OMIT", "__bool__": lambda _: False})()
"""A parameter that is not sent: the server's default holds, and a change leaves the field as it is."""
ONCE = "Idempotency-Key"
HEADERS = {"idempotency_key": ONCE, "if_match": "If-Match", "if_none_match": "If-None-Match", "prefer": "Prefer"}
"""Arguments that stand in a header."""
WITH_BODY = ("POST", "PUT", "PATCH")
ATTEMPTS = 4
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 30.0


class ApiError(Exception):
    """The server refused the request. `kind`: the last part of the problem's type, such as "name-taken"; `errors`: the invalid
    fields of the request; `retry_after`: seconds, None where the server names none."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.kind = str(problem.get("type", "")).removeprefix(PREFIX)
        self.title = str(problem.get("title") or f"HTTP status {status}")
        self.detail = str(problem.get("detail") or self.title)
        named = problem.get("errors")
        self.errors = tuple(one for one in named if isinstance(one, dict)) if isinstance(named, list) else ()
        self.retry_after = retry_after
        places = "".join(f"; {one.get('location', '')}: {one.get('detail', '')}" for one in self.errors)
        super().__init__(f"{self.detail} ({status} {self.kind}{places})")


class Invalid(ApiError):
    """The request is not valid (400, 405, 413, 415, 422)."""


class Unauthenticated(ApiError):
    """The token is missing, unknown or revoked (401), or one is needed from another machine (403)."""


class NotFound(ApiError):
    """Missing, or not for this token: both look the same (404)."""


class Conflict(ApiError):
    """It conflicts with the current state (409), or was changed meanwhile (412)."""


class Unavailable(ApiError):
    """The server cannot do it now: retries did not help (408, 429, 502, 503, 504, 507)."""


class NotReached(Exception):
    """The server did not answer, or not with what this client understands."""


RETRIED = frozenset({408, 429, 502, 503, 504})
"""Statuses after which a request that may be repeated is sent again."""
_BY_STATUS = (
    dict.fromkeys((400, 405, 413, 415, 422), Invalid)
    | dict.fromkeys((401, 403), Unauthenticated)
    | {404: NotFound, 409: Conflict, 412: Conflict, 507: Unavailable}
    | dict.fromkeys(RETRIED, Unavailable)
)


def error_of(response: httpx2.Response) -> ApiError:
    """The exception for an answer, which has been read."""
    try:
        problem = response.json()
    except (ValueError, RecursionError):  # a page of a proxy, as a rule
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    return _BY_STATUS.get(response.status_code, ApiError)(response.status_code, problem, retry_after(response))


def retry_after(response: httpx2.Response) -> float | None:
    """Seconds that the server asks to wait; a proxy may name the time instead."""
    asked = response.headers.get("Retry-After", "")
    if asked.isascii() and asked.isdigit():
        return float(asked)
    try:
        until = parsedate_to_datetime(asked)
        return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


class Page(list[T]):
    """A page of a list. `cursor`: of the next page; None on the last one. `left_out`: entries that the server did not show."""

    def __init__(self, entries: list[T], cursor: str | None = None, left_out: int = 0) -> None:
        super().__init__(entries)
        self.cursor, self.left_out = cursor, left_out


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request. `read` makes a value of its answer. `repeats`: it may be sent again when its answer was lost; one with an
    idempotency key always may."""

    method: str
    path: str
    read: Callable[[httpx2.Response], T]
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    body: Any = OMIT
    repeats: bool = True
    lines: bytes | None = None
    """A body of lines."""

    def sent(self) -> dict[str, Any]:
        """The arguments for httpx2. Raises ValueError for what cannot be sent."""
        headers = {name: _header(name, value) for name, value in _given(self.headers)}
        query = {name: _text(value) for name, value in _given(self.query)}
        if self.lines is not None:
            headers["Content-Type"] = MEDIA_TYPE
            return {"method": self.method, "url": self.path, "params": query, "headers": headers, "content": self.lines}
        if self.body is OMIT and self.method not in ("POST", "PATCH"):
            return {"method": self.method, "url": self.path, "params": query, "headers": headers}
        given = {name: value for name, value in ({} if self.body is OMIT else self.body).items() if value is not OMIT}
        content = json.dumps(to_jsonable_python(given), ensure_ascii=False).encode("utf-8")
        headers["Content-Type"] = "application/json"
        return {"method": self.method, "url": self.path, "params": query, "headers": headers, "content": content}


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[T]):
    """What an operation of the REST API asks, beside the arguments of its method.

    Arguments that `path` names stand there, those of `HEADERS` in the headers; all others in the query or, where the method has a
    body, in the body, but for those that `query` names.
    """

    method: str
    path: str
    read: Callable[[httpx2.Response], T]
    query: frozenset[str] = frozenset()
    repeats: bool = True

    def call(self, arguments: Mapping[str, Any]) -> Call[T]:
        """The request with these arguments. Raises ValueError for what names no resource, and for a key that is none."""
        in_path = {name: value for name, value in arguments.items() if f"{{{name}}}" in self.path}
        headers = {HEADERS[name]: value for name, value in arguments.items() if name in HEADERS}
        if ONCE in headers:
            headers[ONCE] = once(headers[ONCE])
        others = {name.rstrip("_"): value for name, value in arguments.items() if name not in in_path.keys() | HEADERS}
        in_query = self.query if self.method in WITH_BODY else others.keys()
        query = {name: value for name, value in others.items() if name in in_query}
        body = {name: value for name, value in others.items() if name not in in_query} or OMIT
        place = path(self.path, **in_path)
        return Call(self.method, place, self.read, query=query, headers=headers, body=body, repeats=self.repeats)


def path(template: str, **values: object) -> str:
    """The path with its values, quoted: a slash in a value does not end its segment. Raises ValueError for one that would name
    another resource."""
    if wrong := [value for value in map(str, values.values()) if value in ("", ".", "..")]:
        raise ValueError(f"{wrong[0]!r} is no id and no name.")
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})


def once(key: Any) -> str:
    """The idempotency key of a write: the caller's, or a new one, so that a retry never writes twice. Raises ValueError."""
    if key is OMIT or key is None:
        return str(uuid4())
    if not _KEY.fullmatch(str(key)):
        raise ValueError("An idempotency key has 1 to 200 visible ASCII characters, and no space.")
    return str(key)


def _given(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in values.items() if value is not OMIT and value is not None]


def _header(name: str, value: object) -> str:
    if not (text := str(value)).isascii() or not text.isprintable():
        raise ValueError(f"{name} holds characters that no header can hold.")
    return text


def _text(value: Any) -> Any:
    return [_text(one) for one in value] if isinstance(value, list | tuple) else to_jsonable_python(value)


def pause(call: Call[Any], attempt: int, outcome: httpx2.Response | httpx2.RequestError) -> float | None:
    """Seconds to wait before this request is sent again; None: it is not. What the server did not begin may always be sent
    again (429, or no connection), the rest only where a repetition changes nothing."""
    if attempt >= ATTEMPTS:
        return None
    if isinstance(outcome, httpx2.Response):
        if outcome.status_code not in RETRIED or not (call.repeats or outcome.status_code == 429):
            return None
        asked = retry_after(outcome)
    else:
        if isinstance(outcome, httpx2.LocalProtocolError) or not (
            call.repeats or isinstance(outcome, httpx2.ConnectError)
        ):
            return None
        asked = None
    if asked is not None and asked > LONGEST_PAUSE_S:
        return None
    return asked if asked is not None else FIRST_PAUSE_S * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)


@cache
def adapter(shape: Any) -> TypeAdapter[Any]:
    """What checks and makes values of this type."""
    return TypeAdapter(shape)


def as_value(shape: type[T]) -> Callable[[httpx2.Response], T]:
    """The answer as a value of this type. All of these raise ApiError for a refusal, NotReached for one of another form."""

    def read(response: httpx2.Response) -> T:
        accepted(response)
        return cast(T, _read(response.request.url.path, response.content or b"null", shape))

    return read


def as_page(shape: type[T]) -> Callable[[httpx2.Response], Page[T]]:
    """The answer as a page of values of this type."""

    def read(response: httpx2.Response) -> Page[T]:
        entries = as_value(list[shape])(response)  # type: ignore[valid-type]
        left_out = response.headers.get("Left-Out", "0")
        return Page(
            entries, response.headers.get("Next-Cursor") or None, int(left_out[:9]) if left_out.isdecimal() else 0
        )

    return read


def as_bytes(response: httpx2.Response) -> bytes:
    """The bytes of a file."""
    accepted(response)
    if "Content-Disposition" not in response.headers:  # such as the page of a proxy that wants a login
        raise NotReached(f"The answer of {response.request.url.path} is no file.")
    return response.content


def as_file(shape: type[T]) -> Callable[[httpx2.Response], bytes | T]:
    """The bytes of a file, or a value of this type where it is not ready (202)."""
    return lambda response: as_value(shape)(response) if response.status_code == 202 else as_bytes(response)


def accepted(response: httpx2.Response) -> None:
    """Raises ApiError for a refusal, NotReached for a redirect: another server would get the token."""
    if response.is_success:
        return
    if response.has_redirect_location:
        target = response.headers["Location"][:200]
        raise NotReached(f"The answer of {response.request.url.path} is a redirect, which is not followed: {target}")
    raise error_of(response)


def _read(place: str, text: str | bytes, shape: Any) -> Any:
    try:
        return adapter(shape).validate_json(text)
    except ValidationError as error:
        first, *others = error.errors(include_url=False, include_input=False)
        at, more = ".".join(map(str, first["loc"])), f" (and {len(others)} more)" if others else ""
        raise NotReached(f"The answer of {place} has an unknown form: {at}: {first['msg']}{more}") from error


class EventStream(Generic[T]):
    """Reads the values in a stream of server-sent events, line by line."""

    def __init__(self, call: Call[T], response: httpx2.Response) -> None:
        """Raises as `read` of a call, for the head of the answer; the body of a refusal has been read."""
        accepted(response)
        if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
            raise NotReached(f"The answer of {call.path} holds no events.")
        self._call, self._request = call, response.request
        self._parts: dict[str, str] = {}

    def after(self, line: str) -> T | None:
        """The value of the event that ends with this line, if one does. Raises ApiError for a problem."""
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            self._parts[name] = f"{self._parts[name]}\n{value}" if name in self._parts else value
            return None
        parts, self._parts = self._parts, {}
        if "data" not in parts:  # it only keeps the connection open
            return None
        status = 200
        if parts.get("event") == "problem":
            said = _read(self._call.path, parts["data"], dict[str, Any]).get("status")
            status = said if isinstance(said, int) and 400 <= said <= 599 else 500
        return self._call.read(httpx2.Response(status, text=parts["data"], request=self._request))
