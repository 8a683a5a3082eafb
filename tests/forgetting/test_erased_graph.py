"""What is erased in the graph is gone from every property, and what stays says what a graph says that never had it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.forgetting import graph
from engine.forgetting.graph import ErasedGraph
from engine.forgetting.numbers import EntityNumbers
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.statements import cypher
from engine.wiring.open_engine import open_engine
from tests.communities.test_communities import build
from tests.forgetting.lives import LIVES, Life, Step, said

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users
OF_USER = "MATCH (n) WHERE n.user_id = $user_id OR n.subject_id IS NOT NULL RETURN labels(n) AS labels, properties(n) AS properties"
LINKS_OF_USER = """
MATCH (n)-[x]->(o) WHERE n.user_id = $user_id OR o.user_id = $user_id OR x.user_id = $user_id
RETURN type(x) AS type, properties(x) AS properties, labels(n) AS source, labels(o) AS target
"""
ENTITIES = """
MATCH (e:Entity {user_id: $user_id})
RETURN e.key AS key, [label IN labels(e) WHERE label <> 'Entity'] AS label, e.name AS name, e.name_key AS name_key, e.kind AS kind, e.mentions AS mentions,
       coalesce(e.fact_count, 0) AS facts, e.active AS active, e.lone AS lone, e.paired AS paired, e.given_names AS given, e.names_before AS before,
       e.names_withdrawn AS withdrawn, e.last_context AS last_context, [place IN e.places | substring(place, 37)] AS places, CASE WHEN e.last_mentioned_at < datetime('2026-01-01') THEN e.last_mentioned_at END AS last_mentioned_at,
       size(coalesce(e.withdrawn_at, [])) AS withdrawn_times,
       e.created_at = e.known_from AND e.known_from = COLLECT { MATCH (e)<-[m:MENTIONS]-() RETURN m.known_from ORDER BY m.known_from LIMIT 1 }[0] AS made,
       COLLECT { MATCH (e)-[pair:POSSIBLY_SAME]-(o:Entity) RETURN [pair.reason, pair.score, o.key] ORDER BY o.key } AS pairs,
       COLLECT { MATCH (e)-[anchor:ANCHORED_AT]->(n:Node) RETURN n.name + ' ' + anchor.mentions ORDER BY n.name } AS anchors,
       COLLECT { MATCH (e)<-[m:MENTIONS]-(r:Record) RETURN [r.title, m.names, m.context, m.known_to IS NULL] ORDER BY r.title, m.context } AS mentioned,
       COLLECT { MATCH (e)<-[i:INTENDS]-(:Record) RETURN [i.text, i.due, i.state, i.known_to IS NULL] ORDER BY i.text } AS intentions,
       COLLECT { MATCH (e)-[:SUPERSEDES]->(o:Entity) RETURN o.key ORDER BY o.key } AS merged
ORDER BY key
"""
NAMES = """
MATCH (a:Alias {user_id: $user_id})
RETURN a.type AS type, a.key AS key, a.value AS value, a.verified AS verified, a.withdrawn AS withdrawn, size(coalesce(a.not_of, [])) AS not_of,
       COLLECT { MATCH (a)-[:NAMES]->(e:Entity) RETURN e.key ORDER BY e.key } AS named
ORDER BY type, key
"""
RELATIONS = """
MATCH (a:Entity {user_id: $user_id})-[x]->(b:Entity)
WHERE x.relation_id IS NOT NULL
RETURN a.key AS source, type(x) AS type, b.key AS target, x.strength AS strength, round(x.confidence, 6) AS confidence, x.since AS since, x.until AS until,
       CASE WHEN x.last_at < datetime('2026-01-01') THEN x.last_at END AS last_at, x.known_to IS NULL AS holds, x.functional AS functional,
       x.known_from = COLLECT { MATCH (a)<-[v:EVIDENCE {relation_id: x.relation_id}]-() RETURN v.known_from ORDER BY v.known_from LIMIT 1 }[0] AS made, x.symmetric AS symmetric, x.properties AS properties,
       size(coalesce(x.archivings, [])) AS archivings, x.ended_with IS NOT NULL AS ended_with,
       head(COLLECT { MATCH (c:Entity {user_id: $user_id})-[by]->(d:Entity) WHERE by.relation_id = x.ended_by RETURN [c.key, type(by), d.key] }) AS ender
