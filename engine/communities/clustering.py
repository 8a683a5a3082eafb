"""Groups in a graph of weighted edges, by Leiden, and the ids that groups keep from one build to the next; clusters of a user's
live facts are those of a graph of the nearest of each, by their meanings.

The same edges give the same groups: they are sorted, and the seed is fixed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID, uuid5

import numpy as np
from graspologic_native import leiden

from engine.communities.descriptions import cluster_name, cluster_summary
from engine.communities.graph_entries import EnteredGroup
from engine.providers.active import Model
from engine.providers.embedder import Vectors
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

Edges = Mapping[tuple[str, str], float]
"""Weights of edges without direction, by both ends in order."""
SEED, TRIALS = 20_260, 3
LEAST_OVERLAP = 0.3
"""Jaccard overlap of members from which on a group is the one of before."""
NEIGHBOURS = 8
NEARER = 0.35
"""Which part of the way from the average likeness of two facts of a user to sameness two must go to be neighbours: encoders
differ in how alike they find what has nothing in common."""
ALIKE = 1e-5
"""Vectors that differ by less on average are all alike: none is nearer than usual, and what differs is rounding."""
AT_ONCE = 512
MOST_FACTS = 5000
"""The newest of a user."""
LEAST_FACTS, LEAST_MEMBERS = 6, 3
HEADER = 4
"""Bytes of a vector that stand before its numbers, which are big-endian."""


def groups(edges: Edges, least: int, order: Sequence[str] | None = None) -> list[tuple[str, ...]]:
    """The groups of at least so many members, the largest first; members in order. `order`: of all ends; without it that of
    their ids, which are others in each store."""
    known = order or sorted({end for ends in edges for end in ends})
    numbers = {one: f"{number:09}" for number, one in enumerate(known)}
    weights = {tuple(sorted((numbers[one], numbers[other]))): weight for (one, other), weight in edges.items()}
    listed = [(one, other, weight) for (one, other), weight in sorted(weights.items()) if weight > 0 and one != other]
    if not listed:
        return []
    _, found = leiden(listed, seed=SEED, trials=TRIALS)
    members: dict[int, list[str]] = defaultdict(list)
    for number in sorted(found):
        members[found[number]].append(known[int(number)])
    return sorted((tuple(one) for one in members.values() if len(one) >= least), key=lambda one: (-len(one), one))


def fingerprint(members: Iterable[str]) -> str:
    """A short text that is the same for the same members."""
    return sha256("\n".join(sorted(members)).encode()).hexdigest()[:16]


def identified(
    found: Sequence[Sequence[str]], before: Mapping[UUID, Iterable[str]], namespace: UUID
) -> list[tuple[UUID, Sequence[str]]]:
    """Each group with its id: that of the group before which it overlaps most, a new one where none is like it.

    New ids are made of the members, so that two builds at once make the same.
    """
    earlier = {one: frozenset(members) for one, members in before.items()}
    overlaps = sorted(
        (-_jaccard(members, frozenset(group)), str(one), place)
        for place, group in enumerate(found)
        for one, members in earlier.items()
        if not members.isdisjoint(group)
    )
    ids: dict[int, UUID] = {}
    for overlap, one, place in overlaps:
        if -overlap >= LEAST_OVERLAP and place not in ids and UUID(one) not in ids.values():
            ids[place] = UUID(one)
    for place, group in enumerate(found):
        if place not in ids:
            ids[place] = _new_id(namespace, group, {*earlier, *ids.values()})
    return [(ids[place], group) for place, group in enumerate(found)]


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _new_id(namespace: UUID, group: Sequence[str], taken: set[UUID]) -> UUID:
    name = fingerprint(group)
    while (made := uuid5(namespace, name)) in taken:
        name += "+"
    return made


def near(ids: Sequence[str], vectors: Vectors) -> dict[tuple[str, str], float]:
    """Edges between the nearest of these unit vectors: of each to its eight nearest, where they are clearly nearer than two are
    on average."""
    count = len(ids)
    if count < 2:
        return {}
    total = vectors.sum(axis=0)
    average = (float(total @ total) - count) / (count * (count - 1))
    if 1 - average < ALIKE:
        return {}
    edges: dict[tuple[str, str], float] = {}
    for start in range(0, count, AT_ONCE):
        likeness = vectors[start : start + AT_ONCE] @ vectors.T
        likeness[np.arange(len(likeness)), np.arange(start, start + len(likeness))] = -2.0
        most = min(NEIGHBOURS, count - 1)
        nearest = np.argpartition(-likeness, most - 1, axis=1)[:, :most]
        for row, places in enumerate(nearest):
            for place in places:
                nearer = (float(likeness[row, place]) - average) / (1 - average)
                if nearer >= NEARER:
                    one, other = sorted((ids[start + row], ids[int(place)]))
                    edges[one, other] = round(nearer, 4)
    return edges


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
