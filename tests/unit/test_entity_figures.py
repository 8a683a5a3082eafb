"""`eval entities`: labels are read with their texts, and its figures are right, on labels made by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.domain.entity import Mention
from engine.errors import InvalidInput
from engine.lab.evaluation.entities import SECTIONS
from engine.lab.evaluation.entity_names import _kinds, _kinship, _spans, measured_names
from engine.lab.evaluation.labels import Labels, labels_of

TURNS = [
    {"speaker": "Ada", "dia_id": "D1:1", "text": "Hello Bert! My brother saw Berlin."},
    {"speaker": "Bert", "dia_id": "D1:2", "text": "We went there with Carla."},
]
PASSAGES = [
    {"title": "Nothing", "text": "Nothing here."},
    {"title": "Hill House", "text": "Hill House was built in 1901 by Carla Stone for the Hill Trust."},
]


def label(source: str, text: str, whole: str, entity: str = "", form: str = "") -> dict[str, Any]:
    start = whole.index(text)
    return {"source": source, "start": start, "end": start + len(text), "text": text, "entity": entity, "form": form}


def raw_labels() -> dict[str, Any]:
    first, second, passage = TURNS[0]["text"], TURNS[1]["text"], PASSAGES[1]["text"]
    kinds = {
        "ada": "person", "bert": "person", "brother": "person", "berlin": "place", "carla": "person", "house": "place",
        "year": "date", "trust": "group",
    }  # fmt: skip
    return {
        "sources": {
            "conversation": {"file": "talks.json", "index": 0, "sessions": [1]},
            "passages": {"file": "passages.json", "keys": {"musique:1": "Hill House"}, "groups": [["musique:1"]]},
        },
        "entities": [{"id": key, "kind": kind, "name": key, "aliases": []} for key, kind in kinds.items()],
        "mentions": [
            label("D1:1", "Bert", first, "bert", "name"),
            label("D1:1", "My brother", first, "brother", "description"),
            label("D1:1", "Berlin", first, "berlin", "name"),
            label("D1:2", "Carla", second, "carla", "alias"),
            label("D1:2", "We", second, "ada", "pronoun"),
            label("musique:1", "Hill House", passage, "house", "name"),
            label("musique:1", "1901", passage, "year", "name"),
            label("musique:1", "Carla Stone", passage, "carla", "name"),
            label("musique:1", "Hill Trust", passage, "trust", "name"),
        ],
        "not_entities": [label("D1:1", "Hello", first)],
        "ambiguous": [label("D1:2", "there", second)],
        "relations": [], "facts": [], "resolution_cases": [],
    }  # fmt: skip


def written(folder: Path, raw: object) -> tuple[Path, list[Path]]:
    data, talks, passages = (folder / name for name in ("labels.json", "talks.json", "passages.json"))
    data.write_text(json.dumps(raw))
    talks.write_text(json.dumps([{"conversation": {"session_1": TURNS}}]))
    passages.write_text(json.dumps(PASSAGES))
    return data, [talks, passages]


@pytest.fixture
def labels(tmp_path: Path) -> Labels:
    return labels_of(*written(tmp_path, raw_labels()))


def mention(source: dict[str, Any], **more: Any) -> Mention:
    return Mention(source["text"], source["start"], source["end"], **more)


def test_labels_come_with_their_texts(labels: Labels) -> None:
    assert [(piece.speaker, piece.title) for piece in labels.turns.values()] == [("Ada", ""), ("Bert", "")]
    assert labels.passages["musique:1"].title == "Hill House" and labels.groups == (("musique:1",),)
    assert labels.kinds["year"] == "date" and len(labels.mentions) == 9


def test_sentences_of_questions_are_joined_to_passages(tmp_path: Path) -> None:
    raw = raw_labels()
    raw["sources"]["passages"]["keys"] = ["hotpotqa:Hill House"]
    raw["mentions"] = raw["mentions"][:2]
    data, texts = written(tmp_path, raw)
    texts[1].write_text(json.dumps([{"context": [["Hill House", ["One. ", "Two."]]]}]))
    assert labels_of(data, texts).passages["hotpotqa:Hill House"].text == "One. Two."
    columns = {"title": ["Hill House"], "sentences": [["One.", " Two."]]}
    texts[1].write_text(json.dumps([{"context": columns}]))
    assert labels_of(data, texts).passages["hotpotqa:Hill House"].text == "One. Two."


def test_spans_are_counted_exactly_and_by_overlap(labels: Labels) -> None:
    first, second, passage = TURNS[0]["text"], TURNS[1]["text"], PASSAGES[1]["text"]
    found = {
        "D1:1": [
            mention(label("D1:1", "Hello Bert", first)), mention(label("D1:1", "Berlin", first)),
            mention(label("D1:1", "My brother", first), form="kinship"), Mention("Ada", 0, 0, "person", "speaker"),
        ],
        "D1:2": [mention(label("D1:2", "there", second)), mention(label("D1:2", "Carla", second), sure=False)],
    }  # fmt: skip
    # 3 names, 2 found ("there" is ambiguous, "Carla" not sure): one of them exactly, both touching; one touches "Hello".
    assert _spans(found, labels, dates=False) == (3, 2, 0.5, 0.3333, 0.4, 1.0, 0.6667, 0.8, 1)
    assert _kinship(found, labels) == (1, 1.0)
    paged = {"musique:1": [mention(label("musique:1", text, passage)) for text in ("1901", "Stone", "built")]}
    assert _spans(paged, labels, dates=False)[:3] == (3, 2, 0.0)
    assert _spans(paged, labels, dates=True)[:3] == (4, 3, 0.3333)


def test_kinds_are_counted_where_the_span_is_right(labels: Labels) -> None:
    first, passage = TURNS[0]["text"], PASSAGES[1]["text"]
    found = {
        "D1:1": [mention(label("D1:1", "Bert", first), kind="person"), mention(label("D1:1", "Berlin", first), kind="person")],
        "musique:1": [
            mention(label("musique:1", "Hill Trust", passage), kind="organization"),
            mention(label("musique:1", "Hill House", passage)), mention(label("musique:1", "Stone", passage), kind="person"),
        ],
    }  # fmt: skip
    assert _kinds(found, labels) == (4, 0.75, 0.6667, 0.5)


def test_every_text_has_its_figures_and_a_cost(labels: Labels) -> None:
    tables = {figures.name: figures for figures in measured_names(labels)}
    assert set(tables["names"].rows) == {
        "turns", "passages", "passages, with dates", "passages alone", "passages alone, with dates",
    }  # fmt: skip
    assert all(len(row) == len(one.columns) for one in tables.values() for row in one.rows.values())
    assert tables["CPU"].rows["turns"][0] == 2
    assert "names" in SECTIONS


@pytest.mark.parametrize(
    "broken",
    [
        [], {}, {"sources": {}}, raw_labels() | {"mentions": [{"source": "D1:1"}]},
        raw_labels() | {"mentions": [label("D9:9", "Bert", "Bert", "bert", "name")]},
        raw_labels() | {"mentions": [label("D1:1", "Bert", "xx Bert", "bert", "name")]},
    ],
)  # fmt: skip
def test_what_are_no_labels_is_said(tmp_path: Path, broken: object) -> None:
    data, texts = written(tmp_path, broken)
    with pytest.raises(InvalidInput):
        labels_of(data, texts)


def test_a_file_of_texts_that_is_not_named_is_asked_for(tmp_path: Path) -> None:
    data, texts = written(tmp_path, raw_labels())
    with pytest.raises(InvalidInput, match=r"passages\.json"):
        labels_of(data, texts[:1])


def test_the_command_prints_tables_and_writes_them(tmp_path: Path) -> None:
    data, texts = written(tmp_path, raw_labels())
    out = tmp_path / "out.json"
    named = [part for text in texts for part in ("--texts", str(text))]
    command = [sys.executable, "-m", "engine.cli", "eval", "entities", "--data", str(data), *named, "--json", str(out)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NEURIGRAPH_HOME": str(tmp_path / "home")},
    )
    assert done.returncode == 0, done.stderr
    assert "P overlap" in done.stdout and "passages alone" in done.stdout
    report = json.loads(out.read_text())
    assert report["data"] == "labels.json"
    assert {table["name"] for table in report["sections"]["names"]} == {"names", "kinds", "kinship", "CPU"}
    assert not (tmp_path / "home").exists(), "no store is started"
