"""Two memories that were filled with the same give the same answers: what is shown first, and what is left out, is decided by
content and time, never by the ids that the engine gives."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from engine.domain.context import ContextRequest
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Text, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine

WHEN = datetime(2025, 3, 4, 9, tzinfo=UTC)
TOWNS = "Arlow Brenk Corvel Dunmere Estow Farnley Gristed Holmby Ilvek Jarrow Kelby Lunden".split()
TEXTS = [
    *(Text(f"town-{name}", name, f"{name} is a town in Oldmark. It has a market and a mill.") for name in TOWNS),
    Text("mill", "The mill", "Mercer runs the mill of Arlow. Mercer came from the coast."),
    Text("band", "The band", "Ada Mercer sings in a band of Brenk. Mercer writes the songs."),
    Text("club", "The club", "Mercer started the rowing club of Dunmere with two friends."),
    Text("prize", "The prize", "Oldmark is a novel by Ruth Mercer. The novel won a prize in Lunden."),
    Text("rule-a", "House rule", "Shoes stay at the door, and the key hangs beside it."),
    Text("rule-b", "Rule of the house", "Shoes stay at the door, and the key hangs beside it."),
]  # fmt: skip
LONG = " ".join(
    f"On day {day} the walkers of Oldmark met at gate {day % 7} and spoke of the weather." for day in range(90)
)
CHATS = [
    ("monday", ("The boat needs new paint.", "Which colour?", "Blue, as before.", "Shoes stay at the door.")),
    ("friday", ("The boat needs new paint.", "Then we buy some.", "Lena Mercer lives in Arlow.", LONG)),
]
FACTS = ("plays the cello", "plays chess", "collects stamps", "speaks Danish", "has two brothers", "keeps bees")
QUESTIONS = (
    "Which town is in Oldmark?", "What is Oldmark?", "What do you know of Mercer?", "Who runs the mill?", "What does Mercer write?",
    "Where do shoes stay?", "What colour is the boat?", "What does Lena Mercer do?", "At which gate did the walkers meet on day 40?",
    "Who am I?", "Which town has a market?",
)  # fmt: skip


async def filled(engine: Engine) -> Memory:
    user: User = await engine.workspace.users.create(f"u{uuid4().hex[:12]}", "Bob Harlan")
    memory = engine.memory(user.user_id)
    for name in ("Oldmark", "Boats"):
        await memory.nodes.provision(NewNode(user.user_id, name))
    await memory.ingests.many(texts=TEXTS)
    for day, (source, said) in enumerate(CHATS):
        turns = tuple(Turn(("Bob", "Lena")[place % 2], text) for place, text in enumerate(said))
        await memory.records.remember(Conversation(source, turns, source, WHEN + timedelta(days=day)))
    for of in ("Lena Mercer", "Bob"):
        for text in FACTS:
            await memory.facts.write(WrittenFact(f"{of} {text}.", (of,), at=WHEN))
    return memory


async def told(memory: Memory, question: str) -> dict[str, Any]:
    """All that an answer and contexts of some sizes show, without ids."""
    answer = await memory.search(SearchRequest(question, limit=60))
    shown: dict[str, Any] = {
        "hits": [(hit.content, hit.record_title, hit.score, hit.signals) for hit in answer.hits],
        "relations": [
            (one.entity_name, one.relation.relation_type, one.relation.other_name) for one in answer.relations
        ],
        "anchors": [(one.path, one.score) for one in answer.anchors],
    }
    for tokens in (150, 600):
        context = await memory.context(ContextRequest(question, tokens=tokens))
        shown[f"context of {tokens}"] = [(piece.kind, piece.text, piece.title) for piece in context.pieces]
        shown[f"left out of {tokens}"] = [(one.kind, one.tokens) for one in context.left_out]
        shown[f"text of {tokens}"] = re.sub(context.key or "-", "", context.text)
    return shown


async def known(memory: Memory) -> list[Any]:
    """The entities by name, with their names, relations and facts in the order of a page."""
    found = []
    for one in await memory.entities.list(limit=200, everything=True):
        whole = await memory.entities.get(one.entity_id)
        relations = [(each.reads, each.other_name) for each in await memory.entities.relations(one.entity_id)]
        found.append((whole.key, whole.name, whole.kind, whole.names, [each.title for each in whole.latest], relations))
    return sorted(found)


@pytest.mark.ledger("X14")
async def test_the_same_content_gives_the_same_answers_in_every_memory(engine: Engine) -> None:
    first, second = [await filled(engine) for _ in range(2)]
    assert await known(first) == await known(second)
    for question in QUESTIONS:
        one, other = [await told(memory, question) for memory in (first, second)]
        assert one == other, question
