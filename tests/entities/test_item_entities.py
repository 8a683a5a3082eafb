"""Which entities an item names stands in its row, as numbers: whoever writes the row, and for rows of before from the graph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.delta import Change
from engine.domain.entity import entity_number
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode, User
from engine.domain.search import SearchRequest
from engine.domain.stream import StreamedTurn
from engine.ingest.streams.streaming import Streams
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.hierarchy.test_upgrades import before_ranking
from tests.ingest.test_replays import built, unread_twin
from tests.lifecycle.test_jobs import carried_out
from tests.model_server import BROKEN, ModelServer
from tests.reader import TURNS, WHEN, untroubled

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

CALLED = (
    Turn("Bob", "My sister Ellen called. Dave Kowalski comes, too, and Dave Kowalski brings wine."),
    Turn("Ellen", "I will be there, Bob."),
    Turn("Bob", "It rained all day."),
)
LATER = datetime(2024, 6, 1, tzinfo=UTC)
PAPER = (
    "Arne Gunderson leases the workshop.\n\n"
    + "Nothing else is to be said. " * 80
    + "\n\nMill Street is near Lake Superior.\n"
)


@pytest.fixture
async def node(memory: Memory) -> ProvisionedNode:
    return await memory.nodes.provision(NewNode(memory.principal.user_id, f"Family {uuid4().hex[:4]}"))


async def named(
    engine: Engine, memory: Memory, node: UUID, kind: str = "turn"
) -> list[tuple[str, list[str], list[str]]]:
    """The present items of a node with the keys of what they name and are about, of entities of the graph or as numbers."""
    found = await engine.neo4j.read(
        "MATCH (e:Entity {user_id: $me}) WHERE e.key IS NOT NULL RETURN e.key AS key",
        me=str(memory.principal.user_id),
        row=str,
    )
    keys = {entity_number(key): key for key in found}
    async with engine.postgres.as_service() as connection:
        [schema] = await connection.fetch(
            "SELECT schema_name FROM engine.nodes WHERE node_id = %(id)s", {"id": node}, row=str
        )
        cursor = await connection.execute(
            sql.SQL(
                "SELECT content, entities, about FROM {}.memory_items WHERE kind = %s AND category <> 'whole'"
                " AND known_to IS NULL ORDER BY position, content"
            ).format(sql.Identifier(schema)),
            [kind],
        )
        rows = await cursor.fetchall()
    return [
        (
            row["content"],
            *([keys.get(number, str(number)) for number in row[column]] for column in ("entities", "about")),
        )
        for row in rows
    ]


async def test_the_number_of_an_entity_is_the_same_for_ever() -> None:
    assert entity_number("person:dave-kowalski") == 1440752472
    assert all(0 < entity_number(f"thing:{number}") < 2**31 for number in range(1000))
    assert len({entity_number(f"thing:{number}") for number in range(1000)}) == 1000


@pytest.mark.ledger("N24")
async def test_a_turn_has_whom_it_names_and_not_who_speaks(
    engine: Engine, memory: Memory, node: ProvisionedNode
) -> None:
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    rows = await named(engine, memory, node.node_id)
    assert [(keys, about) for _, keys, about in rows] == [
        (["person:dave-kowalski", "person:ellen"], []),
        (["person:bob-harlan"], []),
        ([], []),
    ]


@pytest.mark.ledger("N24", "A07")
async def test_a_passage_is_about_what_its_title_names(engine: Engine, memory: Memory, node: ProvisionedNode) -> None:
    """In every version: what stays has the names of the new title, too."""
    title = "Lease of Arne Gunderson"
    await memory.records.remember_text(title, PAPER, source_id="lease", node_id=node.node_id)
    first, *_, last = await named(engine, memory, node.node_id, "chunk")
    assert "person:arne-gunderson" in first[1] and "person:arne-gunderson" in last[1], (
        "the title names him for each passage"
    )
    assert "person:arne-gunderson" in first[2] and set(last[2]) == set(first[2])
    assert any("lake-superior" in key for key in last[1]) and not any(
        "lake-superior" in key for key in first[1] + last[2]
    )
    await memory.records.remember_text(
        "Lease of Teresa Vang", PAPER + "\nTeresa Vang signs.\n", source_id="lease", node_id=node.node_id
    )
    rows = await named(engine, memory, node.node_id, "chunk")
    assert len(rows) > 1 and all("person:teresa-vang" in about and set(about) <= set(keys) for _, keys, about in rows)
    assert all("person:arne-gunderson" not in about for _, _, about in rows)


async def test_other_writers_name_them_too(engine: Engine, memory: Memory, node: ProvisionedNode, user: User) -> None:
    """A streamed conversation, what is moved, what is changed by hand and back."""
    await memory.conversations.append("s1", StreamedTurn("Bob", CALLED[0].text, at=WHEN), node_id=node.node_id)
    await memory.conversations.end("s1")
    await engine.parts[Streams].run()
    called = ["person:dave-kowalski", "person:ellen"]
    assert [keys for _, keys, _ in await named(engine, memory, node.node_id)] == [called]
    record = (await memory.nodes.metadata(node.node_id)).records[0]
    await memory.records.move(record.record_id, node.node_id, user.user_id)
    assert [keys for _, keys, _ in await named(engine, memory, user.user_id)] == [called]
    hit = (await memory.search(SearchRequest("Dave wine"))).hits[0]
    changed = Change("item", hit.item_id, {"content": "Somebody brings wine."}, user.user_id, effective_at=LATER)
    await memory.history.change(changed)
    back = Change(
        "item", hit.item_id, {"content": CALLED[0].text}, user.user_id, effective_at=LATER + timedelta(days=1)
    )
    await memory.history.change(back)
    rows = await named(engine, memory, user.user_id)
    assert [keys for text, keys, _ in rows if text == CALLED[0].text] == [called, called], (
        "also where the text holds again"
    )
    assert [keys for text, keys, _ in rows if text != CALLED[0].text] == [[]], "what stands there now names nobody"


@pytest.mark.ledger("N24")
async def test_a_fact_is_about_its_subject(engine: Engine, memory: Memory, node: ProvisionedNode) -> None:
    await memory.facts.write(
        WrittenFact("Dave Kowalski works with Arne Gunderson.", ("Dave Kowalski",)), node_id=node.node_id
    )
    [(_, keys, about)] = await named(engine, memory, node.node_id, "fact")
    assert set(keys) == {"person:dave-kowalski", "person:arne-gunderson"} and about == ["person:dave-kowalski"]


async def test_what_a_model_says_later_is_named(engine: Engine, reads: Engine, user: User, server: ModelServer) -> None:
    """Facts and observations of a later reading; a replay that makes them from kept answers; a retraction's."""
    memory = reads.memory(user.user_id)
    server.script = [BROKEN]
    await memory.records.remember(Conversation("c", TURNS, "A call", WHEN), node_id=user.user_id)
    await reads.derivations.run("reading")
    for kind, texts in (("fact", "Ellen moved to Duluth on 3 May 2024."), ("observation", "Bob misses his sister.")):
        rows = {text: (keys, about) for text, keys, about in await named(engine, memory, user.user_id, kind)}
        assert len(rows) == 2 and texts in rows
    [ellen] = [row for row in await named(engine, memory, user.user_id, "fact") if row[0].startswith("Ellen")]
    assert "person:ellen" in ellen[1] and ellen[2] == ["person:ellen"]
    [bob] = [row for row in await named(engine, memory, user.user_id, "observation") if "misses" in row[0]]
    assert bob[1] == ["person:bob-harlan"]
    await untroubled(reads, user)


