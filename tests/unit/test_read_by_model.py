"""What a model says of names and relations: put beside what rules find, and dropped where the record does not bear it out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from engine.domain.entity import TextPiece
from engine.domain.extraction import ModelReading, NamedByModel, StatedByModel
from engine.domain.names import name_key
from engine.entities.resolution.resolution import (
    FoundName,
    KnownCandidate,
    Resolution,
    ReviewPair,
    doubts_of,
    joined,
    resolve,
)
from engine.ingest.extraction.form import Extracted
from engine.knowledge.record_names import known_names, marked, over, same_names, stated, times
from engine.naming.configuration import load_domain
from engine.naming.mentions import SourceText, used_name
from engine.naming.names import names_in

DOMAIN = load_domain().model_copy(update={"free_form": False})
WHEN = datetime(2024, 5, 8, tzinfo=UTC)


def found(texts: Sequence[SourceText], reading: ModelReading) -> dict[str, tuple[str, str]]:
    """Kind and role of each name that is sure."""
    mentions = names_in([text.piece for text in texts], known_names([reading], DOMAIN))
    return {
        one.name: (one.kind, one.role)
        for own in mentions
        for one in marked(own, reading, DOMAIN)
        if one.sure and one.form == "name"
    }


@pytest.mark.ledger("F08", "M05")
def test_names_of_a_model_count_where_they_stand_in_the_text() -> None:
    texts = [SourceText(uuid4(), TextPiece("Ford Transit is assigned to Ellen, for the Harbour Crane.", "Bob"), WHEN)]
    reading = ModelReading(
        (
            NamedByModel("Ford Transit", "product", role="component"),
            NamedByModel("Ellen", "person", role="assignee"),
            NamedByModel("Gustav Invented", "person"),
            NamedByModel("it", "thing"),
            NamedByModel("Harbour Crane", "machine"),
        )
    )
    named = found(texts, reading)
    assert named["Ford Transit"] == ("product", "component")
    assert named["Ellen"] == ("person", "assignee")
    assert named["Harbour Crane"] == ("thing", "mention"), "a kind that the domain does not have"
    assert "Gustav Invented" not in named and "it" not in named


def test_names_of_one_entity_are_decided_as_one_unless_two_speak() -> None:
    names = {(name_key(one), ""): FoundName(one, "0", "person") for one in ("Ellen Harlan", "Elli", "Dave")}
    reading = ModelReading((NamedByModel("Elli", "person", ("Ellen Harlan", "Nobody Else")),))
    joined_names = same_names(names, reading)
    assert joined_names["elli", ""] == joined_names["ellen harlan", ""] == names["ellen harlan", ""]
    assert joined_names["dave", ""] == names["dave", ""]
    speakers = {key: FoundName(one.name, "0", "person", "speaker") for key, one in names.items()}
    assert same_names(speakers, reading) == speakers


@pytest.mark.ledger("M05")
def test_relations_have_a_listed_type_and_a_place() -> None:
    text = SourceText(uuid4(), TextPiece("Ellen has been at Harlan Joinery since 2021.", "Bob"), WHEN)
    one = StatedByModel("Ellen", "works at", "Harlan Joinery", text.item_id, "2021")
    bad = (
        StatedByModel("Ellen", "ADORES", "Harlan Joinery", text.item_id),
        StatedByModel("Ellen", "MENTIONS", "Harlan Joinery", text.item_id),
        StatedByModel("Ellen", "WORKS_AT", "Harlan Joinery", uuid4()),
    )
    mentions = names_in([text.piece], {})
    [said] = stated([text], mentions, ModelReading((), (one, *bad)), DOMAIN)
    assert (said.source, said.type, said.target) == (("ellen", ""), "WORKS_AT", ("harlan joinery", ""))
    assert said.span == "0-32" and used_name(mentions[0][1], text.piece) == said.source
    assert times(one) == ("2021", None) and times(StatedByModel("a", "b", "c", uuid4(), "2022", "2020-05")) == (
        None,
        None,
    )
    ended = StatedByModel("a", "b", "c", uuid4(), until="2023")
    assert over(ended, text, lasting=False) and not over(ended, text, lasting=True)
    assert not over(StatedByModel("a", "b", "c", uuid4(), until="2027-01"), text, lasting=False)


def test_an_answer_drops_bad_entries_and_takes_that_of_the_first_prompt() -> None:
    answer = Extracted.model_validate({
        "summary": "x", "facts": [],
        "entities": ["Ellen", {"name": "Dave", "kind": "person", "also": "D", "role": "king"}, {"kind": "person"}, 7, {"name": 3}],
        "relations": [
            {"source": "Dave", "type": "KNOWS", "target": "Ellen", "since": "last May", "until": "2024-13", "ended": "yes", "line": -1},
            {"source": "Dave", "type": "KNOWS"}, "Dave knows Ellen", {"source": 1, "type": "KNOWS", "target": "x"},
        ],
    })  # fmt: skip
    assert answer.named == ["Ellen", "Dave"]
    assert [(one.kind, one.also, one.role) for one in answer.entities] == [
        ("", [], "mention"),
        ("person", ["D"], "mention"),
    ]
    [relation] = answer.relations
    assert (relation.since, relation.until, relation.ended, relation.line) == ("", "", False, 0)
    assert Extracted.model_validate({"summary": "x", "facts": [], "entities": None, "relations": None}).entities == []
    assert Extracted.model_validate(answer.model_dump(mode="json")) == answer


# what rules leave open -------------------------------------------------------------------------------------


def doubtful() -> tuple[dict[FoundName, Resolution], list[KnownCandidate]]:
    known = [
        KnownCandidate("person:dave-kowalski", "Dave Kowalski", "person"),
        KnownCandidate("person:dave-miller", "Dave Miller", "person"),
    ]
    return resolve([FoundName("Dave", "0", "person", texts=("Dave called.",))], known, "b"), known


@pytest.mark.ledger("A08")
def test_a_verdict_joins_keeps_apart_or_leaves_a_pair() -> None:
    resolved, known = doubtful()
    doubts = doubts_of(resolved, known)
    assert [doubt.candidate for doubt in doubts] == ["person:dave-kowalski", "person:dave-miller"]
    [one] = joined(resolved, doubts, ["same", "different"]).values()
    assert (one.key, one.name, one.new, one.reviews) == ("person:dave-kowalski", "Dave Kowalski", False, ())
    [one] = joined(resolved, doubts, ["unsure", "different"]).values()
    assert one.new and [review.candidate for review in one.reviews] == ["person:dave-kowalski"]
    [one] = joined(resolved, doubts, ["same", "same"]).values()
    assert one.new and len(one.reviews) == 2, "it cannot be both"


@pytest.mark.ledger("A08")
def test_joins_within_a_batch_end_at_one_entity() -> None:
    a, b, c = (FoundName(name, "0", "person") for name in ("Ann", "Anna", "Annie"))
    resolved = {
        a: Resolution("person:ann", "Ann", "person", True, ""),
        b: Resolution("person:anna", "Anna", "person", True, "", (ReviewPair("person:ann", 0.5, ""),)),
        c: Resolution("person:annie", "Annie", "person", True, "", (ReviewPair("person:anna", 0.5, ""),)),
    }
    doubts = doubts_of(resolved, [])
    assert {one.key for one in joined(resolved, doubts, ["same", "same"]).values()} == {"person:ann"}
