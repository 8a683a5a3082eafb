"""Matters that turns are about: clusters of their vectors, named by the words that stand out in them. Pure.

Turns are smoothed with their neighbours, since an answer says little by itself. Clusters are made by spherical k-means with
fixed starts, so that the same turns give the same matters; small and scattered ones are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.ingest.proposal.people import NO_PERSON
from engine.language.detection import language_of, stop_words

Floats = NDArray[np.float32]

MOST_CLUSTERS = 16
TURNS_A_CLUSTER = 14
"""Turns that one cluster has about, which says how many are looked for."""
LEAST_TURNS, LEAST_CONVERSATIONS, LEAST_KEYWORDS = 6, 2, 2
LEAST_COHESION = 0.4
"""The least mean cosine of a matter's turns to its centre, the mean of all turns taken away."""
ROUNDS = 40
ALIKE = 0.6
"""The least cosine of two centres that are one."""
COMMON = 0.05
"""A word in more than this share of the other turns says nothing of a matter."""
MOST_KEYWORDS = 8
_WORD = re.compile(r"[^\W\d_][\w'’-]{3,}")
NEIGHBOURS = 0.5


@dataclass(frozen=True, slots=True)
class Matter:
    """What some turns are about: a name, words that stand out, the turns."""

    name: str
    keywords: tuple[str, ...]
    turns: tuple[int, ...]
    cohesion: float


def matters(texts: Sequence[str], vectors: Floats, conversations: Sequence[int], taken: frozenset[str]) -> list[Matter]:
    """The matters of these turns, largest first; `taken`: words that name something else already, folded."""
    if len(texts) < 2 * LEAST_TURNS:
        return []
    units = smoothed(vectors, conversations)
    amount = max(2, min(MOST_CLUSTERS, round(len(texts) / TURNS_A_CLUSTER)))
    labels, cohesion = clusters(units, amount)
    usual = _document_shares(texts)
    found = []
    for label in range(amount):
        turns = tuple(int(turn) for turn in np.flatnonzero(labels == label))
        spread = len({conversations[turn] for turn in turns})
        if len(turns) < LEAST_TURNS or spread < LEAST_CONVERSATIONS or cohesion[label] < LEAST_COHESION:
            continue
        words = standing_out([texts[turn] for turn in turns], usual, len(texts), taken)
        if len(words) >= LEAST_KEYWORDS:
            found.append(Matter(_title(words, texts), tuple(words), turns, round(float(cohesion[label]), 3)))
    return _merged(sorted(found, key=lambda matter: -len(matter.turns)))


def smoothed(vectors: Floats, conversations: Sequence[int]) -> Floats:
    """Unit vectors with half of each neighbour in the same conversation, less the mean of all."""
    mixed = vectors.copy()
    for place in range(1, len(vectors)):
        if conversations[place] == conversations[place - 1]:
            mixed[place] += NEIGHBOURS * vectors[place - 1]
            mixed[place - 1] += NEIGHBOURS * vectors[place]
    mixed = mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9)
    mixed -= mixed.mean(axis=0)
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def clusters(units: Floats, amount: int) -> tuple[NDArray[np.int64], Floats]:
    """The cluster of each vector, and how near the vectors of each are to its centre. Starts: the farthest from those before."""
    centres = [units[int(np.argmax(units @ units.mean(axis=0)))]]
    nearest = units @ centres[0]
    for _ in range(1, amount):
        centres.append(units[int(np.argmin(nearest))])
        nearest = np.maximum(nearest, units @ centres[-1])
    middle = np.stack(centres)
    labels = np.argmax(units @ middle.T, axis=1)
    for _ in range(ROUNDS):
        owned = [labels == label for label in range(amount)]
        sums = np.stack([units[own].sum(axis=0) if own.any() else old for own, old in zip(owned, middle, strict=True)])
        middle = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        fresh = np.argmax(units @ middle.T, axis=1)
        if (fresh == labels).all():
            break
        labels = fresh
    alike = middle @ middle.T >= ALIKE
    labels = np.argmax(alike, axis=1)[labels]  # centres that point the same way are one cluster, the first of them
    scores = units @ middle.T
    owned = [labels == label for label in range(amount)]
    cohesion = np.array([scores[own, label].mean() if own.any() else 0.0 for label, own in enumerate(owned)])
    return labels, cohesion.astype(np.float32)


def standing_out(texts: Sequence[str], usual: Mapping[str, int], total: int, taken: frozenset[str]) -> list[str]:
    """Words that stand in these turns far more often than in all, by how many turns have them and how rare they are elsewhere."""
    inside = Counter(word for text in texts for word in _meaningful(text))
    scored = {
        word: count * count / usual[word] * math.log(total / usual[word])
        for word, count in inside.items()
        if count >= 2 and usual[word] - count <= max(2, COMMON * (total - len(texts))) and word not in taken
    }
    return [word for word, _ in sorted(scored.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_KEYWORDS]]


def _meaningful(text: str) -> set[str]:
    """Folded words that may tell what a text is about: no stop words; in German, which writes them large, only nouns."""
    language = language_of([text])
    common = stop_words(language) | stop_words("en")
    return {
        word.casefold().removesuffix("'s").removesuffix("’s")
        for word in _WORD.findall(text)
        if word.casefold() not in common | NO_PERSON and (language != "de" or word[0].isupper())
    }


def _document_shares(texts: Sequence[str]) -> Counter[str]:
    return Counter(word for text in texts for word in _meaningful(text))


def _title(words: Sequence[str], texts: Sequence[str]) -> str:
    """The first word as it is mostly written, and the second where both stand out together."""
    return " & ".join(_written(word, texts) for word in words[:2])


def _written(word: str, texts: Sequence[str]) -> str:
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    forms = Counter(match.group() for text in texts for match in pattern.finditer(text))
    form = forms.most_common(1)[0][0] if forms else word
    return form[0].upper() + form[1:]


def _merged(found: Sequence[Matter]) -> list[Matter]:
    """Matters that share two of their first four words are one."""
    kept: list[Matter] = []
    for matter in found:
        twin = next((one for one in kept if len(set(one.keywords[:4]) & set(matter.keywords[:4])) >= 2), None)
        if twin is None:
            kept.append(matter)
            continue
        words = tuple(dict.fromkeys((*twin.keywords[:5], *matter.keywords)))[:MOST_KEYWORDS]
        joined = Matter(twin.name, words, tuple(sorted({*twin.turns, *matter.turns})), twin.cohesion)
        kept[kept.index(twin)] = joined
    return kept