ORDER BY source, type, target
"""
FACTS = """
MATCH (f:Fact {user_id: $user_id})
RETURN f.caption AS caption, f.name AS name, f.status AS status, f.confirmations AS confirmations,
       COLLECT { MATCH (f)-[about:ABOUT]->(e:Entity) RETURN [e.key, about.primary] ORDER BY e.key } AS about,
       COLLECT { MATCH (f)-[x:SUPERSEDES|CONTRADICTS|MAY_REPLACE]->(o:Fact) RETURN [type(x), o.caption] ORDER BY o.caption } AS others,
       COLLECT { MATCH (f)<-[x:STATES]-(r:Record) RETURN [r.title, x.known_to IS NULL] ORDER BY r.title } AS stated
ORDER BY caption, status
"""
SHELLS = """
MATCH (n:Node {user_id: $user_id})
RETURN n.name AS name, n.records AS records, n.items AS items, coalesce(n.private_records, 0) AS private_records, coalesce(n.private_items, 0) AS private_items,
       COLLECT { MATCH (n)-[:HOLDS]->(r:Record) RETURN [r.title, r.items, r.mentions] ORDER BY r.title } AS held
ORDER BY name
"""
DANGLING = """
MATCH (n {user_id: $user_id})
OPTIONAL MATCH (n)-[x]->()
WITH n, x, [n.last_record_id, x.source, x.ended_by, x.ended_with, x.withdrawn_with, x.fact_id] + coalesce(n.summary_of, []) + coalesce(n.not_of, [])
     + coalesce(x.enders, []) AS ids
UNWIND ids AS id
WITH DISTINCT labels(n) AS labels, type(x) AS type, id
WHERE id IS NOT NULL AND NOT EXISTS { (:Record {record_id: id}) } AND NOT EXISTS { (:Fact {fact_id: id}) } AND NOT EXISTS { (:Entity {entity_id: id}) }
  AND NOT EXISTS { ()-[:STATES {fact_id: id}]->() } AND NOT EXISTS { MATCH ()-[relation]->() WHERE type(relation) <> 'EVIDENCE' AND relation.relation_id = id }
