"""A relation of which one can hold at a time is over when its own entity has another one, and then alone."""

from __future__ import annotations

import re

import pytest

from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.migrations import migrations, statements
from engine.stores.statements import CYPHER_FOLDER

COUPLES = (
    "Marta Kell, Tomas Rook",
    "Jonas Brandt, Ellen Sorby",
    "Marta Kell, Jonas Brandt",
    "Tomas Rook, Ellen Sorby",
    "Ellen Sorby, Marta Kell",
)
RELATIONS = """
MATCH (a:Entity {user_id: $user_id})-[relation:MARRIED_TO]->(b) OPTIONAL MATCH (ender:Entity)-[by {relation_id: relation.ended_by}]->()
RETURN a.name AS source, b.name AS target, ender.name AS ender, relation.until AS until ORDER BY relation.last_at
"""


async def married(memory: Memory, engine: Engine) -> list[tuple[str, str, str | None, str | None]]:
    rows = await engine.neo4j.read(RELATIONS, user_id=str(memory.principal.user_id))
    return [(row["source"], row["target"], row["ender"], row["until"]) for row in rows]


@pytest.mark.ledger("A09")
async def test_a_relation_ends_those_of_its_own_entity_alone(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    await engine.neo4j.write("CALL db.clearQueryCaches()")  # a plan that is made for few relationships is another one
    for couple in COUPLES:
        first, second = couple.split(", ")
        await memory.records.remember_text(couple, f"{first} is married to {second}.", node_id=root)
    last = dict[str, str]()
    found = await married(memory, engine)
    assert len(found) == len(COUPLES)
    for source, target, ender, until in reversed(found):
        assert (ender, until is None) == (source if source in last else None, source not in last), (source, target)
        last[source] = target


async def test_no_statement_looks_for_a_relationship_by_a_type_that_is_computed() -> None:
    """Neo4j plans that as a read of all relationships of the type in small graphs, and returns wrong ones."""
    looking = re.compile(r"(?:MATCH|MERGE|EXISTS|COUNT|COLLECT)\b[^\n]*-\[\w*:\$")
    found = [path.name for path in CYPHER_FOLDER.rglob("*.cypher") if looking.search(path.read_text())]
    assert not found


@pytest.mark.ledger("U03")
async def test_relations_that_another_entity_had_ended_hold_again(engine: Engine, memory: Memory) -> None:
    user = str(memory.principal.user_id)
    lines = [  # source, target, when it was said, until, ended by
        ("a", "b", 1, None, None), ("a", "c", 2, None, None), ("d", "a", 1, "2026-01-03", "bc"), ("b", "c", 3, None, None),
        ("b", "d", 2, "2026-01-03", "bc"), ("c", "a", 2, "2025-12-31", None), ("c", "b", 1, None, None),
        ("e", "a", 1, "2026-01-02", "ec"), ("e", "c", 2, "2026-01-03", None),  # the second one is over, too
    ]  # fmt: skip
    await engine.neo4j.write(
        "UNWIND ['a', 'b', 'c', 'd', 'e'] AS key CREATE (:Entity {user_id: $user_id, key: key, name: key, entity_id: randomUUID()})",
        user_id=user,
    )
    for source, target, day, until, ender in lines:
        await engine.neo4j.write(
            """
            MATCH (a:Entity {user_id: $user_id, key: $source}), (b:Entity {user_id: $user_id, key: $target})
            CREATE (a)-[:MARRIED_TO {name: 'MARRIED_TO', user_id: $user_id, relation_id: $user_id + $source + $target, strength: 1, until: $until,
                                     ended_by: $user_id + $ender, last_at: datetime({year: 2026, month: 1, day: $day})}]->(b)
            """,
            user_id=user, source=source, target=target, day=day, until=until, ender=ender,
        )  # fmt: skip
    [mending] = [one for one in migrations("neo4j") if one.version == 16]
    for statement in statements(mending.script):
        await engine.neo4j.write(statement)
    found = {(source, target): (ender, until) for source, target, ender, until in await married(memory, engine)}
    assert found == {
        ("a", "b"): ("a", "2026-01-02"),
        ("a", "c"): (None, None),
        ("d", "a"): (None, None),
        ("b", "c"): (None, None),
        ("b", "d"): ("b", "2026-01-03"),
        ("c", "a"): (None, "2025-12-31"),
        ("c", "b"): (None, None),
        ("e", "a"): ("e", "2026-01-02"),
        ("e", "c"): (None, "2026-01-03"),
    }
