"""Pages of a search. A cursor holds what was known at the first page and which hits were given, so that no page gives one again,
whatever is stored or ranked anew meanwhile."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from struct import error as UnpackError
from struct import pack, unpack
from uuid import UUID

from engine.domain.search import SearchRequest
from engine.errors import InvalidInput

MOST_GIVEN = 500
"""Hits after which there is no further page."""
NOT_VALID = "Invalid cursor for this search; use the one of the previous page, with the same question and filters."
_HEAD = ">4sq"
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_HEAD_BYTES = 12


@dataclass(frozen=True, slots=True)
class Given:
    """What earlier pages gave: `known_at` None before the first page; `hits`: 32 bits of the id of each item."""

    known_at: datetime | None = None
    hits: frozenset[int] = frozenset()

    def holds(self, item_id: UUID) -> bool:
        """Whether an item was given."""
        return _number(item_id) in self.hits


NOTHING_GIVEN = Given()


def given_before(request: SearchRequest) -> Given:
    """What the pages before this one gave. Raises InvalidInput for a cursor of another search."""
    if request.cursor is None:
        return NOTHING_GIVEN
    try:
        held = base64.b64decode(request.cursor + "=" * (-len(request.cursor) % 4), altchars=b"-_", validate=True)
        asked, known_at = unpack(_HEAD, held[:_HEAD_BYTES])
        hits = unpack(f">{(len(held) - _HEAD_BYTES) // 4}I", held[_HEAD_BYTES:])
        time = _START + known_at * _MICROSECOND
    except (ValueError, OverflowError, UnpackError) as error:
        raise InvalidInput(NOT_VALID) from error
    if asked != _asked(request) or len(hits) > MOST_GIVEN:
        raise InvalidInput(NOT_VALID)
    return Given(time, frozenset(hits))


def cursor_after(request: SearchRequest, known_at: datetime, hits: Iterable[UUID]) -> str | None:
    """The cursor of the page after these hits of a request; None where the pages together have enough."""
    given = sorted({*given_before(request).hits, *map(_number, hits)})
    if len(given) >= MOST_GIVEN:
        return None
    held = pack(_HEAD, _asked(request), (known_at - _START) // _MICROSECOND) + pack(f">{len(given)}I", *given)
    return base64.urlsafe_b64encode(held).decode().rstrip("=")


def _asked(request: SearchRequest) -> bytes:
    """What the pages of a search have in common: all but how many hits a page has, and what it says beside them."""
    return blake2b(
        repr(replace(request, cursor=None, limit=1, explain=False, recall=False, relations=False)).encode(
            "utf-8", "surrogatepass"
        ),
        digest_size=4,
    ).digest()


def _number(item_id: UUID) -> int:
    return item_id.int & 0xFFFFFFFF
