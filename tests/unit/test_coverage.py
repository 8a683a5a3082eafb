"""How the words of a question are covered by turns and their neighbours. Pure."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.candidate import BLOCK, Signs, coverage
from tests.unit.candidates import turn

DIMENSION = 16
pytestmark = pytest.mark.ledger("X11")


def bits(*vectors: np.ndarray) -> bytes:
    return np.packbits(np.array(vectors) > 0, axis=1).tobytes() if vectors else b""


def axis(number: int) -> np.ndarray:
    """A vector of signs that is like no other of these."""
    rng = np.random.default_rng(number)
    return np.where(rng.random(DIMENSION) > 0.5, 1.0, -1.0).astype(np.float32)


QUESTION = np.stack([axis(1), axis(2)]) / np.sqrt(np.float32(DIMENSION))


def test_a_window_joins_what_two_turns_say():
    """The question's two words: one in a turn, the other in the turn before it."""
    apart = [turn(0, tokens=bits(axis(1))), turn(1, tokens=bits(axis(2))), turn(2, tokens=bits(axis(9)))]
    alone = replace(turn(3, tokens=bits(axis(2))), session=UUID(int=8), number=1)
    covered = coverage([*apart, alone], QUESTION)
    assert covered.window[1] > covered.window[0] and covered.window[1] > covered.window[3]
    assert covered.next[0] > covered.next[2] and covered.next[0] > covered.next[3]


def test_what_has_no_tokens_is_covered_least():
    covered = coverage(
        [turn(0, tokens=bits(axis(1), axis(2))), replace(turn(1, tokens=b""), session=UUID(int=8))], QUESTION
    )
    assert covered.window[0] > 0 > covered.window[1]


@pytest.mark.parametrize("question", [None, np.zeros((0, DIMENSION), np.float32)])
def test_without_tokens_of_the_question_nothing_is_known(question):
    covered = coverage([turn(0, tokens=bits(axis(1)))], question)
    assert covered.signs is None and not covered.window.any() and not covered.next.any()


def test_tokens_of_another_encoder_are_left_out():
    assert coverage([turn(0, tokens=b"abc"), turn(1, tokens=None)], QUESTION).signs is None


def test_passages_are_not_covered():
    passage = turn(1, family="passage", kind="chunk", tokens=bits(axis(1), axis(2)))
    covered = coverage([turn(0, tokens=bits(axis(1))), turn(2, tokens=bits(axis(5))), passage], QUESTION)
    assert covered.window[2] == covered.next[2] == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=12, unique=True), st.integers(1, 4)
)
def test_it_equals_the_plain_sum(places, words):
    """Beside a loop over all pairs of tokens."""
    question = np.stack([axis(100 + n) for n in range(words)]) / np.sqrt(np.float32(DIMENSION))
    rng = np.random.default_rng(len(places))
    said = {place: [axis(int(n)) for n in rng.integers(100, 110, size=rng.integers(0, 4))] for place in places}
    turns = [
        replace(turn(number, tokens=bits(*said[session, number])), session=UUID(int=session + 1))
        for session, number in places
    ]
    best = {
        place: [max((float(t @ q) / np.sqrt(DIMENSION) for t in tokens), default=-1.0) for q in question]
        for place, tokens in said.items()
    }
    means = []
    for session, number in places:
        near = [best[session, number - back] for back in (0, 1, 2) if (session, number - back) in best]
        means.append(np.mean([max(column) for column in zip(*near, strict=True)]))
    spread = np.std(means)
    expected = (np.array(means) - np.mean(means)) / spread if spread > 1e-6 else None
    if expected is not None:
        assert np.allclose(coverage(turns, question).window, expected, atol=1e-3)


def test_texts_are_alike_by_the_tokens_that_they_share():
    texts = [bits(axis(1), axis(2)), bits(axis(2), axis(1)), b"", bits(axis(1), axis(7)), bits(axis(8))]
    alike = Signs.of(texts, DIMENSION).alike(0)
    assert alike[0] == alike[1] == pytest.approx(1) and alike[1] > alike[3] > alike[4] and alike[2] == 0


@given(st.integers(-1, 1), st.integers(0, 5))
def test_tokens_of_several_blocks_are_compared_as_those_of_one(more: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random((2 * BLOCK + more, DIMENSION)) > 0.5, 1.0, -1.0).astype(np.float32)
    found = Signs.of([bits(*signs[:7]), bits(*signs[7:])], DIMENSION).cosines(QUESTION)
    assert np.allclose(found, QUESTION @ signs.T / DIMENSION, atol=1e-5)
