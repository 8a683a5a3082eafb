"""What a search is narrowed to: the nodes of subtrees, the numbers of entities, and the other filters as the scan takes them.

A search without such filters needs no statement here; subtrees cost one of Postgres, entities one of the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.entity import entity_number
from engine.domain.filters import Filters
from engine.domain.principal import Principal
from engine.domain.scope import check_sources
from engine.domain.search import ItemKind, SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

MOST_HITS = 200
MOST_NODES_ASKED = 1000


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
