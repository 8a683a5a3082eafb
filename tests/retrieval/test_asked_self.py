""" "I" is the user, and a question for a month of the past is one for what held in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.domain.context import ContextRequest
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.model_server import ModelServer

pytestmark = pytest.mark.usefixtures("few_nodes")
WHEN = datetime(2025, 1, 6, 9, tzinfo=UTC)
TOLD = (
    "Bob Harlan works at Quillworks.", "Bob Harlan plays the oboe.", "Bob Harlan is allergic to walnuts.",
    "Bob Harlan lives in Ambleside.", "Ellen works at a nursery.", "Ellen plays chess on Mondays.",
)  # fmt: skip
SAID = (
    "At work Ellen is covering my Friday shift.", "It was a long day at work again.", "They signed the papers, Quillworks it is!",
    "Work has been hectic all week.", "I might work from home tomorrow.", "Do you live near the lake?",
)  # fmt: skip


async def say(memory: Memory, day: int, *texts: str, speaker: str = "Bob Harlan") -> None:
    turns = tuple(Turn(speaker, text) for text in texts)
    await memory.records.remember(Conversation(f"{day}", turns, f"Talk {day}", WHEN + timedelta(days=day)))


@pytest.fixture
async def read(reads: Engine, user: User, server: ModelServer) -> Memory:
    """A memory of turns that a model has read into facts, which name the user."""
    facts = [
        {"text": text, "subjects": [text.split(" works")[0].split(" plays")[0].split(" is")[0].split(" lives")[0]]}
        for text in TOLD
    ]
    entities = [{"name": "Quillworks", "kind": "organization"}, {"name": "Ellen", "kind": "person"}]
    server.reply = lambda _: {"summary": "x", "facts": facts, "entities": entities}
    memory = reads.memory(user.user_id)
    await say(memory, 0, *SAID, "Ellen told me about Ambleside and Quillworks.")
    server.reply = lambda _: {"summary": "x", "facts": []}
    return memory


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Where do I work?", TOLD[0]),
        ("Which instrument do I play?", TOLD[1]),
        ("What am I allergic to?", TOLD[2]),
        ("Where do I live?", TOLD[3]),
    ],
)
async def test_a_fact_about_the_user_answers_a_question_in_the_first_person(
    read: Memory, question: str, fact: str
) -> None:
    hits = (await read.search(SearchRequest(question, limit=10))).hits
    assert fact in [hit.content for hit in hits[:3]]
    assert hits.index(next(hit for hit in hits if hit.content == fact)) <= min(
        [place for place, hit in enumerate(hits) if hit.content in TOLD[4:]], default=99
    )
    for tokens in (200, 400):
        assert fact in [one.text for one in (await read.context(ContextRequest(question, tokens=tokens))).pieces]


@pytest.mark.parametrize(
    "question",
    [
        "Where do I work?",
        "Wo arbeite ich?",
        "Où est-ce que je travaille ?",
        "¿Dónde trabajo?",
        "Onde trabalho?",
        "我在哪里工作？",
    ],
)
async def test_the_relation_is_the_users(read: Memory, question: str) -> None:
    relations = (await read.search(SearchRequest(question, relations=True))).relations
    assert [one.relation.other_name for one in relations] == ["Quillworks"]


async def test_who_is_told_something_is_not_asked_about(read: Memory) -> None:
    relations = (await read.search(SearchRequest("Tell me where Ellen works.", relations=True))).relations
    assert "Quillworks" not in [one.relation.other_name for one in relations]


async def test_lines_about_the_user_are_chosen_by_the_question_and_by_what_changes(memory: Memory) -> None:
    written = [("Bob's birthday is on May 9.", 0)] * 3 + [
        ("Bob's shoe size is 44.", 1), ("Bob has blue eyes.", 2), ("Bob was born in Hull.", 3),
        ("Bob lives in Hull.", 4), ("Bob lives in Ambleside.", 40), ("Bob's boss is Ines.", 50),
    ]  # fmt: skip
    for number, (text, day) in enumerate(written):
        at = WHEN + timedelta(days=day, hours=number)
        await memory.facts.write(WrittenFact(text, ("Bob",), "profile", "", at))

    async def told(question: str) -> str:
        return (await memory.context(ContextRequest(question, tokens=110))).text

    assert "Ambleside" in await told("Where do I live?")
    assert "Ambleside" in await told("Is it far to the lake from there?")
    assert "May 9" not in await told("Where do I live?") + await told("Who leads the meeting?")
    assert "May 9" in await told("When is my birthday?")


async def test_what_is_known_already_is_about_the_text(read: Memory, server: ModelServer) -> None:
    await say(read, 3, "I bought a new oboe, and Ellen laughed.")
    await say(read, 4, "Walnuts again, and I am allergic!")
    oboe, walnuts = (asked.text.partition("[0]")[0] for asked in server.requests[-2:])
    assert "plays the oboe" in oboe and oboe.index("plays the oboe") < 200
    assert "allergic to walnuts" in walnuts


async def test_a_state_of_a_month_may_have_been_said_before_it(memory: Memory) -> None:
    said: list[tuple[datetime, Any]] = [
        (datetime(2025, 1, 10, tzinfo=UTC), "Rent is due. We pay 800 a month for the flat."),
        (datetime(2025, 7, 12, tzinfo=UTC), "The landlord wrote: our rent for the flat goes up to 870 from now on."),
        (datetime(2025, 10, 19, tzinfo=UTC), "Guess what, Ivy had the baby on the 19th of October!"),
        (datetime(2025, 10, 25, tzinfo=UTC), "In October I always think of Lisbon."),
        (datetime(2026, 2, 8, tzinfo=UTC), "Our rent for the flat is 940 now, can you believe it?"),
        (datetime(2026, 2, 9, tzinfo=UTC), "I baked bread."),
    ]
    for number, (at, text) in enumerate(said):
        await memory.records.remember(Conversation(f"{number}", (Turn("Bob Harlan", text, at),), started_at=at))
    hits = (await memory.search(SearchRequest("What was our rent for the flat in October 2025?"))).hits
    assert "870" in hits[0].content
    assert (await memory.search(SearchRequest("What happened in October 2025?"))).hits[0].occurred_at.month == 10
    context = await memory.context(ContextRequest("What was our rent for the flat in October 2025?", tokens=150))
    assert "870" in context.text


async def test_a_fact_that_held_in_a_month_stands_in_its_context(memory: Memory) -> None:
    for text, month, year in (("100", 1, 2025), ("125", 7, 2025), ("150", 2, 2026)):
        at = datetime(year, month, 3, tzinfo=UTC)
        await memory.facts.write(
            WrittenFact(f"Bob Harlan's dose of lisinopril is {text} mg.", ("Bob Harlan",), "fact", "", at)
        )
    context = await memory.context(ContextRequest("What was my dose of lisinopril in October 2025?", tokens=200))
    facts = [one.text for one in context.pieces if one.kind == "fact"]
    assert "125" in facts[0]


async def test_what_held_and_is_asked_for_stands_before_what_held_besides(memory: Memory) -> None:
    for text, month, year in (
        ("plays squash", 1, 2025), ("is left-handed", 1, 2025), ("owns a canoe", 1, 2025), ("lives in Ambleside", 1, 2025),
        ("'s gym fee is 31 euros", 1, 2025), ("'s gym fee is 36 euros", 6, 2025), ("'s gym fee is 42 euros", 3, 2026),
    ):  # fmt: skip
        told = f"Bob Harlan{'' if text.startswith(chr(39)) else ' '}{text}."
        await memory.facts.write(WrittenFact(told, ("Bob Harlan",), "fact", "", datetime(year, month, 3, tzinfo=UTC)))
    context = await memory.context(ContextRequest("What was my gym fee in September 2025?", tokens=120))
    facts = [one.text for one in context.pieces if one.kind == "fact"]
    assert "36" in facts[0], facts


async def test_what_the_question_does_not_speak_of_stands_behind_what_was_said(memory: Memory) -> None:
    for text in ("Bob is a vegetarian.", "Bob's birthday is on May 9.", "Bob's locker at the pool is 118."):
        await memory.facts.write(WrittenFact(text, ("Bob",), "profile", "", WHEN))
    await say(
        memory, 1, *(f"My locker at the pool was stuck, attempt {number}." for number in range(24)), speaker="Bob"
    )

    async def facts(question: str, tokens: int) -> list[str]:
        context = await memory.context(ContextRequest(question, tokens=tokens))
        return [one.text for one in context.pieces if one.kind == "fact"]

    assert await facts("Which locker at the pool is mine?", 160) == ["Bob's locker at the pool is 118."]
    assert len(await facts("Which locker at the pool is mine?", 2000)) == 3, "where there is room, all stand there"
    assert await facts("What could I serve myself?", 400), "without a word in common some are told all the same"
