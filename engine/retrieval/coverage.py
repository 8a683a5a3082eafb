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
from engine.retrieval.scale import z_scores

Floats = NDArray[np.float32]


BLOCK = 1024
"""Tokens that are unpacked at once: as floats they are 32 times as large, and stay in the processor's cache like this."""


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """The signs of the tokens of some texts, packed as bits, one row a token. `sizes`: how many tokens each text has."""

    packed: NDArray[np.uint8]
    sizes: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, tokens: Sequence[bytes], dimension: int) -> Signs:
        """Of the bits of their tokens."""
        sizes = np.array([len(one) // (dimension // 8) for one in tokens], dtype=np.intp)
        packed = np.frombuffer(b"".join(tokens), dtype=np.uint8).reshape(-1, dimension // 8)
        return cls(packed, sizes, np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp))

    def cosines(self, others: Floats) -> Floats:
        """Of each of these vectors with each token; the lengths of both are taken for the root of the dimension."""
        dimension = others.shape[1]
        found = np.empty((len(others), len(self.packed)), dtype=np.float32)
        for start in range(0, len(self.packed), BLOCK):
            bits = np.unpackbits(self.packed[start : start + BLOCK], axis=1).astype(np.float32)
            found[:, start : start + BLOCK] = others @ bits.T
        # A sign is twice the bit less one.
        return (2 * found - others.sum(axis=1, keepdims=True)) / np.float32(dimension)  # type: ignore[no-any-return]

    def alike(self, one: int) -> NDArray[np.float64]:
        """By text how well its tokens and those of one cover each other: of each token the cosine with the nearest, their mean,
        both ways; 0 for a text without tokens. `one` has tokens."""
        own = np.unpackbits(self.packed[self.starts[one] : self.starts[one] + self.sizes[one]], axis=1)
        cosines = self.cosines(2 * own.astype(np.float32) - 1)
        filled = np.flatnonzero(self.sizes)
        covered = np.maximum.reduceat(cosines, self.starts[filled], axis=1).mean(axis=0)
        covering = np.add.reduceat(cosines.max(axis=0), self.starts[filled]) / self.sizes[filled]
        alike = np.zeros(len(self.sizes))
        alike[filled] = (covered + covering) / 2
        return alike


@dataclass(frozen=True, slots=True)
class Coverage:
    """For each candidate, as z-scores over the turns among them, 0 for others: `window` of the turn with the two before it,
    `next` of the turn with the one after it. `signs`: of the tokens of the turns; None where there is nothing to compare."""

    window: NDArray[np.float64]
    next: NDArray[np.float64]
    signs: Signs | None


def coverage(candidates: Sequence[Candidate], question: Floats | None) -> Coverage:
    """`question`: its token vectors, shape (tokens, dimension); None or empty where the encoder gives none."""
    count = len(candidates)
    none = Coverage(np.zeros(count), np.zeros(count), None)
    if question is None or not len(question):
        return none
    dimension = question.shape[1]
    turns = [place for place, one in enumerate(candidates) if one.family == "turn" and _fits(one.tokens, dimension)]
    if not turns:
        return none
    kept = set(turns)
    signs = Signs.of([one.tokens or b"" if place in kept else b"" for place, one in enumerate(candidates)], dimension)
    best = _best(signs, question)[turns]
    row = {(candidates[place].session, candidates[place].number): number for number, place in enumerate(turns)}
    window, following = np.zeros(count), np.zeros(count)
    window[turns] = z_scores(_joined(best, [_near(candidates[place], row, (-1, -2)) for place in turns]))
    following[turns] = z_scores(_joined(best, [_near(candidates[place], row, (1,)) for place in turns]))
    return Coverage(window, following, signs)


def _fits(tokens: bytes | None, dimension: int) -> bool:
    return tokens is not None and len(tokens) % (dimension // 8) == 0


def _best(signs: Signs, question: Floats) -> Floats:
    """By text and token of the question the greatest cosine of one of the text's tokens, -1 for a text without any."""
    best = np.full((len(signs.sizes), len(question)), -1.0, dtype=np.float32)
    filled = np.flatnonzero(signs.sizes)
    if len(filled):
        cosines = signs.cosines(question * np.sqrt(np.float32(question.shape[1])))
        best[filled] = np.maximum.reduceat(cosines, signs.starts[filled], axis=1).T
    return best


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
