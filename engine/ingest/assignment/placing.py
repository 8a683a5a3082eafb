"""The step `assign` of the write path: the node of each turn and passage, with confidence and reasons.

An `Assigner` decides: here rules do, by names, aliases, keywords and meaning of nodes (`evidence`, `likeness`), with a node for a
topic that none covers (`topic_nodes`); in `model` a language model does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from engine.domain.assignment import BY_HAND, Decision
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.ingest.allowance import Allowance
from engine.ingest.assignment.evidence import Likeness, NodeEvidence, NodeVocabulary, Scores, gathered
from engine.ingest.assignment.likeness import NodeLikeness
from engine.ingest.assignment.topic_nodes import Topic, TopicNodes, missing_topic, node_of
from engine.ingest.sources import Placed, Unplaced
from engine.turns import computed

MOST_PHRASES = 8
"""Words listed as reasons of a decision."""


class Assigner(Protocol):
    """Decides where content goes: by rules, or by a language model."""

    async def place(
        self, principal: Principal, contents: Sequence[Unplaced], vocabulary: NodeVocabulary, allowance: Allowance
    ) -> tuple[list[Placed], NodeVocabulary]:
        """The nodes of each content, and the nodes that there are now; model calls count against the allowance.

        Raises StoreUnavailable where a node had to be created; a second call finds what there is."""


class OfflineAssigner:
    """Decides by rules; creates a node for a topic that none covers, where that is sure."""

    def __init__(self, likeness: NodeLikeness, topic_nodes: TopicNodes) -> None:
        self._likeness, self._topic_nodes = likeness, topic_nodes

    async def place(
        self, principal: Principal, contents: Sequence[Unplaced], vocabulary: NodeVocabulary, allowance: Allowance
    ) -> tuple[list[Placed], NodeVocabulary]:
        """The nodes of each content, in order; what was created for one is there for the next."""
        likeness = await self._likeness.of(principal, contents, vocabulary, allowance)
        placed = []
        for content, alike in zip(contents, likeness, strict=True):
            one, vocabulary = await self._one(principal, content, vocabulary, alike)
            placed.append(one)
        return placed, vocabulary

    async def _one(
        self, principal: Principal, content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None
    ) -> tuple[Placed, NodeVocabulary]:
        if content.node is not None:
            return given(content, content.node), vocabulary
        placed, topic = await computed(_examined, content, vocabulary, likeness)
        made = None
        if topic is not None and self._topic_nodes.wanted(principal, topic):
            made = await self._topic_nodes.made(principal, topic)
        if topic is None or made is None:
            return placed, vocabulary
        node, fresh = made
        grown = vocabulary.grown([node])
        placed = await computed(placed_among, content, grown, likeness)
        if node.node_id in placed.decisions:
            decision = Decision(topic.confidence, dict(topic.reasons), "engine", created_node=fresh)
            placed = replace(placed, decisions={**placed.decisions, node.node_id: decision})
        return placed, grown


def _examined(content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None) -> tuple[Placed, Topic | None]:
    """Where the texts go among the nodes that there are, and the topic that none of these covers, if one is clear."""
    placed = placed_among(content, vocabulary, likeness)
    if not content.may_create:
        return placed, None
    topic = missing_topic(content.title, content.texts, frozenset(content.speakers), placed.nodes, vocabulary)
    return placed, topic if topic and _would_take(content, topic, vocabulary, likeness) else None


def _would_take(content: Unplaced, topic: Topic, vocabulary: NodeVocabulary, likeness: Likeness | None) -> bool:
    """Whether any of the new content would go to the node: an empty node is not created."""
    node = node_of(topic, UUID(int=0), "")
    return node.node_id in placed_among(content, vocabulary.grown([node]), likeness).decisions


def given(content: Unplaced, node: AssignableNode) -> Placed:
    """All at the node that was named by hand."""
    return Placed([node] * len(content.texts), {node.node_id: BY_HAND})


def placed_among(content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None = None) -> Placed:
    """The best cut of the texts among the nodes that there are, with its decisions. Pure; `content.node` is not looked at."""
    evidence = gathered(content, vocabulary, likeness)
    places = evidence.best()
    if content.whole:
        places = parted(evidence, places)
    nodes = [evidence.node(place) for place in places]
    decisions = {}
    for place in dict.fromkeys(places[content.start :]):
        units = [unit for unit in range(content.start, len(places)) if places[unit] == place]
        decisions[evidence.node(place).node_id] = decided(content, evidence, place, units)
    return Placed(nodes, decisions)


LEAST_PART = 4.0
"""The evidence, in plain keyword hits, from which on a document's part gets a record of its own at another node."""


def parted(evidence: NodeEvidence, places: Sequence[int]) -> list[int]:
    """The places of a document's passages: its main node's, but for those of nodes for which enough speaks by itself. Where less
    than half of it belongs anywhere, all of it stays at the root."""
    if 2 * places.count(0) > len(places):
        return [0] * len(places)
    totals: dict[int, float] = dict.fromkeys(places, 0.0)
    for unit, place in enumerate(places):
        totals[place] += evidence.spoken[unit, place]
    found = {place: total for place, total in totals.items() if place != 0}
    if not found:
        return list(places)
    main = max(found, key=lambda place: (places.count(place), found[place]))
    strong = {place for place, total in found.items() if total >= LEAST_PART} | {main}
    return [place if place in strong else main for place in places]


# how sure -----------------------------------------------------------------------------------------------

NOWHERE = 0.15
"""How often content that stays at the root because nothing is sure belongs there: doubt is no decision."""
MIDDLE, STEEPNESS = 0.0, 0.8
"""From the chain's probability to how often that is right, on the scale of log odds; see docs/assignment.md."""


def decided(content: Unplaced, evidence: NodeEvidence, place: int, units: Sequence[int]) -> Decision:
    """How sure it is that these units belong to that place, and why."""
    if len(evidence.vocabulary.nodes) == 1:
        return Decision(NOWHERE, {"rule": "there is only this node"}, "engine")
    sums = evidence.rows[units].sum(axis=0)
    order = [int(column) for column in np.argsort(-sums, kind="stable") if column not in (0, place)]
    reasons: dict[str, Any] = {"units": len(units), "evidence": round(float(sums[place]), 2)}
    if order and sums[order[0]] > 0:
        path = "/".join(evidence.node(order[0]).path[1:])
        reasons |= {"runner_up": path, "runner_up_evidence": round(float(sums[order[0]]), 2)}
    sure = confidence(evidence.probable[units, place], root=place == 0)
    if place == 0:
        return Decision(sure, {"rule": "nothing speaks for another node surely enough"} | reasons, "engine")
    phrases = evidence.phrases(evidence.node(place), [content.texts[unit] for unit in units])
    reasons["words"] = dict(phrases[:MOST_PHRASES])
    spoken = float(evidence.spoken[units, place].sum())
    rule = "names, aliases and keywords" if 2 * spoken >= sums[place] else "alike in meaning"
    return Decision(sure, {"rule": rule} | reasons, "engine")


def confidence(probable: Scores, *, root: bool) -> float:
    """How often texts that the chain gives these probabilities are at the right node, on average."""
    if root:
        return round(float(NOWHERE * probable.mean()), 3)
    odds = np.log(np.clip(probable, 1e-6, 1 - 1e-6) / np.clip(1 - probable, 1e-6, 1))
    return round(float((1 / (1 + np.exp(-(MIDDLE + STEEPNESS * odds)))).mean()), 3)
