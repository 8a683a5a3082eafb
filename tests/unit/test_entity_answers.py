"""`eval entities` with a model's recorded answers: what they add to names and relations, on labels made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.domain.entity import TextPiece
from engine.errors import InvalidInput
from engine.lab.evaluation.entities import evaluate_entities
from engine.lab.evaluation.entity_answers import answers_of, measured_answers
from engine.lab.evaluation.labels import Labels, Span

TURNS = {
    "D1:1": TextPiece("Carla has been with Bolt Works for years, and she sails the seagull.", "Ada"),
    "D1:2": TextPiece("Nice!", "Bert"),
}
KINDS = {"ada": "person", "bert": "person", "carla": "person", "bolt": "organization"}
ANSWER: dict[str, Any] = {
    "entities": [
        {"name": "Carla", "kind": "person"},
        {"name": "Bolt Works", "kind": "organization"},
        {"name": "Not There", "kind": "person"},
    ],
    "relations": [
        {"source": "Carla", "type": "WORKS_AT", "target": "Bolt Works", "line": 0},
        {"source": "Carla", "type": "FRIEND_OF", "target": "Ada", "line": 9},
        {"source": "Carla", "type": "KNOWS", "target": "Not There"},
    ],
}


@pytest.fixture
def labels() -> Labels:
    def span(text: str, entity: str) -> Span:
        start = TURNS["D1:1"].text.index(text)
        return Span("D1:1", start, start + len(text), text, entity, "name")

    relations = [
        {"source": "carla", "type": "WORKS_AT", "target": "bolt", "evidence": ["D1:1"]},
        {"source": "ada", "type": "FRIEND_OF", "target": "carla", "evidence": ["D1:1"]},
    ]
    names = {"ada": "Ada", "bert": "Bert", "carla": "Carla", "bolt": "Bolt Works"}
    raw = {"relations": relations}
    return Labels(TURNS, {}, (), KINDS, names, (span("Carla", "carla"), span("Bolt Works", "bolt")), (), (), raw)


def recorded(path: Path, *answers: Any) -> Path:
    path.write_text(json.dumps({"answers": answers}), "utf-8")
    return path


@pytest.mark.ledger("M05")
def test_recorded_answers_add_relations_and_kinds(labels: Labels, tmp_path: Path) -> None:
    path = recorded(tmp_path / "answers.json", {"sources": ["D1:1", "D1:2"], "answer": ANSWER})
    tables = {one.name: one for one in measured_answers(labels, answers_of(path, labels))}
    typed = tables["relations with a model"]
    row = dict(zip(typed.columns, typed.rows["turns"], strict=True))
    assert (row["relations"], row["drawn"], row["P"], row["R"]) == (2, 2, 1.0, 1.0)
    kinds = tables["kinds with a model"]
    assert dict(zip(kinds.columns, kinds.rows["turns"], strict=True))["right"] == 1.0
    spans = tables["names with a model"]
    assert dict(zip(spans.columns, spans.rows["turns"], strict=True))["F1"] == 1.0
    report = evaluate_entities("labels", labels, answers_of(path, labels))
    offline = report.sections["relations"][0]
    assert dict(zip(offline.columns, offline.rows["turns"], strict=True))["R"] == 0.0
    assert set(report.sections) == {"names", "resolution", "relations", "model"}


def test_answers_about_other_texts_and_other_forms_are_refused(labels: Labels, tmp_path: Path) -> None:
    for content in ({"sources": ["D9:9"], "answer": ANSWER}, {"sources": [], "answer": ANSWER}, {"answer": {}}, 7):
        with pytest.raises(InvalidInput):
            answers_of(recorded(tmp_path / "bad.json", content), labels)
