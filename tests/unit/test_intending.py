"""Which sentences state an intention."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.domain.intention import LONGEST_INTENTION
from engine.knowledge.intentions import intentions_in

SAID = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.mark.ledger("A13")
@pytest.mark.parametrize(
    "text",
    [
        "I want to buy a boat.",
        "We really plan to move to Galway.",
        "I'd like to learn Polish one day.",
        "We're going to paint the hall.",
        "I’m planning to retire.",
        "Ich möchte ein Boot kaufen.",
        "Nächstes Jahr wollen wir nach Wien ziehen.",
        "Quiero comprar un barco.",
        "El año que viene vamos a vender la casa.",
        "Quero aprender polonês.",
        "Nous aimerions acheter un bateau.",
        "Je vais vendre la maison.",
    ],
)
def test_a_speaker_states_an_intention(text: str) -> None:
    [found] = intentions_in(text, SAID, of_fact=False)
    assert (found.text, text[found.start : found.end]) == (text, text)


@pytest.mark.ledger("A13")
@pytest.mark.parametrize(
    "text",
    [
        "I want to say that it was good.",
        "Do I want to buy a boat?",
        "If I want to buy a boat, I need money.",
        "I don't want to move.",
        "I wanted to buy a boat.",
        "That is what I want to talk about.",
        "I want to remember it.",
        "I'm going to the lake.",
        "I want a boat.",
        "Dave wants to buy a boat.",
        "Ich möchte kein Boot kaufen.",
        "Ich will nicht nach Wien ziehen.",
        "No quiero comprar nada.",
        "Não quero vender.",
        "Je ne veux pas vendre.",
        "Voy a Madrid.",
        "The plan is good. The will was read.",
    ],
)
def test_doubt_is_silence(text: str) -> None:
    assert list(intentions_in(text, SAID, of_fact=False)) == []


@pytest.mark.ledger("A13")
def test_a_fact_states_what_its_subject_intends() -> None:
    for text in ("Dave Kowalski wants to buy a boat.", "The user is planning to retire.", "I want to buy a boat."):
        assert [one.text for one in intentions_in(text, SAID, of_fact=True)] == [text]
    for text in ("Dave said that Ellen does not matter.", "Dave is going to the lake."):
        assert list(intentions_in(text, SAID, of_fact=True)) == []


@pytest.mark.ledger("A13")
def test_a_date_behind_it_is_when_it_is_due() -> None:
    text = "Yesterday it rained. I want to sell the house by 12 June 2024. I plan to sail."
    found = list(intentions_in(text, SAID, of_fact=False))
    assert [(one.text, one.due) for one in found] == [
        ("I want to sell the house by 12 June 2024.", "2024-06-12"),
        ("I plan to sail.", None),
    ]
    [long] = intentions_in(f"I want to buy {'a very ' * 60}long boat.", SAID, of_fact=False)
    assert len(long.text) <= LONGEST_INTENTION and long.text.endswith("…")
