"""What the texts that mention an entity mean: centroid, words that set them apart, drift. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.domain.terms import folded, words, words_at
from engine.providers.embedder import Vectors

DESCRIPTORS = 8
LEAST_ITEMS, LEAST_FOR_DRIFT = 1, 4
SHORTEST_WORD = 3
COMMON = 0.5
"""Share of a user's texts from which on a word sets nothing apart."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """A text with its meaning."""

    item_id: str
    content: str
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is kept of an entity for one embedding version."""

    entity_id: str
    centroid: Vectors
    descriptors: tuple[str, ...]
    drift: float | None
    items: int


def meanings(
    mentioned: Mapping[str, Sequence[str]], names: Mapping[str, str], items: Mapping[str, ReadItem]
) -> list[Meaning]:
    """The meaning of each entity; `mentioned`: the items that mention it, the oldest first."""
    counted = {item_id: Counter(words(item.content)) for item_id, item in items.items()}
    often = Counter(word for words_of in counted.values() for word in words_of)
    shown = _as_written(items.values())
    made = []
    for entity_id, ids in mentioned.items():
        there = [one for one in dict.fromkeys(ids) if one in items]
        if len(there) >= LEAST_ITEMS:
            vectors = np.stack([items[one].vector for one in there])
            own = set(words(names[entity_id]))
            described = _descriptors([counted[one] for one in there], own, often, len(items))
            listed = tuple(shown[word] for word in described)
            made.append(Meaning(entity_id, _unit(vectors.mean(axis=0)), listed, drift(vectors), len(there)))
    return made


def drift(vectors: Vectors) -> float | None:
    """The cosine distance between the centroids of the older and the newer half; None for fewer than four."""
    if len(vectors) < LEAST_FOR_DRIFT:
        return None
    half = len(vectors) // 2
    older, newer = _unit(vectors[:half].mean(axis=0)), _unit(vectors[half:].mean(axis=0))
    return round(max(0.0, 1 - float(older @ newer)), 4)


def _unit(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _descriptors(own: Sequence[Counter[str]], names: set[str], often: Counter[str], total: int) -> list[str]:
    """Words of several of its texts that others have seldom, the weightiest first."""
    within = Counter(word for words_of in own for word in words_of)
    weights = {
        word: times * math.log(1 + total / often[word])
        for word, times in within.items()
        if word not in names
        and len(word) >= SHORTEST_WORD
        and not word.isdigit()
        and (often[word] <= COMMON * total or total <= 2 * len(own))
        and times > 1
    }
    return sorted(weights, key=lambda word: (-weights[word], word))[:DESCRIPTORS]


def _as_written(items: Iterable[ReadItem]) -> dict[str, str]:
    """A word as texts write it, by its stem: the form that is most common."""
    forms: dict[str, Counter[str]] = {}
    for item in items:
        text = folded(item.content)
        for word, start in words_at(text):
            end = start
            while end < len(text) and (text[end].isalnum()):
                end += 1
            forms.setdefault(word, Counter())[text[start:end] or word] += 1
    return {word: min(counts, key=lambda one: (-counts[one], one)) for word, counts in forms.items()}
