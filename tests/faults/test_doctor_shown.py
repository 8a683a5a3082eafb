"""Values of the graph that decide who sees a thing, or are shown of it: each is compared with Postgres, which is right, and follows it again."""

from __future__ import annotations

from typing import Any

import pytest

from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("alone")

DIARY, TALK, FACT, EDGE = (
    "MATCH (x:Record {user_id: $user, title: 'Diary'})",
    "MATCH (x:Record:Conversation {user_id: $user})",
    "MATCH (x:Fact {user_id: $user}) WITH x ORDER BY x.fact_id LIMIT 1",
    "MATCH (:Node {user_id: $user})-[x {berth: '12'}]->(:Node)",
)
SHOWN = "1 record private, and shown by the graph"
HIDDEN = "1 record with another privacy in the graph"
LABELLED = "1 record with another type, label or caption"
FACTS = "1 fact missing in the graph, or there with another"
EDGES = "finished, but missing in the graph"
DAMAGE = {
    # what: how it is inflicted, what is found first
    "private record that all see": (f"{DIARY} SET x.privacy = 'org'", SHOWN),
    "private record without privacy": (f"{DIARY} REMOVE x.privacy", SHOWN),
    "private record of no privacy": (f"{DIARY} SET x.privacy = 'nonsense'", SHOWN),
    "record that nobody sees": (f"{TALK} SET x.privacy = 'private'", HIDDEN),
    "label of another type": (f"{TALK} REMOVE x:Conversation SET x:Document", LABELLED),
    "no label": (f"{DIARY} REMOVE x:Document", LABELLED),
    "two labels": (f"{DIARY} SET x:Conversation", LABELLED),
    "another type": (f"{TALK} SET x.content_type = 'other'", LABELLED),
    "another type with its label": (f"{TALK} REMOVE x:Conversation SET x:Document, x.content_type = 'other', x.caption = 'Document: ' + x.title", LABELLED),
    "another caption": (f"{DIARY} SET x.caption = 'Document: A recipe'", LABELLED),
    "no caption": (f"{TALK} REMOVE x.caption", LABELLED),
    "record without its node": (f"{DIARY} REMOVE x.node_id", LABELLED),
    "another caption of a fact": (f"{FACT} SET x.caption = 'Dave lives on the moon.'", FACTS),
    "another name of a fact": (f"{FACT} SET x.name = 'Dave lives on the moon.'", FACTS),
    "no caption of a fact": (f"{FACT} REMOVE x.caption", FACTS),
    "private fact": (f"{FACT} SET x.privacy = CASE x.privacy WHEN 'org' THEN 'private' ELSE 'org' END", FACTS),
    "fact without privacy": (f"{FACT} REMOVE x.privacy", FACTS),
    "another scope of a fact": (f"{FACT} SET x.scope = 'thread'", FACTS),
    "edge without a property": (f"{EDGE} REMOVE x.since_when", EDGES),
    "edge with another property": (f"{EDGE} SET x.berth = '99'", EDGES),
    "edge that was ended": (f"{EDGE} SET x.valid_to = datetime('2020-01-01T00:00:00Z')", EDGES),
}  # fmt: skip


@pytest.fixture
async def shown(engine: Engine, memory: Memory) -> Memory:
    """A private and an open record, facts, and an edge with properties."""
    root = memory.principal.user_id
    lake = await memory.nodes.provision(NewNode(root, "Lake", summary="A cold lake."))
    boat = await memory.nodes.provision(NewNode(root, "Boat", summary="A small boat."))
    said = (Turn("Bob", "Dave Kowalski works at Harlan Joinery LLC."), Turn("Bob", "Dave Kowalski lives in Rome."))
    await memory.records.remember(Conversation("talk", said), node_id=lake.node_id)
    await memory.records.remember_text("Diary", "Nobody is to read this.", node_id=lake.node_id, privacy="private")
    long = "Dave Kowalski keeps all of " + "the old tools of his grandfather, " * 40 + "in Rome."
    for fact in ("Dave Kowalski has a boat.", long):
        await memory.facts.write(WrittenFact(fact, ("Dave Kowalski",)))
    await memory.edges.make(boat.node_id, lake.node_id, "moored at", {"berth": "12", "since_when": "spring"})
    for job in ("entities", "vectors"):
        await engine.derivations.run(job)
    assert await engine.doctor.examine() == []
    return memory


async def everything(engine: Engine, memory: Memory) -> Any:
    """All of the records, facts, edges and nodes of the user."""
    looked = (
        "MATCH (x {user_id: $user}) WHERE x:Record OR x:Fact RETURN coalesce(x.record_id, '') + coalesce(x.fact_id, '') AS id, labels(x) AS labels,"
        " properties(x) AS all ORDER BY id, labels[0]",
        "MATCH (x:Node {user_id: $user}) RETURN x.node_id AS id, [x.private_records, x.private_items, x.records, x.items] AS counts ORDER BY id",
        "MATCH (:Node {user_id: $user})-[x]->(:Node) WHERE x.edge_id IS NOT NULL RETURN x.edge_id AS id, properties(x) AS all ORDER BY id",
    )
    return [await engine.neo4j.read(one, user=str(memory.principal.user_id)) for one in looked]


async def test_what_the_graph_shows_otherwise_is_named_and_follows_postgres(engine: Engine, shown: Memory) -> None:
    right = await everything(engine, shown)
    for name, (damage, words) in DAMAGE.items():
        for by in ("fix", "mend") if words in (SHOWN, HIDDEN, LABELLED) else ("fix",) if words == FACTS else ("mend",):
            await engine.neo4j.write(f"{damage} RETURN 1 AS done", user=str(shown.principal.user_id))
            found = await engine.doctor.examine()
            assert found and any(one.problem.startswith(words) for one in found), (name, found)
            assert {one.severity for one in found} == {"error"}, (name, found)
            if by == "fix":
                assert [one.failure for one in await engine.remedies.fix(found) if one.failure] == [], name
            else:
                await engine.mending.run()
            for job in ("entities", "chains", "facts") if words == FACTS else ():
                await engine.derivations.run(job)
            assert (await engine.doctor.examine(), await everything(engine, shown)) == ([], right), name
