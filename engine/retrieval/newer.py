"""Newer states first: a turn that speaks of the same matter as one of the best turns, later, is placed above it.

Nothing says that the later turn replaces the earlier one: they are taken for states of one matter when their tokens are more
alike than those of other later turns by far, and when the later one answers to the question half as well at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from engine.retrieval.candidate import ASKS, Candidate
from engine.retrieval.coverage import Signs
from engine.retrieval.scale import Values, z_scores
from engine.retrieval.weights import NewerWeights

APART = timedelta(hours=1)
"""Turns of other conversations that were said at about the same time are no newer states."""
FEW = 10
"""Fewer later turns than this say too little about how alike turns are: they lean on what is usual."""


def newer_states(
    candidates: Sequence[Candidate], signs: Signs, scores: Values, weights: NewerWeights, until: datetime | None = None
) -> dict[int, int]:
    """By candidate the newer state of its matter, for the best of them, the earliest first; none without vectors of tokens.

    `until`: states of before alone.
    """
    states = [
        place
        for place, one in enumerate(candidates)
        if signs.sizes[place] and _states(one) and (until is None or _when(one) < until.timestamp())
    ]
    turns = [place for place in np.argsort(-scores, kind="stable").tolist() if candidates[place].family == "turn"]
    best = set(turns[: weights.best])  # not of passages, too, whose scores are of another scale
    found: dict[int, int] = {}
    for place in sorted(best & set(states), key=lambda one: _when(candidates[one])):
        later = [other for other in states if _later(candidates[other], candidates[place])]
        if not later:
            continue
        alike = _spreads_above(signs.alike(place)[later], weights)
        nearest = int(np.argmax(alike + z_scores(scores[later])))
        if alike[nearest] >= weights.alike and scores[later[nearest]] >= weights.share * scores[place]:
            found[place] = later[nearest]
    return found


def _spreads_above(alike: Values, weights: NewerWeights) -> Values:
    """By how many spreads each is above their mean."""
    known = min(1.0, len(alike) / FEW)
    mean = known * alike.mean() + (1 - known) * weights.usual
    spread = known * alike.std() + (1 - known) * weights.usual_spread
    return np.asarray((alike - mean) / max(spread, 1e-9))


def _states(turn: Candidate) -> bool:
    """Whether it can hold a state: a dated turn that does not end by asking."""
    return turn.family == "turn" and turn.occurred_at is not None and not turn.flags & ASKS


def _when(turn: Candidate) -> float:
    return turn.occurred_at.timestamp() if turn.occurred_at is not None else 0.0


def _later(turn: Candidate, before: Candidate) -> bool:
    return turn.session != before.session and _when(turn) > _when(before) + APART.total_seconds()
