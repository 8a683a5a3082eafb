"""Assignment without a language model: names, aliases, keywords and meaning of nodes (`evidence`, `likeness`), and a node for a
topic that none covers (`topics`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from engine.domain.assignment import Decision
from engine.domain.principal import Principal
from engine.ingest.allowance import Allowance
from engine.ingest.assignment.evidence import Likeness
from engine.ingest.assignment.likeness import NodeLikeness
from engine.ingest.assignment.placing import Placed, given, placed_among
from engine.ingest.assignment.topic_nodes import TopicNodes, node_of
from engine.ingest.assignment.topics import Topic, missing_topic
from engine.ingest.assignment.unplaced import Unplaced
from engine.ingest.assignment.vocabulary import NodeVocabulary
from engine.turns import computed


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
