"""How alike content and nodes are in meaning: the vectors of what is about to be stored against those of the shells.

The vectors are those that the content is stored with, made a little earlier; the shells' are read once for an ingest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np

from engine.domain.principal import Principal
from engine.ingest.allowance import Allowance
from engine.ingest.assignment.evidence import Likeness, NodeVocabulary
from engine.ingest.assignment.placing import Unplaced
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Vectors
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher

FEWEST_NODES = 3
"""Nodes below the root from which on being more alike to one than to the others tells something."""


class ShellLikeness:
    """Compares content with the shells of a graph."""

    def __init__(self, neo4j: Neo4j, active: ActiveModel) -> None:
        self._neo4j, self._active = neo4j, active

    async def of(
        self, principal: Principal, contents: Sequence[Unplaced], vocabulary: NodeVocabulary, allowance: Allowance
    ) -> list[Likeness | None]:
        """For each content its likeness, or None where it is not asked for or cannot be known. Raises StoreUnavailable."""
        texts = [content.embedded if content.node is None else () for content in contents]
        if len(vocabulary.nodes) <= FEWEST_NODES:
            return [None] * len(contents)
        model = self._active.current
        made = await allowance.ahead(model, [text for own in texts for text in own])
        if made is None:
            return [None] * len(contents)
        shells = await self._shells(principal, vocabulary, model)
        vectors = iter(made)
        return [
            _likeness(content, [next(vectors) for _ in own], vocabulary, shells) if own else None
            for content, own in zip(contents, texts, strict=True)
        ]

    async def _shells(
        self, principal: Principal, vocabulary: NodeVocabulary, model: Model
    ) -> dict[UUID, Sequence[float]]:
        """The vectors of the nodes below the root, each read once for a vocabulary and those that grow out of it."""
        nodes = [node.node_id for node in vocabulary.nodes[1:]]
        unknown = [str(node_id) for node_id in nodes if (model.name, node_id) not in vocabulary.shells]
        if unknown:
            rows = await self._neo4j.read(
                cypher("node/vectors"), **principal.parameters, nodes=unknown, column=model.version.column,
                version=model.name,
            )  # fmt: skip
            vocabulary.shells |= {(model.name, UUID(row["node_id"])): row["vector"] for row in rows}
        known = vocabulary.shells
        return {node_id: known[model.name, node_id] for node_id in nodes if (model.name, node_id) in known}


def _likeness(
    content: Unplaced, vectors: Sequence[Vectors], vocabulary: NodeVocabulary, shells: Mapping[UUID, Sequence[float]]
) -> Likeness | None:
    known = [number for number, node in enumerate(vocabulary.nodes) if number and node.node_id in shells]
    if len(known) < FEWEST_NODES:
        return None
    cosines = np.array(vectors) @ np.array([shells[vocabulary.nodes[number].node_id] for number in known]).T
    likeness = np.zeros((len(content.texts), len(vocabulary.nodes)), dtype=np.float32)
    likeness[np.ix_(range(content.start, len(content.texts)), known)] = above_chance(cosines)
    return likeness


def above_chance(cosines: Likeness) -> Likeness:
    """How far each cosine lies above the mean of its row, less half of what the highest of so many lies above it by chance: of n
    normal values about sqrt(2 ln n) standard deviations."""
    above = cosines - cosines.mean(axis=1, keepdims=True)
    chance = cosines.std(axis=1, keepdims=True) * math.sqrt(2 * math.log(cosines.shape[1]))
    likeness: Likeness = np.maximum(0.0, above - chance / 2).astype(np.float32)
    return likeness
