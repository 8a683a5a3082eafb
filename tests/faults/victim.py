"""A process that writes and is killed at a step: `python -m tests.faults.victim HOME CACHE HANDLE OPERATION STEP`.

Prints what the engine acknowledged. STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.ingest.rereading.replays import LostManifests
from engine.lab.benchmarks.knowledge_facts import ReadsLines
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.records.writer import RecordPlace
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of
from tests.readings import read_again


async def changing(memory: Memory, operation: str) -> Change:
    """A whole record, item, node or edge, and the change of it that is about to come."""
    root = memory.principal.user_id
    node = await memory.nodes.provision(NewNode(root, "Before"))
    if operation == "change node":
        home = await memory.nodes.provision(NewNode(root, "Home"))
        return Change("node", node.node_id, {"name": "After", "parent_id": str(home.node_id)})
    if operation == "change archived":
        await memory.nodes.provision(NewNode(node.node_id, "Below"))
        return Change("node", node.node_id, {"archived": True})
    if operation == "change edge":
        edge = (await memory.edges.make(root, node.node_id, "holds", {"since": "2001"})).edge_id
        return Change("edge", edge, {"properties": {"since": "2002"}})
    report = await memory.records.remember_text("Before", "A walleye was caught.", node_id=node.node_id)
    if operation == "change item":
        hit = (await memory.search(SearchRequest("walleye"))).hits[0]
        return Change("item", hit.item_id, {"content": "Ellen Harlan caught it."}, node.node_id)
    return Change("record", report.records[0].record_id, {"title": "After"}, node.node_id)


async def granting(memory: Memory, operation: str) -> Callable[[], Awaitable[object]]:
    """A persona and a node, and the grant or its end that is about to come."""
    persona = await memory.nodes.provision(NewNode(memory.principal.user_id, "Coach", "persona"))
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Running"))
    new = NewGrant(node.node_id, "persona", persona.node_id)
    if operation == "grant":
        return lambda: memory.grants.give(new)
    given = await memory.grants.give(new)
    return lambda: memory.grants.revoke(given.grant_id)


async def restoring(engine: Engine, memory: Memory) -> Callable[[], Awaitable[object]]:
    """A record that was changed and that the graph has lost: it is entered again with its changes, by one commit."""
    change = await changing(memory, "change record")
    await memory.history.change(change)
    lost = "MATCH (n:Node)-[:HOLDS]->(r:Record {record_id: $id}) SET n.records = n.records - 1, n.items = n.items - r.items DETACH DELETE r"
    await engine.neo4j.write(lost, id=str(change.subject_id))
    place = RecordPlace(change.subject_id, change.node_id, (await memory.nodes.shell(change.node_id)).schema_name)
    manifests = LostManifests(engine.postgres, engine.neo4j, UnitsOfWork(engine.postgres, engine.outbox))
    return lambda: manifests.restore(memory.principal, [place])


async def speaking(engine: Engine, memory: Memory, operation: str) -> Callable[[], Awaitable[object]]:
    """A conversation with its entities, and what is about to come: its reading, a merge or its end, a word that two are apart."""
    turns = (Turn("Bob", "We met my sister Ellen Harlan and Dave Kowalski at the lake."),)
    await memory.records.remember(Conversation("victim", turns))
    me = str(memory.principal.user_id)
    if operation.startswith("read"):
        await engine.derivations.run("entities")
        await engine.neo4j.write("MATCH (r:Record {user_id: $me}) REMOVE r.mentions_reader, r.relations_reader", me=me)
        return lambda: read_again(engine, memory.principal.user_id)
    ellen, dave = [one.entity_id for one in await memory.entities.list(everything=True) if " " in one.name][:2]
    if operation == "tell apart":
        pair = "MATCH (a:Entity {entity_id: $a}), (b:Entity {entity_id: $b}) CREATE (a)-[:POSSIBLY_SAME {pair_id: $me, score: 0.5, reason: 'alike', known_from: a.known_from}]->(b)"
        await engine.neo4j.write(pair, a=str(ellen), b=str(dave), me=me)
        return lambda: memory.entities.tell_apart(memory.principal.user_id)
    if operation == "archive relation":
        sister = next(one for one in await memory.entities.list(name="bob"))
        [relation, *_] = await memory.entities.relations(sister.entity_id)
        return lambda: memory.entities.archive_relation(relation.relation_id)
    if operation == "close intention":
        stated = "MATCH (r:Record)-[m:MENTIONS]->(e:Entity {entity_id: $dave}) CREATE (r)-[:INTENDS {intention_id: $me, user_id: $me, text: 'To sail.', state: 'open', item_id: r.record_id, span: '0-8', known_from: m.known_from}]->(e)"
        await engine.neo4j.write(stated, dave=str(dave), me=me)
        return lambda: memory.intentions.decide(memory.principal.user_id, "done")
    if operation == "add alias":
        return lambda: memory.entities.add_alias(dave, "email", "dave@example.org")
    if operation == "correct entity":
        return lambda: memory.entities.correct(dave, name="David Kowalski", kind="animal")
    if operation == "merge entities":
        return lambda: memory.entities.merge(ellen, dave)
    merge = await memory.entities.merge(ellen, dave)
    return lambda: memory.entities.undo_merge(merge.merge_id)


async def prepared(engine: Engine, handle: str, operation: str) -> Callable[[], Awaitable[object]]:
    """What the victim does while its trap is armed; all that it needs is there."""
    memory = engine.memory((await engine.workspace.users.create(handle)).user_id)
    root = memory.principal.user_id
    if operation in ("grant", "revoke"):
        return await granting(memory, operation)
    if operation == "restore record":
        return await restoring(engine, memory)
    if operation == "state facts":
        colours = [Turn("Bob", f"Dave Kowalski's favourite colour is {colour}.") for colour in ("red", "blue")]
        await memory.records.remember(Conversation("before", (colours[0],)))
        return lambda: memory.records.remember(Conversation("victim", (colours[1],)))
    if operation.startswith(("read", "merge", "undo", "tell", "archive", "correct", "add alias", "close")):
        return await speaking(engine, memory, operation)
    if operation == "retract":
        report = await memory.records.remember_text("Victim", "Ellen Harlan works at Harlan Joinery.", node_id=root)
        subject = RetractionSubject("record", str(report.records[0].record_id))
        return lambda: memory.retractions.retract(subject)
    if operation.startswith("change"):
        change = await changing(memory, operation)
        return lambda: memory.history.change(change)
    turns = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(40))
    return {
        "user": lambda: engine.workspace.users.create(f"{handle}-new"),
        "node": lambda: memory.nodes.provision(NewNode(root, "Victim")),
        "path": lambda: memory.nodes.provision_whole([NewNode(root, name) for name in ("Family", "Siblings", "Ellen")]),
        "record": lambda: memory.records.remember(Conversation("victim", turns)),
    }[operation]


async def main(home: str, cache: str, handle: str, operation: str, step: str) -> None:
    trap = Trap(step)
    model = ReadsLines() if operation == "state facts" else None
    async with open_engine(on_stores_of(home, cache), on_step=trap, language=model, warming=False) as engine:
        act = await prepared(engine, handle, operation)
        trap.armed = True
        await act()
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
