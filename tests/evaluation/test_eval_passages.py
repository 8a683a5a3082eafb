"""eval passages with the real command: passages of a corpus are documents, found by the public search, stored once."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engine.domain.node import User
from engine.errors import InvalidInput
from engine.lab.evaluation.passages import corpus_of, questions
from engine.neurigraph import Engine
from tests.commands import typed

CORPUS = [
    {"title": "Halfmoon Lake", "text": "Halfmoon Lake lies in Polk County and freezes in December."},
    {"title": "Polk County", "text": "Polk County was named after a president who never saw it."},
    {"title": "Rye bread", "text": "Sourdough of rye needs a long and warm rest before the oven."},
    {"title": "Cable cars", "text": "The first cable car of the city climbed Clay Street."},
]


def asked(question: str, *needed: int) -> dict[str, Any]:
    paragraphs = [
        {"idx": place, "title": one["title"], "paragraph_text": one["text"], "is_supporting": place in needed}
        for place, one in enumerate(CORPUS)
    ]
    return {"id": question, "question": question, "paragraphs": paragraphs}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    data, corpus = tmp_path / "questions.json", tmp_path / "corpus.json"
    two_hops = asked("After whom is the county of Halfmoon Lake named?", 0, 1)
    data.write_text(json.dumps([two_hops, asked("What does a dough of rye need?", 2)]), encoding="utf-8")
    corpus.write_text(json.dumps(CORPUS), encoding="utf-8")
    return data, corpus


@pytest.mark.ledger("X10")
async def test_passages_are_stored_once_and_found(
    engine: Engine, user: User, tmp_path: Path, files: tuple[Path, Path]
) -> None:
    data, corpus = files
    out = tmp_path / "out.json"

    async def run(*options: str) -> dict[str, Any]:
        command = ("eval", "passages", "--data", str(data), "--corpus", str(corpus), "--json", str(out), *options)
        done = await typed(engine, tmp_path, None, *command)
        assert done.returncode == 0, done.stderr
        report: dict[str, Any] = json.loads(out.read_text("utf-8"))
        return report

    report = await run()
    assert report["passages"] == 4 and report["search"]["questions"] == 2
    assert set(report["baselines"]) == {"bm25", "cosine", "rrf60"}
    for ranking in (report["search"], *report["baselines"].values()):
        assert ranking["recall@5"] == 1.0 and ranking["recall@2"] >= 0.5, "four passages, the rye is no rival"
        assert set(ranking["by_category"]) == {"1 passages", "2 passages"}
    assert report["search"]["items_searched"] == 4 and report["search"]["milliseconds"]["total"]["p50"] > 0
    again = await run("--quick")
    assert "baselines" not in again
    assert again["search"]["items_searched"] == 4, "stored once"
    assert again["search"]["recall@2"] == report["search"]["recall@2"]


def test_questions_whose_passages_are_not_in_the_corpus_are_left_out(files: tuple[Path, Path]) -> None:
    data, corpus = files
    [rye] = questions(data, corpus_of(corpus)[1:], "ann")
    assert (rye.handle, rye.evidence) == ("ann", {"text:2"})
    for content in ("", "{", '[{"x": 1}]', "[1]", '{"a": 1}'):
        data.write_text(content, encoding="utf-8")
        with pytest.raises(InvalidInput):
            corpus_of(data)
        with pytest.raises(InvalidInput):
            questions(data, corpus_of(corpus), "ann")


HOTPOT = {
    "question": "Where does Halfmoon Lake lie?",
    "supporting_facts": [["Halfmoon Lake", 0]],
    "context": [["Halfmoon Lake", ["It lies in Polk County.", " It freezes."]], ["Rye bread", ["It rests."]]],
}
COLUMNS = {
    "question": HOTPOT["question"],
    "supporting_facts": {"title": ["Halfmoon Lake"], "sent_id": [0]},
    "context": {
        "title": ["Halfmoon Lake", "Rye bread"],
        "sentences": [["It lies in Polk County.", " It freezes."], ["It rests."]],
    },
}


@pytest.mark.parametrize("entry", [HOTPOT, COLUMNS], ids=["as published", "in the columns of `datasets`"])
def test_questions_of_hotpotqa_bring_their_passages(tmp_path: Path, entry: dict[str, Any]) -> None:
    (file := tmp_path / "hotpot.json").write_text(json.dumps([entry]), encoding="utf-8")
    corpus = corpus_of(file)
    assert [one.title for one in corpus] == ["Halfmoon Lake", "Rye bread"]
    [asked_of] = questions(file, corpus, "ann")
    assert asked_of.evidence == {"text:0"}


@pytest.mark.parametrize(
    "value", [None, 1, "a", [1], ["ab"], [[]], [["A", None]], [["A", [["x"]]]], [["A", [1]]], {"a": 1}]
)
def test_a_field_of_another_form_is_told(files: tuple[Path, Path], value: object) -> None:
    """Read or refused in words, whatever stands in a field."""
    data, corpus = files
    paragraph = {"title": value, "paragraph_text": value, "is_supporting": True}
    entries = [
        {**entry, name: value}
        for entry in (HOTPOT, COLUMNS, asked("Who?", 0), {"title": "A", "text": "b"})
        for name in entry
    ]
    for entry in [*entries, {"question": "Who?", "paragraphs": [paragraph]}]:
        data.write_text(json.dumps([entry]), encoding="utf-8")
        for read in (corpus_of, lambda file: questions(file, corpus_of(corpus), "ann")):
            with suppress(InvalidInput):
                read(data)