RETURN labels, type, id
"""
"""Ids of what is not there."""
SEEN = {"entities": ENTITIES, "names": NAMES, "relations": RELATIONS, "facts": FACTS, "shells": SHELLS}


async def seen(engine: Engine, memory: Memory) -> dict[str, list[Any]]:
    """The graph of a user without ids and times of storing."""
    user = str(memory.principal.user_id)
    return {name: await engine.neo4j.read(statement, user_id=user) for name, statement in SEEN.items()}


async def shown(memory: Memory) -> list[Any]:
    """What reads return, without ids and times of storing."""
    entities = sorted(await memory.entities.list(limit=500, everything=True), key=lambda one: (one.name, one.kind))
    found: list[Any] = [(one.name, one.kind, one.names, one.mentions) for one in entities]
    for one in entities:
        related = await memory.entities.relations(one.entity_id, ended=True)
        found += sorted(
            (one.name, two.relation_type, two.other_name, two.strength, two.since or "", two.until or "")
            for two in related
        )
        found.append(
            sorted((alias.type, alias.value, alias.verified) for alias in await memory.entities.aliases(one.entity_id))
        )
    found.append(sorted((one.entity_name, one.merged_name) for one in await memory.entities.merges()))
    return found


# erased -------------------------------------------------------------------------------------------------------


@dataclass
class Erased:
    """What was stored of that which is forgotten."""

    records: list[UUID] = field(default_factory=list)
    facts: list[UUID] = field(default_factory=list)
    counts: Mapping[str, int] = field(default_factory=dict)


async def records(engine: Engine, memory: Memory) -> set[UUID]:
    statement = "MATCH (r:Record {user_id: $user_id}) RETURN r.record_id AS record_id"
    return {*await engine.neo4j.read(statement, row=UUID, user_id=str(memory.principal.user_id))}


async def facts_of(engine: Engine, of: Sequence[UUID]) -> list[UUID]:
    statement = sql.SQL("SELECT fact_id FROM engine.facts WHERE record_id = ANY (%(ids)s)")
    return await engine.postgres.fetch_as_service(statement, {"ids": list(of)}, row=UUID)


async def lived(engine: Engine, memory: Memory, steps: Sequence[Step]) -> Erased:
    erased = Erased()
    for step in steps:
        before = await records(engine, memory)
        await step.work(memory)
        erased.records += (await records(engine, memory)) - before if step.gone else ()
    erased.facts = await facts_of(engine, erased.records)
    return erased


async def forget(engine: Engine, memory: Memory, erased: Erased, *, withdrawn: bool = True) -> Mapping[str, int]:
    """Withdraws it, and erases it in the graph."""
    for record in erased.records if withdrawn else ():
        await memory.retractions.retract(RetractionSubject("record", str(record)))
    eraser, user_id = ErasedGraph(engine.neo4j, numbers=EntityNumbers(engine.postgres)), memory.principal.user_id
    counts = await eraser.erase_records(user_id, erased.records, erased.facts)
    assert await eraser.erase_records(user_id, erased.records, erased.facts) == {}, "it was erased"
    return counts


async def found(engine: Engine, user_id: UUID, words: Sequence[str]) -> list[str]:
    """In which nodes and relationships of a user these words are."""
    rows = [
        *await engine.neo4j.read(OF_USER, user_id=str(user_id)),
        *await engine.neo4j.read(LINKS_OF_USER, user_id=str(user_id)),
    ]
    return [text for row in rows if any(word in (text := str(row).casefold()) for word in words)]


@pytest.fixture(scope="module")
async def keeping(settings: Settings, engine: Engine) -> AsyncIterator[Engine]:
    """An engine on the same stores that keeps intentions."""
    async with open_engine(settings.model_copy(update={"intentions": True}), warming=False) as opened:
        yield opened


async def new_memory(engine: Engine) -> Memory:
    return engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}", "Bob Harlan")).user_id)


# a source beside others ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("withdrawn", [True, False], ids=["withdrawn before", "not withdrawn"])
@pytest.mark.parametrize("name", LIVES)
async def test_what_is_left_is_what_a_graph_says_that_never_had_it(keeping: Engine, name: str, withdrawn: bool) -> None:
    life = LIVES[name]
    if life.chains and not withdrawn:
        pytest.skip("chains of facts are withdrawn first")
    await compared(keeping, life, withdrawn=withdrawn)


async def compared(engine: Engine, life: Life, *, withdrawn: bool = True) -> None:
    memory, others = await new_memory(engine), await new_memory(engine)
    erased = await lived(engine, memory, life.steps)
    await lived(engine, others, [step for step in life.steps if not step.gone])
    await build(engine)
    user_id = memory.principal.user_id
    assert [word for word in life.words if not await found(engine, user_id, [word])] == []
    await forget(engine, memory, erased, withdrawn=withdrawn)
    ids = [str(one) for one in (*erased.records, *erased.facts)]
    assert await found(engine, user_id, [*life.words, *ids]) == []
    assert await engine.neo4j.read(DANGLING, user_id=str(user_id)) == []
    assert await seen(engine, memory) == await seen(engine, others)
    assert await shown(memory) == await shown(others)


@pytest.mark.parametrize("name", ["two sources", "relation that others state", "names of two", "name of the whole"])
async def test_a_record_at_a_time_says_the_same(keeping: Engine, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "RECORDS", 1)
    await compared(keeping, LIVES[name])


async def test_a_pair_that_an_erased_record_showed_goes(keeping: Engine) -> None:
    """Also where both stay."""
    memory = await new_memory(keeping)
    steps = (
        said(1, "We met Dave Kowalski.", "Dave Grohl plays tonight."),
        said(2, "Then Dave came by.", gone=True),
        said(3, "Dave came by with a cake."),
    )
    erased = await lived(keeping, memory, steps)
    assert await memory.entities.review() != ()
    await forget(keeping, memory, erased)
    assert await keeping.neo4j.read(DANGLING, user_id=str(memory.principal.user_id)) == []
    assert {one.name for one in await memory.entities.list(everything=True)} >= {"Dave", "Dave Kowalski", "Dave Grohl"}


async def test_communities_and_summaries_that_were_read_before_do_not_come_back(
    keeping: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that read the graph before and enters it afterwards is refused; what it enters in between is taken away."""
    memory = await new_memory(keeping)
    life = LIVES["summaries"]
    erased = await lived(keeping, memory, life.steps)
    await build(keeping)
    user_id = memory.principal.user_id
    reading = {"user_id": str(user_id), "built_at": datetime.now(UTC), "communities": [], "entities": []}
    reading["communities"] = [
        {"community_id": str(uuid4()), "name": "Vangorsk", "size": 0, "summary": "", "fingerprint": "", "vector": None,
         "vector_version": None, "members": []}
    ]  # fmt: skip
    await forget(keeping, memory, erased)
    assert await keeping.neo4j.write(cypher("lifecycle/communities_built"), **reading) == []
    assert await found(keeping, user_id, life.words) == []
    write = ErasedGraph._refusals

    async def entered(self: ErasedGraph, user: str) -> int:
        reading["built_at"] = datetime.now(UTC)
        assert await keeping.neo4j.write(cypher("lifecycle/communities_built"), **reading) != []
        assert await found(keeping, user_id, ["vangorsk"]) != []
        return await write(self, user)

    monkeypatch.setattr(ErasedGraph, "_refusals", entered)
    assert await ErasedGraph(keeping.neo4j).erase_records(user_id, erased.records, erased.facts) == {"Community": 1}
    assert await found(keeping, user_id, ["vangorsk"]) == []


