"""Anchors: the nodes that a question leads to. One Cypher statement finds them, pure rules weigh them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from engine.domain.entity import entity_number
from engine.domain.names import name_key
from engine.domain.node import Anchor, Edge, FileState, NodeType
from engine.domain.principal import Principal
from engine.retrieval.query import Question
from engine.retrieval.scoped_search import QueryVector
from engine.retrieval.weights import AnchorStrengths
from engine.stores.neo4j import Neo4j, Vector
from engine.stores.statements import cypher

FULL_MEANING = 3.0
"""Spreads above the average shell at which a node's meaning counts in full."""

# One size class of each parameter, for every question: for another one the server plans again, for seconds.
# A class ends at a power of ten.
FEWEST_KEYS = 101
SHORTEST_TEXT, SHORTEST_VERSION = 1100, 40
MOST_FOUND = 1000
"""Rows requested from an index for a principal who may not read all of them."""
EXACT_SHELLS = 500
"""Shells of a user that are compared one by one (4 ms for 100, 35 ms for 3,000); in bigger graphs the vector index
finds the closest (5 ms at any size, 19 of 20 right)."""

# Weight of a word by the property of the shell in which it is found.
_FIELDS = (("name", 4), ("aliases", 3), ("keywords", 2), ("summary", 1))


