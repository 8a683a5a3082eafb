"""One scale for turns, facts and passages: families are placed beside each other by how near the nearest item of each is.

Most signals are z-scores over the item's own family, so the best of a thousand unrelated passages is as far above its family as
the answer in a chat is above its own: their sums cannot be compared. What can be compared is the cosine with the question,
without vectors BM25. So the best scores are made level, and a family whose nearest item is further away is lowered by the square
of that distance: close families mix, as a question may need a chat and a document. Inside a family the order stays.

Scores of passages lie several times further apart than those of turns, so the best of unrelated ones can lead its own by more
than its distance from the question takes away ("Which car do we have?" beside an article about a car). So nothing that is further
away comes before the best of what is nearest; behind that it keeps its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.candidate import Candidate
from engine.retrieval.weights import Family, ScaleWeights

Values = NDArray[np.float64]
_Rows = Mapping[Family, Sequence[int]]

_FITTED: Mapping[Family, str] = {"turn": "conversations", "fact": "conversations", "passage": "documents"}
"""Whose weights were fitted beside each other: facts beside the turns that they were read from."""

STEP = 0.001
"""By how much items follow each other that would come before the best hit of what is nearest."""


def z_scores(values: Values) -> Values:
    """Zeros where all values are alike."""
    deviation = float(values.std())
    scores: Values = (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)
    return scores


def family_offsets(
    candidates: Sequence[Candidate], scores: Values, weights: ScaleWeights, *, by_words: bool = False
) -> Values:
    """What is added to each score; 0 for the family that is nearest to the question, and where there is only one. `by_words`:
    not by the vectors."""
    offsets = np.zeros(len(candidates))
    rows: dict[Family, list[int]] = {}
    for place, one in enumerate(candidates):
        rows.setdefault(one.family, []).append(place)
    if len(rows) < 2:
        return offsets
    near, tops = _nearness(candidates, rows, weights, by_words), _tops(scores, rows, weights.best)
    nearest = max(rows, key=lambda family: near[family])
    first = float(scores[rows[nearest]].max())
    for family, places in rows.items():
        further = near[nearest] - near[family]
        level = tops[_FITTED[nearest]] - tops[_FITTED[family]] - weights.lowered * further**2
        offsets[places] = level
        if _FITTED[family] != _FITTED[nearest]:
            offsets[places] = _behind(first, scores[places] + level) - scores[places]
    return offsets


def _behind(first: float, scores: Values) -> Values:
    """The scores, in their order, none as high as the first."""
    most = np.empty_like(scores)
    most[np.argsort(-scores, kind="stable")] = first - STEP * np.arange(1, len(scores) + 1)
    return np.minimum(scores, most)


def _nearness(
    candidates: Sequence[Candidate], rows: _Rows, weights: ScaleWeights, by_words: bool
) -> dict[Family, float]:
    """How near the nearest item of each family is, in spreads of what was searched; by words where a family has no vector. Among
    few items none stands far above the others: what facts are usually nearer counts in proportion."""
    cosines = {
        name: [c.meaning_overall for place in places if (c := candidates[place]).cosine is not None]
        for name, places in rows.items()
    }
    if all(cosines.values()) and not by_words:
        usual = {"fact": weights.facts_nearer * min(1.0, len(candidates) / weights.few)}
        return {name: max(found) - usual.get(name, 0.0) for name, found in cosines.items()}
    return {name: max(candidates[place].words_overall for place in places) for name, places in rows.items()}


def _tops(scores: Values, rows: _Rows, best: int) -> dict[str, float]:
    """The mean of the best scores of a family, the greatest of those whose weights were fitted together."""
    tops: dict[str, float] = {}
    for family, places in rows.items():
        top = float(np.sort(scores[places])[-best:].mean())
        tops[_FITTED[family]] = max(tops.get(_FITTED[family], top), top)
    return tops
