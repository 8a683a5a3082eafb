"""What an entity with many relations costs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from engine.domain.clock import NOW
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.profiled import profile, work

FEW = 40


async def stating(engine: Engine, user: str, record: str, source: str, targets: list[str]) -> int:
    """How often the store is touched when a record states that one is a friend of these."""
    at = datetime.now(UTC).isoformat()
    said = {
        "type": "FRIEND_OF", "name": "FRIEND_OF", "functional": False, "source": source, "weight": 0.9, "item_id": None, "span": None,
        "since": None, "until": None, "ended": False, "fact_id": None,
    }  # fmt: skip
    stated = [said | {"relation_id": str(uuid4()), "target": target} for target in targets]
    row = {"record_id": record, "user_id": user, "commit_id": record, "revision": None, "reader": 1, "known_from": at, "at": at}  # fmt: skip
    return await work(engine, "entity/related", relations=[row | {"stated": stated}])


@pytest.mark.ledger("A09")
async def test_many_relations_of_one_in_one_commit_cost_as_much_each_as_few(engine: Engine, memory: Memory) -> None:
    """Not as much as all that their source has: a thousand at once took Neo4j's whole memory."""
    user, record = str(memory.principal.user_id), str(uuid4())
    await engine.neo4j.write(
        """
        MATCH (n:Node {node_id: $user}) CREATE (n)-[:HOLDS]->(:Record {record_id: $record, user_id: $user, known_from: datetime()})
        WITH n UNWIND range(0, $many) AS number CREATE (:Entity {user_id: $user, key: 'person:' + number, entity_id: randomUUID()})
        """,
        user=user, record=record, many=9 * FEW,
    )  # fmt: skip
    hits = []
    for first, many in ((1, FEW), (FEW + 1, 8 * FEW)):
        targets = [f"person:{number}" for number in range(first, first + many)]
        hits.append(await stating(engine, user, record, "person:0", targets))
    await engine.neo4j.write(
        "MATCH (e:Entity {user_id: $user}) WHERE e.name IS NULL DETACH DELETE e", user=user
    )  # jobs of other tests read them
    assert hits[1] < 12 * hits[0], hits


@pytest.mark.ledger("A09")
async def test_what_mentions_the_two_is_not_read_to_relate_them(engine: Engine, memory: Memory) -> None:
    """Nor the relations that lead away from the target."""
    user, hits = str(memory.principal.user_id), []
    for many in (0, 50 * FEW):
        record, source, target = str(uuid4()), f"person:{uuid4()}", f"person:{uuid4()}"
        await engine.neo4j.write(
            """
            MATCH (n:Node {node_id: $user}) CREATE (n)-[:HOLDS]->(r:Record {record_id: $record, user_id: $user, known_from: datetime()})
            CREATE (a:Entity {user_id: $user, key: $source, entity_id: randomUUID()}), (b:Entity {user_id: $user, key: $target, entity_id: randomUUID()})
            WITH a, b UNWIND range(1, $many) AS _
            CREATE (a)<-[:MENTIONS]-(r:Record {record_id: randomUUID()})-[:MENTIONS]->(b)-[:FRIEND_OF {name: 'FRIEND_OF'}]->(r)
            """,
            user=user, record=record, source=source, target=target, many=many,
        )  # fmt: skip
        hits.append(await stating(engine, user, record, source, [target]))
    await engine.neo4j.write(
        "MATCH (r:Record) WHERE r.user_id IS NULL DETACH DELETE r"
    )  # jobs of other tests read them
    await engine.neo4j.write("MATCH (e:Entity {user_id: $user}) WHERE e.name IS NULL DETACH DELETE e", user=user)
    assert hits[1] < hits[0] + FEW, hits


@pytest.mark.ledger("A09", "N29")
async def test_for_others_an_entity_is_named_once_however_many_relations_and_records_lead_to_it(
    engine: Engine, memory: Memory
) -> None:
    """Its name is that of records that they may read, so all its mentions are looked at for it."""
    user, many = memory.principal.user_id, 5 * FEW
    persona = (await memory.nodes.provision(NewNode(user, "Assistant", "persona"))).node_id
    await memory.grants.give(NewGrant(user, "persona", persona))
    said = Conversation(str(uuid4()), (Turn("Ann", "Nora Lund works at Larkin Freight."),))
    await memory.records.remember(said, node_id=user)
    nora, firm = [
        (await memory.entities.list(name=name, everything=True))[0].entity_id
        for name in ("nora lund", "larkin freight")
    ]
    [relation] = await memory.entities.relations(nora)
    ids = {"nora": str(nora), "firm": str(firm), "relation": str(relation.relation_id)}
    await engine.neo4j.write(
        "MATCH (e:Entity {entity_id: $firm})<-[m:MENTIONS]-(r:Record)<-[h:HOLDS]-(n:Node) UNWIND range(1, $many) AS _"
        " CREATE (n)-[held:HOLDS]->(copy:Record)-[said:MENTIONS]->(e)"
        " SET held = h, said = m, copy = r {.*, record_id: randomUUID(), copied: true}",
        **ids, many=many,
    )  # fmt: skip
    principal = Principal("persona", persona, user)
    asked = {**principal.parameters, **NOW.graph_parameters(datetime.now(UTC)), "limit": 1000}
    between = {"entity_ids": [str(nora), str(firm)], "among": True, "ended": False, "wanted": ["*", *[""] * 10]}
    hits: dict[str, list[int]] = {"relations_then": [], "why": []}
    found: dict[str, list[dict[str, Any]]] = {}
    for _ in range(2):
        for name, given in (("relations_then", between), ("why", {"relation_id": ids["relation"]})):
            touched, found[name] = await profile(engine, f"entity/{name}", planned_anew=True, **asked, **given)
            hits[name].append(touched)
        await engine.neo4j.write(
            "MATCH (a:Entity {entity_id: $nora})-[relation {relation_id: $relation}]->(b:Entity), (r:Record)-[v:EVIDENCE]->(a)"
            " WHERE v.relation_id = $relation UNWIND range(1, $few) AS _"
            " CREATE (a)-[more:WORKS_AT]->(b), (r)-[evidence:EVIDENCE]->(a), (r)-[second:EVIDENCE]->(a)"
            " SET more = relation {.*, relation_id: randomUUID()}, evidence = v, second = v SET evidence.relation_id = more.relation_id",
            **ids, few=FEW,
        )  # fmt: skip
    await engine.neo4j.write("MATCH (r:Record {copied: true}) DETACH DELETE r")  # jobs of other tests read them
    assert len(found["why"]) > FEW < max(len(one["relations"]) for one in found["relations_then"])
    assert all(after - before < FEW * many for before, after in hits.values()), hits
