"""From scores to probabilities: what each text of a conversation is about, when neighbours speak for one another and every change
of place has its price. Pure arithmetic on arrays: a row a text, a column a place, the first one "nowhere in particular".

The chain is the one of a Viterbi search; instead of its one best path the probability of every place is kept (forward-backward),
so that doubt is seen, and a text of which only the subtree is sure can stay above.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.domain.terms import words
from engine.domain.utterance import has_question

Scores = NDArray[np.float64]

BEFORE = (0.6, 0.36)
"""What the texts one and two before say, beside what a text says itself; those after it count by half of that."""
AFTER = 0.5
CHANGE_COST = 1.0
REPLY_COST = 1.0
"""What a change costs more after a question, where few words are said, and where another speaks than who opened the conversation:
an answer is about what was asked, and who opened it brings up what is new."""
FEW_WORDS = 5
SURE = 0.75
"""The probability of a subtree from which on a text leaves what lies above it."""


def in_context(scores: Scores) -> Scores:
    """What each text and its neighbours say of each place."""
    said = scores.copy()
    for distance, share in enumerate(BEFORE, 1):
        said[distance:] += share * scores[:-distance]
        said[:-distance] += share * AFTER * scores[distance:]
    return said


def prices(texts: Sequence[str], speakers: Sequence[str] = ()) -> Scores:
    """What a change of place costs at each text; `speakers`: of each text, where they are known."""
    asked = np.array([False, *(has_question(text[-3:]) for text in texts[:-1])])
    short = np.array([len(words(text)) < FEW_WORDS for text in texts])
    other = np.array([speaker != speakers[0] for speaker in speakers]) if speakers else np.zeros(len(texts))
    price: Scores = CHANGE_COST + REPLY_COST * (asked * 1.0 + short + other)
    return price


def probabilities(scores: Scores, price: Scores) -> Scores:
    """How probable each place is for each text, given all of them. Linear in texts times places."""
    forward, backward = np.zeros_like(scores), np.zeros_like(scores)
    forward[0] = scores[0]
    for at in range(1, len(scores)):
        forward[at] = scores[at] + np.logaddexp(forward[at - 1], _total(forward[at - 1]) - price[at])
    for at in range(len(scores) - 2, -1, -1):
        ahead = scores[at + 1] + backward[at + 1]
        backward[at] = np.logaddexp(ahead, _total(ahead) - price[at + 1])
    both = forward + backward
    shifted = np.exp(both - both.max(axis=1, keepdims=True))
    probable: Scores = shifted / shifted.sum(axis=1, keepdims=True)
    return probable


def deepest_sure(probable: Scores, paths: Sequence[tuple[str, ...]]) -> list[int]:
    """For each text the deepest place whose subtree is sure; the first place, the root, where none is."""
    below = np.array([[other[: len(path)] == path for other in paths] for path in paths], dtype=np.float64)
    subtree = probable @ below.T
    depth = np.array([len(path) for path in paths], dtype=np.float64)
    rank = np.where(subtree >= SURE, depth + subtree / 2, -1.0)
    rank[:, 0] = 0.0
    return [int(place) for place in rank.argmax(axis=1)]


def _total(row: Scores) -> float:
    highest = float(row.max())
    return highest + float(np.log(np.exp(row - highest).sum()))
