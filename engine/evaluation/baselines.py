"""Baselines for the ranking: BM25 alone and cosine alone, over the same stored rows that a search sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.domain.principal import Principal
from engine.domain.terms import rarity, term_id, words
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


class Baselines:
    """Ranks the items of one user by BM25 or by cosine."""

    def __init__(self, items: Sequence[StoredItem]) -> None:
        self._refs = [item.source_ref for item in items]
        self._terms = [item.terms for item in items]
        self._documents = Counter(term for item in items for term in item.terms)
        dimension = next((len(item.vector) for item in items if item.vector is not None), 1)
        self._vectors = np.array(
            [np.zeros(dimension, np.float32) if item.vector is None else item.vector for item in items]
        ).reshape(len(items), dimension)

    def by_words(self, question: str, depth: int) -> list[str]:
        wanted = {
            term: rarity(len(self._terms), self._documents[term])
            for term in {term_id(word) for word in words(question)}
            if term in self._documents
        }
        scores = np.array([sum(wanted[term] * own[term] for term in wanted.keys() & own.keys()) for own in self._terms])
        return self._best(scores, depth)

    def by_meaning(self, vector: Vectors, depth: int) -> list[str]:
        return self._best(self._vectors @ vector, depth)

    def _best(self, scores: NDArray[np.floating], depth: int) -> list[str]:
        order = np.argsort(-scores, kind="stable")[:depth]
        return [self._refs[place] for place in order]
