"""Clusters of a user's live facts, by their meanings: the nearest of each in a graph, then Leiden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from engine.communities.descriptions import cluster_name, cluster_summary
from engine.communities.graph_entries import EnteredGroup
from engine.communities.groups import fingerprint, groups, identified, near
from engine.providers.active import Model
from engine.providers.embedder import Vectors
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

MOST_FACTS = 5000
"""The newest of a user."""
LEAST_FACTS, LEAST_MEMBERS = 6, 3
HEADER = 4
"""Bytes of a vector that stand before its numbers, which are big-endian."""


@dataclass(frozen=True, slots=True)
class VectorFact:
    """A live fact with its vector."""

    fact_id: UUID
    content: str
    subjects: tuple[str, ...]
    confirmations: int
    known_from: datetime
    vector: bytes


@dataclass(frozen=True, slots=True)
class _Before:
    cluster_id: UUID
    facts: tuple[UUID, ...]


def vector_of(sent: bytes) -> Vectors:
    """The unit vector that Postgres sent."""
    vector = np.frombuffer(sent, dtype=">f4", offset=HEADER).astype(np.float32)
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


class Clusters:
    """Finds the clusters of users; for the service."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def found(self, user_id: UUID, model: Model) -> list[EnteredGroup]:
        """The clusters of a user's facts, without the vectors of their summaries. Raises StoreUnavailable."""
        asked = {"user_id": user_id, "column": model.version.column, "version": model.name, "most": MOST_FACTS}
        facts = await self._postgres.fetch_as_service(sql_text("community/facts"), asked, row=VectorFact)
        if len(facts) < LEAST_FACTS:
            return []
        user = {"user_id": user_id}
        earlier = await self._postgres.fetch_as_service(sql_text("community/clustered"), user, row=_Before)
        before = {one.cluster_id: [str(fact) for fact in one.facts] for one in earlier}
        return await computed(_clustered, facts, before, user_id, model)


def _clustered(
    facts: Sequence[VectorFact], before: Mapping[UUID, Sequence[str]], user_id: UUID, model: Model
) -> list[EnteredGroup]:
    ids = [str(one.fact_id) for one in facts]
    edges = near(ids, np.stack([vector_of(one.vector) for one in facts]))
    known, place = dict(zip(ids, facts, strict=True)), {one: number for number, one in enumerate(ids)}
    made = []
    for cluster_id, members in identified(groups(edges, LEAST_MEMBERS), before, user_id):
        ordered = sorted(members, key=place.__getitem__)
        texts = [known[one].content for one in ordered]
        name = cluster_name([known[one].subjects for one in ordered], texts)
        summary = cluster_summary(texts[:20], model.embedder.count_tokens)
        made.append(EnteredGroup(cluster_id, name, summary, fingerprint(members), ordered, None))
    return made
