"""The step `assign` of the write path: whose turns and passages go where, how sure that is, and whether a node is missing.

Whoever decides is an `Assigner`. The one here needs no model: names, aliases and keywords (`assign`), and for a topic
that no node covers `topics`. Nothing is written here but a node that is created, which is whole before content goes to it.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from uuid import UUID

from engine.domain.assignment import BY_HAND, Decision
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.errors import DepthExceeded, InvalidName
from engine.hierarchy.provisioning import Provisioning
from engine.ingest.assign import Evidence, NodeVocabulary, gathered
from engine.ingest.topics import Topic, missing_topic
from engine.privacy.nodes import redacted_node
from engine.privacy.redact import Redactor

MOST_PHRASES = 8
"""Words told as reasons for a decision."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Content of which it is to be said where it goes: turns or passages in order. What lies before `start` is stored already
    and only context. `node` was given by hand; `may_create` says whether nodes may be created for it."""

    title: str
    texts: Sequence[str]
    speakers: frozenset[str] = frozenset()
    start: int = 0
    node: AssignableNode | None = None
    may_create: bool = False
    whole: bool = False
    """A document, whose passages belong together unless much speaks for parting them."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A node for each text, a decision for each of these nodes (by id), and the nodes that there are now."""

    nodes: Sequence[AssignableNode]
    decisions: Mapping[UUID, Decision]
    vocabulary: NodeVocabulary


class Assigner(Protocol):
    """Decides where content goes; by rules here, by a language model elsewhere."""

    async def place(self, principal: Principal, content: Unplaced, vocabulary: NodeVocabulary) -> Placed:
        """The node of each text. Raises StoreUnavailable, ProviderUnavailable; nothing of the content is stored then."""
        ...


def given(content: Unplaced, node: AssignableNode, vocabulary: NodeVocabulary) -> Placed:
    """All at the node that was named by hand."""
    return Placed([node] * len(content.texts), {node.node_id: BY_HAND}, vocabulary)


class OfflineAssigner:
    """Decides by the names, aliases and keywords of nodes; creates one for a topic that none covers, where that is sure."""

    def __init__(self, provisioning: Provisioning, redactor: Redactor, threshold: float) -> None:
        self._provisioning, self._redactor, self._threshold = provisioning, redactor, threshold

    async def place(self, principal: Principal, content: Unplaced, vocabulary: NodeVocabulary) -> Placed:
        """The node of each text. Raises StoreUnavailable where a node had to be created; a second call finds what there is."""
        if content.node is not None:
            return given(content, content.node, vocabulary)
        placed, topic = await asyncio.to_thread(_examined, content, vocabulary)
        if topic is None or not principal.owns or topic.confidence < self._threshold:
            return placed
        made = await self._made(principal, topic)
        if made is None:
            return placed
        node, fresh = made
        grown = NodeVocabulary([*vocabulary.nodes, node])
        decision = Decision(topic.confidence, dict(topic.reasons), "engine", created_node=fresh)
        return created(await asyncio.to_thread(placed_among, content, grown), node, decision)

    async def _made(self, principal: Principal, topic: Topic) -> tuple[AssignableNode, bool] | None:
        """The node of a topic below its parent, and whether it is new: somebody else may just have created it.

        None where it may not be: what lies at layer 5 takes the content itself, which the provisioning logs; a name that holds
        personal data is none.
        """
        new = NewNode(topic.parent.node_id, topic.name, topic.node_type, topic.summary, topic.keywords)
        try:
            node = await self._provisioning.node(principal, redacted_node(new, self._redactor))
        except (DepthExceeded, InvalidName):
            return None
        return _node(topic, node.node_id, node.schema_name), node.created


def _examined(content: Unplaced, vocabulary: NodeVocabulary) -> tuple[Placed, Topic | None]:
    """Where the texts go among the nodes that there are, and the topic that none of these covers, if one is clear."""
    placed = placed_among(content, vocabulary)
    if not content.may_create:
        return placed, None
    topic = missing_topic(content.title, content.texts, content.speakers, placed.nodes, vocabulary)
    return placed, topic if topic and _would_take(content, topic, vocabulary) else None


