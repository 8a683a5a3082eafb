"""What speaks for a node, and when it is enough: words, namesakes, relations, denials, neighbours, doubt."""

from __future__ import annotations

from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.record import AssignableNode
from engine.ingest.assignment.evidence import (
    MOST_CANDIDATES,
    SURE,
    NodeVocabulary,
    deepest_sure,
    gathered,
    prices,
    probabilities,
)
from engine.ingest.assignment.placing import node_text, placed_among, standard_scores
from engine.ingest.sources import Unplaced


def node(
    *path: str, keywords: tuple[str, ...] = (), aliases: tuple[str, ...] = (), summary: str = ""
) -> AssignableNode:
    names = ("Ann", *path)
    return AssignableNode(uuid4(), "s", names, len(path), "s", keywords, aliases, names, summary)


PEOPLE = NodeVocabulary(
    [
        node(),
        node("Family", aliases=("meine Frau",)),
        node("Family", "Dave", aliases=("my brother-in-law",)),
        node("Work", "Dave", aliases=("Dave Miller",), summary="The foreman, Ann's boss."),
        node("Family", "Luna", keywords=("Katze",), aliases=("the cat",)),
        node("Home", "Solar", aliases=("Luna Solar",), keywords=("Brücke",)),
        node("Family", "Mutter", aliases=("meine Mutter",)),
    ]
)


def spoken(text: str) -> dict[str, float]:
    """What a text says of each node, by its path below the root."""
    return {"/".join(PEOPLE.nodes[n].path[1:]): round(w, 2) for n, w in PEOPLE.evidence(text).items()}


# words ---------------------------------------------------------------------------------------------------


def test_a_bare_name_speaks_for_all_who_bear_it_and_a_full_name_for_one() -> None:
    bare, full = spoken("Dave called."), spoken("Dave Miller called.")
    assert bare["Family/Dave"] == bare["Work/Dave"] == pytest.approx(2 / 2**0.5, abs=0.01)
    assert full == {"Work/Dave": 2.0}
    assert spoken("Luna Solar sent an offer.") == {"Home/Solar": 2.0}
    luna = spoken("Luna sent an offer.")
    assert luna["Family/Luna"] > luna["Home/Solar"] > 0, "it may be short for the longer name"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("Dave, my brother-in-law, called.", "Family/Dave"),
        ("Dave, dein Schwager?", "Family/Dave"),
        ("Dave, mi cuñado, llamó.", "Family/Dave"),
        ("Dave, my boss, called.", "Work/Dave"),
        ("Mein Chef heißt auch Dave.", "Work/Dave"),
        ("Dave is not my boss, he is my brother-in-law.", "Family/Dave"),
    ],
)
def test_relations_choose_among_namesakes_in_any_language(text: str, chosen: str) -> None:
    said = spoken(text)
    assert max(said, key=said.__getitem__) == chosen
    other = {"Family/Dave": "Work/Dave", "Work/Dave": "Family/Dave"}[chosen]
    assert said[chosen] > said[other]


def test_a_possessive_may_be_anybodys_and_a_title_is_no_relation() -> None:
    assert spoken("Wie geht es deiner Mutter?").keys() == {"Family/Mutter"}
    assert spoken("Frau Oertel war da.") == {}
    assert "Family" in spoken("Meine Frau war da.")


@pytest.mark.parametrize("text", ["Not the cat.", "Das ist nicht die Luna.", "It was not Luna at all."])
def test_what_is_denied_does_not_speak(text: str) -> None:
    assert "Family/Luna" not in spoken(text)


def test_a_comma_ends_a_denial_and_keywords_are_never_denied() -> None:
    assert "Family/Luna" in spoken("Nein, Luna war es.")
    assert "Family/Luna" in spoken("Keine Katze in Sicht.")


def test_a_question_that_is_denied_says_nothing() -> None:
    talk = Unplaced("", ["Dave, your brother-in-law?", "No, Dave Miller."])
    said = gathered(talk, PEOPLE)
    assert not said.spoken[0].any() and said.spoken[1].any()


def test_compounds_speak_as_their_parts() -> None:
    assert spoken("Die Brückenprüfung ist fertig.") == {"Home/Solar": 1.0}
    assert spoken("Die Elsterbrücke ist fertig.") == {"Home/Solar": 1.0}


# neighbours and doubt ------------------------------------------------------------------------------------

scores = st.integers(2, 6).flatmap(
    lambda places: st.lists(
        st.lists(st.floats(-3, 6), min_size=places, max_size=places).map(tuple), min_size=1, max_size=12
    )
)


@given(rows=scores)
def test_probabilities_are_shares_of_one(rows: list[tuple[float, ...]]) -> None:
    probable = probabilities(np.array(rows), np.full(len(rows), 1.5))
    assert probable.min() >= 0 and np.allclose(probable.sum(axis=1), 1)


