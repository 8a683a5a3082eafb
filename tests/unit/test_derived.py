"""Groups and the ids that they keep; importance, summaries; insights that are sure, and those that are not; drift."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from uuid import UUID, uuid4

import numpy as np
import pytest

from engine.communities.clustering import groups, identified, near
from engine.communities.descriptions import (
    LONGEST_LINE,
    TOKENS,
    ReadItem,
    community_name,
    community_summary,
    drift,
    importances,
    meanings,
    summary,
)
from engine.communities.graph_read import KnownRelation, MemberEntity, Mentioned, MentioningRecord, UserGraph, whole
from engine.communities.insights import GivenInsights, Observed, Summarised, observed, taken
from engine.naming.configuration import load_domain

DAY = datetime(2024, 1, 1, 12, tzinfo=UTC)  # a Monday
USER = UUID(int=7)


def entity(name: str, mentions: int = 1, days: int = 0, *, kind: str = "person", nodes: int = 1) -> MemberEntity:
    return MemberEntity(name, name, kind, (name,), mentions, nodes, DAY + timedelta(days=days), None)


def related(one: str, sort: str, other: str, strength: int = 1) -> KnownRelation:
    return KnownRelation(uuid4(), sort, one, other, strength, 0.8)


def record(day: int, *names: str, role: str = "mention") -> MentioningRecord:
    mentioned = tuple(Mentioned(name, role, ()) for name in names)
    return MentioningRecord(uuid4(), uuid4(), DAY + timedelta(days=day), True, mentioned)


def graph(
    entities: Sequence[MemberEntity], relations: Sequence[KnownRelation] = (), records: Sequence[MentioningRecord] = ()
) -> UserGraph:
    return whole(entities, relations, sorted(records, key=lambda one: one.at, reverse=True))


def said(known: UserGraph, communities: Sequence[tuple[UUID, Sequence[str]]] = ()) -> list[Observed]:
    return observed(known, communities, (), (), load_domain())


@pytest.mark.ledger("A10")
def test_groups_do_not_depend_on_the_order_of_edges() -> None:
    rng = Random(3)
    edges = {
        (f"{side}{a}", f"{side}{b}"): rng.uniform(0.5, 1) for side in "xyz" for a in range(6) for b in range(a + 1, 6)
    }
    edges |= {("x0", "y0"): 0.1, ("y1", "z1"): 0.1}
    found = groups(edges, 2)
    assert [set(one) for one in found] == [{f"{side}{n}" for n in range(6)} for side in "xyz"]
    shuffled = list(edges.items())
    rng.shuffle(shuffled)
    assert groups(dict(shuffled), 2) == found
    assert groups({}, 2) == [] and groups({("a", "b"): 0.0}, 2) == []


@pytest.mark.ledger("A10")
def test_a_group_keeps_its_id_where_it_overlaps_most() -> None:
    [(first, _), (second, _)] = identified([["a", "b", "c"], ["x", "y"]], {}, USER)
    assert identified([["a", "b", "c"], ["x", "y"]], {}, USER)[0][0] == first, "two builds at once make the same ids"
    again = identified([["x", "y", "z"], ["a", "b", "d"], ["q", "r"]], {first: "abc", second: "xy"}, USER)
    assert [one for one, _ in again[:2]] == [second, first] and again[2][0] not in (first, second)
    split = identified([["a", "b"], ["c", "d", "e"]], {first: "abcde"}, USER)
    assert split[1][0] == first and split[0][0] != first
    taken = identified([["a", "b", "c"]], {first: "xy"}, USER)
    assert taken[0][0] != first, "another group has that id"


def test_merged_entities_are_one_and_speakers_do_not_belong_together() -> None:
    dave = MemberEntity("dave", "Dave", "person", ("dave", "david"), 2, 1, DAY, None)
    known = graph(
        [dave, entity("ellen"), entity("iris")],
        [related("david", "MARRIED_TO", "ellen"), related("dave", "KNOWS", "david")],
        [record(0, "david", "ellen"), record(1, "iris", "ellen", role="author"), record(2, "gone", "ellen")],
    )
    assert [(one.source_id, one.target_id) for one in known.relations] == [("dave", "ellen")]
    assert dict(known.edges) == {("dave", "ellen"): pytest.approx(0.9)}


@pytest.mark.ledger("A06")
def test_importance_grows_with_mentions_relations_and_recency() -> None:
    people = [entity("a", 20, 90), entity("b", 20, 0), entity("c", 2, 90), entity("d", 1, 0)]
    known = graph(people, [related("a", "KNOWS", "d", 3)])
    importance = importances(known)
    assert importance["a"] > importance["b"] > importance["c"] and max(importance.values()) <= 1
    assert importances(graph([entity("a")])) == {"a": 0.75}, "one alone: the most of all but relations"


@pytest.mark.ledger("A06")
def test_a_summary_is_kind_and_strongest_relations_on_one_line() -> None:
    ellen, joinery = entity("Ellen Harlan"), entity("Harlan Joinery", kind="organization")
    known = graph(
        [entity("Dave"), ellen, joinery, entity("x" * 200, kind="thing")],
        [related("Dave", "MARRIED_TO", "Ellen Harlan", 2), related("Dave", "WORKS_AT", "Harlan Joinery")],
    )
    text, of = summary(known.entities["Dave"], known, load_domain())
    assert text == "person; married to Ellen Harlan; works at Harlan Joinery" and len(of) == 2
    assert summary(known.entities["x" * 200], known, load_domain()) == ("", ())
    long = graph([entity("Dave"), entity("x" * 200)], [related("Dave", "MARRIED_TO", "x" * 200)])
    assert summary(long.entities["Dave"], long, load_domain()) == ("person", ()) and len(text) <= LONGEST_LINE


def test_a_summary_of_a_community_fits_its_tokens() -> None:
    names = [f"Name{number} Someone" for number in range(40)]
    words = lambda text: len(text.split())  # noqa: E731
    text = community_summary(names, [f"{one} married to {other}" for one, other in pairwise(names)], words)
    assert text.startswith("Name0 Someone, Name1 Someone, ") and 60 < words(text) <= TOKENS
    assert words(community_summary(["word " * 500], [], words)) <= TOKENS
    assert community_name(names) == "Name0 Someone, Name1 Someone, Name2 Someone, …"


@pytest.mark.ledger("A11")
def test_two_relations_of_which_one_can_hold_contradict_each_other() -> None:
    people = [entity(name) for name in ("Ann", "Bert", "Carl")]
    known = graph(people, [related("Ann", "MARRIED_TO", "Bert"), related("Carl", "MARRIED_TO", "Ann")])
    [one] = [one for one in said(known) if one.kind == "contradiction"]
    assert one.text == "Ann is married to Bert and Carl: only one can hold at a time." and len(one.relations) == 2
    assert set(one.entities) == {"Ann", "Bert", "Carl"}
    apart = graph(people, [related("Ann", "MARRIED_TO", "Bert"), related("Carl", "KNOWS", "Ann")])
    assert said(apart) == []


@pytest.mark.ledger("A11")
def test_a_trend_needs_many_records_and_a_clear_change() -> None:
    before = [record(day, *(("Dave",) if day < 4 else ())) for day in range(30)]
    recent = [record(200 + day, "Dave") for day in range(10)]
    known = graph([entity("Dave", 14), entity("Ellen", 0)], records=before + recent)
    [trend] = [one for one in said(known) if one.kind == "trend"]
    assert "more often" in trend.text and trend.entities == ("Dave",) and len(trend.records) == 10
    few = graph([entity("Dave", 14)], records=before + recent[:4])
    same = graph([entity("Dave", 40)], records=[record(day, "Dave") for day in (*range(30), *range(200, 210))])
    assert not [one for known in (few, same) for one in said(known) if one.kind == "trend"]


@pytest.mark.ledger("A11")
def test_a_weekday_is_a_pattern_where_it_is_no_chance() -> None:
    usual = [record(day) for day in range(100)]
    tuesdays = [record(7 * week + 1, "Choir") for week in range(12)]
    known = graph([entity("Choir", 12, kind="thing")], records=usual + tuesdays)
    [pattern] = [one for one in said(known) if one.kind == "pattern"]
    assert pattern.text == "Choir is spoken of on Tuesdays." and len(pattern.records) == 12
    only = graph([entity("Choir", 12, kind="thing")], records=tuesdays)
    assert said(only) == [], "all is stored on Tuesdays"
    few = graph([entity("Choir", 5, kind="thing")], records=usual + tuesdays[:5])
    assert said(few) == []


@pytest.mark.ledger("A11")
def test_a_community_of_three_is_an_insight_and_one_of_two_is_none() -> None:
    known = graph([entity("a", 3), entity("b", 2), entity("c")], [related("a", "KNOWS", "b", 3)])
    three, two = uuid4(), uuid4()
    kinds = {one.key: one for one in said(known, [(three, ["a", "b", "c"]), (two, ["a", "b"])])}
    assert kinds[f"community:{three}"].text == "a, b and c belong together." and f"community:{two}" not in kinds
    assert [one.kind for one in kinds.values()].count("pattern") == 1, "a relation that three records state"


@pytest.mark.ledger("A11")
def test_what_a_model_sees_must_name_entries_that_were_there() -> None:
    facts = tuple(uuid4() for _ in range(3))
    answer = [("Seen.", [1, 9]), ("Not there.", [9, -1]), ("  ", [0])]
    given = GivenInsights.model_validate({"insights": [{"text": text, "entries": of} for text, of in answer]})
    [one] = taken(given, [Summarised("a"), Summarised("b", facts=facts)])
    assert one.text == "Seen." and one.facts == facts and one.kind == "insight"
    assert taken(given, [Summarised("a"), Summarised("b", facts=facts)])[0].key == one.key
    assert (
        GivenInsights.model_validate({"insights": ["x", {"text": 4}, {"text": "y", "entries": [0]}]}).insights[0].text
        == "y"
    )


@pytest.mark.ledger("A10")
def test_facts_are_near_by_what_is_usual_for_their_encoder() -> None:
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(2, 32))
    vectors = np.concatenate([centre + 0.2 * rng.normal(size=(5, 32)) for centre in centres]).astype(np.float32)
    for common in (0.0, 3.0):  # an encoder that finds everything alike
        moved = vectors + common * np.ones(32, dtype=np.float32)
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        found = groups(near([f"{number}" for number in range(10)], moved), 3)
        assert [set(one) for one in found] == [set("01234"), set("56789")]
    assert (
        near(["a"], vectors[:1]) == {}
        and near(["a", "b"], np.stack([vectors[0]] * 2) / np.linalg.norm(vectors[0])) == {}
    )


@pytest.mark.ledger("F06")
def test_drift_is_the_distance_between_older_and_newer_texts() -> None:
    one, other = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    assert drift(np.stack([one, one, other, other])) == 1.0 and drift(np.stack([one] * 4)) == 0.0
    assert drift(np.stack([one] * 3)) is None


@pytest.mark.ledger("F06")
def test_descriptors_are_words_that_set_texts_apart() -> None:
    texts = {
        "1": "Ellen sails the boat.",
        "2": "The boat of Ellen is blue.",
        "3": "Dave baked bread.",
        "4": "Bread for Dave and soup.",
    }
    vector = np.array([1, 0], np.float32)
    items = {one: ReadItem(one, text, vector) for one, text in texts.items()}
    found = {
        one.entity_id: one
        for one in meanings({"e": ["1", "2", "9"], "d": ["3", "4"]}, {"e": "Ellen", "d": "Dave"}, items)
    }
    assert found["e"].descriptors == ("boat",) and found["d"].descriptors == ("bread",) and found["e"].items == 2
