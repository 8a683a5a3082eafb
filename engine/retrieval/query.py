"""What is asked: the words of a question, the names it may contain, the dates it asks about, without a model; and what a search
is narrowed to: the nodes of subtrees, the numbers of entities, and the other filters as the scan takes them.

A search without such filters needs no statement here; subtrees cost one of Postgres, entities one of the graph.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, get_args
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.entity import entity_number
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.scope import check_sources
from engine.domain.search import Filters, ItemKind, SearchRequest
from engine.domain.terms import STOP_WORDS, asked_words, term_id, unspaced_word
from engine.errors import InvalidInput, NotFound
from engine.language.dates import dates_asked
from engine.language.detection import languages_of
from engine.language.questions import AskedTime, Period, asked_time, asks_for_self, months_of_states, state_asked
from engine.language.tables import alternatives
from engine.retrieval.weights import SearchLimits
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

LONGEST_NAME = 5
"""Words of a name that is looked for in a question."""
NAMED_WORDS = 64
"""Words of a question, from its start, in which names are looked for."""
TEXT_WORDS = 32
"""Words that are handed to the full-text index."""

_PUNCTUATION = "".join(chr(c) for c in range(0x3000) if unicodedata.category(chr(c))[0] in "PS")
_POSSESSIVE = re.compile(r"['’]s?$")
_GENITIVE = re.compile(r"\b([^\W\d_]\w+)s$")
"""A name in the German genitive, or an English one without its apostrophe: "Ellens"."""
_PLAIN_WORD = re.compile(r"[^\W_]+")

MOST_HITS = 200
MOST_NODES_ASKED = 1000


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the search uses it.

    `name_keys`: normal forms of every run of words that could be a node's name or alias; `tokens`: folded words, to
    recognise speakers; `lucene`: words for the full-text index, which need no escaping; `dates`: ISO prefixes;
    `asks_time`: whether it asks when; `asked_time`: for what was or what is. A question that names a date and does
    not ask for the present asks for the past. `languages`: those that it may be in, none where that is not clear.
    `unspaced_word`: it is one short word of a script without spaces, for which an encoder of English has hardly a vector.
    `of_self`: it is about the one who asks. `state_in`: the period for which it asks what held in it.
    """

    text: str
    terms: tuple[int, ...]
    tokens: frozenset[str]
    name_keys: tuple[str, ...]
    lucene: tuple[str, ...]
    dates: tuple[str, ...]
    asks_time: bool
    asked_time: AskedTime
    languages: tuple[str, ...]
    of_self: bool
    state_in: Period | None
    cut: bool
    unspaced_word: bool = False

    @property
    def other_language(self) -> bool:
        """Whether its language was detected as another one than English."""
        return self.languages not in ((), ("en",))


def parse(text: str, now: datetime, limits: SearchLimits) -> Question:
    """Parses a question; relative dates count from `now`. Raises InvalidInput for one without any text.

    Characters that no store takes (NUL, halves of surrogate pairs) are dropped; longer questions are cut.
    """
    clean = text[: limits.query_characters].replace("\x00", " ").encode("utf-8", "ignore").decode("utf-8").strip()
    if not clean:
        raise InvalidInput("A question needs at least one visible character.")
    folded = unicodedata.normalize("NFKC", clean).casefold()
    tokens = dict.fromkeys(_PLAIN_WORD.findall(folded))
    asked, languages = asked_time(clean), languages_of(clean)
    dates = tuple(dict.fromkeys((*dates_asked(clean, now), *months_of_states(clean))))
    return Question(
        text=clean,
        terms=tuple(dict.fromkeys(term_id(word) for word in asked_words(clean)))[: limits.query_terms],
        tokens=frozenset(tokens),
        name_keys=_name_keys(clean),
        lucene=tuple(token[:64] for token in tokens if token not in STOP_WORDS)[:TEXT_WORDS],
        dates=dates,
        asks_time=_asks_time().search(clean) is not None,
        asked_time="past" if asked == "open" and dates else asked,
        languages=languages,
        of_self=asks_for_self(clean, languages),
        state_in=state_asked(clean, dates, now),
        cut=len(text) > limits.query_characters,
        unspaced_word=unspaced_word(clean),
    )


