"""The evaluation, end to end on a small file of the same form."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, History, Turn
from engine.domain.principal import Principal
from engine.errors import InvalidInput
from engine.evaluation.baselines import stored_items
from engine.evaluation.locomo import evaluate_locomo, questions, referred
from engine.evaluation.metrics import ndcg, percentile, recall, unique

TURNS = [
    ("Ann", "I adopted a puppy called Biscuit."), ("Ben", "What breed is it?"), ("Ann", "A beagle."),
    ("Ben", "I started pottery classes last week."), ("Ann", "Do you like it?"), ("Ben", "Yes, very much."),
]  # fmt: skip


@pytest.fixture
def samples(tmp_path):
    session = [
        {"dia_id": f"D1:{place}", "speaker": speaker, "text": text} for place, (speaker, text) in enumerate(TURNS, 1)
    ]
    qa = [
        {"question": "What did Ann adopt?", "answer": "a puppy", "evidence": ["D1:1"], "category": 4},
        {
            "question": "When did Ben start pottery?",
            "answer": "x",
            "evidence": ["D1:04; D:1:6"],
            "category": 2,
        },
        {"question": "Nothing?", "answer": "x", "evidence": [], "category": 1},
        {"question": "Gone?", "answer": "x", "evidence": ["D9:9"], "category": 1},
        {"question": "A trap?", "answer": "x", "evidence": ["D1:1"], "category": 5},
    ]
    path = tmp_path / "samples.json"
    sample = {"sample_id": f"T-{uuid4().hex[:8]}", "conversation": {"session_1": session}, "qa": qa}
    path.write_text(json.dumps([sample]), encoding="utf-8")
    return path


def test_evidence_is_read_however_it_is_written():
    turns = {"D8:6", "D9:17", "D11:26", "D30:5"}
    assert referred(["D8:6; D9:17", "D:11:26", "D30:05", "D99:1", "D"], turns) == turns


def test_questions_without_evidence_and_traps_are_left_out(samples):
    assert [(question.category, set(question.evidence)) for question in questions(samples)] == [
        ("single-hop", {"D1:1"}),
        ("temporal", {"D1:4", "D1:6"}),
    ]


@pytest.mark.parametrize("content", ["", "{}", '[{"x": 1}]', "[1]"])
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(InvalidInput):
        questions(path) or evaluate_nothing()


def evaluate_nothing() -> None:
    raise InvalidInput


def test_metrics():
    evidence = frozenset({"a", "b"})
    assert recall(["x", "a", "y"], evidence, 2) == 0.5
    assert ndcg(["a", "b"], evidence, 5) == pytest.approx(1)
    assert unique(["a", None, "a", "b"]) == ["a", "b"]
    assert (percentile([3, 1, 2], 0.5), percentile([], 0.5)) == (2, 0.0)


async def test_the_search_is_measured_beside_words_and_meaning_alone(engine, samples):
    handle = questions(samples)[0].handle
    turns = tuple(Turn(speaker, text, ref=f"D1:{place}") for place, (speaker, text) in enumerate(TURNS, 1))
    await engine.ingest(History(handle, "Ann & Ben", (Conversation("session_1", turns, "Session 1"),)))

    async def user_id(name: str):
        return (await engine.find_user(name)).user_id

    async def ask(name, request):
        return await engine.memory(await user_id(name)).search(request)

    async def rows(name):
        return await stored_items(engine.postgres, Principal.user(await user_id(name)), engine.active.current.version)

    report = await evaluate_locomo(samples, ask, rows, engine.embedder.embed_query)
    assert report["search"]["questions"] == 2
    assert report["search"]["recall@10"] == 1.0
    assert report["baselines"]["bm25"]["recall@5"] > 0
    assert report["baselines"]["cosine"]["recall@10"] == 1.0
    assert set(report["navigation"]) == {"auto", "always", "never"}
    assert json.loads(json.dumps(report)) == report
