"""Where turns and passages go, how sure that is, and when a topic is one of its own."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.record import AssignableNode, FileDraft, ItemDraft, RecordDraft
from engine.ingest.assignment.evidence import NodeVocabulary, gathered
from engine.ingest.assignment.placing import NOWHERE, confidence, parted, placed_among
from engine.ingest.assignment.topic_nodes import missing_topic, sureness
from engine.ingest.revising import shared
from engine.ingest.sources import Unplaced

WORDS = ("walleye", "boat", "payroll", "invoice", "knee", "surgeon", "weather", "and", "then", "Quillfeather")


def node(*path: str, keywords: tuple[str, ...] = (), aliases: tuple[str, ...] = ()) -> AssignableNode:
    names = ("Bob", *path)
    return AssignableNode(uuid4(), "s", names, len(path), "s", keywords, aliases, names)


FOREST = NodeVocabulary(
    [
        node(),
        node("Fishing", keywords=("walleye", "boat")),
        node("Finances", keywords=("payroll", "invoice")),
        node("Health", keywords=("doctor",)),
        node("Health", "Knee", keywords=("knee", "surgeon")),
    ]
)
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), max_size=30)


@given(texts=texts, whole=st.booleans(), start=st.integers(0, 30))
def test_every_piece_has_one_node_and_every_used_node_a_decision(texts: list[str], whole: bool, start: int) -> None:
    placed = placed_among(Unplaced("t", texts, start=min(start, len(texts)), whole=whole), FOREST)
    assert len(placed.nodes) == len(texts)
    used = {one.node_id for one in placed.nodes[min(start, len(texts)) :]}
    assert set(placed.decisions) == used <= {one.node_id for one in FOREST.nodes}
    for decision in placed.decisions.values():
        assert 0 <= decision.confidence <= 1 and decision.decided_by == "engine" and decision.reasons


@given(texts=texts.filter(bool))
def test_a_document_is_parted_into_what_its_passages_say_or_not_at_all(texts: list[str]) -> None:
    evidence = gathered(Unplaced("t", texts), FOREST)
    before = evidence.best()
    after = parted(evidence, before)
    assert set(after) <= set(before) and len(after) == len(before)
    assert after.count(0) in (0, len(after))  # what nothing speaks for stays with the rest


@given(nodes=st.lists(st.sampled_from(FOREST.nodes), min_size=1, max_size=20))
def test_parts_of_a_document_hold_each_of_its_passages_once(nodes: list[AssignableNode]) -> None:
    draft = document(len(nodes))
    parts = shared(draft, nodes)
    assert sorted(item.position for part in parts for item in part.items) == list(range(len(nodes)))
    assert all(nodes[item.position] == part.node for part in parts for item in part.items)
    assert len({part.record_id for part in parts}) == len(parts) == len({one.node_id for one in nodes})
    assert {part.file.file_id for part in parts} == {draft.file.file_id}


def document(passages: int) -> RecordDraft:
    session = UUID(int=7)
    items = tuple(
        ItemDraft(uuid4(), "chunk", session, number, f"Passage {number}.", f"Passage {number}.", "passage")
        for number in range(passages)
    )
    file = FileDraft(uuid4(), "a.txt", "document", "text/plain", b"all of it")
    return RecordDraft(
        uuid4(), FOREST.nodes[0], "t", "all of it", "file_upload", "event_boundary", "s", None, items, file
    )


@given(probable=st.lists(st.floats(0, 1), min_size=1, max_size=20), root=st.booleans())
def test_confidence_is_a_share_that_grows_with_the_probability(probable: list[float], root: bool) -> None:
    row = np.array(probable)
    sure = confidence(row, root=root)
    assert 0 <= sure <= 1 and confidence(np.minimum(1, row + 0.1), root=root) >= sure
    assert not root or sure <= NOWHERE, "doubt is no decision"


def test_what_is_told_as_reasons_is_what_speaks() -> None:
    placed = placed_among(Unplaced("t", ["Two walleye from the boat.", "The walleye ran deep."]), FOREST)
    [decision] = placed.decisions.values()
    assert placed.nodes[0].path[-1] == "Fishing"
    assert decision.reasons["words"] == {"walleye": 2, "boat": 1} and decision.confidence > 0.6
    [nothing] = placed_among(Unplaced("t", ["Hello there."]), FOREST).decisions.values()
    assert nothing.confidence <= 0.3 and "nothing speaks" in nothing.reasons["rule"]
    only = NodeVocabulary(FOREST.nodes[:1])
    [alone] = placed_among(Unplaced("t", ["Hello."]), only).decisions.values()
    assert alone.confidence == NOWHERE, "that there is no other node does not say that it belongs here"


# a topic of its own --------------------------------------------------------------------------------------

BEES = tuple(
    f"The {number}. inspection at Quillfeather Meadow: the hives stand well and the honey is capped."
    for number in range(9)
)


def topic_of(texts: tuple[str, ...], title: str = "", speakers: tuple[str, ...] = (), forest: NodeVocabulary = FOREST):
    places = placed_among(Unplaced(title, texts), forest).nodes
    return missing_topic(title, texts, frozenset(speakers), places, forest)


@pytest.mark.ledger("N07")
def test_a_recurring_name_that_nobody_claims_is_a_topic_and_a_title_makes_it_surer() -> None:
    topic = topic_of(BEES)
    assert topic is not None and (topic.name, topic.node_type, topic.parent.layer) == (
        "Quillfeather Meadow",
        "concept",
        0,
    )
    assert {"quillfeather", "meadow", "hives"} <= set(topic.keywords) and topic.summary
    titled = topic_of(BEES, "Quillfeather Meadow")
    assert 1 > titled.confidence > topic.confidence > 0.8


def test_what_is_no_topic() -> None:
    assert topic_of(BEES[:4]) is None  # too seldom
    assert topic_of(BEES, speakers=("Quillfeather Meadow",)) is None
    assert topic_of(tuple(f"On Monday, number {n}, we met again on Monday." for n in range(9))) is None
    claimed = NodeVocabulary([*FOREST.nodes, node("Bees", aliases=("Quillfeather Meadow",))])
    assert topic_of(BEES, forest=claimed) is None
    assert topic_of(tuple(f"{text} The walleye and the boat." for text in BEES)) is None  # a node covers it
    assert (
        topic_of(BEES, forest=NodeVocabulary([replace(FOREST.nodes[1])])) is None
    )  # a persona's view, without the root


def test_a_relative_is_a_persona_below_the_node_that_fits() -> None:
    said = tuple(f"My cousin Aldous wrote about payroll for the {n}. time." for n in range(9))
    claims = [node("Office", name, keywords=("payroll",)) for name in ("Firm", "Desk")]
    near = NodeVocabulary([node(), node("Office"), *claims])
    topic = topic_of(said, forest=near)
    assert (topic.name, topic.node_type) == ("Aldous", "persona")
    assert topic.parent.path[-1] == "Office"  # neither child covers it, but one of both it is


@given(pieces=st.integers(1, 200), others=st.integers(0, 200), second=st.floats(0, 1), titled=st.booleans())
@settings(max_examples=200)
def test_no_topic_is_ever_certain(pieces: int, others: int, second: float, titled: bool) -> None:
    assert 0 <= sureness(pieces, pieces + others, int(second * pieces), titled=titled) < 1
