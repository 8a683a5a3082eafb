"""Every kind of damage of a knowledge graph, inflicted on the real graph: found, named right, mended, and clean again."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.lifecycle.doctor import Finding
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("alone")

SAID = (
    Turn("Bob", "My sister Ellen is married to Dave Kowalski."),
    Turn("Bob", "Dave Kowalski works at Harlan Joinery LLC since 2011."),
)
LATER = (Turn("Bob", "Dave Kowalski works at Harlan Joinery LLC. Teresa Vang called."),)
NAMED = "MATCH (e:Entity {{user_id: $user, name: '{0}'}})"
DAVE = NAMED.format("Dave Kowalski")
TERESA = NAMED.format("Teresa Vang").replace("(e:", "(t:")
MERGED = (
    "{{merge_id: randomUUID(), user_id: $user, at: datetime() + duration({{seconds: {0}}}), known_from: datetime()}}"
)

DAMAGE: dict[str, tuple[str, set[str]]] = {
    # what: how it is inflicted, what is found of it
    "mentions": (f"{DAVE} SET e.mentions = e.mentions + 1", {"1 entity counted"}),
    "lost count": (f"{DAVE} REMOVE e.mentions", {"1 entity counted"}),
    "mentions at a node": (f"{DAVE}-[a:ANCHORED_AT]->() SET a.mentions = 7", {"1 entity counted"}),
    "lost place": (f"{DAVE}-[a:ANCHORED_AT]->() DELETE a", {"1 entity counted"}),
    "place without mentions": (
        f"{DAVE} MATCH (n:User {{node_id: $user}}) CREATE (e)-[:ANCHORED_AT {{mentions: 1}}]->(n)", {"1 entity counted"},
    ),
    "strength": (f"{DAVE}-[w:WORKS_AT]->() SET w.strength = 1", {"1 relation kept"}),
    "confidence": (f"{DAVE}-[w:WORKS_AT]->() SET w.confidence = 0.2", {"1 relation kept"}),
    "end of a relation": (f"{DAVE}-[w:WORKS_AT]->() SET w.known_to = datetime()", {"1 relation kept"}),
    "evidence": (
        f"{DAVE}-[w:WORKS_AT]->() MATCH (e)<-[v:EVIDENCE {{relation_id: w.relation_id}}]-() DELETE v",
        {"1 relation kept", "2 records or relations without"},
    ),
    "relation": (f"{DAVE}-[w:WORKS_AT]->() DELETE w", {"2 records or relations without"}),
    "relation that nothing stated": (
        f"{DAVE} MATCH (o:Entity {{user_id: $user, name: 'Teresa Vang'}})"
        " CREATE (e)-[:RELATES_TO {relation_id: randomUUID(), user_id: $user, name: 'KNEW', strength: 0, confidence: 0.0, known_from: datetime()}]->(o)",
        {"1 relation kept"},
    ),
    "mention": (f"{TERESA}<-[m:MENTIONS]-() DELETE m", {"1 entity counted", "1 entity left over", "1 record or relation without"}),
    "entity": (
        f"{TERESA} DETACH DELETE t", {"1 record or relation without", "1 name left over"},
    ),
    "entity of relations": (
        f"{DAVE} DETACH DELETE e", {"2 records or relations without", "1 name left over"},
    ),
    "name without an entity": (
        "CREATE (:Alias {user_id: $user, type: 'name', key: 'gail', value: 'Gail'})", {"1 name left over"},
    ),
    "entity without mentions": (
        "CREATE (:Entity:Person {entity_id: randomUUID(), user_id: $user, key: 'person:gail', name: 'Gail', name_key: 'gail',"
        " kind: 'person', mentions: 0, active: true, known_from: datetime()})",
        {"1 entity left over"},
    ),
    "display name": (f"{DAVE} SET e.name = 'Somebody', e.name_key = 'somebody'", {"1 entity with a name"}),
    "display name alone": (f"{DAVE} SET e.name = 'Somebody'", {"1 entity with a name"}),
    "name of texts": (f"{TERESA} MATCH (a:Alias)-[:NAMES]->(t) DETACH DELETE a", {"1 entity with a name"}),
    "name of texts that leads nowhere": (
        f"{TERESA} MATCH (a:Alias)-[n:NAMES]->(t) DELETE n", {"1 entity with a name", "1 name left over"},
    ),
    "name of another entity": (
        f"{TERESA} MATCH (a:Alias)-[n:NAMES]->(t) MATCH (o:Entity {{user_id: $user, name: 'Dave Kowalski'}}) DELETE n CREATE (a)-[:NAMES]->(o)",
        {"1 entity with a name"},
    ),
    "label": (f"{DAVE} REMOVE e:Person", {"1 entity without the label"}),
    "label of another kind": (f"{DAVE} REMOVE e:Person SET e:Place", {"1 entity without the label"}),
    "label of another kind beside its own": (f"{DAVE} SET e:Place", {"1 entity without the label"}),
    "kind": (f"{DAVE} SET e.kind = 'place'", {"1 entity of another kind"}),
    "no kind": (f"{DAVE} REMOVE e.kind", {"1 entity of another kind"}),
    "kind of no domain": (f"{DAVE} SET e.kind = 'nonsense'", {"1 entity of another kind"}),
    "kind with its label": (
        f"{DAVE} REMOVE e:Person SET e:Place, e.kind = 'place'", {"1 entity of another kind", "1 entity without the label"},
    ),
    "kind that it may take from records": (f"{TERESA} SET t.kind = 'thing'", {"1 entity of another kind"}),
    "two merges of one": (
        f"{DAVE} {TERESA} MATCH (o:Entity {{user_id: $user, name: 'Ellen'}}) SET t.active = false"
        f" CREATE (e)-[:SUPERSEDES {MERGED.format(0)}]->(t) CREATE (o)-[:SUPERSEDES {MERGED.format(1)}]->(t)",
        {"1 entity merged"},
    ),
    "merges in a circle": (
        f"{DAVE} {TERESA} SET t.active = false, e.active = false"
        f" CREATE (e)-[:SUPERSEDES {MERGED.format(0)}]->(t) CREATE (t)-[:SUPERSEDES {MERGED.format(1)}]->(e)",
        {"2 entities merged"},
    ),
    "merged, and does not know": (f"{DAVE} SET e.active = false", {"1 entity merged"}),
}  # fmt: skip

Shown = dict[str, tuple[int, int, frozenset[tuple[str, str, int, str | None]], str]]


@pytest.fixture
async def told(engine: Engine, memory: Memory) -> Memory:
    """A memory in which two conversations at two nodes name some people."""
    for name, turns in (("Family", SAID), ("Work", LATER)):
        node = await memory.nodes.provision(NewNode(memory.principal.user_id, name))
        await memory.records.remember(Conversation(name, turns), node_id=node.node_id)
    return memory


async def found(engine: Engine, memory: Memory) -> list[Finding]:
    return [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id]


async def shown(memory: Memory) -> Shown:
    """Every entity by its name: mentions, nodes, relations with their strength, the kind."""
    entities = {}
    for one in await memory.entities.list(everything=True):
        related = await memory.entities.relations(one.entity_id)
        stated = frozenset((it.relation_type, it.other_name, it.strength, it.since) for it in related)
        entities[one.name] = (one.mentions, one.nodes, stated, one.kind)
    return entities


@pytest.mark.parametrize("damage", DAMAGE)
async def test_damage_of_a_knowledge_graph_is_found_named_and_mended(engine: Engine, told: Memory, damage: str) -> None:
    before = await shown(told)
    inflict, words = DAMAGE[damage]
    await engine.neo4j.write(f"{inflict} RETURN 1 AS done", user=str(told.principal.user_id))
    findings = await found(engine, told)
    assert {word for word in words for one in findings if one.problem.startswith(word)} == words, findings
    assert len(findings) == len(words) and {one.kind for one in findings} == {"knowledge-off"}, findings
    assert all("doctor --fix" in one.remedy for one in findings)
    [mended] = await engine.remedies.fix(findings)
    assert (mended.node_id, mended.failure) == (told.principal.user_id, "")
    await engine.derivations.run("entities")
    assert await engine.doctor.examine() == []
    if damage not in ("two merges of one", "merges in a circle"):  # the older merge stays
        assert await shown(told) == before


async def test_a_kind_that_only_mentions_say_is_mended_from_them(engine: Engine, told: Memory) -> None:
    """An entity that was first taken for a thing: its key keeps that. Its key and id stay, and nobody of that name comes beside it."""
    user, before = str(told.principal.user_id), await shown(told)
    kept = "MATCH (e:Entity {user_id: $user}) RETURN e.key AS key, e.entity_id AS id, labels(e) AS labels ORDER BY key"
    key = f"{DAVE} SET e.key = 'thing:dave-kowalski' RETURN 1 AS done"
    await engine.neo4j.write(key, user=user)
    right = await engine.neo4j.read(kept, user=user)
    assert await found(engine, told) == []
    for damage in ("SET e.kind = 'thing'", "SET e.kind = 'place', e:Place"):
        await engine.neo4j.write(f"{DAVE} {damage} RETURN 1 AS done", user=user)
        findings = await found(engine, told)
        assert any("of another kind" in one.problem for one in findings)
        assert [one.failure for one in await engine.remedies.fix(findings)] == [""]
        await engine.derivations.run("entities")
        assert (await found(engine, told), await engine.neo4j.read(kept, user=user)) == ([], right)
    assert await shown(told) == before


async def test_mend_mends_every_graph_and_a_dry_run_none(engine: Engine, told: Memory) -> None:
    other = engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}", "Ann")).user_id)
    await other.records.remember(Conversation("c", (Turn("Ann", "Vern Tamarack called."),)))
    for user in (told, other):
        await engine.neo4j.write(
            "MATCH (e:Entity {user_id: $user}) SET e.mentions = 9 RETURN count(*) AS done",
            user=str(user.principal.user_id),
        )
    assert (await engine.mending.run(dry_run=True)).mended["knowledge graphs"] == 2
    assert len(await engine.doctor.examine()) == 2
    assert (await engine.mending.run()).mended["knowledge graphs"] == 2
    assert await engine.doctor.examine() == [] and "knowledge graphs" not in (await engine.mending.run()).mended


async def test_records_that_were_not_read_and_are_not_due_are_noted(engine: Engine, told: Memory) -> None:
    await engine.neo4j.write(
        "MATCH (r:Record {user_id: $user}) REMOVE r.mentions_reader RETURN count(*) AS done",
        user=str(told.principal.user_id),
    )
    [finding] = findings = await engine.doctor.examine()
    assert finding.problem.startswith("2 records in which no entities") and "doctor --fix" in finding.remedy
    assert (await engine.derivations.run("entities")).get("records", 0) == 0
    await engine.remedies.fix(findings)
    await engine.derivations.run("entities")
    assert await engine.doctor.examine() == []


async def test_what_only_a_lost_record_mentioned_goes_when_the_loss_is_accepted(engine: Engine, told: Memory) -> None:
    teresa = await told.entities.get(
        next(one.entity_id for one in await told.entities.list(everything=True) if one.name == "Teresa Vang")
    )
    record, work = teresa.latest[0].record_id, teresa.anchors[0].node_id
    await told.records.remember(Conversation("newest", (Turn("Bob", "Good night."),)))
    schema = (await told.nodes.shell(work)).schema_name
    async with engine.postgres.as_service() as connection:
        for table in ("memory_items", "file_manifest", "metadata_records"):
            await connection.execute(f'DELETE FROM "{schema}".{table} WHERE record_id = %s', [record])
    await engine.remedies.accept("records-gone", work, await engine.doctor.examine())
    await engine.derivations.run("entities")
    await engine.sweep.run(grace=timedelta(0))
    await engine.remedies.fix(await engine.doctor.examine())
    assert await engine.doctor.examine() == []
    left = await shown(told)
    assert "Teresa Vang" not in left and left["Dave Kowalski"][:2] == (1, 1)
