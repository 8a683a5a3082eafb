"""Passages that are reached over the entities that they share. Pure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.walk import walk
from engine.retrieval.weights import load_weights
from tests.unit.candidates import passage, turn

WEIGHTS = load_weights().walk
pytestmark = pytest.mark.ledger("X11")

BRIDGE, OTHER, ASKED, COMMON = 11, 12, 13, 14


def test_a_passage_is_reached_over_an_entity_of_the_nearest():
    """The second of two passages of like meaning shares an entity with the best."""
    best = passage(0, 3.0, {BRIDGE: (False, 2, 3)})
    reached = passage(1, 0.0, {BRIDGE: (True, 2, 3)})
    apart = passage(2, 0.0, {OTHER: (False, 1, 1)})
    walked = walk([best, reached, apart], (), 100, WEIGHTS)
    assert walked.graph[1] > walked.graph[2] and walked.hop[1] == 1 and walked.hop[2] == 0
    assert walked.links[1].start == 0 and walked.links[1].entity == BRIDGE and 2 not in walked.links


def test_what_the_question_names_leads_to_its_passages():
    rows = [
        passage(0, 1.0, {OTHER: (False, 1, 1)}),
        passage(1, 0.0, {ASKED: (True, 1, 2)}),
        passage(2, 0.0, {COMMON: (False, 1, 1)}),
    ]
    walked, unnamed = walk(rows, {ASKED}, 100, WEIGHTS), walk(rows, (), 100, WEIGHTS)
    assert walked.graph[1] > walked.graph[2]
    assert unnamed.graph[1] == pytest.approx(unnamed.graph[2])
    assert walked.links[1].start is None and walked.links[1].entity == ASKED


def test_an_entity_of_many_passages_leads_to_none():
    rows = [
        passage(0, 3.0, {COMMON: (False, WEIGHTS.rare + 1, 40)}),
        passage(1, 0.0, {COMMON: (False, WEIGHTS.rare + 1, 40)}),
    ]
    assert not walk(rows, (), 100, WEIGHTS).hop.any()


def test_turns_are_not_walked():
    mixed = [
        turn(0, entities=[BRIDGE]),
        passage(1, 3.0, {BRIDGE: (False, 2, 2)}),
        passage(2, 0.0, {BRIDGE: (False, 2, 2)}),
    ]
    walked = walk(mixed, {BRIDGE}, 100, WEIGHTS)
    assert walked.graph[0] == walked.hop[0] == 0 and 0 not in walked.links


@pytest.mark.parametrize("rows", [[], [turn(0)], [passage(0, 1.0, {})], [passage(0, 1.0, {}), passage(1, 0.0, {})]])
def test_without_entities_nothing_changes(rows):
    walked = walk(rows, {ASKED}, 0, WEIGHTS)
    assert not walked.graph.any() and not walked.hop.any() and not walked.links


@given(st.lists(st.tuples(st.floats(-3, 3), st.sets(st.integers(1, 6), max_size=4)), min_size=1, max_size=12))
def test_the_walk_equals_a_plain_one(rows):
    """Beside a loop over all edges, passages and entities taken one by one."""
    counts = {entity: sum(entity in own for _, own in rows) for entity in range(1, 7)}
    found = [
        passage(n, meaning, {e: (False, counts[e], counts[e]) for e in sorted(own)})
        for n, (meaning, own) in enumerate(rows)
    ]
    weights = replace(WEIGHTS, steps=3)
    walked = walk(found, {1}, len(rows), weights)
    assert np.isfinite(walked.graph).all() and np.isfinite(walked.hop).all()
    if not any(own for _, own in rows):
        return
    meaning = np.array([one for one, _ in rows])
    near = np.exp((meaning - meaning.max()) / weights.temperature)
    share = 0.5 if counts[1] else 1.0
    at = {n: share * near[n] / near.sum() for n in range(len(rows))}
    seed, entities = dict(at), {e: (0.5 if e == 1 and counts[1] else 0.0) for e in counts}
    asked = dict(entities)
    for _ in range(3):
        at = {
            n: weights.restart * seed[n] + (1 - weights.restart) * sum(entities[e] / counts[e] for e in own)
            for n, (_, own) in enumerate(rows)
        }
        entities = {
            e: weights.restart * asked[e]
            + (1 - weights.restart) * sum(at[n] / len(own) for n, (_, own) in enumerate(rows) if e in own)
            for e in counts
        }
    logs = np.log(np.array([at[n] for n in range(len(rows))]) + 1e-6)
    if logs.std() > 1e-6:
        assert np.allclose(walked.graph, (logs - logs.mean()) / logs.std(), atol=1e-6)
