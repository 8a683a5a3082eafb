"""From candidates to an order: weights, questions, anchors. Nothing here needs a store."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidInput, SettingsError
from engine.retrieval.anchors import AnchorRow, lucene_query, navigate, padded, weighed
from engine.retrieval.fusion import SIGNALS, fuse, merged, named_speakers
from engine.retrieval.hits import rationale
from engine.retrieval.query import parse
from engine.retrieval.weights import load_weights
from tests.unit.candidates import turn

WEIGHTS = load_weights()
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def question(text: str):
    return parse(text, NOW, WEIGHTS.limits)


def order(candidates, text="what is it", anchors=None):
    return [one.candidate.position for one in fuse(candidates, question(text), anchors or {}, WEIGHTS)]


def test_every_weight_belongs_to_a_signal():
    for section in WEIGHTS.sections.values():
        assert set(section) == {*SIGNALS, "offset"}


@pytest.mark.ledger("L06")
def test_meaning_words_and_neighbours_raise_a_turn():
    assert order([turn(0), turn(1, meaning=2.0), turn(2, words=1.0), turn(3, meaning_next=0.5)]) == [
        1,
        2,
        3,
        0,
    ]


def test_words_count_again_where_the_question_is_in_another_language():
    def again(text: str) -> float:
        [one] = fuse([turn(0, words=1.0)], question(text), {}, WEIGHTS)
        return float(one.values[SIGNALS.index("words_other_language")])

    assert (again("Wo ist das Haus?"), again("Where is the house?"), again("Zürich?")) == (1.0, 0.0, 0.0)
    assert WEIGHTS.sections["turn"]["words_other_language"] > 0


def test_a_question_among_turns_sinks_and_its_answer_rises():
    assert order([turn(0, is_question=True), turn(1), turn(2, previous_has_question=True)]) == [2, 1, 0]


def test_the_named_speaker_is_preferred_unless_all_are_named():
    both = [turn(0, speaker="Ann Lee"), turn(1, speaker="Bob")]
    assert order(both, "What did Bob buy?") == [1, 0]
    assert order(both, "What did Ann and Bob buy?") == [0, 1]
    assert named_speakers({"Ann Lee", "Bob"}, question("ann's dog?")) == {"Ann Lee"}
    assert named_speakers({""}, question("who?")) == frozenset()


def test_what_an_assistant_says_sinks_unless_it_is_asked_for():
    both = [turn(0, speaker="Asistente", meaning=1.0), turn(1, speaker="Elena", meaning=0.5)]
    assert order(both, "¿Cuánto pago de alquiler?") == [1, 0]
    assert order(both, "What did you recommend?") == [0, 1]
    assert order(both, "What did the assistant recommend?") == [0, 1]


def test_times_count_only_for_questions_that_ask_for_one():
    both = [turn(0), turn(1, time_expressions=5)]
    assert order(both, "When did she leave?") == [1, 0]
    assert order(both, "Where do I go when the lease ends?") == [0, 1]


def test_a_date_asked_for_prefers_turns_that_tell_it_then_turns_of_that_day():
    turns = [turn(0), turn(1, occurred_at=datetime(2023, 5, 7, tzinfo=UTC)), turn(2, dates=["2023-05-07"])]
    assert order(turns, "What happened on 7 May 2023?") == [2, 1, 0]
    assert order(turns, "What happened?") == [0, 1, 2]


def test_without_a_vector_words_count_in_full():
    """While the embedding service does not answer, or until a job has made the vector."""
    found = [
        turn(0, words=1.0),
        turn(1, words=2.0, cosine=None),
        turn(2, words=1.0, cosine=None, kind="chunk", family="passage"),
    ]
    assert order(found) == [1, 2, 0]


def test_families_have_their_own_weights():
    passage = turn(1, family="passage", kind="chunk", is_question=True, meaning=1.0)
    [alone] = fuse([passage], question("x"), {}, WEIGHTS)
    assert set(alone.signals) == {"meaning"}
    by_family = {one.candidate.family: one for one in fuse([turn(0, meaning=1.0), passage], question("x"), {}, WEIGHTS)}
    assert by_family["passage"].weights == "passage" and by_family["turn"].weights == "turn_without_tokens"
    assert by_family["passage"].signals["meaning"] > by_family["turn"].signals["meaning"]


def test_equal_scores_keep_the_order_of_the_candidates():
    assert order([turn(2), turn(0), turn(1)]) == [2, 0, 1]
    assert fuse([], question("x"), {}, WEIGHTS) == []


def test_every_namesake_gets_a_hit():
    nodes = [UUID(int=n) for n in (1, 2, 3)]
    turns = [turn(p, node_id=nodes[0], meaning=9.0 - p) for p in range(5)]
    turns += [turn(10, node_id=nodes[1], meaning=1.0), turn(11, node_id=nodes[2], meaning=2.0)]
    ranked = fuse(turns, question("Dave"), {}, WEIGHTS)
    namesakes = [frozenset({node}) for node in nodes]
    assert [one.candidate.position for one in merged(ranked, namesakes, 4)] == [0, 1, 11, 10]
    assert [one.candidate.position for one in merged(ranked, (), 4)] == [0, 1, 2, 3]
    assert [one.candidate.position for one in merged(ranked, namesakes, 1)] == [0]


# questions


@pytest.mark.parametrize("text", ["", " \t\n", "\x00", "\ud800"])
def test_a_question_without_text_is_refused(text):
    with pytest.raises(InvalidInput):
        question(text)


def test_a_long_question_is_cut():
    long = question("boat " * 50_000)
    assert long.cut
    assert len(long.text) <= WEIGHTS.limits.query_characters
    assert not question("boat").cut


def test_names_are_looked_for_in_runs_of_words():
    keys = question("Who is Uncle Dave’s brother-in-law, in Nova Scotia?").name_keys
    assert {"dave", "uncle dave", "brother-in-law", "nova scotia"} <= set(keys)
    assert not {"who", "is", "in"} & set(keys)


@pytest.mark.parametrize(
    ("text", "asks"),
    [("When did he go?", True), ("Tell me when's the concert", True), ("How long was it?", True), ("What year?", True),
     ("What to do when the lease runs out?", False), ("Who whenever?", False)],
)  # fmt: skip
def test_questions_for_a_time_are_recognised(text, asks):
    assert question(text).asks_time is asks


@given(st.text(st.characters(codec=None), max_size=200))
def test_no_question_breaks_the_reading_or_the_full_text_query(text):
    try:
        read = question(text)
    except InvalidInput:
        return
    read.text.encode("utf-8")
    assert "\x00" not in read.text
    query = lucene_query(read.lucene, "abc")
    assert query.startswith("+user_key:abc +(")
    assert query.count('"') % 2 == 0 and not set("\\*?~") & set(query)


def test_a_question_of_stop_words_asks_the_full_text_index_for_nothing():
    assert lucene_query(question("the of and").lucene, "abc").count('"abc"') == 4
    assert len(padded(())) == len(padded(("a",)))


# anchors


def row(name: str, layer: int = 1, **found):
    base = {
        "node_id": uuid4(), "name": name, "summary": "", "node_type": "concept", "layer": layer, "state": "active",
        "path": ("Bob", name), "edges": (), "above": (), "below": (), "named": False, "aliased": False, "text": None,
        "meaning": None, "linked": None,
    }  # fmt: skip
    return AnchorRow(**base | found)


def test_anchors_are_weighed_by_how_they_were_found():
    rows = [row("Text", text=2.0), row("Half", text=1.0), row("Far", meaning=-1.0), row("Named", named=True)]
    found = weighed(rows, WEIGHTS.anchors)
    assert [one.anchor.name for one in found] == ["Named", "Text", "Half"]
    assert found[0].anchor.score == 1.0
    assert found[1].anchor.reasons == ("text",)


def test_two_findings_make_an_anchor_stronger():
    both = weighed([row("A", text=1.0, meaning=3.0)], WEIGHTS.anchors)[0].anchor
    assert both.score == pytest.approx(0.84)
    assert set(both.reasons) == {"text", "meaning"}


def test_a_strong_anchor_and_what_lies_below_it_is_the_scope():
    child = uuid4()
    found = weighed([row("Shop", aliased=True, below=(child,)), row("Else", text=1.0)], WEIGHTS.anchors)
    way = navigate(found, WEIGHTS.anchors, "auto")
    assert way.scope is not None and len(way.scope) == 3 and child in way.scope
    assert way.strengths[child] == 0.95
    assert navigate(found, WEIGHTS.anchors, "always").scope is None


@pytest.mark.parametrize("rows", [[], [row("Else", text=1.0)], [row("Bob", layer=0, named=True)]])
def test_without_a_strong_anchor_everything_is_searched_if_allowed(rows):
    found = weighed(rows, WEIGHTS.anchors)
    assert navigate(found, WEIGHTS.anchors, "auto").scope is None
    assert len(navigate(found, WEIGHTS.anchors, "never").scope) == len(rows)


def test_namesakes_are_strong_anchors_of_one_name():
    found = weighed([row("Dave", named=True), row("DAVE", named=True), row("Shop", named=True)], WEIGHTS.anchors)
    assert len(navigate(found, WEIGHTS.anchors, "auto").namesakes) == 2


@pytest.mark.ledger("F14")
def test_the_rationale_names_the_anchor_and_the_strongest_signals():
    anchor = weighed([row("Shop", aliased=True)], WEIGHTS.anchors)[0].anchor
    line = rationale(anchor, ("Bob", "Shop", "Keys"), {"meaning": 1.2, "words": 0.3, "is_question": -0.8})
    assert line == (
        "Bob > Shop > Keys through Bob > Shop (known by a name in the question): meaning +1.20, same words +0.30"
    )
    assert rationale(None, ("Bob",), {}) == "Bob"


# weights


def test_a_file_replaces_single_weights(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("[turn]\nwords = 2\n[anchors]\nmost = 3\n")
    loaded = load_weights(own)
    assert (loaded.sections["turn"]["words"], loaded.anchors.most) == (2, 3)
    assert loaded.sections["turn"]["meaning"] == WEIGHTS.sections["turn"]["meaning"]


@pytest.mark.parametrize(
    "content",
    ["[turn]\nworts = 1\n", "[else]\nwords = 1\n", "[turn]\nwords = 'a'\n", "[turn]\nwords = nan\n", "turn = 1\n",
     "[turn\n", "[limits]\ncandidates = 0.5\n", "[limits]\nnodes = 0\n", "[turn]\nwords = true\n"],
)  # fmt: skip
def test_a_file_with_errors_is_refused(tmp_path, content):
    own = tmp_path / "own.toml"
    own.write_text(content)
    with pytest.raises(SettingsError):
        load_weights(own)
    with pytest.raises(SettingsError):
        load_weights(tmp_path / "missing.toml")


def told(position: int, subject: int, **columns):
    """A fact about an entity."""
    return turn(position, kind="fact", family="fact", entities=[subject], aboutness=[1], meaning_overall=1.0, **columns)


def test_a_fact_about_who_asks_is_preferred_where_the_question_says_i():
    facts = [told(0, 7, meaning=0.4), told(1, 8), turn(2, meaning_overall=1.0, meaning=0.2)]

    def places(asker: frozenset[int]) -> list[int]:
        return [one.candidate.position for one in fuse(facts, question("where do I work"), {}, WEIGHTS, None, asker)]

    assert (places(frozenset({8}))[0], places(frozenset())) == (1, [2, 0, 1])


def test_what_held_in_a_month_may_have_been_said_before_it():
    july, october, february = (
        datetime(year, month, 3, tzinfo=UTC) for year, month in ((2025, 7), (2025, 10), (2026, 2))
    )
    turns = [
        turn(0, occurred_at=july, words=2.0),
        turn(1, occurred_at=october, dates=["2025-10-19"], words=0.5),
        turn(2, occurred_at=february, words=2.2),
        turn(3, occurred_at=october, words=0.5),
    ]
    assert order(turns, "What was my dose in October?")[0] == 0
    assert order(turns, "What was my dose in October 2025?")[0] == 0
    assert order(turns, "What did I do in October?")[:2] == [1, 3]
    assert order(turns, "What is my dose?")[0] == 2
