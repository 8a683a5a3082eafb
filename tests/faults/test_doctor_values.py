"""Values of the graph of another type or form than the data dictionary says, or missing: each is found and named, and nothing is
lost by its remedy."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.errors import StoreDamaged
from engine.knowledge.dictionary import Described, Property, described
from engine.lifecycle import definition_check
from engine.lifecycle.definition_check import DERIVED, WRONG
from engine.lifecycle.finding import Finding
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("alone")

SAID = (
    Turn("Bob", "My sister Ellen is married to Dave Kowalski."),
    Turn("Bob", "Dave Kowalski works at Harlan Joinery LLC since 2011."),
)
LABELS, TYPES = described()
PLACES = {name: one for name, one in {**LABELS, **TYPES}.items() if one.properties}
ENDS = {"RELATION": ("Entity", "ODD_RELATION"), "RELATED": ("Odd", "ODD_EDGE")}
"""Labels of the ends and types where the domain file, or the owner, names these."""


def wrong_values(kind: str) -> list[object]:
    """Values that do not fit a type: of another type, and where ids or JSON are, texts that are none."""
    other: object = [1] if kind == "BOOLEAN" else True
    if kind == "JSON":
        return [other, "none", '{"place": 1}', '{"place": "the lake"', '["the lake"]']
    return [other, ["none"] if "LIST" in kind else "none"] if "UUID" in kind or "SPAN" in kind else [other]


async def values(engine: Engine) -> list[Finding]:
    return [one for one in await engine.doctor.examine() if one.kind == WRONG]


def wrong_for(one: Property) -> list[object]:
    """The same, and nothing where each has a value."""
    return [*wrong_values(one.type), *([None] if one.always else [])]


def ids(one: Described) -> dict[str, str]:
    """What each has that is described so."""
    return {key: str(uuid4()) for key, each in one.properties.items() if each.always}


async def inflict(engine: Engine, one: Described, user: UUID) -> set[tuple[str, str]]:
    """A node, or a relationship, for each property and value that does not fit, or lack; the properties, and how they are found."""
    end, name = ENDS.get(one.name, ("Odd", one.name))
    rows = [
        {"properties": {**ids(one), "user_id": str(user), key: value}}
        for key, each in one.properties.items()
        for value in wrong_for(each)
    ]
    made = (
        "CREATE (a:$($end) {odd: $user, user_id: $user, entity_id: randomUUID()})-[r:$($name)]->"
        "(b:$($end) {odd: $user, user_id: $user, entity_id: randomUUID()}) SET r = row.properties"
        if one.ends
        else "CREATE (n:$($name)) SET n = row.properties, n.odd = $user"
    )
    statement = f"CYPHER 25 UNWIND $rows AS row {made} RETURN count(*) AS made"
    await engine.neo4j.write(statement, rows=rows, name=name, end=end, user=str(user))
    return {(name, key) for key in one.properties}


@pytest.mark.parametrize("place", PLACES)
async def test_each_property_of_another_type_is_found(engine: Engine, place: str) -> None:
    user = uuid4()
    wanted = await inflict(engine, PLACES[place], user)
    try:
        found = await values(engine)
    finally:
        await engine.neo4j.write("MATCH (n {odd: $user}) DETACH DELETE n RETURN count(*) AS gone", user=str(user))
    assert {(one.subject.split()[0].rstrip(","), one.problem.split()[0]) for one in found} == wanted
    count = sum(len(wrong_for(one)) for one in PLACES[place].properties.values())
    assert len(found) == count and all("element 4:" in one.subject or "element 5:" in one.subject for one in found)
    assert {one.node_id for one in found if not one.problem.startswith("user_id ")} <= {user}
    assert await values(engine) == []


@pytest.mark.parametrize("place", ["Past", "WAS_RELATED"])
async def test_values_of_all_pages_are_found(engine: Engine, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definition_check, "PAGE", 3)
    user = uuid4()
    await inflict(engine, PLACES[place], user)
    try:
        found = await values(engine)
    finally:
        await engine.neo4j.write("MATCH (n {odd: $user}) DETACH DELETE n RETURN count(*) AS gone", user=str(user))
    assert len(found) == sum(len(wrong_for(one)) for one in PLACES[place].properties.values()) > 2 * 3


@pytest.fixture
async def told(memory: Memory) -> Memory:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family", summary="Of Dave."))
    await memory.records.remember(Conversation("family", SAID), node_id=node.node_id)
    return memory


async def test_a_relation_whose_id_is_none_is_damage_that_the_doctor_names(engine: Engine, told: Memory) -> None:
    [dave] = await told.entities.list(name="dave kowalski")
    before = await told.entities.relations(dave.entity_id)
    renamed = (
        "MATCH ()-[r {relation_id: $old}]->(:Entity) WHERE r.strength > 0 SET r.relation_id = $new RETURN 1 AS done"
    )
    old = str(before[0].relation_id)
    await engine.neo4j.write(renamed, old=old, new="nonsense")
    with pytest.raises(StoreDamaged):
        await told.entities.relations(dave.entity_id)
    [found] = await values(engine)
    assert (
        "relation_id is STRING ('nonsense') in place of UUID" in found.problem
        and found.node_id == told.principal.user_id
    )
    findings = await engine.doctor.examine()
    assert found in findings
    assert {one.failure for one in await engine.remedies.fix(findings)} <= {
        "values of another type must be mended first"
    }
    with pytest.raises(StoreDamaged):
        await engine.mending.run()
    place = re.search(r"elementId\(x\) = '([^']+)'", found.remedy)
    assert place is not None
    await engine.neo4j.write(
        "MATCH ()-[x]->() WHERE elementId(x) = $place SET x.relation_id = $old RETURN 1 AS done",
        place=place[1],
        old=old,
    )
    assert await told.entities.relations(dave.entity_id) == before
    assert await engine.doctor.examine() == []


async def test_properties_of_a_relation_that_are_no_json_are_damage_that_the_doctor_names(
    engine: Engine, told: Memory
) -> None:
    [dave] = await told.entities.list(name="dave kowalski")
    [relation, *_] = await told.entities.relations(dave.entity_id)
    given = {"place": 'the "lake"\n', "who": "Åsa \\ \u2028 😀", "long": '\\"' * 400, "none": ""}
    await told.entities.describe_relation(relation.relation_id, given)
    before = await told.entities.relations(dave.entity_id)
    assert given in [one.properties for one in before]
    assert await values(engine) == []
    broken = (
        "MATCH ()-[r {relation_id: $id}]->(:Entity) WHERE r.strength > 0"
        " SET r.properties = left(r.properties, size(r.properties) - $cut) + $more RETURN 1 AS done"
    )
    place = str(relation.relation_id)
    await engine.neo4j.write(broken, id=place, cut=1, more="")
    with pytest.raises(StoreDamaged):
        await told.entities.relations(dave.entity_id)
    [found] = await values(engine)
    assert found.problem.startswith("properties is STRING ('{") and found.problem.endswith("in place of JSON")
    assert found.node_id == told.principal.user_id
    await engine.neo4j.write(broken, id=place, cut=0, more="}")
    assert await told.entities.relations(dave.entity_id) == before


@pytest.mark.parametrize("name", [f"{of}.{key}" for of, keys in DERIVED.items() for key in sorted(keys)])
async def test_what_is_derived_is_made_again(engine: Engine, told: Memory, name: str) -> None:
    of, _, key = name.partition(".")
    where = {"Node": "(x:Concept)", "Entity": "(x:Entity)", "RELATION": "()-[x:WORKS_AT]->()"}[of]
    mine = f"MATCH {where} WHERE x.user_id = $user WITH x LIMIT 1"
    user = str(told.principal.user_id)
    [before] = await engine.neo4j.read(f"{mine} RETURN coalesce(x.{key}, 0) AS value, elementId(x) AS place", user=user)
    await engine.neo4j.write(f"{mine} SET x.{key} = 'odd' RETURN 1 AS done", user=user)
    [found] = await values(engine)
    statement = re.search(r"`(MATCH [^`]*)`", found.remedy)
    assert statement is not None
    await engine.neo4j.write(f"{statement[1]} RETURN 1 AS done")
    assert [one.failure for one in await engine.remedies.fix(await engine.doctor.examine()) if one.failure] == []
    await engine.derivations.run("entities")
    assert await engine.doctor.examine() == []
    [after] = await engine.neo4j.read(f"{mine} RETURN coalesce(x.{key}, 0) AS value, elementId(x) AS place", user=user)
    assert after == before
