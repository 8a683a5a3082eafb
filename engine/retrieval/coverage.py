"""How well the words of a question are covered by what was said around a turn, by meaning of single words.

Late interaction over token vectors (ColBERT, Khattab and Zaharia 2020), with the tokens of a turn as sign bits and with
windows in place of single turns: an answer often names half of what was asked, and the turn before it the other half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.candidate import Candidate
from engine.retrieval.z_scores import z_scores

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Coverage:
    """For each candidate, as z-scores over the turns among them, 0 for others: `window` of the turn with the two before it,
    `next` of the turn with the one after it. `known`: whether there are token vectors to compare. `means`: of each turn the
    mean of its token signs, zeros without any."""

    window: NDArray[np.float64]
    next: NDArray[np.float64]
    known: bool
    means: Floats


def coverage(candidates: Sequence[Candidate], question: Floats | None) -> Coverage:
    """`question`: its token vectors, shape (tokens, dimension); None or empty where the encoder gives none."""
    count = len(candidates)
    none = Coverage(np.zeros(count), np.zeros(count), False, np.zeros((count, 0), dtype=np.float32))
    if question is None or not len(question):
        return none
    turns = [
        place for place, one in enumerate(candidates) if one.family == "turn" and _fits(one.tokens, question.shape[1])
    ]
    if not turns:
        return none
    best, own = _best([candidates[place].tokens or b"" for place in turns], question)
    row = {(candidates[place].session, candidates[place].number): number for number, place in enumerate(turns)}
    window, following = np.zeros(count), np.zeros(count)
    means = np.zeros((count, question.shape[1]), dtype=np.float32)
    means[turns] = own
    window[turns] = z_scores(_joined(best, [_near(candidates[place], row, (-1, -2)) for place in turns]))
    following[turns] = z_scores(_joined(best, [_near(candidates[place], row, (1,)) for place in turns]))
    return Coverage(window, following, True, means)


def _fits(tokens: bytes | None, dimension: int) -> bool:
    return tokens is not None and len(tokens) % (dimension // 8) == 0


def _best(tokens: Sequence[bytes], question: Floats) -> tuple[Floats, Floats]:
    """By turn and token of the question the greatest cosine of one of the turn's tokens, -1 for a turn without any; and by turn
    the mean of its token signs."""
    dimension = question.shape[1]
    counts = np.array([len(one) // (dimension // 8) for one in tokens])
    best = np.full((len(tokens), len(question)), -1.0, dtype=np.float32)
    means = np.zeros((len(tokens), dimension), dtype=np.float32)
    if not counts.any():
        return best, means
    packed = np.frombuffer(b"".join(tokens), dtype=np.uint8).reshape(-1, dimension // 8)
    signs = np.unpackbits(packed, axis=1).astype(np.float32)
    # a sign is 2 x bit - 1, and a vector of signs has the length of the root of the dimension
    cosines = (2 * (signs @ question.T) - question.sum(axis=1)) / np.sqrt(np.float32(dimension))
    filled = np.flatnonzero(counts)
    starts = np.concatenate(([0], np.cumsum(counts[filled])[:-1]))
    best[filled] = np.maximum.reduceat(cosines, starts, axis=0)
    means[filled] = 2 * np.add.reduceat(signs, starts, axis=0) / counts[filled, None] - 1
    return best, means


def _near(turn: Candidate, row: dict[tuple[UUID, int], int], steps: Sequence[int]) -> list[int]:
    """The rows of the turn's neighbours that are among the candidates."""
    return [row[near] for step in steps if (near := (turn.session, turn.number + step)) in row]


def _joined(best: Floats, neighbours: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The mean over the question's tokens of the best of a turn and its neighbours."""
    joined = best.copy()
    for number, near in enumerate(neighbours):
        for other in near:
            np.maximum(joined[number], best[other], out=joined[number])
    means: NDArray[np.float64] = joined.mean(axis=1).astype(np.float64)
    return means
