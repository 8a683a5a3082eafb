"""Requests and answers of searches: which items one takes in (filters, for contexts and answers, too), pages of hits, how a
search came to its answer, and searches whose hits count less with age: meaning × confidence × decay.

A cursor holds what was known at the first page and which hits were given, so that no page gives one again, whatever is stored or
ranked anew meanwhile. An explanation says what was read, what found the candidates, what each signal added to a score, what was
left out and why.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from math import isfinite
from struct import error as UnpackError
from struct import pack, unpack
from typing import Literal
from unicodedata import category
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.entity import Relation
from engine.domain.fact import DoubtMark
from engine.domain.node import Anchor, ContentType, FileState, LeftOut
from engine.domain.scope import MemoryScope, ScopeKind, SourceKind
from engine.errors import InvalidInput

MOST_VALUES = 100
LONGEST_VALUE = 200

FoundBy = Literal["words", "meaning", "entities"]
SearchedNodes = Literal["asked", "anchors", "all"]
"""Those that the request names, those that the anchors lead to, or all that may be read."""
WidenedBy = Literal["no_anchor", "few_items", "rare_words", "weak_hit", "nothing_found"]
"""Why other nodes are searched than those that the anchors lead to: no anchor is strong; all that may be read is little; others
hold a rare word of the question, and are added; the best hit at the anchors was weak; they held nothing."""

ItemKind = Literal["turn", "chunk", "fact", "observation", "summary"]
MOST_GIVEN = 500
"""Hits after which there is no further page."""
NOT_VALID = "Invalid cursor for this search; use the one of the previous page, with the same question and filters."
_HEAD = ">4sq"
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_HEAD_BYTES = 12

LEAST_DAYS, MOST_DAYS = 0.001, 100_000


@dataclass(frozen=True, slots=True)
class Filters:
    """An item is searched that passes every filter; of several values of one filter any is enough. Empty: all items. Raises
    InvalidInput.

    `below`: at these nodes or at nodes that lie below them now; they fix where to look, as `nodes` does; together with `nodes`:
    at any of them. `categories`, `tags`: those of the item, in upper or lower case. `entities`: the item names one of these, or
    one that was merged with it. `since`, `until`: when it occurred, `until` itself is no longer in; items without a date do not
    pass.
    """

    below: tuple[UUID, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("below", "categories", "tags", "entities"):
            values: object = getattr(self, name)
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise InvalidInput(f"The {name} of a filter are a list.")
            if len(values) > MOST_VALUES:
                raise InvalidInput(f"A filter has at most {MOST_VALUES} {name}.")
        _check_texts("categories", self.categories)
        _check_texts("tags", self.tags)
        for time in (self.since, self.until):
            if time is not None and time.tzinfo is None:
                raise InvalidInput("A point in time needs its offset from UTC.")
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise InvalidInput("The time `since` of a filter is before its `until`.")


def _check_texts(name: str, values: Sequence[str]) -> None:
    for value in values:
        if not isinstance(value, str) or not 1 <= len(value.strip()) <= LONGEST_VALUE or _controls(value):
            raise InvalidInput(
                f"The {name} of a filter have 1 to {LONGEST_VALUE} characters, without control characters."
            )


def _controls(value: str) -> bool:
    """Whether it has control characters or halves of a pair."""
    return any(category(letter) in ("Cc", "Cs") for letter in value)


ALL = Filters()
"""No filter."""


@dataclass(frozen=True, slots=True)
class SignalShare:
    """A signal of a hit: its `value`, the `weight` of the ranking file, and their product, the `share` of the score."""

    value: float
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """Why a hit has its score: `offset` and all shares together. `found_by`: the lists of best items on which it was; none: it
    stands beside one of them in a conversation. `weights`: the section of the ranking file. Signals of value 0 are left out."""

    found_by: tuple[FoundBy, ...]
    weights: str
    offset: float
    signals: Mapping[str, SignalShare]


@dataclass(frozen=True, slots=True)
class FoundCandidates:
    """How many items were ranked, and how many of them each list gave: one may be on several. `neighbours` are on none."""

    total: int
    words: int
    meaning: int
    entities: int
    neighbours: int


@dataclass(frozen=True, slots=True)
class NotShown:
    """Candidates that are no hits, by the reason: the limit of hits, the limit of tokens, an earlier page, a damaged node, gone
    since the search began. And nodes: damaged ones, and those that may be read and were not searched."""

    limit: int
    tokens: int
    earlier_pages: int
    damaged: int
    gone: int
    damaged_nodes: int
    other_nodes: int


@dataclass(frozen=True, slots=True)
class Recall:
    """Of the best hits that an exact search has (`exact`), how many the search by indexes has, too (`found`), and the `share`."""

    exact: int
    found: int
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an answer was made. `nodes_exact`: how many nodes were read as a whole; `nodes_by_index`: large ones, of which only
    what indexes gave was read. `items_read`: rows that were compared. `recall` None: not asked for, or no node was searched by
    index."""

    searched: SearchedNodes
    nodes_exact: int
    nodes_by_index: tuple[UUID, ...]
    items_read: int
    candidates: FoundCandidates
    not_shown: NotShown
    recall: Recall | None = None
    widened_by: WidenedBy | None = None


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


@dataclass(frozen=True, slots=True)
class DecayRequest:
    """A question to a search with decay. An item scores cosine × confidence × 1 / (1 + age / `days`), so at an age of `days` it
    counts half; None: `NEURIGRAPH_DECAY_DAYS`. Items of less than `least_confidence` are left out. The others as in
    `SearchRequest`; `nodes` None: all that the principal may read. Raises InvalidInput."""

    query: str
    limit: int = 10
    days: float | None = None
    least_confidence: float = 0.0
    kinds: tuple[ItemKind, ...] | None = None
    nodes: tuple[UUID, ...] | None = None
    moment: Moment = NOW
    scopes: tuple[MemoryScope, ...] = ()
    sources: tuple[SourceKind, ...] | None = None
    filters: Filters = ALL

    def __post_init__(self) -> None:
        if self.days is not None and not (isfinite(self.days) and LEAST_DAYS <= self.days <= MOST_DAYS):
            raise InvalidInput(f"The days of a decay are {LEAST_DAYS} to {MOST_DAYS:,}.")
        if not (isfinite(self.least_confidence) and 0 <= self.least_confidence <= 1):
            raise InvalidInput("The least confidence is a number from 0 to 1.")

    @property
    def search(self) -> SearchRequest:
        """What it has in common with other searches."""
        return SearchRequest(
            self.query, self.limit, self.kinds, self.nodes, "always", self.moment, self.scopes, self.sources, self.filters
        )  # fmt: skip
