"""What people see of a graph who draw it: edges with their own types, conversations and documents with captions."""

from __future__ import annotations

from uuid import UUID

import pytest

from engine.domain.delta import ENDED, Change
from engine.domain.graph import EDGE_TYPES
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.migrations import migrations
from engine.stores.statements import cypher

TYPES = {
    "same_person": "SAME_PERSON",
    "Covered by": "COVERED_BY",
    "looked-after-by": "LOOKED_AFTER_BY",
    "opposite": "RELATED",
}


async def types(engine: Engine, memory: Memory) -> dict[str, tuple[str, str | None]]:
    """The type in Neo4j of each edge, and one of its properties, by the type that its owner gave."""
    rows = await engine.neo4j.read(
        "MATCH (n:Node {user_id: $user})-[e]->(:Node) WHERE e.edge_id IS NOT NULL AND type(e) <> 'WAS_RELATED'"
        " RETURN e.edge_type AS given, type(e) AS stored, e.since AS since",
        user=str(memory.principal.user_id),
    )
    return {row["given"]: (row["stored"], row["since"]) for row in rows}


@pytest.mark.ledger("N04")
async def test_an_edge_has_its_own_type_where_it_is_listed(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    one, other = [(await memory.nodes.provision(NewNode(root, name))).node_id for name in ("Shed", "Mill")]
    made = {name: (await memory.edges.make(one, other, name, {"since": "2003"})).edge_id for name in TYPES}
    assert await types(engine, memory) == {name: (stored, "2003") for name, stored in TYPES.items()}
    for edge_id in made.values():
        await memory.history.change(Change("edge", edge_id, {"properties": {"since": "2004"}}))
        await memory.history.change(Change("edge", edge_id, {ENDED: True}))
    assert await memory.edges.list() == ()
    for name in TYPES:
        assert (await memory.edges.make(one, other, name, {})).reopened
    assert await types(engine, memory) == {name: (stored, "2004") for name, stored in TYPES.items()}
    assert {edge.edge_type for edge in await memory.edges.list()} == TYPES.keys()
    assert {edge.edge_type for edge in (await memory.nodes.shell(one)).edges} == TYPES.keys()
    await engine.neo4j.write("MATCH (:Node {node_id: $one})-[e:SAME_PERSON]->() DELETE e", one=str(one))
    await engine.mending.run()
    assert await types(engine, memory) == {name: (stored, "2004") for name, stored in TYPES.items()}


def test_the_listed_types_are_the_same_everywhere() -> None:
    listed = "|".join(("RELATED", *EDGE_TYPES))
    assert f"[e:({listed}) {{edge_id" in cypher("edge/by_id")
    quoted = ", ".join(f"'{one}'" for one in EDGE_TYPES)
    [made] = [one for one in migrations("neo4j") if one.name.endswith("types_of_edges.cypher")]
    assert quoted in cypher("edge/revised") and quoted in made.text
    assert made.text.count("CREATE CONSTRAINT") == len(EDGE_TYPES)


async def drawn(engine: Engine, record_id: UUID) -> tuple[list[str], str | None]:
    """The labels of a record and its caption."""
    [row] = await engine.neo4j.read(
        "MATCH (r:Record {record_id: $record_id}) RETURN labels(r) AS labels, r.caption AS caption",
        record_id=str(record_id),
    )
    return sorted(row["labels"]), row["caption"]


@pytest.mark.ledger("N04")
async def test_a_record_says_what_it_is_and_how_it_is_called(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    chat = Conversation("c", (Turn("Bob", "The guests stayed until two."),), title="A busy evening")
    [said] = (await memory.records.remember(chat)).records
    [written] = (await memory.records.remember_text("Rules of the pool", "No running.")).records
    assert await drawn(engine, said.record_id) == (["Conversation", "Record"], "Conversation: A busy evening")
    document = ["Document", "Record"]
    assert await drawn(engine, written.record_id) == (document, "Document: Rules of the pool")
    await memory.history.change(Change("record", written.record_id, {"title": "Rules of the sauna"}, root))
    assert await drawn(engine, written.record_id) == (document, "Document: Rules of the sauna")
    retraction = await memory.retractions.retract(RetractionSubject("record", str(written.record_id)))
    assert await drawn(engine, written.record_id) == (document, None)
    await memory.retractions.undo(retraction.retraction_id)
    assert await drawn(engine, written.record_id) == (document, "Document: Rules of the sauna")
    await memory.history.change(Change("record", said.record_id, {ENDED: True}, root))
    assert await drawn(engine, said.record_id) == (["Conversation", "Record"], None)
