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

from engine.retrieval.candidate import Candidate, Values, z_scores
from engine.retrieval.weights import WalkWeights

Places = NDArray[np.intp]


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


def walk(
    candidates: Sequence[Candidate], named: Collection[int], passages: int, weights: WalkWeights, shrink: int = 1
) -> Walked:
    """`named`: the entities of the question; `passages`: how many were searched; of fewer than `shrink` the walk counts less."""
    graph, hop = np.zeros(len(candidates)), np.zeros(len(candidates))
    places = [place for place, one in enumerate(candidates) if one.family != "turn"]
    rows = [candidates[place] for place in places]
    net = _Net.of(rows, named, passages)
    if net is None:
        return Walked(graph, hop, {})
    mixed = len({one.family for one in rows}) > 1  # z-scores of two families are no common measure
    meaning = np.array([one.meaning_overall if mixed else one.meaning for one in rows])
    reached = z_scores(np.log(net.walked(_seeds(net, meaning, weights), weights) + 1e-6)) * min(1, passages / shrink)
    hops, links = net.hops(meaning + weights.graph * reached, weights)
    graph[places], hop[places] = reached, hops
    ways = {
        places[row]: Link(None if link.start is None else places[link.start], link.entity)
        for row, link in links.items()
    }
    return Walked(graph, hop, ways)


def _seeds(net: _Net, meaning: Values, weights: WalkWeights) -> tuple[Values, Values]:
    """Where the walk starts: passages by their meaning, and the entities of the question by their rarity; all together 1."""
    near = np.exp((meaning - meaning.max()) / weights.temperature)
    near /= near.sum()
    asked = np.where(net.asked, net.rarity, 0.0)
    if not asked.any():
        return near, asked
    return near / 2, asked / asked.sum() / 2


@dataclass(frozen=True, slots=True)
class _Net:
    """Edges between passages (rows) and entities (columns), one by one: 2 where the passage is about the entity, else 1."""

    numbers: list[int]
    """Of the entities, by column."""
    rows: Places
    columns: Places
    edges: Values
    size: int
    """Passages."""
    spread: Values
    """By entity the sum of its edges to all passages that were searched."""
    counts: Values
    rarity: Values
    asked: NDArray[np.bool_]
    """Whether the question names it."""

    @classmethod
    def of(cls, rows: Sequence[Candidate], named: Collection[int], passages: int) -> _Net | None:
        met = [(number, *one) for number, row in enumerate(rows) for one in _entities(row)]
        if not met:
            return None
        columns: dict[int, int] = {}
        for _, entity, *_ in met:
            columns.setdefault(entity, len(columns))
        spread, counts = np.ones(len(columns)), np.ones(len(columns))
        places = np.array([columns[entity] for _, entity, *_ in met])
        counts[places] = np.maximum([count for *_, count, _ in met], 1)
        spread[places] = np.maximum([weight for *_, weight in met], 1)
        return cls(
            list(columns),
            np.array([row for row, *_ in met]),
            places,
            np.array([1.0 + about for _, _, about, *_ in met]),
            len(rows),
            spread,
            counts,
            np.log1p(max(passages, 1) / counts) / np.log1p(max(passages, 1)),
            np.array([number in named for number in columns]),
        )

    def walked(self, seeds: tuple[Values, Values], weights: WalkWeights) -> Values:
        """How much of the walk ends at each passage."""
        near, asked = seeds
        degrees = np.bincount(self.rows, self.edges, self.size)
        out_of_entities = self.edges / self.spread[self.columns]
        out_of_passages = self.edges / degrees[self.rows]
        at_passages, at_entities = near, asked
        for _ in range(weights.steps):
            given = np.bincount(self.rows, out_of_entities * at_entities[self.columns], self.size)
            at_passages = weights.restart * near + (1 - weights.restart) * given
            given = np.bincount(self.columns, out_of_passages * at_passages[self.rows], len(self.numbers))
            at_entities = weights.restart * asked + (1 - weights.restart) * given
        return at_passages

    def hops(self, total: Values, weights: WalkWeights) -> tuple[Values, dict[int, Link]]:
        """From the best passages, over a rare entity that the question does not name, to others: how strongly each is reached,
        from 0 to 1; and over what each passage was reached: an entity of the question, else one shared with one of the best."""
        rare = (self.counts >= 2) & (self.counts <= weights.rare) & ~self.asked
        reach = np.where(self.edges > 1, 1.5, 1.0) * self.rarity[self.columns]
        hops, links = np.zeros(self.size), self._asked_links()
        for start in np.argsort(-total, kind="stable")[: weights.hop_from]:
            open_to = np.zeros(len(self.numbers), dtype=bool)
            open_to[self.columns[self.rows == start]] = True
            over = (open_to & rare)[self.columns] & (total[self.rows] < total[start])
            for edge in np.flatnonzero(over):
                row = int(self.rows[edge])
                if reach[edge] > hops[row]:
                    hops[row] = reach[edge]
                    if links.get(row, Link(0, 0)).start is not None:
                        links[row] = Link(int(start), self.numbers[self.columns[edge]])
        most = float(hops.max())
        return (hops / most if most > 0 else hops), links

    def _asked_links(self) -> dict[int, Link]:
        """By passage the rarest entity of the question that it names."""
        best: dict[int, int] = {}
        for edge in np.flatnonzero(self.asked[self.columns]):
            row, column = int(self.rows[edge]), int(self.columns[edge])
            if row not in best or self.rarity[column] > self.rarity[best[row]]:
                best[row] = column
        return {row: Link(None, self.numbers[column]) for row, column in best.items()}


def _entities(row: Candidate) -> list[tuple[int, int, int, int]]:
    """Entity, whether the passage is about it, how many passages mention it, the sum of their edges."""
    if not row.entities or row.aboutness is None or row.passages is None or row.weights is None:
        return []
    return list(zip(row.entities, row.aboutness, row.passages, row.weights, strict=True))
