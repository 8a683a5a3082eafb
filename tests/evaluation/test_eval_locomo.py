"""The evaluation, end to end on a small file of the same form."""

from __future__ import annotations

import json
from dataclasses import replace
from uuid import uuid4

import pytest

from engine.connectors import read_history
from engine.domain.history import Conversation, History, Turn
from engine.domain.search import SearchRequest
from engine.errors import InvalidInput, UnusableAnswer
from engine.ingest.extraction.form import Extracted, prompt_for
from engine.lab.evaluation.comparison import Asked
from engine.lab.evaluation.locomo import DEPTHS, evaluate_locomo, questions, referred
from engine.lab.evaluation.metrics import ndcg, percentile, recall, unique
from engine.lab.evaluation.recorded import RecordedModel
from engine.naming.configuration import load_domain
from engine.progress import Silent
from engine.wiring.open_engine import open_engine

PROMPT = prompt_for(load_domain())

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
    observation = {
        "Ann": [["Ann has a puppy.", "D1:1"], ["Ann likes beagles.", ["D1:1", "D1:3"]], ["Ann sings.", "D9:9"]],
        "Ben": [["Ben enjoys pottery.", "D1:6"]],
    }
    sample = {
        "sample_id": f"T-{uuid4().hex[:8]}",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": session,
        },
        "qa": qa,
        "observation": {"session_1_observation": observation},
        "session_summary": {"session_1_summary": "Ann got a beagle; Ben took up pottery."},
    }
    path.write_text(json.dumps([sample]), encoding="utf-8")
    return path


def test_evidence_is_read_however_it_is_written():
    turns = {"D8:6", "D9:17", "D11:26", "D30:5"}
    assert referred(["D8:6; D9:17", "D:11:26", "D30:05", "D99:1", "D"], turns) == turns


def test_questions_without_evidence_are_left_out(samples):
    assert [(question.category, set(question.evidence)) for question in questions(samples)] == [
        ("single-hop", {"D1:1"}),
        ("temporal", {"D1:4", "D1:6"}),
        ("adversarial", {"D1:1"}),
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


@pytest.mark.ledger("X10")
async def test_the_search_is_measured_beside_words_and_meaning_alone(engine, samples):
    handle = questions(samples)[0].handle
    turns = tuple(Turn(speaker, text, ref=f"D1:{place}") for place, (speaker, text) in enumerate(TURNS, 1))
    await engine.ingest(History(handle, "Ann & Ben", (Conversation("session_1", turns, "Session 1"),)))

    user = await engine.workspace.users.find(handle)
    stored = Asked(engine, {handle: user.user_id}, DEPTHS)
    report = await evaluate_locomo(samples, stored)
    assert report["search"]["questions"] == 2, "adversarial questions stand by themselves"
    assert report["search"]["recall@10"] == 1.0
    assert report["search"]["by_category"]["adversarial"]["questions"] == 1
    assert report["search"]["unanswerable"]["unanswerable"]["questions"] == 1
    assert report["baselines"]["bm25"]["recall@5"] > 0
    assert report["baselines"]["cosine"]["recall@10"] == 1.0
    assert report["baselines"]["rrf60"]["recall@10"] == 1.0
    assert set(await evaluate_locomo(samples, stored, quick=True)) == {"data", "search"}
    assert set(report["navigation"]) == {"auto", "always", "never"}
    assert json.loads(json.dumps(report)) == report


@pytest.mark.ledger("F04", "N17")
async def test_recorded_observations_are_stored_at_their_turns_as_a_models_answers(settings, engine, samples):
    history = (await read_history(samples, max_text_bytes=settings.max_text_bytes, progress=Silent()))[0]
    async with open_engine(settings, language=RecordedModel.of(samples)) as reads:
        report = await reads.ingest(history)
        memory = reads.memory(report.user_id)
        hits = (await memory.search(SearchRequest("pottery beagle puppy", kinds=("observation",)))).hits
        [record] = (await memory.nodes.metadata(report.user_id)).records
    assert (report.extraction.calls, report.extraction.observations, report.extraction.failures) == (1, 3, ())
    assert report.extraction.model.startswith("recorded:")
    assert {hit.content: hit.source_ref for hit in hits} == {
        "Ann has a puppy.": "D1:1",
        "Ann likes beagles.": "D1:1",
        "Ben enjoys pottery.": "D1:6",
    }
    assert record.summary == "Ann got a beagle; Ben took up pottery."


async def test_nothing_is_recorded_of_other_texts_and_other_questions(samples):
    model = RecordedModel.of(samples)
    known = "# Session 1\n[0] Ann: I adopted a puppy called Biscuit.\n[1] Ben: What breed is it?"
    found = (await model.answer(PROMPT, known, Extracted)).value
    assert [(one.text, one.first_line, one.last_line) for one in found.observations] == [
        ("Ann has a puppy.", 0, 0),
        ("Ann likes beagles.", 0, 0),
    ]
    for prompt, text in ((PROMPT, "# Else\n[0] Ann: Hello."), (replace(PROMPT, name="place"), known)):
        with pytest.raises(UnusableAnswer):
            await model.answer(prompt, text, Extracted)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '[{"conversation": {"session_1": []}}]'])
def test_a_file_without_recorded_observations_is_refused(tmp_path, content):
    (tmp_path / "other.json").write_text(content)
    with pytest.raises(InvalidInput):
        RecordedModel.of(tmp_path / "other.json")
