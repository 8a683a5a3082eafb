"""Passages reached over the entities that they share: a walk from the nearest passages and from what the question names.

Personalised PageRank over the graph of passages and entities (HippoRAG, Gutiérrez et al. 2024), then one hop from the best.
The candidates are the passages of the graph; how many passages mention an entity is counted over all that were searched, which
the asker may read. Passages that are no candidates keep their share of the walk, which is lost there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.candidate import Candidate
from engine.retrieval.weights import WalkWeights
from engine.retrieval.z_scores import Values, z_scores


@dataclass(frozen=True, slots=True)
class Link:
    """How a passage was reached: the candidate that the way starts at (None: the question) and the entity, as numbers."""

    start: int | None
    entity: int


@dataclass(frozen=True, slots=True)
class Walked:
    """For each candidate: `graph`, a z-score over the passages, `hop` from 0 to 1, both 0 for turns; `links`: by candidate."""

    graph: Values
    hop: Values
    links: dict[int, Link]


def walk(candidates: Sequence[Candidate], named: Collection[int], passages: int, weights: WalkWeights) -> Walked:
    """`named`: the entities of the question; `passages`: how many were searched."""
    graph, hop = np.zeros(len(candidates)), np.zeros(len(candidates))
    places = [place for place, one in enumerate(candidates) if one.family == "passage"]
    rows = [candidates[place] for place in places]
    net = _Net.of(rows, passages)
    if net is None:
        return Walked(graph, hop, {})
    meaning = np.array([one.meaning for one in rows])
    reached = z_scores(np.log(net.walked(_seeds(net, meaning, named, weights), weights) + 1e-6))
    total = meaning + weights.graph * reached
    hops, starts = net.hops(total, named, weights)
    graph[places], hop[places] = reached, hops
    links = {places[row]: link for row, link in net.links(hops, starts, named, weights).items()}
    return Walked(
        graph,
        hop,
        {place: Link(None if link.start is None else places[link.start], link.entity) for place, link in links.items()},
    )


def _seeds(net: _Net, meaning: Values, named: Collection[int], weights: WalkWeights) -> tuple[Values, Values]:
    """Where the walk starts: passages by their meaning, and the entities of the question by their rarity; all together 1."""
    near = np.exp((meaning - meaning.max()) / weights.temperature)
    near /= near.sum()
    asked = np.array([net.rarity[column] if number in named else 0.0 for number, column in net.columns.items()])
    if not asked.any():
        return near, asked
    return near / 2, asked / asked.sum() / 2


@dataclass(frozen=True, slots=True)
class _Net:
    """Edges between passages (rows) and entities (columns): 2 where the passage is about the entity, else 1."""

    columns: dict[int, int]
    edges: Values
    spread: Values
    """By entity the sum of its edges to all passages that were searched."""
    counts: Values
    rarity: Values

    @classmethod
    def of(cls, rows: Sequence[Candidate], passages: int) -> _Net | None:
        columns: dict[int, int] = {}
        met = [(number, *one) for number, row in enumerate(rows) for one in _entities(row)]
        if not met:
            return None
        for _, entity, *_ in met:
            columns.setdefault(entity, len(columns))
        edges, spread, counts = np.zeros((len(rows), len(columns))), np.ones(len(columns)), np.ones(len(columns))
        for number, entity, about, count, weight in met:
            column = columns[entity]
            edges[number, column] = 1 + about
            spread[column], counts[column] = max(weight, 1), max(count, 1)
        return cls(columns, edges, spread, counts, np.log1p(max(passages, 1) / counts) / np.log1p(max(passages, 1)))

    def walked(self, seeds: tuple[Values, Values], weights: WalkWeights) -> Values:
        """How much of the walk ends at each passage."""
        near, asked = seeds
        from_entities = self.edges / self.spread
        degrees = self.edges.sum(axis=1)
        to_entities = (self.edges / np.maximum(degrees, 1)[:, None]).T
        at_passages, at_entities = near.copy(), asked.copy()
        for _ in range(weights.steps):
            at_passages = weights.restart * near + (1 - weights.restart) * (from_entities @ at_entities)
            at_entities = weights.restart * asked + (1 - weights.restart) * (to_entities @ at_passages)
        return at_passages

    def hops(self, total: Values, named: Collection[int], weights: WalkWeights) -> tuple[Values, NDArray[np.intp]]:
        """From the best passages, over a rare entity that the question does not name, to others: how strongly each is reached,
        from 0 to 1, and from which passage."""
        best = np.argsort(-total, kind="stable")[: weights.hop_from]
        open_to = (self.counts >= 2) & (self.counts <= weights.rare)
        open_to &= np.array([number not in named for number in self.columns])
        reach = np.where(self.edges > 1, 1.5, 1.0) * (self.edges > 0) * (self.rarity * open_to)
        found = np.zeros((len(best), len(total)))
        for number, start in enumerate(best):
            found[number] = (reach * (self.edges[start] > 0)).max(axis=1)
            found[number, start] = 0
        hops, starts = found.max(axis=0), best[found.argmax(axis=0)]
        most = float(hops.max())
        return (hops / most if most > 0 else hops), starts

    def links(
        self, hops: Values, starts: NDArray[np.intp], named: Collection[int], weights: WalkWeights
    ) -> dict[int, Link]:
        """Over what each passage was reached: an entity of the question, else one that it shares with one of the best."""
        numbers = list(self.columns)
        asked = np.array([number in named for number in numbers])
        found: dict[int, Link] = {}
        for row in range(len(self.edges)):
            own = self.edges[row] > 0
            if (own & asked).any():
                found[row] = Link(None, numbers[int(np.argmax(np.where(own & asked, self.rarity, -1)))])
            elif hops[row] > 0:
                rare = (self.counts >= 2) & (self.counts <= weights.rare)
                shared = own & (self.edges[starts[row]] > 0) & rare
                found[row] = Link(int(starts[row]), numbers[int(np.argmax(np.where(shared, self.rarity, -1)))])
        return found


def _entities(row: Candidate) -> list[tuple[int, int, int, int]]:
    """Entity, whether the passage is about it, how many passages mention it, the sum of their edges."""
    if not row.entities or row.aboutness is None or row.passages is None or row.weights is None:
        return []
    return list(zip(row.entities, row.aboutness, row.passages, row.weights, strict=True))
