"""Passages that are found over the entities that they share with others: what the hit says of it, and who gets it."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.search import Hit, SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine

FIRST = ("Brightwater Press", "Brightwater Press is a publisher of sea charts. It was founded by Alma Reyes in 1931.")
SECOND = ("Alma Reyes", "Alma Reyes was an engraver. She grew up in Tavira and learned from a clockmaker.")
OTHERS = tuple(
    (name, f"{name} was a {trade}. {name.split()[0]} lived in {place} for many years and kept a diary there.")
    for name, trade, place in (
        ("Otto Brandt", "baker", "Lubeck"), ("Inga Solberg", "weaver", "Bergen"), ("Piet Janssen", "miller", "Delft"),
        ("Clara Novak", "painter", "Brno"), ("Hugo Varga", "cooper", "Eger"), ("Rosa Conti", "tailor", "Siena"),
        ("Karl Lindqvist", "smith", "Falun"), ("Maud Prior", "teacher", "Exeter"), ("Ivo Petrov", "potter", "Plovdiv"),
    )
)  # fmt: skip
QUESTION = "Where did the founder of Brightwater Press grow up?"


async def stored(memory: Memory, node: UUID, title: str, text: str) -> None:
    await memory.records.remember_text(title, text, source_id=title, node_id=node)


@pytest.fixture
async def nodes(memory: Memory) -> tuple[UUID, UUID]:
    """One node holds the first of the two passages, another one the second, among others."""
    user = memory.principal.user_id
    presses, people = [
        (await memory.nodes.provision(NewNode(user, name))).node_id for name in (f"Presses {uuid4().hex[:6]}", "People")
    ]
    await stored(memory, presses, *FIRST)
    for title, text in (SECOND, *OTHERS):
        await stored(memory, people, title, text)
    return presses, people


async def hit_of(memory: Memory, title: str) -> tuple[int, Hit]:
    answer = await memory.search(SearchRequest(QUESTION, limit=12, kinds=("chunk",), widen="always"))
    [found] = [(rank, hit) for rank, hit in enumerate(answer.hits, 1) if hit.record_title == title]
    return found


@pytest.mark.ledger("X11", "F14")
async def test_the_second_passage_is_reached_over_what_the_first_names(
    memory: Memory, nodes: tuple[UUID, UUID]
) -> None:
    rank, hit = await hit_of(memory, SECOND[0])
    first, named = await hit_of(memory, FIRST[0])
    assert first == 1 and rank == 2
    assert hit.reached is not None and (hit.reached.entity, hit.reached.from_title) == (
        "Alma Reyes",
        "Brightwater Press",
    )
    assert hit.reached.from_item == named.item_id
    assert "over Alma Reyes from “Brightwater Press”" in hit.why and hit.signals["hop"] > 0
    assert named.reached is not None and (named.reached.entity, named.reached.from_item) == ("Brightwater Press", None)


@pytest.mark.ledger("X11", "X01")
async def test_nothing_is_reached_from_what_the_reader_may_not_read(
    engine: Engine, memory: Memory, nodes: tuple[UUID, UUID]
) -> None:
    _, people = nodes
    integration = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(people, "third_party", integration.integration_id))
    reader = engine.memory_as(Principal("third_party", integration.integration_id, memory.principal.user_id))
    _, hit = await hit_of(reader, SECOND[0])
    assert hit.reached is None and "hop" not in hit.signals
    _, own = await hit_of(memory, SECOND[0])
    assert own.reached is not None


@pytest.mark.ledger("X11")
async def test_what_was_merged_is_named_by_either_name(memory: Memory, nodes: tuple[UUID, UUID]) -> None:
    """The question uses a name that the passage does not: they are one since the user merged them."""
    presses, people = nodes
    await stored(
        memory, presses, "Harbour Chart House", "Harbour Chart House sold maps to sailors. Its shop closed in 1960."
    )
    entities = {
        name: one.entity_id for one in await memory.entities.list(limit=500, everything=True) for name in one.names
    }
    question = SearchRequest("What is told of Harbour Chart House?", limit=12, kinds=("chunk",), widen="always")
    before = {hit.record_title: hit for hit in (await memory.search(question)).hits}
    own = before[FIRST[0]].reached
    assert own is None or own.from_item is not None
    await memory.entities.merge(entities["Harbour Chart House"], entities["Brightwater Press"])
    after = {hit.record_title: hit for hit in (await memory.search(question)).hits}
    reached = after[FIRST[0]].reached
    assert reached is not None and reached.from_item is None  # by the question itself