async def test_the_graph_is_whole_and_records_that_name_somebody_by_another_key_are_read_again(keeping: Engine) -> None:
    users = []
    for name in ("two sources", "names of two", "name of the whole", "moved"):
        memory, others, life = await new_memory(keeping), await new_memory(keeping), LIVES[name]
        await forget(keeping, memory, await lived(keeping, memory, life.steps))
        await lived(keeping, others, [step for step in life.steps if not step.gone])
        users.append((memory, others))
    await keeping.derivations.run("entities")
    for memory, others in users:
        assert await seen(keeping, memory) == await seen(keeping, others)
        assert await keyed(keeping, memory) == await keyed(keeping, others)
    ids = {str(memory.principal.user_id) for memory, _ in users}
    findings = [one for one in await keeping.doctor.examine() if str(one.node_id) in ids]
    assert [one for one in findings if one.kind != "manifest-lost"] == [], "rows of Postgres are still there"


async def keyed(engine: Engine, memory: Memory) -> list[tuple[int, ...]]:
    """The numbers of entities in the rows of what is not forgotten."""
    schema = str((await memory.nodes.shell(memory.principal.user_id)).schema_name)
    statement = sql.SQL("SELECT entities FROM {}.memory_items WHERE record_id = ANY (%(ids)s)")
    ids = list(await records(engine, memory))
    found = await engine.postgres.fetch_as_service(
        statement.format(sql.Identifier(schema)), {"ids": ids}, row=tuple[int, ...]
    )
    return sorted(tuple(sorted(one)) for one in found)