def _would_take(content: Unplaced, topic: Topic, vocabulary: NodeVocabulary) -> bool:
    """Whether any of the new content would lie at the node: an empty one helps nobody."""
    node = _node(topic, UUID(int=0), "")
    return node.node_id in placed_among(content, NodeVocabulary([*vocabulary.nodes, node])).decisions


def _node(topic: Topic, node_id: UUID, schema_name: str) -> AssignableNode:
    above = topic.parent
    path, place = (*above.path, topic.name), (*above.place, topic.name)
    return AssignableNode(node_id, schema_name, path, above.layer + 1, above.root_schema, topic.keywords, (), place)


def placed_among(content: Unplaced, vocabulary: NodeVocabulary) -> Placed:
    """The best cut of the texts among the nodes that there are, with its decisions. Pure; `content.node` is not looked at."""
    evidence = gathered(content.texts, vocabulary)
    places = evidence.best()
    if content.whole:
        places = parted(evidence, places)
    nodes = [evidence.node(place) for place in places]
    decisions = {}
    for place in dict.fromkeys(places[content.start :]):
        units = [unit for unit in range(content.start, len(places)) if places[unit] == place]
        decisions[evidence.node(place).node_id] = decided(content, evidence, place, units)
    return Placed(nodes, decisions, vocabulary)


LEAST_PART = 4.0
"""The evidence, in plain keyword hits, from which on a document's part gets a record of its own at another node."""


def parted(evidence: Evidence, places: Sequence[int]) -> list[int]:
    """The places of a document's passages: its main node's, but for those of nodes for which enough speaks by itself."""
    totals: dict[int, float] = dict.fromkeys(places, 0.0)
    for unit, place in enumerate(places):
        totals[place] += evidence.rows[unit][place]
    spoken = {place: total for place, total in totals.items() if place != 0}
    if not spoken:
        return list(places)
    main = max(spoken, key=lambda place: (places.count(place), spoken[place]))
    strong = {place for place, total in spoken.items() if total >= LEAST_PART} | {main}
    return [place if place in strong else main for place in places]


# how sure -----------------------------------------------------------------------------------------------

BIAS, MARGIN, DENSITY = -2.13, 2.25, 2.87
"""Fitted on mixed conversations whose right nodes are known; see docs/assignment.md."""
NOTHING_SPEAKS = 0.3
"""The confidence that content belongs at the root when no node claims any of it."""


def decided(content: Unplaced, evidence: Evidence, place: int, units: Sequence[int]) -> Decision:
    """How sure it is that these units belong to that place, and why."""
    node = evidence.node(place)
    if len(evidence.vocabulary.nodes) == 1:
        return Decision(1.0, {"rule": "there is only this node"}, "engine")
    sums = [sum(evidence.rows[unit][column] for unit in units) for column in range(len(evidence.candidates))]
    rivals = [(total, column) for column, total in enumerate(sums) if column != place]
    best, rival = max(rivals, default=(0.0, place))
    reasons: dict[str, Any] = {"units": len(units), "evidence": round(sums[place], 2)}
    if rival != place and best > 0:
        path = "/".join(evidence.node(rival).path[1:]) or "the root"
        reasons |= {"runner_up": path, "runner_up_evidence": round(best, 2)}
    if place == 0:
        sure = NOTHING_SPEAKS / (1 + best)
        return Decision(round(sure, 3), {"rule": "nothing speaks for another node"} | reasons, "engine")
    phrases = evidence.phrases(node, [content.texts[unit] for unit in units])
    reasons["words"] = dict(phrases[:MOST_PHRASES])
    return Decision(
        round(confidence(sums[place], best, len(units)), 3), {"rule": "names, aliases and keywords"} | reasons, "engine"
    )


def confidence(chosen: float, rival: float, units: int) -> float:
    """How often a node with this evidence is the right one for so many texts, when the next best has that of `rival`."""
    margin = (chosen - rival) / max(chosen + rival, 1e-9)
    return 1 / (1 + math.exp(-(BIAS + MARGIN * margin + DENSITY * math.log1p(max(0.0, chosen) / units))))


def created(placed: Placed, node: AssignableNode, decision: Decision) -> Placed:
    """The same, with the decision for a node that was created for the content."""
    if node.node_id not in placed.decisions:
        return placed
    return replace(placed, decisions={**placed.decisions, node.node_id: decision})
