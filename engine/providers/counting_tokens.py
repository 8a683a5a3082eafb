"""The tokens of a text that count when it is compared token by token, and their vectors as bits.

Left out are special tokens, the prefix that a model wants before a text, punctuation, and stop words. A vector is normalised, and
the encoder's mean token vector is subtracted: all token vectors share one direction, which says nothing. Of a stored text the
signs are kept, of a question the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.domain.embedding import MOST_TOKENS
from engine.domain.terms import STOP_WORDS

MEANS = Path(__file__).with_name("token_means.json")
"""The mean token vector of each version of an encoder: a constant, since bits of two means cannot be compared. See
`engine.lab.benchmarks.token_means`."""
NOTHING = 1e-12

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class CountingTokens:
    """`counts`: by the number of a token, whether it counts; `mean`: the encoder's mean token vector."""

    counts: NDArray[np.bool_]
    mean: Vectors

    @classmethod
    def of(cls, tokenizer: Tokenizer, version: str, dimension: int) -> CountingTokens:
        """Those of an encoder. One without a known mean has its bits around zero."""
        vocabulary = tokenizer.get_vocab()
        special = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
        counts = np.zeros(max(vocabulary.values()) + 1, dtype=np.bool_)
        for token, number in vocabulary.items():
            word = token.removeprefix("##")
            stop = token in STOP_WORDS or token in special
            counts[number] = not stop and any(letter.isalnum() for letter in word)
        means = json.loads(MEANS.read_text("utf-8"))
        return cls(counts, np.array(means.get(version, [0.0] * dimension), dtype=np.float32))

    def vectors(self, rows: Sequence[Sequence[int]], tokens: Vectors, first: int) -> list[Vectors]:
        """The unit vectors of the tokens that count. `rows`: the tokens of each text by number; `first`: where it begins."""
        unit, ends = self._unit(rows, tokens, first)
        return np.split(unit, ends)

    def bits(self, rows: Sequence[Sequence[int]], tokens: Vectors, first: int) -> list[bytes]:
        """Their signs without the mean: dimension / 8 bytes a token, the highest bit first."""
        unit, ends = self._unit(rows, tokens, first)
        return [own.tobytes() for own in np.split(np.packbits(unit > self.mean, axis=1), ends)]

    def _unit(self, rows: Sequence[Sequence[int]], tokens: Vectors, first: int) -> tuple[Vectors, NDArray[np.int64]]:
        """The unit vectors of all texts, and where those of each end but the last. Computed together: after each step on a large
        array a thread may wait for another one."""
        kept = [
            first + np.flatnonzero(self.counts[np.asarray(ids[first:], dtype=np.int64)])[:MOST_TOKENS] for ids in rows
        ]
        sizes = [len(one) for one in kept]
        chosen = tokens[np.repeat(np.arange(len(rows)), sizes), np.concatenate(kept)]
        norms = np.sqrt(np.einsum("ij,ij->i", chosen, chosen))[:, None]
        return chosen / np.maximum(norms, NOTHING), np.cumsum(sizes)[:-1]

    def centred(self, vectors: Vectors) -> Vectors:
        """Unit vectors without the mean, normalised again."""
        rest: Vectors = vectors - self.mean
        unit: Vectors = rest / np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), NOTHING)
        return unit
