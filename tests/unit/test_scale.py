"""Families beside each other: the nearest one leads, close ones mix, and inside a family nothing changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from engine.retrieval.candidate import family_offsets
from engine.retrieval.fusion import fuse
from engine.retrieval.query import parse
from engine.retrieval.weights import load_weights
from tests.unit.candidates import turn

WEIGHTS = load_weights()
QUESTION = parse("what is it", datetime(2026, 5, 1, tzinfo=UTC), WEIGHTS.limits)


def items(family: str, near: float, scores: tuple[float, ...], first: int = 0, **columns):
    """Candidates of a family, the nearest first, with the meaning that gives them about these scores."""
    kind = {"turn": "turn", "passage": "chunk", "fact": "fact"}[family]
    return [
        turn(first + place, family=family, kind=kind, meaning=score, meaning_overall=near - place, **columns)
        for place, score in enumerate(scores)
    ]


def order(candidates) -> list[int]:
    return [one.candidate.position for one in fuse(candidates, QUESTION, {}, WEIGHTS)]


def test_one_family_keeps_its_scores():
    for family in ("turn", "passage", "fact"):
        assert not family_offsets(items(family, 3.0, (5, 4, 1)), np.array([5.0, 4.0, 1.0]), WEIGHTS.scale).any()


@pytest.mark.parametrize(("turns", "passages"), [(3.0, 0.5), (0.5, 3.0)])
def test_the_family_that_is_nearer_by_far_leads_whatever_its_scores(turns: float, passages: float):
    found = items("turn", turns, (3, 2, 1)) + items("passage", passages, (9, 8, 7), first=10)
    leading = [0, 1, 2] if turns > passages else [10, 11, 12]
    assert order(found)[:3] == leading


def test_close_families_mix_so_that_a_question_may_need_both():
    ranked = order(items("turn", 2.4, (3, 2, 1)) + items("passage", 2.0, (9, 5, 1), first=10))
    assert {0, 10} <= set(ranked[:3])


@pytest.mark.parametrize("turns", [(3, 2.9, 2.8), (3, 1, 0)])
@pytest.mark.parametrize("passages", [(19, 5, 4), (30, 29, 4), (9, 8.9, 8.8)])
def test_what_is_further_away_is_not_first_however_far_it_leads_its_own(turns, passages):
    chat_nearer = order(items("turn", 2.4, turns) + items("passage", 2.0, passages, first=10))
    document_nearer = order(items("turn", 2.0, turns) + items("passage", 2.4, passages, first=10))
    assert chat_nearer[0] == 0 and document_nearer[0] == 10
    for ranked in (chat_nearer, document_nearer):
        assert [one for one in ranked if one >= 10] == [10, 11, 12] and [one for one in ranked if one < 10] == [0, 1, 2]


def test_behind_the_first_hit_what_leads_its_own_family_keeps_its_place():
    assert order(items("turn", 2.4, (3, 2.9, 2.8)) + items("passage", 2.0, (30, 29, 4), first=10))[:3] == [0, 10, 11]


def test_inside_a_family_neither_order_nor_distances_change():
    passages = items("passage", 0.0, (1, 9, 5, 7), first=10)
    alone = {one.candidate.position: one.score for one in fuse(passages, QUESTION, {}, WEIGHTS)}
    mixed = fuse(items("turn", 3.0, (3, 2)) + passages, QUESTION, {}, WEIGHTS)
    beside = {one.candidate.position: one.score for one in mixed if one.candidate.family == "passage"}
    moved = {round(beside[position] - alone[position], 9) for position in alone}
    assert len(moved) == 1 and moved.pop() < 0
    assert all(abs(sum(one.signals.values()) - one.score) < 1e-2 for one in mixed if one.candidate.family == "turn")


def test_facts_are_usually_nearer_than_the_turns_that_they_were_read_from():
    others = items("turn", 0.0, (1,) * WEIGHTS.scale.few, first=9)
    scores = np.array([3.0, 3.0] + [1.0] * len(others))
    usual = [*items("turn", 1.0, (3,)), *items("fact", 1.0 + WEIGHTS.scale.facts_nearer, (3,), first=1), *others]
    assert not family_offsets(usual, scores, WEIGHTS.scale).any()
    about_something_else = [usual[0], replace(usual[1], meaning_overall=-2.0), *others]
    fallen = family_offsets(about_something_else, scores, WEIGHTS.scale)
    assert fallen[0] == 0 and fallen[1] < -5


@pytest.mark.parametrize("turns", [2, 5, 9])
def test_among_few_items_the_fact_that_says_it_stands_beside_its_turn(turns: int):
    found = items("turn", 1.5, (2, *(0,) * (turns - 1))) + items("fact", 1.55, (3, -2), first=20)
    assert set(order(found)[:2]) == {0, 20}


def test_without_vectors_words_say_which_family_is_near():
    scores = np.array([2.0, 9.0])
    [told] = items("turn", 0.0, (2,), cosine=None, words_overall=6.0)
    [unrelated] = items("passage", 0.0, (9,), first=1, cosine=None, words_overall=1.0)
    offsets = family_offsets([told, unrelated], scores, WEIGHTS.scale)
    assert scores[0] + offsets[0] > scores[1] + offsets[1]