def _name_keys(text: str) -> tuple[str, ...]:
    """Normal forms of all runs of one to five words; a single stop word is no name."""
    tokens = [stripped for token in text.split()[:NAMED_WORDS] if (stripped := token.strip(_PUNCTUATION))]
    keys: dict[str, None] = {}
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + LONGEST_NAME, len(tokens)) + 1):
            run = " ".join(tokens[start:end])
            bare = _GENITIVE.sub(r"\1", run) if tokens[end - 1][0].isupper() else run
            for form in (run, bare, _POSSESSIVE.sub("", run), _elided().sub("", run)):
                key = name_key(form)
                if key and key not in STOP_WORDS:
                    keys[key] = None
    return tuple(keys)


@cache
def _elided() -> re.Pattern[str]:
    """Words that are written together with the next one: "l'adresse"."""
    return re.compile(rf"^(?:{alternatives('spelling', 'elided')})['’](?=\w)", re.IGNORECASE)


@cache
def _asks_time() -> re.Pattern[str]:
    """ "When" asks at the start, or before a verb; elsewhere it only joins ("what to do when the lease ends")."""
    return re.compile(alternatives("questions", "when"), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Where to look (`nodes` None: where the question leads), and the filters as `engine.search_scan` takes them."""

    nodes: tuple[UUID, ...] | None
    filters: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class _Keys:
    entity_id: UUID
    keys: tuple[str, ...]


class Narrowing:
    """Reads what filters mean for a principal."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def narrowed(self, principal: Principal, request: SearchRequest, moment: Moment, now: datetime) -> Narrowed:
        """What the request is narrowed to. Raises NotFound for an entity that is not there for the principal."""
        filters = request.filters
        return Narrowed(
            nodes=await self._nodes(principal, request),
            filters=_plain(filters, await self._numbers(principal, filters.entities, moment, now)),
        )

    async def _nodes(self, principal: Principal, request: SearchRequest) -> tuple[UUID, ...] | None:
        """Those that the request names, and those of its subtrees that may be read."""
        if not request.filters.below:
            return request.nodes
        asked = {"user_id": principal.user_id, "roots": list(request.filters.below), "most": MOST_NODES_ASKED}
        below = await self._postgres.fetch(principal, sql_text("search/below"), asked, row=UUID)
        return tuple(dict.fromkeys((*(request.nodes or ()), *below)))

    async def _numbers(
        self, principal: Principal, entities: Sequence[UUID], moment: Moment, now: datetime
    ) -> list[int]:
        """The numbers of entities in items, with those of all that were merged with them."""
        if not entities:
            return []
        found = await self._neo4j.read(
            cypher("search/entities"),
            row=_Keys,
            **principal.parameters,
            **moment.graph_parameters(now),
            entities=[str(one) for one in dict.fromkeys(entities)],
        )
        if {one.entity_id for one in found} != set(entities):
            raise NotFound
        return sorted({entity_number(key) for one in found for key in one.keys})


def _plain(filters: Filters, numbers: Sequence[int]) -> dict[str, Any] | None:
    plain: dict[str, Any] = {
        "categories": [one.strip() for one in filters.categories],
        "tags": [one.strip() for one in filters.tags],
        "entities": list(numbers),
        "since": filters.since and filters.since.isoformat(),
        "until": filters.until and filters.until.isoformat(),
    }
    return {name: value for name, value in plain.items() if value} or None


def check_request(request: SearchRequest) -> None:
    """Raises InvalidInput for an invalid request."""
    if not 1 <= request.limit <= MOST_HITS:
        raise InvalidInput(f"A search gives 1 to {MOST_HITS} hits.")
    if request.kinds is not None and not (request.kinds and set(request.kinds) <= set(get_args(ItemKind))):
        raise InvalidInput(f"Kinds of items are {', '.join(get_args(ItemKind))}.")
    if request.nodes is not None and not 1 <= len(request.nodes) <= MOST_NODES_ASKED:
        raise InvalidInput(f"A search names 1 to {MOST_NODES_ASKED:,} nodes, or none.")
    if request.sources is not None:
        check_sources(request.sources)
        if not request.sources:
            raise InvalidInput("A search names at least one source, or none.")
    _check_moment(request.moment)


def _check_moment(moment: Moment) -> None:
    for time in (moment.as_of, moment.known_at):
        if time is not None and time.tzinfo is None:
            raise InvalidInput("A point in time needs its offset from UTC.")
