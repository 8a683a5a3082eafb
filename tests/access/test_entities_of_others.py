"""What others than the user learn of entities: nothing that only records say which they may not read."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from engine.domain.entity import EntitySummary, Mention, TextPiece
from engine.domain.grant import FIELDS, Field, NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode, User
from engine.domain.principal import Principal
from engine.errors import NotFound
from engine.memory import Memory
from engine.naming.configuration import load_domain
from engine.naming.mentions import NamedMention, SourceText, entity_mentions
from engine.neurigraph import Engine
from engine.stores.statements import cypher


async def shared_and_hidden(memory: Memory) -> tuple[ProvisionedNode, ProvisionedNode]:
    root = memory.principal.user_id
    here = await memory.nodes.provision(NewNode(root, "Boat", keywords=("boat", "walleye", "sail")))
    return here, await memory.nodes.provision(NewNode(root, "Clinic", keywords=("clinic", "doctor", "surgery")))


async def reader_of(engine: Engine, memory: Memory, node: UUID, fields: tuple[Field, ...] = FIELDS) -> Memory:
    integration = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(node, "third_party", integration.integration_id, fields=fields))
    return engine.memory_as(Principal("third_party", integration.integration_id, memory.principal.user_id))


async def say(memory: Memory, node: ProvisionedNode, text: str, at: datetime | None = None) -> None:
    conversation = Conversation(str(uuid4()), (Turn("Bob", text, at),))
    await memory.records.remember(conversation, node_id=node.node_id)


async def called(memory: Memory, name: str) -> EntitySummary:
    [found] = [one for one in await memory.entities.list(limit=500, everything=True) if name in one.names]
    return found


@pytest.mark.ledger("X01")
def test_a_word_of_kinship_is_entered_without_the_name_of_whom_it_means() -> None:
    text = SourceText(uuid4(), TextPiece("My sister took the boat out.", "Bob"))
    sister = Mention("My sister", 0, 9, "person", "kinship")
    known = {("my sister", "Bob"): NamedMention("person:ellen-harlan", "Ellen Harlan", "person")}
    [mention] = entity_mentions([(text, [sister])], known, load_domain())
    assert (mention.key, list(mention.names), list(mention.aliases)) == ("person:ellen-harlan", [], [])


@pytest.mark.ledger("X01")
async def test_who_is_only_spoken_of_as_my_sister_has_no_name(engine: Engine, memory: Memory) -> None:
    here, _ = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id)
    await say(memory, here, "Elli Lund is a friend of Dave Kowalski.")
    elli = (await called(memory, "Elli Lund")).entity_id
    await engine.neo4j.write(
        "MATCH (:Record)-[m:MENTIONS]->(e:Entity {entity_id: $entity_id}) SET m.names = []", entity_id=str(elli)
    )
    [listed] = [one for one in await reader.entities.list(everything=True) if one.entity_id == elli]
    [friend] = await reader.entities.relations(elli)
    why = await reader.entities.why(friend.relation_id)
    named = {listed.name, (await reader.entities.get(elli)).name, why.source_name, why.target_name}
    assert (named, listed.names) == ({"person", "Dave Kowalski"}, ())


@pytest.mark.ledger("X01", "A09")
async def test_a_hidden_end_of_a_relation_does_not_show(engine: Engine, memory: Memory) -> None:
    here, hidden = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id)
    times = [datetime(2024 + year, 5, 1, tzinfo=UTC) for year in range(3)]
    await say(memory, here, "Teresa Vang lives in Galway.", times[0])
    await say(memory, hidden, "Teresa Vang lives in Lunenburg.", times[1])
    teresa = (await called(memory, "Teresa Vang")).entity_id
    assert [one.other_name for one in await memory.entities.relations(teresa)] == ["Lunenburg"]
    assert [(one.other_name, one.until) for one in await reader.entities.relations(teresa)] == [("Galway", None)]
    await say(memory, here, "Teresa Vang lives in Lunenburg.", times[2])
    assert [one.other_name for one in await reader.entities.relations(teresa)] == ["Lunenburg"]
    every = {one.other_name: one.until for one in await reader.entities.relations(teresa, ended=True)}
    assert every == {"Galway": "2026-05-01", "Lunenburg": None}, "the end is what readable records say"


@pytest.mark.ledger("X01", "A08")
async def test_a_persona_that_writes_does_not_learn_hidden_names(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    myself = await memory.nodes.provision(NewNode(root, "Iris", "persona"))
    here, hidden = await shared_and_hidden(memory)
    await memory.grants.give(NewGrant(here.node_id, "persona", myself.node_id, mode="read_write"))
    await say(memory, here, "Dave Kowalski was in the boat.")
    dave = await called(memory, "Dave Kowalski")
    await say(memory, hidden, "Dave Kowalski was here, and Dave was well.")
    assert (await memory.entities.get(dave.entity_id)).names == ("Dave Kowalski", "Dave")
    await engine.neo4j.write(
        "MATCH (a:Alias {user_id: $user_id, key: 'dave'}) SET a.key = 'rowan quillfeather', a.value = 'Rowan Quillfeather'"
        " WITH a MATCH (:Record)-[m:MENTIONS]->(e:Entity {entity_id: $entity_id}) WHERE 'dave' IN m.names"
        " SET m.names = ['dave kowalski', 'rowan quillfeather']",
        user_id=str(root), entity_id=str(dave.entity_id),
    )  # fmt: skip
    persona = engine.memory_as(Principal("persona", myself.node_id, root))
    await say(persona, here, "Then Rowan Quillfeather was there with the sail.")
    found = await persona.entities.list(everything=True)
    assert [one.names for one in found if one.entity_id == dave.entity_id] == [("Dave Kowalski",)]
    assert "Rowan Quillfeather" in {one.name for one in found}


@pytest.mark.ledger("X01", "X05")
async def test_a_merged_entity_is_found_under_the_ids_that_may_be_known(engine: Engine, memory: Memory) -> None:
    here, hidden = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id)
    await say(memory, here, "Elli Lund is a friend of Dave Kowalski.")
    await say(memory, hidden, "Margaret Osei saw the doctor. Vern Tamarack did not.")
    elli, margaret, vern = [
        (await called(memory, name)).entity_id for name in ("Elli Lund", "Margaret Osei", "Vern Tamarack")
    ]
    await memory.entities.merge(margaret, elli)
    [shown] = [one for one in await reader.entities.list(everything=True) if "Elli Lund" in one.names]
    assert (shown.entity_id, shown.name, shown.names) == (elli, "Elli Lund", ("Elli Lund",))
    assert (await reader.entities.get(elli)).merged == ()
    [friend] = await reader.entities.relations(elli)
    assert friend.other_name == "Dave Kowalski"
    await memory.entities.merge(margaret, vern)
    for ask in (reader.entities.get, reader.entities.relations):
        for hidden_id in (margaret, vern):
            with pytest.raises(NotFound):
                await ask(hidden_id)
    for entity_id in (margaret, elli):
        [friend] = await memory.entities.relations(entity_id)
        assert friend.other_name == "Dave Kowalski"


@pytest.mark.ledger("X01")
async def test_places_in_items_are_for_those_who_may_read_these(engine: Engine, memory: Memory, user: User) -> None:
    here, _ = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id, ("records",))
    await say(memory, here, "Elli Lund is a friend of Dave Kowalski.")
    elli = (await called(memory, "Elli Lund")).entity_id
    assert [mention.spans for mention in (await reader.entities.get(elli)).latest] == [()]
    [friend] = await reader.entities.relations(elli)
    [mine] = (await memory.entities.why(friend.relation_id)).evidence
    [other] = (await reader.entities.why(friend.relation_id)).evidence
    assert mine.item_id and mine.span and (other.record_id, other.item_id, other.span) == (mine.record_id, None, None)
    assert (mine.text, other.text) == ("Elli Lund is a friend of Dave Kowalski.", None)


@pytest.mark.ledger("X01")
async def test_a_commit_changes_what_records_of_its_own_graph_mention(engine: Engine, memory: Memory) -> None:
    here, _ = await shared_and_hidden(memory)
    await say(memory, here, "Elli Lund is a friend of Dave Kowalski.")
    elli = await memory.entities.get((await called(memory, "Elli Lund")).entity_id)
    foreign = {
        "record_id": str(elli.latest[0].record_id), "user_id": str(uuid4()), "node_id": str(here.node_id), "revision": 2,
        "commit_id": str(uuid4()), "reader": 99, "known_from": "2030-01-01T00:00:00Z", "at": "2030-01-01T00:00:00Z",
        "entities": [], "stated": [],
    }  # fmt: skip
    root = {"node_id": foreign["user_id"], "user_id": foreign["user_id"]}
    await engine.neo4j.write("CREATE (:Node $root)", root=root)
    try:
        await engine.neo4j.write(cypher("entity/mentioned"), mentions=[foreign])
        await engine.neo4j.write(cypher("entity/related"), relations=[foreign])
        assert await engine.neo4j.write(cypher("entity/reworded"), reworded=foreign) == []
    finally:
        await engine.neo4j.write("MATCH (n:Node {node_id: $node_id}) DELETE n", **root)
    after = await memory.entities.get(elli.entity_id)  # the first look may be counted by now
    assert replace(after, access_count=0, last_accessed_at=None) == elli
    assert len(await memory.entities.relations(elli.entity_id)) == 1


async def test_writers_at_once_do_not_make_one_of_two_namesakes(engine: Engine, memory: Memory) -> None:
    """Several can be meant by a name whose key is taken: each writer makes an entity of its own, which is found from then on."""
    root = memory.principal.user_id
    myself = await memory.nodes.provision(NewNode(root, "Iris", "persona"))
    here, _ = await shared_and_hidden(memory)
    await memory.grants.give(NewGrant(here.node_id, "persona", myself.node_id, mode="read_write"))
    for said in ("We met Ann.", "We met Ann Stone.", "We met Ann Field. Then we left with Ann."):
        await say(memory, here, said)
    known = {one.entity_id for one in await memory.entities.list(everything=True)}
    persona = engine.memory_as(Principal("persona", myself.node_id, root))
    await asyncio.gather(*(say(persona, here, f"Today it was Ann who sang, number {n}.") for n in range(2)))
    made = [one for one in await memory.entities.list(everything=True) if one.entity_id not in known]
    assert sorted(one.mentions for one in made if one.name == "Ann") == [1, 1]
    keys = [(await memory.entities.get(one.entity_id)).key or "" for one in made]
    assert all(key.startswith("person:ann~") for key in keys)
    await say(persona, here, "And it was Ann who danced.")
    again = [one for one in await memory.entities.list(everything=True) if one.entity_id not in known]
    assert sorted(one.mentions for one in again) == [1, 2]
