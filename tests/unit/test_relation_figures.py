"""The figures of relations in `eval entities` are right, on labels made by hand."""

from __future__ import annotations

import pytest

from engine.domain.entity import TextPiece
from engine.lab.evaluation.entity_relations import SYMMETRIC, drawn_between, measured_relations
from engine.lab.evaluation.labels import Labels, Span
from engine.naming.configuration import load_domain

TURNS = {
    "D1:1": TextPiece("My sister Carla moved to Ulm.", "Ada"),
    "D1:2": TextPiece("Carla works at Bolt Works.", "Bert"),
}
KINDS = {
    "ada": "person",
    "bert": "person",
    "carla": "person",
    "ulm": "place",
    "bolt": "organization",
    "siblings": "group",
}


def span(source: str, text: str, entity: str, form: str = "name") -> Span:
    start = TURNS[source].text.index(text)
    return Span(source, start, start + len(text), text, entity, form)


def relation(source: str, type_: str, target: str, evidence: str) -> dict[str, object]:
    return {"source": source, "type": type_, "target": target, "evidence": [evidence], "since": None, "until": None}


@pytest.fixture
def labels() -> Labels:
    mentions = (
        span("D1:1", "My sister Carla", "siblings", "description"),
        span("D1:1", "Carla", "carla"),
        span("D1:1", "Ulm", "ulm"),
        span("D1:2", "Carla", "carla"),
        span("D1:2", "Bolt Works", "bolt"),
    )
    relations = [
        relation("ada", "SIBLING_OF", "carla", "D1:1"),
        relation("carla", "LIVED_IN", "ulm", "D1:1"),
        relation("carla", "OWNS", "bolt", "D1:2"),
        relation("bert", "FRIEND_OF", "ada", "D1:2"),
    ]
    names = {"ada": "Ada", "bert": "Bert", "carla": "Carla", "ulm": "Ulm", "bolt": "Bolt Works", "siblings": "both"}
    return Labels(TURNS, {}, (), KINDS, names, mentions, (), (), {"relations": relations})


def test_direction_of_symmetric_types_and_like_types_count_as_right(labels: Labels) -> None:
    typed, untyped = measured_relations(labels)
    row = dict(zip(typed.columns, typed.rows["turns, marked names"], strict=True))
    assert (row["relations"], row["drawn"], row["unknown"]) == (4, 3, 0)
    assert (row["P"], row["R"]) == (0.6667, 0.5), "SIBLING_OF either way, LIVED_IN for LIVES_IN; OWNS is not WORKS_AT"
    assert (row["within reach"], row["R within reach"]) == (3, 0.6667), "Ada is not named where Bert is"
    loose = dict(zip(untyped.columns, untyped.rows["turns, marked names"], strict=True))
    assert (loose["P"], loose["R"]) == (1.0, 0.75)


def test_a_draft_whose_ends_no_label_knows_is_counted_apart(labels: Labels) -> None:
    found, unknown = drawn_between(labels, {"D1:9": TURNS["D1:2"]}, {"D1:9": []})
    assert (found, unknown) == (set(), 0)
    from_nowhere = Labels(TURNS, {}, (), {}, {}, (), (), (), {"relations": []})
    typed, _ = measured_relations(from_nowhere)
    row = dict(zip(typed.columns, typed.rows["turns"], strict=True))
    assert row["unknown"] > 0 and row["drawn"] == 0 and row["P"] is None


def test_the_symmetric_types_of_the_labels_are_symmetric_here() -> None:
    types = load_domain().types
    assert all(types[name].symmetric for name in SYMMETRIC & types.keys())
