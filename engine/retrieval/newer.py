"""Newer states first: a turn that speaks of the same matter as one of the best hits, later, is placed above it.

Nothing says that the later turn replaces the earlier one: they are taken for states of one matter when their tokens are alike, as
the mean of their sign bits, and when the later one also answers to the question to some degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np

from engine.retrieval.candidate import ASKS, Candidate
from engine.retrieval.coverage import Floats
from engine.retrieval.weights import NewerWeights
from engine.retrieval.z_scores import Values

APART = timedelta(hours=1)
"""Turns of other conversations that were said at about the same time are no newer states."""


def newer_states(
    candidates: Sequence[Candidate], means: Floats, scores: Values, among: int, weights: NewerWeights, shrink: int = 1
) -> dict[int, int]:
    """By candidate the newer state of its matter, for the best of them, the earliest first; none without vectors of tokens.

    `means`: by candidate the mean of its token signs, zeros where there are none; `among`: the newer one is among so many best;
    of fewer turns than `shrink` the mean, which is subtracted, counts less.
    """
    known = np.flatnonzero(np.abs(means).sum(axis=1))
    if not len(known):
        return {}
    unit = means - means[known].mean(axis=0) * min(1, len(known) / shrink)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-9)
    states = [int(place) for place in known if _states(candidates[int(place)])]
    order = np.argsort(-scores, kind="stable")
    near = set(order[:among].tolist())
    found: dict[int, int] = {}
    for place in sorted(set(order[: weights.best].tolist()) & set(states), key=lambda one: _when(candidates[one])):
        later = [other for other in states if _later(candidates[other], candidates[place])]
        if not later:
            continue
        alike = unit[later] @ unit[place]
        nearest = int(np.argmax(alike))
        if alike[nearest] >= weights.alike and later[nearest] in near:
            found[place] = later[nearest]
    return found


def _states(turn: Candidate) -> bool:
    """Whether it can hold a state: a dated turn that does not end by asking."""
    return turn.family == "turn" and turn.occurred_at is not None and not turn.flags & ASKS


def _when(turn: Candidate) -> float:
    return turn.occurred_at.timestamp() if turn.occurred_at is not None else 0.0


def _later(turn: Candidate, before: Candidate) -> bool:
    return turn.session != before.session and _when(turn) > _when(before) + APART.total_seconds()
