"""Baselines for the ranking: BM25 alone, cosine alone, and the fusion of both by rank, over the same rows that a search sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.domain.principal import Principal
from engine.domain.terms import asked_words, rarity, term_id
from engine.neurigraph import Engine
from engine.providers.embedder import Vectors
from engine.stores.statements import sql_in, sql_text


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item for the baselines: its source id, its weights by term, its vector."""

    source_ref: str
    terms: dict[int, float]
    vector: Vectors | None


@dataclass(frozen=True, slots=True)
class _Row:
    source_ref: str
    terms: Any
    embedding: object


async def stored_items(engine: Engine, user_id: UUID) -> list[StoredItem]:
    """All items of a user with a source id, node by node, with the vectors of the active embedding version."""
    postgres, principal = engine.postgres, Principal.user(user_id)
    version = engine.active.current.version
    items: list[StoredItem] = []
    asked = {"version": version.name}
    for schema in await postgres.fetch(principal, sql_text("eval/nodes"), {}, row=str):
        for one in await postgres.fetch(principal, sql_in("eval/items", schema, version.column), asked, row=_Row):
            terms = dict(zip((place + 1 for place in one.terms.indices()), one.terms.values(), strict=True))
            items.append(StoredItem(one.source_ref, terms, _as_array(one.embedding)))
    return items


def _as_array(vector: object) -> Vectors | None:
    if vector is None:
        return None
    plain = vector if isinstance(vector, np.ndarray) else vector.to_numpy()  # type: ignore[attr-defined]
    return np.asarray(plain, dtype=np.float32)


FUSED = 60
"""The constant of reciprocal rank fusion."""
Scored = list[tuple[str, float]]
"""Sources with their scores, best first."""


class Baselines:
    """Ranks the items of one user by BM25, by cosine, and by reciprocal rank fusion of these two."""

    def __init__(self, items: Sequence[StoredItem]) -> None:
        self._refs = [item.source_ref for item in items]
        self._terms = [item.terms for item in items]
        self._documents = Counter(term for item in items for term in item.terms)
        dimension = next((len(item.vector) for item in items if item.vector is not None), 1)
        self._vectors = np.array(
            [np.zeros(dimension, np.float32) if item.vector is None else item.vector for item in items]
        ).reshape(len(items), dimension)

    def rankings(self, question: str, vector: Vectors, depth: int) -> dict[str, Scored]:
        """The first `depth` items by each baseline."""
        words, meaning = self._by_words(question), self._vectors @ vector
        # an item without any of the words has no rank among them
        fused = np.where(words > 0, 1 / (FUSED + _ranks(words)), 0) + 1 / (FUSED + _ranks(meaning))
        scores = {"bm25": words, "cosine": meaning, f"rrf{FUSED}": fused}
        return {name: self._best(values, depth) for name, values in scores.items()}

    def _by_words(self, question: str) -> NDArray[np.floating]:
        wanted = {
            term: rarity(len(self._terms), self._documents[term])
            for term in {term_id(word) for word in asked_words(question)}
            if term in self._documents
        }
        return np.array(
            [sum(wanted[term] * own[term] for term in wanted.keys() & own.keys()) for own in self._terms], np.float64
        )

    def _best(self, scores: NDArray[np.floating], depth: int) -> Scored:
        order = np.argsort(-scores, kind="stable")[:depth]
        return [(self._refs[place], float(scores[place])) for place in order]


def _ranks(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """The rank of each item, from 1."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks
