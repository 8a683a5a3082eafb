"""Requests and answers of searches, and their pages. A cursor holds what was known at the first page and which hits were given,
so that no page gives one again, whatever is stored or ranked anew meanwhile.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from struct import error as UnpackError
from struct import pack, unpack
from typing import Literal
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.entity import Relation
from engine.domain.explanation import Explanation, HitExplanation
from engine.domain.fact import DoubtMark
from engine.domain.filters import ALL, Filters
from engine.domain.node import Anchor, ContentType, FileState, LeftOut
from engine.domain.scope import MemoryScope, ScopeKind, SourceKind
from engine.errors import InvalidInput

ItemKind = Literal["turn", "chunk", "fact", "observation", "summary"]
MOST_GIVEN = 500
"""Hits after which there is no further page."""
NOT_VALID = "Invalid cursor for this search; use the one of the previous page, with the same question and filters."
_HEAD = ">4sq"
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_HEAD_BYTES = 12


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question. `nodes` fixes where to look instead of navigating; `widen` says when to search all nodes:
    "auto" where the anchors are weak or may hide an answer, "always", or "never". `scopes` are the threads and workflows that are
    searched beside the user's memory as a whole; `sources` None: items of all sources. `cursor`: the `next_cursor` of the page
    before.

    `relations`: the answer has the relations that the question asks for, too. `explain`: the answer says how it was made.
    `recall`: also how much an exact search of the same finds beside this one, where nodes were searched by index; that takes the
    time of an exact search."""

    query: str
    limit: int = 10
    kinds: tuple[ItemKind, ...] | None = None
    nodes: tuple[UUID, ...] | None = None
    widen: Literal["auto", "always", "never"] = "auto"
    moment: Moment = NOW
    scopes: tuple[MemoryScope, ...] = ()
    sources: tuple[SourceKind, ...] | None = None
    filters: Filters = ALL
    cursor: str | None = None
    explain: bool = False
    recall: bool = False
    relations: bool = False

    @property
    def filtered(self) -> bool:
        """Whether it is for what passes filters alone."""
        return self.kinds is not None or self.filters != ALL


@dataclass(frozen=True, slots=True)
class ReachedOver:
    """How a passage was reached beside its own words and meaning: over an entity that the question names (`from_item` None), or
    that it shares with another passage. `entity`: its name as the passage writes it, None where it uses another one;
    `entity_id`: of one that the question names."""

    entity: str | None
    from_item: UUID | None = None
    from_record: UUID | None = None
    from_title: str | None = None
    entity_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One found item with its record, its file and the signals that put it there.

    `score`: it orders the hits of one answer, and says nothing beside other answers: a sum of signals, most of which tell by how
    many standard deviations the item lies above or below what was searched, each with its weight. Below 0 is an item that lies
    below the average; it is shown where nothing better was found. Of a search with decay it is meaning × confidence × decay.
    """

    item_id: UUID
    record_id: UUID
    node_id: UUID
    kind: ItemKind
    content: str
    speaker: str
    occurred_at: datetime | None
    session: UUID
    position: int
    source_ref: str | None
    section: str
    score: float
    signals: Mapping[str, float]
    record_title: str
    record_summary: str
    content_type: ContentType
    file_id: UUID | None
    file_name: str | None
    file_state: FileState | None
    path: tuple[str, ...]
    why: str
    """The rationale in a few words: anchor, path, strongest signals."""
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    reached: ReachedOver | None = None
    explanation: HitExplanation | None = None
    doubt: DoubtMark | None = None
    passed: datetime | None = None
    """Of a plan: when its day was over; whether it happened is not known."""


@dataclass(frozen=True, slots=True)
class AskedRelation:
    """A relation that a question asks for, of an entity that it names, and the weightiest record that states it; `text`: the
    sentence, at most 300 characters, None where it may not or cannot be read, and of the past."""

    entity_id: UUID
    entity_name: str
    relation: Relation
    record_id: UUID
    node_id: UUID
    title: str
    at: datetime
    text: str | None = None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits in order, the anchors that were navigated to, and what was done: stage times in milliseconds.

    `relations`: those that the question asks for, at most five, on the first page, where the request wants them.
    `embeddings`: the version whose vectors were compared, empty where the search went by words alone. `left_out`: damaged
    nodes, which were not searched. `known_at`: what was known then was searched, on this page and on the next ones;
    `next_cursor` None: there is no further page. `explanation` None: not asked for.
    """

    query: str
    hits: tuple[Hit, ...]
    anchors: tuple[Anchor, ...]
    widened: bool
    nodes_searched: int
    items_searched: int
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    embeddings: str = ""
    left_out: tuple[LeftOut, ...] = ()
    known_at: datetime | None = None
    next_cursor: str | None = None
    explanation: Explanation | None = None
    relations: tuple[AskedRelation, ...] = ()


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
