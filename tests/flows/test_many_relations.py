"""What an entity with many relations costs."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from engine.memory import Memory
from engine.neurigraph import Engine
from tests.flows.profiled import work

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
