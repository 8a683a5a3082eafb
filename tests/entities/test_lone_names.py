"""Names that one passage of a document alone mentions are left out of the list of entities, by what its reader may read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.entities.reads import EVERY, FIRST
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell
from tests.profiled import work

pytestmark = pytest.mark.usefixtures("few_nodes")

ALONE = {"Ragnar Holt", "Sigrid Moe", "Torvald Brekke"}
TEXT = "At the harbour stood Ragnar Holt. Sigrid Moe waved to him. Torvald Brekke had left, and Torvald Brekke sang."


async def write(memory: Memory, text: str, node_id: UUID | None = None, *, privacy: str = "org") -> None:
    title = f"Note {len(text)}"
    await memory.records.remember_text(title, text, node_id=node_id or memory.principal.user_id, privacy=privacy)


def first_page(memory: Memory) -> dict[str, Any]:
    """With what the statement of the list is asked for its first page."""
    now = NOW.graph_parameters(datetime.now(UTC))
    whole = {"kinds": [""], "name": "", "kept": True, "everything": False, "marks": [False], "before": list(FIRST)}
    return {**whole, **memory.principal.parameters, **now, "limit": 100, "most": 200}


async def listed(memory: Memory, **asked: object) -> set[str]:
    return {one.name for one in await memory.entities.list(limit=500, **asked)}  # type: ignore[arg-type]


async def one(memory: Memory, name: str) -> UUID:
    [found] = await memory.entities.list(name=name)
    return found.entity_id


async def reader_of(engine: Engine, node_id: UUID, *more: str) -> Memory:
    """The memory as an integration reads it that may read records there, and more."""
    integration = (await engine.workspace.integrations.create(f"app {uuid4()}")).integration_id
    [owner] = await engine.neo4j.read("MATCH (n:Node {node_id: $id}) RETURN n.user_id AS user_id", id=str(node_id))
    user = UUID(owner["user_id"])
    await engine.memory(user).grants.give(NewGrant(node_id, "third_party", integration, fields=("records", *more)))
    return engine.memory_as(Principal("third_party", integration, user))


@pytest.mark.ledger("F07")
async def test_what_a_single_passage_mentions_is_left_out_of_the_list(memory: Memory) -> None:
    await memory.records.remember(Conversation("c1", (Turn("Bob", "We met Dave Kowalski today."),)))
    await write(memory, TEXT)
    found = await memory.entities.list(limit=500)
    names = {entity.name for entity in found}
    assert "Dave Kowalski" in names and not ALONE & names, "a turn is no passage"
    whole = await memory.entities.list(limit=500, everything=True)
    assert {entity.name for entity in whole} == names | ALONE and (found.left_out, whole.left_out) == (3, 0)
    for name in ALONE:
        [called] = await memory.entities.list(name=name.split()[1])
        assert (await memory.entities.get(called.entity_id)).mentions == 1
    pages, place = 0, None
    while page := await memory.entities.list(limit=1, after=place):
        pages, place = pages + page.left_out, page[-1].place
    assert pages + page.left_out == 3, "each is counted on the page on which it would be"


@pytest.mark.ledger("F07")
async def test_whatever_else_speaks_of_it_puts_it_into_the_list(memory: Memory, engine: Engine) -> None:
    await write(
        memory,
        TEXT + " Astrid Lund works at Fjord Bakery Inc. We saw Else Vik, Nils Aas, Ida Roe, Pia Dahl and Olav Hegg.",
    )
    assert {"Astrid Lund", "Fjord Bakery Inc."} <= await listed(memory), "a relation"
    before = await listed(memory)
    assert not {"Else Vik", "Nils Aas", "Ida Roe", "Pia Dahl", "Olav Hegg"} & before
    await memory.entities.correct(await one(memory, "else"), kind="organization")
    await memory.entities.add_alias(await one(memory, "nils"), "email", "nils@example.org")
    merge = await memory.entities.merge(await one(memory, "ida"), await one(memory, "sigrid"))
    await write(memory, "Today Pia Dahl came back to us from her long journey.")
    assert await listed(memory) - before == {"Else Vik", "Nils Aas", "Ida Roe", "Pia Dahl"}
    await memory.entities.undo_merge(merge.merge_id)
    assert await listed(memory) - before == {"Else Vik", "Nils Aas", "Pia Dahl"}
    olav = str(await one(memory, "olav"))
    await engine.neo4j.write("MATCH (e:Entity {entity_id: $e}) SET e.fact_count = 1, e.lone = false", e=olav)
    assert await listed(memory) - before == {"Else Vik", "Nils Aas", "Pia Dahl", "Olav Hegg"}


@pytest.mark.ledger("F07")
async def test_two_passages_of_one_document_are_two(memory: Memory) -> None:
    filler = "The tide went out and the boats lay on the sand until the evening. " * 60
    await write(memory, f"Ragnar Holt arrived with Sigrid Moe.\n\n{filler}\n\n{filler}\n\nRagnar Holt went home.")
    found = await listed(memory)
    assert "Ragnar Holt" in found and "Sigrid Moe" not in found


@pytest.mark.ledger("F07", "X01")
async def test_the_list_of_a_reader_depends_on_nothing_hidden(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    here = await memory.nodes.provision(NewNode(root, "Harbour", keywords=("harbour",)))
    hidden = await memory.nodes.provision(NewNode(root, "Diary"))
    readers = [await reader_of(engine, here.node_id, *more) for more in (("items",), ())]
    await write(memory, TEXT + " At noon Erna Vik looked on.", here.node_id)
    before = [
        (await reader.entities.list(limit=500), await reader.entities.list(limit=500, everything=True))
        for reader in readers
    ]
    for left, whole in before:
        assert not ALONE & {entity.name for entity in left} and {entity.name for entity in whole} >= ALONE
        assert left.left_out == len(whole) - len(left) >= 4
    await write(memory, "Ragnar Holt is married to Sigrid Moe. " * 3, hidden.node_id)
    await write(memory, "Torvald Brekke lives in Galway, in a house.", here.node_id, privacy="private")
    await memory.entities.add_alias(await one(memory, "erna"), "id", "7")
    assert ALONE | {"Erna Vik"} <= await listed(memory)
    for reader, (left, _) in zip(readers, before, strict=True):
        after = await reader.entities.list(limit=500)
        assert (after, after.left_out) == (left, left.left_out)


@pytest.mark.ledger("F07", "X01")
async def test_neither_passages_nor_facts_that_a_reader_may_not_read_count(engine: Engine, memory: Memory) -> None:
    here = await memory.nodes.provision(NewNode(memory.principal.user_id, "Harbour", keywords=("harbour",)))
    with_items, without = [await reader_of(engine, here.node_id, *more) for more in (("items",), ())]
    filler = "The tide went out and the boats lay on the sand until the evening. " * 60
    text = f"Ragnar Holt arrived with Sigrid Moe.\n\n{filler}\n\n{filler}\n\nRagnar Holt went home."
    await write(memory, text, here.node_id)
    assert "Ragnar Holt" in await listed(with_items) and "Ragnar Holt" not in await listed(without)
    fact = str(uuid4())
    await engine.neo4j.write(
        """
        MATCH (r:Record)-[:MENTIONS]->(e:Entity {user_id: $user, name: 'Sigrid Moe'}) SET e.lone = false, e.fact_count = 1
        CREATE (r)-[:STATES {fact_id: $fact, revision: 1}]->(:Fact {fact_id: $fact, user_id: $user, record_id: r.record_id, status: 'live',
                                                                    privacy: 'private', scope: 'user', revision: 1})-[:ABOUT]->(e)
        """,
        user=str(memory.principal.user_id), fact=fact,
    )  # fmt: skip
    assert "Sigrid Moe" in await listed(memory)
    assert "Sigrid Moe" not in await listed(with_items)
    await engine.neo4j.write("MATCH (f:Fact {fact_id: $fact}) SET f.privacy = 'org'", fact=fact)
    assert "Sigrid Moe" in await listed(with_items) and "Sigrid Moe" not in await listed(without)


@pytest.mark.ledger("F07")
async def test_at_a_moment_before_a_second_passage_it_is_left_out(memory: Memory) -> None:
    await write(memory, TEXT)
    moment = Moment(known_at=datetime.now(UTC))
    await write(memory, "Once more Sigrid Moe was seen at the harbour of the town.")
    assert "Sigrid Moe" in await listed(memory)
    now = {entity.name for entity in await memory.entities.list(moment, everything=True)}
    assert "Sigrid Moe" in now and "Sigrid Moe" not in {entity.name for entity in await memory.entities.list(moment)}


@pytest.mark.ledger("F07")
async def test_rest_and_the_shell_say_how_many_are_left_out(
    engine: Engine, user: User, memory: Memory, tmp_path: Path
) -> None:
    await write(memory, TEXT)
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/entities"
        answer = await door.get(path)
        assert (answer.json(), answer.headers["Left-Out"]) == ([], "3")
        answer = await door.get(path, params={"all": "true"})
        assert ({one["name"] for one in answer.json()}, answer.headers["Left-Out"]) == (ALONE, "0")
        answer = await door.get(path, params={"name": "ragnar"})
        assert [one["name"] for one in answer.json()] == ["Ragnar Holt"]
    shell = Shell(engine, tmp_path, user.handle)
    told = await shell.prints("entity", "list")
    assert "3 names in a single passage left out (--all)" in told and "Ragnar Holt" not in told
    told = await shell.prints("entity", "list", "--all")
    assert "left out" not in told and all(name in told for name in ALONE)
    assert (await shell.answers("entity", "list"))["left_out"] == 3
    assert "Ragnar Holt" in await shell.prints("entity", "list", "--name", "ragnar")
    assert "Ragnar Holt" in await shell.prints("entity", "show", "Ragnar Holt")


@pytest.mark.ledger("F07")
async def test_a_document_that_floods_a_graph_costs_its_list_nothing_but_a_count(
    engine: Engine, memory: Memory
) -> None:
    await memory.records.remember(Conversation("c1", (Turn("Bob", "We met Dave Kowalski today."),)))
    await write(memory, TEXT)
    many = 2_000
    asked = first_page(memory)
    few = await work(engine, "entity/page", **asked)
    await engine.neo4j.write(
        """
        MATCH (r:Record)-[m:MENTIONS]->(e:Entity {user_id: $user, name: 'Ragnar Holt'}) UNWIND range(1, $many) AS number
        CREATE (r)-[:MENTIONS {role: 'mention', kind: 'person', names: ['n' + number], spans: m.spans, count: 1, known_from: m.known_from}]->
               (:Entity {user_id: $user, key: 'person:n' + number, entity_id: randomUUID(), name: 'N' + number, name_key: 'n' + number, kind: 'person',
                         mentions: 1, active: true, lone: true, known_from: m.known_from})
        """,
        user=str(memory.principal.user_id), many=many,
    )  # fmt: skip
    found = await memory.entities.list()
    assert "Dave Kowalski" in {one.name for one in found} and len(found) < 10
    assert found.left_out == many + 3
    assert await work(engine, "entity/page", **asked) < few + 2 * many
    assert await work(engine, "entity/page", **asked | {"marks": [False, True], "most": EVERY}) > few + 20 * many


@pytest.mark.ledger("F07")
async def test_the_list_counts_mentions_without_reading_their_records(engine: Engine, memory: Memory) -> None:
    """One who is mentioned in thousands of records costs a page what their number costs; a search by another name nothing."""
    turns = (Turn("Bob", "We met Dave Kowalski and Ines Moreira today."),)
    await memory.records.remember(Conversation("c1", turns))
    many = 2_000
    asked = first_page(memory)
    by_name = asked | {"name": "ines", "marks": [False, True], "most": EVERY}
    few, few_by_name = [await work(engine, "entity/page", **one) for one in (asked, by_name)]
    await engine.neo4j.write(
        """
        MATCH (n:Node {node_id: $user})-[:HOLDS]->(first:Record)-[m:MENTIONS]->(e:Entity {user_id: $user, name: 'Dave Kowalski'})
        SET e.mentions = e.mentions + $many WITH n, first, m, e UNWIND range(1, $many) AS number
        CREATE (n)-[:HOLDS]->(:Record {record_id: randomUUID(), user_id: $user, node_id: $user, content_type: 'conversation', privacy: 'org',
                known_from: first.known_from, valid_from: first.valid_from})-[:MENTIONS {role: 'mention', kind: 'person', names: m.names, spans: m.spans,
                count: 1, known_from: m.known_from}]->(e)
        """,
        user=str(memory.principal.user_id), many=many,
    )  # fmt: skip
    listed = {one.name: one.mentions for one in await memory.entities.list()}
    assert listed["Dave Kowalski"] == many + 1
    assert [one.name for one in await memory.entities.list(name="ines")] == ["Ines Moreira"]
    assert await work(engine, "entity/page", **by_name) < few_by_name + many / 10
    records = 10 * many  # that they hold is looked at once for each, however many each mentions
    assert await work(engine, "entity/page", **asked) < few + 4 * many + records
    exact = asked | {"kept": False}
    assert await work(engine, "entity/page", **exact) > few + 15 * many, "as for another moment: record by record"


@pytest.mark.ledger("F07")
async def test_the_list_of_one_user_reads_no_entities_of_others(engine: Engine, memory: Memory) -> None:
    asked = first_page(memory)
    costs = []
    for user in (memory.principal.user_id, uuid4(), uuid4()):
        await engine.neo4j.write(
            """
            UNWIND range(1, $many) AS number
            CREATE (:Entity {user_id: $user, key: 'person:n' + number, entity_id: randomUUID(), name: 'N' + number, name_key: 'n' + number,
                             kind: 'person', mentions: number % 7, active: true, lone: $lone})
            """,
            user=str(user), many=2_000 if len(costs) < 2 else 50, lone=len(costs) != 1,
        )  # fmt: skip
        costs.append(await work(engine, "entity/page", planned_anew=True, **asked))
    assert len(set(costs)) == 1, "the plan is made anew each time, and never by what the store holds of others"


@pytest.mark.ledger("A06", "A09")
@pytest.mark.parametrize("title", ["", "My uncle Karl Vang lives in Boston."])
async def test_a_note_that_is_its_own_title_names_what_it_says(memory: Memory, title: str) -> None:
    await memory.records.remember_text(title, title or "My uncle Karl Vang\nlives in Boston.")
    found = {one.name: one for one in await memory.entities.list(everything=True)}
    assert found.keys() >= {"Karl Vang", "Boston"} and not any("lives" in name for name in found)
    relations = await memory.entities.relations(found["Boston"].entity_id)
    assert [(one.relation_type, one.other_name) for one in relations] == [("LIVES_IN", "Karl Vang")] * bool(title)