@dataclass(frozen=True, slots=True)
class AnchorRow:
    """A node as the statement found it, and by what: `text` is a Lucene score, `meaning` spreads above the average shell,
    `linked` a number of edges."""

    node_id: UUID
    name: str
    summary: str
    node_type: NodeType
    layer: int
    state: FileState
    path: tuple[str, ...]
    edges: tuple[Edge, ...]
    above: tuple[UUID, ...]
    below: tuple[UUID, ...]
    named: bool
    aliased: bool
    text: float | None
    meaning: float | None
    linked: int | None


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity that the question names. `keys`: of it and of all that was merged with it."""

    entity_id: UUID
    name: str
    keys: tuple[str, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """As items have it."""
        return tuple(entity_number(key) for key in self.keys)


@dataclass(frozen=True, slots=True)
class _Row:
    anchors: tuple[AnchorRow, ...]
    entities: tuple[NamedEntity, ...]


@dataclass(frozen=True, slots=True)
class FoundAnchor:
    """An anchor with the nodes below it, which are searched with it when it was named, and those above it, which keep
    content whose place further down was not certain."""

    anchor: Anchor
    below: tuple[UUID, ...]
    above: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Navigation:
    """Which nodes to search. `scope` None: all. `strengths`: by node in scope, that of the anchor that led there."""

    anchors: tuple[Anchor, ...]
    scope: tuple[UUID, ...] | None
    leading: Mapping[UUID, Anchor]
    namesakes: tuple[frozenset[UUID], ...] = ()
    """The nodes of each strong anchor that shares its name with another one."""
    entities: tuple[NamedEntity, ...] = ()
    """Those that the question names."""

    @property
    def numbers(self) -> list[int]:
        """Those of the entities, as items have them."""
        return sorted({number for one in self.entities for number in one.numbers})

    @property
    def strengths(self) -> dict[UUID, float]:
        """How strong an anchor led to each node."""
        return {node: anchor.score for node, anchor in self.leading.items()}


class Anchors:
    """Reads anchors from the graph."""

    def __init__(self, neo4j: Neo4j, strengths: AnchorStrengths) -> None:
        self._neo4j, self._strengths = neo4j, strengths

    async def find(
        self, principal: Principal, question: Question, vector: QueryVector, moment: Mapping[str, datetime]
    ) -> tuple[list[FoundAnchor], tuple[NamedEntity, ...]]:
        """The anchors of a question in the principal's graph, strongest first, and the entities that it names; one round trip.
        `moment`: as_of and known_at."""
        [found] = await self._neo4j.read(
            cypher("search/anchors"),
            row=_Row,
            **principal.parameters,
            keys=padded(question.name_keys),
            text=lucene_query(question.lucene, principal.user_id.hex).ljust(SHORTEST_TEXT),
            vector=_sent(vector),
            with_vector=vector.values is not None,
            version=vector.version.name.ljust(SHORTEST_VERSION),
            slot=vector.version.slot,
            column=vector.version.column,
            label=f"{vector.version.column}_version",
            as_of=moment["as_of"],
            known_at=moment["known_at"],
            earliest=moment["earliest"],
            most=self._strengths.most,
            most_found=self._strengths.most if principal.owns else MOST_FOUND,
            exactly=EXACT_SHELLS,
            least_meaning=FULL_MEANING * self._strengths.weak / max(self._strengths.meaning, self._strengths.weak),
        )
        return weighed(found.anchors, self._strengths), found.entities


def padded(keys: Sequence[str]) -> list[str]:
    """The keys, padded with empty ones, which no node has: the server plans again for each order of magnitude."""
    return [*keys, *[""] * (FEWEST_KEYS - len(keys))]


def _sent(vector: QueryVector) -> Vector:
    """The vector as the graph takes it; without one a placeholder, which is ignored."""
    values = np.eye(1, vector.version.dimension)[0] if vector.values is None else vector.values
    return Vector.from_numpy(values.astype(np.float32))


def lucene_query(words: Sequence[str], user_key: str) -> str:
    """The full-text query: words of which some must be found, in shells of one user only.

    The words are letters and digits in quotes, and so cannot be operators. Without words it finds nothing.
    """
    wanted = words or (user_key,)  # which occurs in no name, summary or keyword
    choices = " ".join(f'{field}:"{word}"^{boost}' for word in wanted for field, boost in _FIELDS)
    return f"+user_key:{user_key} +({choices})"


def weighed(rows: Sequence[AnchorRow], strengths: AnchorStrengths) -> list[FoundAnchor]:
    """Rows of the statement as anchors with their strengths, strongest first, the weak ones left out."""
    best_text = max((row.text or 0.0 for row in rows), default=0.0)
    found = [_anchor(row, _parts(row, best_text, strengths)) for row in rows]
    kept = [one for one in found if one.anchor.score >= strengths.weak]
    return sorted(kept, key=lambda one: (-one.anchor.score, one.anchor.path))[: strengths.most]


def navigate(
    found: Sequence[FoundAnchor], strengths: AnchorStrengths, widen: str, entities: tuple[NamedEntity, ...] = ()
) -> Navigation:
    """Which nodes to search: the anchors, those below and above them, or all nodes when no anchor is strong.

    The root matches every question a little, so it alone is never strong.
    """
    leading: dict[UUID, Anchor] = {}
    for one in found:
        for node in (one.anchor.node_id, *one.below):
            leading.setdefault(node, one.anchor)
    strong = any(one.anchor.score >= strengths.strong and one.anchor.layer > 0 for one in found)
    everywhere = widen == "always" or (widen == "auto" and not strong)
    anchors = tuple(one.anchor for one in found)
    scope = dict.fromkeys((*leading, *(node for one in found for node in one.above)))
    return Navigation(anchors, None if everywhere else tuple(scope), leading, _namesakes(found, strengths), entities)


def _namesakes(found: Sequence[FoundAnchor], strengths: AnchorStrengths) -> tuple[frozenset[UUID], ...]:
    named: dict[str, list[frozenset[UUID]]] = defaultdict(list)
    for one in found:
        if one.anchor.score >= strengths.strong and not {"name", "alias"}.isdisjoint(one.anchor.reasons):
            named[name_key(one.anchor.name)].append(frozenset((one.anchor.node_id, *one.below)))
    return tuple(nodes for group in named.values() if len(group) > 1 for nodes in group)


def _parts(row: AnchorRow, best_text: float, strengths: AnchorStrengths) -> dict[str, float]:
    """The strength of each way in which the node was found."""
    parts = {
        "name": strengths.name if row.named else 0.0,
        "alias": strengths.alias if row.aliased else 0.0,
        "text": strengths.text * row.text / best_text if row.text else 0.0,
        "meaning": strengths.meaning * min(1.0, max(0.0, (row.meaning or 0.0) / FULL_MEANING)),
        "edge": strengths.edge if row.linked else 0.0,
    }
    return {reason: strength for reason, strength in parts.items() if strength > 0}


def _anchor(row: AnchorRow, parts: Mapping[str, float]) -> FoundAnchor:
    missing = 1.0
    for strength in parts.values():
        missing *= 1 - strength
    score, reasons = round(1 - missing, 4), tuple(sorted(parts, key=lambda reason: -parts[reason]))
    anchor = Anchor(
        row.node_id,
        row.name,
        row.summary,
        row.node_type,
        row.path,
        row.layer,
        row.state,
        score=score,
        reasons=reasons,
        edges=row.edges,
    )
    return FoundAnchor(anchor, row.below, row.above)
