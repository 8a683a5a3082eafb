"""Pagination of all lists: `limit` and `cursor`; the answer carries the cursor of the next page.

The cursor is in the headers `Next-Cursor` and `Link` (RFC 8288, rel="next"); the last page has neither. A cursor holds
the key of the last row of its page and is valid for the same list with the same filters. The older parameters `after`
and `before` of some lists still work: they hold the same key unencoded.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, Query, Request, Response

from engine.errors import InvalidInput

Row = TypeVar("Row")
Start = TypeVar("Start")
NOT_VALID = "Invalid cursor for this list; use the one from the previous page."
MOST_OFFSET = 10_000

Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of entries in a page.", examples=[50])]
Cursor = Annotated[
    str | None,
    Query(
        max_length=4000,
        pattern=r"^[A-Za-z0-9_-]+={0,2}$",
        description="The `Next-Cursor` of the previous page; without it, the first page.",
        examples=["WyIyZjFkOGE1Mi01ZjRlLTRmNGUtOWYwZS02YTlkMGE0YjdjMTEiXQ"],
    ),
]
PAGE_HEADERS: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "Next-Cursor": {
                "description": "The `cursor` of the next page; missing on the last page.",
                "schema": {"type": "string"},
            },
            "Link": {"description": "URL of the next page (RFC 8288).", "schema": {"type": "string"}},
        }
    }
}
"""The pagination headers for the OpenAPI responses of lists."""


class NextPage:
    """The cursor of a request, and the one that its answer gets; the request says elsewhere how long a page is."""

    def __init__(self, request: Request, response: Response, cursor: Cursor = None) -> None:
        self._request, self._response = request, response
        self.cursor = cursor

    def next(self, cursor: str) -> None:
        """The answer has this cursor of the next page."""
        self._response.headers["Next-Cursor"] = cursor
        url = self._request.url.remove_query_params(["after", "before"]).include_query_params(cursor=cursor)
        self._response.headers["Link"] = f'<{url.path}?{url.query}>; rel="next"'


class PageRequest(NextPage):
    """The page of a list that a request asks for."""

    def __init__(self, request: Request, response: Response, limit: Limit = 100, cursor: Cursor = None) -> None:
        super().__init__(request, response, cursor)
        self.limit = limit

    def start(self, read: Callable[[Any], Start], given: Start) -> Start:
        """The key after which the page begins: from the cursor, parsed by `read`, else the plain parameter.

        Raises InvalidInput.
        """
        if self.cursor is None:
            return given
        parts = decoded(self.cursor)
        try:
            return read(parts[0] if len(parts) == 1 else parts)
        except (ValueError, TypeError, OverflowError) as error:
            raise InvalidInput(NOT_VALID) from error

    def of(self, rows: Sequence[Row], key: Callable[[Row], object]) -> Sequence[Row]:
        """The rows of this page; `key` returns the key after which the next page begins."""
        if len(rows) >= self.limit:
            last = key(rows[-1])
            self.next(encoded(list(last) if isinstance(last, tuple) else [last]))
        return rows

    @property
    def offset(self) -> int:
        """The offset of this page, in a list that is paged by offset. Raises InvalidInput."""
        return self.start(_offset, 0)

    def following(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of this page in a list that is paged by offset."""
        if len(rows) >= self.limit:
            self.next(encoded([self.offset + self.limit]))
        return rows

    def window(self, rows: Sequence[Row]) -> Sequence[Row]:
        """This page of a short list that is already loaded whole."""
        first = self.offset
        if first + self.limit < len(rows):
            self.next(encoded([first + self.limit]))
        return rows[first : first + self.limit]


APage = Annotated[PageRequest, Depends()]
ANextPage = Annotated[NextPage, Depends()]


def encoded(parts: Sequence[object]) -> str:
    """A cursor that holds these values."""
    plain = [part if isinstance(part, int) else _text(part) for part in parts]
    written = json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def decoded(cursor: str) -> list[Any]:
    """The values of a cursor. Raises InvalidInput."""
    plain = cursor.rstrip("=")
    try:
        parts = json.loads(base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(NOT_VALID) from error
    if not isinstance(parts, list) or not parts:
        raise InvalidInput(NOT_VALID)
    return parts


def number(part: Any) -> int:
    """A number from a cursor. Raises ValueError."""
    if isinstance(part, bool) or not isinstance(part, int) or not -1 <= part <= 2**62:
        raise ValueError(part)
    return part


def doubt_place(parts: Any) -> tuple[datetime, UUID, UUID]:
    """The place of a pair of facts from a cursor. Raises ValueError, TypeError."""
    since, newer, older = parts
    return _instant(since), UUID(newer), UUID(older)


def text(part: Any) -> str:
    """A text from a cursor. Raises ValueError."""
    if not isinstance(part, str) or "\x00" in part or len(part) > 1000:
        raise ValueError(part)
    part.encode()
    return part


def identity(part: Any) -> UUID:
    """An id from a cursor. Raises ValueError."""
    return UUID(text(part))


def timed(parts: Any) -> tuple[datetime, UUID]:
    """A time and an id from a cursor. Raises ValueError."""
    time, one = parts
    return _instant(text(time)), identity(one)


def named(parts: Any) -> tuple[str, UUID]:
    """A name and an id from a cursor. Raises ValueError."""
    name, one = parts
    return text(name), identity(one)


def _offset(part: Any) -> int:
    if not 0 <= number(part) <= MOST_OFFSET:
        raise ValueError(part)
    return number(part)


def _text(part: object) -> str:
    return part.isoformat() if isinstance(part, datetime) else str(part)


def _instant(time: str) -> datetime:
    moment = datetime.fromisoformat(time)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


Before = Annotated[
    str | None,
    Query(
        max_length=80,
        pattern=r"^[0-9TZ:.+-]+,[0-9a-f-]{36}$",
        description="Time and id of the last entry of the previous page, with a comma between; as `cursor` does.",
        examples=["2025-03-01T18:00:00Z,2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11"],
    ),
]


def last_line(before: str | None) -> tuple[datetime, UUID] | None:
    """The two parts. Raises InvalidInput."""
    if before is None:
        return None
    time, _, one = before.partition(",")
    try:
        return _instant(time), UUID(one)
    except (ValueError, OverflowError) as error:
        raise InvalidInput("before takes a time and an id, separated by a comma.") from error
