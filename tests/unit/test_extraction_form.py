"""The form of a model's answer takes anything and lets through only what can be stored; reports add up and are told."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.domain.extraction import NOTHING, ExtractionReport, Unextracted, added
from engine.errors import UnusableAnswer
from engine.ingest.extraction.form import MOST_ENTRIES, Extracted
from engine.ingest.extraction.model_calls import ModelQuestion, answer_key
from engine.providers.language import Prompt, read_answer, schema_of
from engine.shell.content import extraction_lines

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"text": ANYTHING},
        optional={
            name: ANYTHING
            for name in ("type", "event_date", "category", "confidence", "importance", "tags", "subjects", "first_line", "private")
        },
    ),
    max_size=3,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.text(), ENTRIES, ENTRIES, ANYTHING)
def test_whatever_a_model_answers_what_is_kept_can_be_stored(
    summary: str, facts: list[Any], observations: list[Any], names: Any
) -> None:
    said = {"summary": summary, "facts": facts, "observations": observations, "entities": names}
    try:
        answer = read_answer(json.dumps(said), Extracted)
    except UnusableAnswer:
        return
    texts = [answer.summary, *answer.named]
    for fact in answer.facts:
        texts += [fact.text, fact.named_category, *fact.tags, *fact.subjects]
        assert 0 <= fact.confidence <= 1 and 0 <= fact.importance <= 1 and 0 <= fact.first_line < 1 << 31
        assert fact.text and fact.named_category != "whole"
        assert fact.happened is None or 1 <= fact.happened.year <= 9999
    for text in texts:
        assert "\x00" not in text and text.encode().decode() == text
    assert Extracted.model_validate(answer.model_dump(mode="json")) == answer  # a kept answer is the same one


def test_a_usable_answer_has_a_summary_and_a_list_of_facts() -> None:
    for content in ('{"answer": 42}', '{"summary": "x"}', '{"facts": []}', '{"summary": 5, "facts": []}', '{"summary": "x", "facts": 1}'):  # fmt: skip
        with pytest.raises(UnusableAnswer):
            read_answer(content, Extracted)
    many = {"summary": "x", "facts": [{"text": f"fact {number}"} for number in range(1000)]}
    assert len(read_answer(json.dumps(many), Extracted).facts) == MOST_ENTRIES


def test_names_or_relations_alone_are_an_answer_and_nothing_is_none() -> None:
    relation = {"source": "Ole", "type": "OWNS", "target": "Terne"}
    for said in ({"entities": [{"name": "Ole", "kind": "person"}]}, {"relations": [relation]}):
        assert read_answer(json.dumps({"summary": "", "facts": []} | said), Extracted)
    with pytest.raises(UnusableAnswer):
        read_answer(json.dumps({"summary": "", "facts": [], "entities": [{"name": "none"}], "relations": 1}), Extracted)


GOOD = {"summary": "Ole has a boat.", "facts": [{"text": "Ole owns the boat Terne."}]}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"facts": ["Ole owns the boat Terne.", "Ole sails."]}, {"facts": 2}),
        ({"facts": [{"fact": "Ole sails."}, {"statement": "Ole owns a boat."}]}, {"facts": 2}),
        ({"facts": "Ole sails."}, {"facts": 1}),
        ({"facts": [{"text": 7}, {"text": "Ole sails."}, {"text": None}, 3]}, {"facts": 1}),
        ({"facts": None, "observations": None, "windows": None, "entities": None, "topics": None}, {"facts": 0}),
        ({"topics": "boats, the sea"}, {"topics": ["boats", "the sea"]}),
        (
            {"dates": [2024, "2025"], "relationships": "sister"},
            {"dates": ["2024", "2025"], "relationships": ["sister"]},
        ),
        ({"summary": ["Ole has", "a boat."]}, {"summary": "Ole has a boat."}),
        ({"summary": {"text": "x"}}, {"summary": ""}),
        ({"relations": 5, "entities": "Ole"}, {"relations": [], "named": ["Ole"]}),
    ],
)
def test_an_odd_field_costs_that_field_and_an_odd_entry_that_entry(given: dict[str, Any], read: dict[str, Any]) -> None:
    answer = read_answer(json.dumps(GOOD | given), Extracted)
    assert {name: len(answer.facts) if name == "facts" else getattr(answer, name) for name in read} == read


def test_a_field_of_a_fact_costs_that_field() -> None:
    odd = {"text": "Ole sails.", "tags": "sea, wind", "subjects": "Ole", "confidence": "high", "first_line": "3", "category": ["a", "b"]}  # fmt: skip
    [fact] = read_answer(json.dumps(GOOD | {"facts": [odd]}), Extracted).facts
    assert (fact.tags, fact.subjects, fact.confidence, fact.first_line) == (["sea", "wind"], ["Ole"], 0.5, 3)


@pytest.mark.parametrize(
    "facts", ["none", "N/A.", ["None"], [{"text": "null"}], [{"claim": 1}], [7, None], [[]], {"a": 1}, [{"text": ""}]]
)
def test_facts_of_which_none_can_be_read_are_no_answer(facts: Any) -> None:
    with pytest.raises(UnusableAnswer):
        read_answer(json.dumps(GOOD | {"facts": facts}), Extracted)


@pytest.mark.parametrize("value", [True, "true", "TRUE", "yes", 1, None, "", "maybe", [], {}, "private", ...])
def test_what_is_not_clearly_public_is_private(value: Any) -> None:
    one = {"text": "Ole is afraid of the sea."} | ({} if value is ... else {"private": value})
    assert read_answer(json.dumps(GOOD | {"observations": [one]}), Extracted).observations[0].private
    assert read_answer(json.dumps(GOOD | {"observations": [one["text"]]}), Extracted).observations[0].private


@pytest.mark.parametrize("value", [False, "false", "No", 0])
def test_what_is_clearly_public_is_not_private(value: Any) -> None:
    one = {"text": "Ole sails.", "private": value}
    assert not read_answer(json.dumps(GOOD | {"observations": [one]}), Extracted).observations[0].private


def test_a_relation_ends_only_where_that_is_clear() -> None:
    for value, ended in ((True, True), ("true", True), ("perhaps", False), (1, False), (None, False), ("false", False)):
        one = {"source": "Ole", "type": "OWNS", "target": "Terne", "ended": value}
        assert read_answer(json.dumps(GOOD | {"relations": [one]}), Extracted).relations[0].ended is ended


def test_the_form_can_constrain_a_model() -> None:
    def objects(schema: Any) -> list[Any]:
        inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
        own = [schema] if isinstance(schema, dict) and schema.get("type") == "object" else []
        return own + [found for part in inner for found in objects(part)]

    found = objects(schema_of(Extracted))
    assert len(found) == 6
    assert all(one["additionalProperties"] is False and one["required"] == list(one["properties"]) for one in found)


def test_an_answer_is_kept_by_model_prompt_version_and_content() -> None:
    first = Prompt("read", 1, "Read.")
    keys = {
        answer_key("a", first, "text"), answer_key("b", first, "text"), answer_key("a", Prompt("read", 2, "Read."), "text"),
        answer_key("a", Prompt("read", 1, "Read it."), "text"), answer_key("a", first, "other"),
    }  # fmt: skip
    assert len(keys) == 5 and answer_key("a", first, "text") in keys


def test_reports_add_up_and_are_told() -> None:
    failure = Unextracted(uuid4(), "A call", "openai:x did not answer.")
    parts = [
        ExtractionReport("openai:x", 2, 0, 1500, 200, 0.5, 3, 1, 1, 1, (failure,)),
        ExtractionReport("openai:x", 0, 4, 0, 0, 0.0, 1),
        NOTHING,
    ]
    whole = added(parts)
    assert (whole.calls, whole.cached, whole.input_tokens, whole.cost, whole.facts) == (2, 4, 1500, 0.5, 4)
    assert [line.plain for line in extraction_lines(whole)] == [
        "read by openai:x: 4 facts, 1 observation, 1 window summary, 1 record kept as one fact",
        "2 calls, 4 kept answers, 1,500 tokens in, 200 out, cost 0.5000",
        "not read: A call: openai:x did not answer.",
    ]
    assert list(extraction_lines(added([NOTHING]))) == [] and added([]) == NOTHING


def test_an_answer_that_a_context_shaped_is_kept_for_its_readers_alone() -> None:
    prompts = [Prompt("extract", 9, "Read.")]
    here, there = (
        ModelQuestion("Ellen called.", 1, context="Known already: Ellen.", readers=node) for node in ("a", "b")
    )
    plain = ModelQuestion("Ellen called.", 1, readers="b")
    assert here.keys("m", prompts)[0] not in {*there.keys("m", prompts), *plain.keys("m", prompts)}
    assert plain.keys("m", prompts)[0] in here.keys("m", prompts), "what no context shaped is for all"
