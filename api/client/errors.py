"""What goes wrong at the client: the problem details (RFC 9457) of the server as exceptions, by status."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

PREFIX = "urn:neurigraph:problem:"


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