def test_a_change_of_place_needs_more_evidence_than_it_costs() -> None:
    stray, turned = np.full((5, 3), 0.0), np.full((5, 3), 0.0)
    stray[:, 1], turned[:, 1] = 4.0, 4.0
    stray[2, 2], turned[2:, 2] = 6.0, 9.0
    price = np.full(5, 3.0)
    assert probabilities(stray, price).argmax(axis=1).tolist() == [1, 1, 1, 1, 1]
    assert probabilities(turned, price).argmax(axis=1).tolist() == [1, 1, 2, 2, 2]
    assert probabilities(stray, np.zeros(5)).argmax(axis=1).tolist() == [1, 1, 2, 1, 1]


def test_replies_cost_more_to_leave() -> None:
    said = "Yesterday the four of them went together to visit the new house beside the river."
    plain, short, asked = [said, said], [said, "Really big."], [said.replace(".", "?"), said]
    [cost, of_short, of_answer] = [prices(texts)[1] for texts in (plain, short, asked)]
    assert cost < of_short == of_answer == prices(plain, ["Ann", "Iris"])[1]
    assert prices(["Why?", "No idea."], ["Ann", "Iris"])[1] > of_short


def test_doubt_between_siblings_stays_with_what_is_above_them() -> None:
    paths = [("Ann",), ("Ann", "Family"), ("Ann", "Family", "Dave"), ("Ann", "Family", "Luna"), ("Ann", "Work")]
    scores = np.array(
        [
            [0.05, 0.03, 0.9, 0.01, 0.01],
            [0.1, 0.02, 0.45, 0.42, 0.01],
            [0.3, 0.0, 0.4, 0.0, 0.3],
            [0.9, 0.02, 0.02, 0.02, 0.04],
        ]
    )
    assert deepest_sure(scores, paths) == [2, 1, 0, 0]
    assert deepest_sure(np.array([[1 - SURE, 0.0, 0.0, 0.0, SURE]]), paths) == [4]


def test_small_talk_and_single_words_stay_at_the_root() -> None:
    forest = NodeVocabulary([node(), node("Lake", keywords=("boat", "walleye")), node("Money", keywords=("invoice",))])
    talk = ["Good morning!", "Did you sleep well?", "Like a log.", "One invoice came."]
    assert {one.layer for one in placed_among(Unplaced("", talk), forest).nodes} == {0}
    placed = placed_among(Unplaced("", ["Two walleye from the boat.", "Where?", "Off the boat, by the reeds."]), forest)
    assert {one.path[-1] for one in placed.nodes} == {"Lake"}


def test_a_title_decides_only_where_the_text_leans_there() -> None:
    forest = NodeVocabulary([node(), node("Lake", keywords=("boat",)), node("Money", keywords=("invoice",))])
    lean = ["We took the boat out before six this morning, early.", "Did the boat stay dry the whole long day then?"]
    chat = ["I need a coffee before anything else happens today.", "Then have one, sit down quietly and rest a while."]
    for title, texts, placed in (("The boat", lean, "Lake"), ("", lean, "Ann"), ("The boat", chat, "Ann")):
        assert {one.path[-1] for one in placed_among(Unplaced(title, texts), forest).nodes} == {placed}, (title, texts)


def test_a_big_graph_is_weighed_by_its_likeliest_nodes() -> None:
    forest = NodeVocabulary([node(), *(node(f"Topic {n}", keywords=(f"word{n}",)) for n in range(200))])
    talk = Unplaced("", [f"We spoke of word{n} and word{n + 1}." for n in range(0, 100)])
    assert len(gathered(talk, forest).candidates) <= MOST_CANDIDATES + 1


# meaning -------------------------------------------------------------------------------------------------


def test_what_all_turns_have_in_common_counts_for_no_node() -> None:
    rng = np.random.default_rng(7)
    common, topics = rng.normal(size=64), rng.normal(size=(6, 64))
    unit = lambda rows: (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)  # noqa: E731
    nodes = unit(topics + 0.2 * common)
    turns = unit(np.repeat(topics, 5, axis=0) * 0.5 + 4 * common + 0.3 * rng.normal(size=(30, 64)))
    plain = unit(4 * common + rng.normal(size=(20, 64)))
    scores = standard_scores(turns, nodes, turns, plain)
    assert (scores.argmax(axis=1) == np.repeat(np.arange(6), 5)).all()
    alone = standard_scores(turns[:1], nodes, turns[:1], plain)
    assert alone.argmax() == 0, "the plain sentences say what is usual where nothing is stored yet"
    assert np.abs(standard_scores(plain, nodes, turns, plain)).mean() < np.abs(scores).mean()


def test_a_node_is_told_by_its_way_names_keywords_and_summary() -> None:
    assert node_text(PEOPLE.nodes[3]) == "Work / Dave. Dave Miller. The foreman, Ann's boss."