async def test_a_replay_names_what_it_makes(reads: Engine, engine: Engine, user: User) -> None:
    memory = reads.memory(user.user_id)
    await unread_twin(engine, reads, user)
    replay = await built(memory)
    await memory.replays.swap(replay.replay_id)
    facts = [row for row in await named(engine, memory, user.user_id, "fact") if row[0].startswith("Ellen")]
    assert len(facts) == 2 and {tuple(about) for _, _, about in facts} == {("person:ellen",)}


async def test_rows_of_before_are_named_from_the_graph(engine: Engine, memory: Memory, node: ProvisionedNode) -> None:
    """As those that are written now; what was moved from there meanwhile, too. The job goes on where it was interrupted."""
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    await memory.records.remember_text("Lease of Arne Gunderson", PAPER, source_id="lease", node_id=node.node_id)
    await memory.facts.write(
        WrittenFact("Dave Kowalski works with Arne Gunderson.", ("Dave Kowalski",)), node_id=node.node_id
    )
    kinds = ("turn", "chunk", "fact")
    before = {kind: await named(engine, memory, node.node_id, kind) for kind in kinds}
    await before_ranking(engine, [node])
    await engine.upgrades.run()
    assert {keys for kind in kinds for _, keys, _ in map(_plain, await named(engine, memory, node.node_id, kind))} == {
        ()
    }
    assert (await carried_out(engine, "entities"))["names_items"] > 0
    after = {kind: await named(engine, memory, node.node_id, kind) for kind in kinds}
    for kind in kinds:
        assert [_plain(row) for row in after[kind]] == [_plain(row) for row in before[kind]]
    assert [one for one in await engine.doctor.examine() if one.node_id == node.node_id] == []


def _plain(row: tuple[str, list[str], list[str]]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    text, keys, about = row
    return text, tuple(sorted(keys)), tuple(sorted(about))


async def test_a_record_moved_before_the_job_ran_is_named_there(
    engine: Engine, memory: Memory, node: ProvisionedNode
) -> None:
    other = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Shed {uuid4().hex[:4]}"))
    report = await memory.records.remember(Conversation("c1", CALLED[:1]), node_id=node.node_id)
    await before_ranking(engine, [node])
    await engine.upgrades.run()
    await memory.records.move(report.records[0].record_id, node.node_id, other.node_id)
    await engine.derivations.run("names")
    assert [keys for _, keys, _ in await named(engine, memory, other.node_id)] == [
        ["person:dave-kowalski", "person:ellen"]
    ]
    assert (await engine.derivations.run("names"))["items"] == 0
