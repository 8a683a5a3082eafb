"""Large nodes are searched by indexes, which a job builds and drops; the answer says so, and is nearly that of a whole scan."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode
from engine.domain.principal import Principal
from engine.domain.search import Filters, SearchAnswer, SearchRequest
from engine.lab.benchmarks.trips import counted
from engine.lifecycle.large_nodes import LargeNodes
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import sql_text

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

BIRDS = (
    "heron",
    "bittern",
    "plover",
    "curlew",
    "dunlin",
    "avocet",
    "godwit",
    "knot",
    "teal",
    "wigeon",
    "shrike",
    "wren",
)
PLACES = (
    "marsh",
    "weir",
    "quay",
    "dune",
    "ford",
    "mill",
    "orchard",
    "pier",
    "quarry",
    "reef",
    "spit",
    "tarn",
    "lock",
    "fen",
)
DEEDS = ("nests at", "left", "came back to", "was counted at", "was heard near")
ITEMS = 100
"""From so many items on a node counts as large here."""


async def large(memory: Memory) -> ProvisionedNode:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Coast {uuid4().hex[:4]}"))
    said = [f"The {bird} {deed} the {place}." for bird in BIRDS for deed in DEEDS for place in PLACES]
    for number in range(4):
        turns = tuple(Turn(("Bob", "Iris")[place % 2], text) for place, text in enumerate(said[number::8]))
        await memory.records.remember(Conversation(f"c{number}", turns), node_id=node.node_id)
    return node


async def asked(
    memory: Memory, node: ProvisionedNode, question: str = "Where was the curlew heard?", *, whole: bool = False
) -> SearchAnswer:
    kinds = ("turn",) if whole else None  # where kinds are asked for, all items are read
    return await memory.search(SearchRequest(question, nodes=(node.node_id,), kinds=kinds, limit=10))


def by_index(answer: SearchAnswer) -> bool:
    return any("searched by indexes" in note for note in answer.notes)


@pytest.mark.ledger("X02")
async def test_a_large_node_is_searched_by_indexes_until_it_is_small(engine: Engine, memory: Memory) -> None:
    node = await large(memory)
    exact = await asked(memory, node)
    assert not by_index(exact)
    first, second = await asyncio.gather(*(LargeNodes(engine.postgres, ITEMS).run() for _ in range(2)))
    assert (first.built + second.built, first.dropped + second.dropped) == (1, 0)
    assert (await LargeNodes(engine.postgres, ITEMS).run()).built == 0
    answer, whole = await asked(memory, node), await asked(memory, node, whole=True)
    assert by_index(answer) and not by_index(whole)
    assert len({hit.item_id for hit in answer.hits} & {hit.item_id for hit in exact.hits}) >= 9
    assert abs(answer.items_searched - exact.items_searched) < exact.items_searched / 2
    assert await engine.doctor.examine() == []
    report = await LargeNodes(engine.postgres, 100 * ITEMS).run()
    assert (report.built, report.dropped) == (0, 5)
    assert [hit.item_id for hit in (await asked(memory, node)).hits] == [hit.item_id for hit in exact.hits]


@pytest.mark.ledger("X02")
async def test_an_answer_reports_its_recall_against_an_exact_search(engine: Engine, memory: Memory) -> None:
    node = await large(memory)
    asked = SearchRequest("Where was the curlew heard?", nodes=(node.node_id,), recall=True)
    assert (await memory.search(asked)).explanation.recall is None
    await LargeNodes(engine.postgres, ITEMS).run()
    async with counted(engine) as trips:
        answer = await memory.search(asked)
    assert trips.postgres == 3, "one more for the exact search"
    told, whole = answer.explanation, {hit.item_id for hit in (await asked_whole(memory, asked)).hits}
    assert told.nodes_by_index == (node.node_id,) and told.nodes_exact == 0
    assert told.items_read < (await asked_whole(memory, asked)).items_searched == 420
    found = len({hit.item_id for hit in answer.hits} & whole)
    assert (told.recall.exact, told.recall.found, told.recall.share) == (10, found, found / 10)
    async with counted(engine) as trips:
        assert (await memory.search(replace(asked, recall=False, explain=True))).explanation.recall is None
    assert trips.postgres == 2
    await LargeNodes(engine.postgres, 100 * ITEMS).run()


async def asked_whole(memory: Memory, asked: SearchRequest) -> SearchAnswer:
    """The same with a filter that all pass: where there are filters, all items are read."""
    all_pass = Filters(until=datetime.now(UTC) + timedelta(days=1))
    return await memory.search(replace(asked, filters=all_pass, recall=False))


@pytest.mark.ledger("X02")
async def test_what_is_written_later_is_found_and_a_broken_index_is_built_again(engine: Engine, memory: Memory) -> None:
    node = await large(memory)
    await LargeNodes(engine.postgres, ITEMS).run()
    turn = Turn("Iris", "The curlew was heard over the lighthouse last night.")
    record = (await memory.records.remember(Conversation("later", (turn,)), node_id=node.node_id)).records[0]
    answer = await asked(memory, node, "What was heard over the lighthouse last night?")
    assert by_index(answer) and record.record_id in {hit.record_id for hit in answer.hits}
    index = f'"{node.schema_name}".memory_items_terms'
    async with engine.postgres.as_service() as connection:
        await connection.execute(f"DROP INDEX {index}")
    assert not by_index(await asked(memory, node))
    report = await LargeNodes(engine.postgres, ITEMS).run()
    assert (report.built, report.dropped) == (1, 0)
    assert by_index(await asked(memory, node))
    await LargeNodes(engine.postgres, 100 * ITEMS).run()


@pytest.mark.ledger("X02")
async def test_a_few_facts_among_many_turns_are_found(memory: Memory, engine: Engine) -> None:
    node = await large(memory)
    await memory.facts.write(WrittenFact("The warden of the marsh is Ada Pell."), node_id=node.node_id)
    await LargeNodes(engine.postgres, ITEMS).run()
    answer = await asked(memory, node, "Who is the warden of the marsh?")
    assert by_index(answer)
    assert "fact" in {hit.kind for hit in answer.hits}, "also where the sample has none"
    await LargeNodes(engine.postgres, 100 * ITEMS).run()


@pytest.mark.ledger("X02", "X01")
async def test_readers_are_shown_by_index_what_they_may_read(engine: Engine, memory: Memory) -> None:
    node = await large(memory)
    secret = Conversation("secret", (Turn("Bob", "The curlew was heard at the secret island."),), privacy="private")
    hidden = (await memory.records.remember(secret, node_id=node.node_id)).records[0].record_id
    await LargeNodes(engine.postgres, ITEMS).run()
    integration = await engine.workspace.integrations.create(f"reader {uuid4().hex[:6]}")
    await memory.grants.give(NewGrant(node.node_id, "third_party", integration.integration_id))
    reader = engine.memory_as(Principal("third_party", integration.integration_id, memory.principal.user_id))
    own, shown = [await asked(one, node, "What was heard at the secret island?") for one in (memory, reader)]
    assert by_index(own) and hidden in {hit.record_id for hit in own.hits}
    assert not by_index(shown), "the sample and its estimates would tell how much is hidden"
    assert shown.hits and hidden not in {hit.record_id for hit in shown.hits}
    for asker, expected in ((memory, True), (reader, False)):
        found = await asker_worded(engine, asker, node)
        assert found and (hidden in found) is expected
    stranger = engine.memory_as(Principal("third_party", uuid4(), memory.principal.user_id))
    assert not await asker_worded(engine, stranger, node)
    await LargeNodes(engine.postgres, 100 * ITEMS).run()


async def asker_worded(engine: Engine, asker: Memory, node: ProvisionedNode) -> set[UUID]:
    """The records of what the function that reads as the owner of the tables gives for all terms, asked directly."""
    who = {"kind": asker.principal.kind, "id": str(asker.principal.principal_id)}
    terms = "SELECT array_agg(DISTINCT term) AS terms FROM engine.term_counts WHERE node_id = %s AND term > 0"
    items = "SELECT engine.search_worded(%s, %s, '{}/1000000', now(), 'infinity', 10000) AS items"
    records = "SELECT DISTINCT record_id FROM {}.memory_items WHERE item_id = ANY (%s)"
    async with engine.postgres.as_service() as connection:
        numbers = (await (await connection.execute(terms, [node.node_id])).fetchone())["terms"]
    async with engine.postgres.request.connection() as connection, connection.transaction():
        await connection.execute(sql_text("access/principal_set"), who)
        found = (await (await connection.execute(items, [node.schema_name, numbers])).fetchone())["items"]
    async with engine.postgres.as_service() as connection:
        statement = sql.SQL(records).format(sql.Identifier(node.schema_name))
        return {row["record_id"] for row in await (await connection.execute(statement, [found])).fetchall()}
