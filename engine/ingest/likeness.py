"""How alike content and nodes are in meaning: the vectors of what is about to be stored against those of the shells.

The vectors are those that the content is stored with, made a little earlier; the shells' are read in one trip.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np

from engine.domain.principal import Principal
from engine.ingest.allowance import Allowance
from engine.ingest.assign import Likeness, NodeVocabulary
from engine.ingest.placing import Unplaced
from engine.providers.active import ActiveModel
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
        wanted = [content.node is None and len(content.embedded) == len(content.texts) for content in contents]
        if not any(wanted) or len(vocabulary.nodes) <= FEWEST_NODES:
            return [None] * len(contents)
        model = self._active.current
        texts = [
            content.embedded[content.start :] if ask else () for content, ask in zip(contents, wanted, strict=True)
        ]
        made = await allowance.ahead(model, [text for own in texts for text in own])
        if made is None:
            return [None] * len(contents)
        rows = await self._neo4j.read(
            cypher("node/vectors"), **principal.parameters, column=model.version.column, version=model.name,
            nodes=[str(node.node_id) for node in vocabulary.nodes[1:]],
        )  # fmt: skip
        shells = {UUID(row["node_id"]): row["vector"] for row in rows}
        vectors = iter(made)
        return [
            _likeness(content, [next(vectors) for _ in own], vocabulary, shells) if ask else None
            for content, own, ask in zip(contents, texts, wanted, strict=True)
        ]


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