# a user -------------------------------------------------------------------------------------------------------


async def full(engine: Engine) -> Memory:
    """A user with something of every kind."""
    memory = await new_memory(engine)
    for name in ("correction", "aliases", "facts", "merge", "summaries", "intentions", "changed"):
        await lived(engine, memory, LIVES[name].steps)
    root = memory.principal.user_id
    persona = await memory.nodes.provision(NewNode(root, "Guide", "persona"))
    boat = await memory.nodes.provision(NewNode(root, "Boat", summary="It leaks.", keywords=("sails",)))
    await memory.edges.make(boat.node_id, persona.node_id, "belongs to", {"since": "2001"})
    await memory.edges.make(persona.node_id, boat.node_id, "dreams of", {"since": "2002"})
    await memory.history.change(Change("node", boat.node_id, {"name": "Yacht"}))
    await memory.grants.give(NewGrant(boat.node_id, "persona", persona.node_id))
    return memory


async def test_all_of_a_user_is_gone_and_nothing_of_others(keeping: Engine) -> None:
    memory, others = await full(keeping), await full(keeping)
    shared, own = [await keeping.workspace.integrations.create(f"app {uuid4()}") for _ in range(2)]
    for reader, app in ((memory, shared), (memory, own), (others, shared)):
        await reader.grants.give(NewGrant(reader.principal.user_id, "third_party", app.integration_id))
    await build(keeping)
    whole = await rows_of(keeping, others.principal.user_id)
    user_id, eraser = memory.principal.user_id, ErasedGraph(keeping.neo4j)
    personas = "MATCH (n:Persona {user_id: $user_id}) RETURN n.node_id AS node_id"
    [persona] = await keeping.neo4j.read(personas, row=str, user_id=str(user_id))
    stray = "CREATE (:Record {user_id: $user_id, record_id: randomUUID()}), (:Past {user_id: $user_id, slice_id: randomUUID()})"
    await keeping.neo4j.write(stray, user_id=str(user_id))
    counts = await eraser.erase_user(user_id)
    every = "MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) IN $ids) RETURN labels(n) AS labels"
    ids = [str(user_id), persona, str(own.integration_id)]
    assert await keeping.neo4j.read(every, ids=ids) == []
    links = "MATCH ()-[x]->() WHERE any(key IN keys(x) WHERE toStringOrNull(x[key]) IN $ids) RETURN type(x) AS type"
    assert await keeping.neo4j.read(links, ids=ids) == []
    assert counts.keys() >= {
        "Record", "Past", "Fact", "Community", "Alias", "Entity", "Node", "Subject", "MENTIONS", "EVIDENCE", "RELATION", "NAMES", "HOLDS", "RELATED",
        "GRANTED", "STATES", "ABOUT", "INTENDS", "SUPERSEDES", "IN_COMMUNITY", "HAS_CHILD", "WAS", "ANCHORED_AT",
    }  # fmt: skip
    assert not {*counts} & {"MARRIED_TO", "BELONGS_TO", "LIVES_IN"}, "what something is called says something of it"
    assert await eraser.erase_user(user_id) == {}
    assert await rows_of(keeping, others.principal.user_id) == whole


async def rows_of(engine: Engine, user_id: UUID) -> list[str]:
    own = OF_USER.replace(" OR n.subject_id IS NOT NULL", "")
    rows: list[Any] = [
        *await engine.neo4j.read(own, user_id=str(user_id)),
        *await engine.neo4j.read(LINKS_OF_USER, user_id=str(user_id)),
    ]
    for row in rows:  # what reads leave behind them is written later
        for name in ("access_count", "last_accessed_at"):
            row["properties"].pop(name, None)
    return sorted(map(str, rows))
