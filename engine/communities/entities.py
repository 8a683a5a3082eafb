"""How important an entity is, and what it is in one line. Pure.

    importance = 0.40 · mentions + 0.20 · nodes + 0.25 · relations + 0.15 · recency        from 0 to 1

Mentions, nodes and relations (the sum of strength × confidence) are log(1 + own) / log(1 + the largest of the user's graph);
recency halves every 90 days before the newest record of the user, so that nothing changes while nothing is stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.communities.graph_read import KnownRelation, MemberEntity, UserGraph
from engine.naming.configuration import Domain

MENTIONS, NODES, RELATIONS, RECENCY = 0.40, 0.20, 0.25, 0.15
HALF_LIFE_DAYS = 90
LONGEST = 120
"""Characters of a summary."""
MOST_RELATIONS = 2
UNKNOWN = "thing"


@dataclass(frozen=True, slots=True)
class DerivedEntity:
    """What is derived of an entity; `summary_of`: the relations that the summary names."""

    entity_id: str
    importance: float
    summary: str
    summary_of: tuple[UUID, ...]


def derived(graph: UserGraph, domain: Domain) -> list[DerivedEntity]:
    """Importance and summary of all entities of a user."""
    importance = importances(graph)
    return [
        DerivedEntity(one.entity_id, importance[one.entity_id], *summary(one, graph, domain))
        for one in graph.entities.values()
    ]


def importances(graph: UserGraph) -> Mapping[str, float]:
    """The importance of each entity, as the formula above gives it."""
    entities = graph.entities.values()
    weights = {one.entity_id: sum(r.weight for r in graph.relations_of.get(one.entity_id, ())) for one in entities}
    most_mentions = max((one.mentions for one in entities), default=0)
    most_nodes, most_weight = max((one.nodes for one in entities), default=0), max(weights.values(), default=0.0)
    newest = max((one.last_mentioned_at for one in entities), default=None)
    return {
        one.entity_id: round(
            MENTIONS * _share(one.mentions, most_mentions)
            + NODES * _share(one.nodes, most_nodes)
            + RELATIONS * _share(weights[one.entity_id], most_weight)
            + RECENCY * _recency(one.last_mentioned_at, newest),
            4,
        )
        for one in entities
    }


def _share(own: float, largest: float) -> float:
    return math.log1p(own) / math.log1p(largest) if largest > 0 else 0.0


def _recency(at: datetime, newest: datetime | None) -> float:
    days = (newest - at).total_seconds() / 86400 if newest else 0.0
    return float(0.5 ** (max(0.0, days) / HALF_LIFE_DAYS))


def summary(one: MemberEntity, graph: UserGraph, domain: Domain) -> tuple[str, tuple[UUID, ...]]:
    """The kind and up to two of the strongest relations on one line, as far as they fit; empty where neither says anything."""
    parts, named = [one.kind] if one.kind != UNKNOWN else [], list[UUID]()
    for relation, text in _relations(one, graph, domain):
        if len(named) < MOST_RELATIONS and len("; ".join([*parts, text])) <= LONGEST:
            parts.append(text)
            named.append(relation.relation_id)
    return "; ".join(parts), tuple(named)


def _relations(one: MemberEntity, graph: UserGraph, domain: Domain) -> Iterator[tuple[KnownRelation, str]]:
    """Its relations with their words without the first "is", each sort once."""
    seen: set[tuple[str, bool]] = set()
    for relation in graph.relations_of.get(one.entity_id, ()):
        outgoing = relation.source_id == one.entity_id
        if (relation.relation_type, outgoing) in seen:
            continue
        seen.add((relation.relation_type, outgoing))
        other = graph.entities[relation.target_id if outgoing else relation.source_id]
        yield relation, f"{reading(relation.relation_type, domain, outgoing=outgoing)} {other.name}"


def reading(relation_type: str, domain: Domain, *, outgoing: bool = True) -> str:
    """The words of a relation for a list: "married to", "works at"."""
    return domain.reading(relation_type, backwards=not outgoing).removeprefix("is ")
