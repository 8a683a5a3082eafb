"""An entity leads to the three nodes that mention it most, and keeps how many mentions each node has."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

DAYS = {"Garage": 4, "Choir": 3, "Garden": 2, "Attic": 1, "Cellar": 1}
"""In how many conversations each node mentions her."""


async def kept(engine: Engine, memory: Memory, names: Mapping[UUID, str]) -> tuple[dict[str, int], dict[str, int]]:
    """The nodes that Orla Brennan leads to, and all that are kept, with their numbers."""
    [row] = await engine.neo4j.read(
        "MATCH (e:Entity {user_id: $user, name: 'Orla Brennan'}) RETURN e.places AS places,"
        " COLLECT { MATCH (e)-[a:ANCHORED_AT]->(n:Node) RETURN n.node_id + ' ' + a.mentions } AS anchors",
        user=str(memory.principal.user_id),
    )
    anchors, places = (
        {names[UUID(one.split()[0])]: int(one.split()[1]) for one in row[part]} for part in ("anchors", "places")
    )
    [listed] = await memory.entities.list(name="orla")
    shown = await memory.entities.get(listed.entity_id)
    assert listed.nodes == len(places) and {one.path[-1]: one.mentions for one in shown.anchors} == places
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []
    return anchors, places


@pytest.mark.ledger("N04")
async def test_an_entity_leads_to_the_three_nodes_that_mention_it_most(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    nodes = {name: (await memory.nodes.provision(NewNode(root, name))).node_id for name in DAYS}
    names = {node_id: name for name, node_id in nodes.items()}
    said: dict[str, list[UUID]] = {}
    for name, days in DAYS.items():
        for day in range(days):
            told = Conversation(f"{name} {day}", (Turn("Bob", "We talked to Orla Brennan for an hour."),))
            report = await memory.records.remember(told, node_id=nodes[name])
            said.setdefault(name, []).append(report.records[0].record_id)
    assert await kept(engine, memory, names) == ({"Garage": 4, "Choir": 3, "Garden": 2}, DAYS)
    await memory.retractions.retract(RetractionSubject("record", str(said["Garden"][0])))
    await memory.retractions.retract(RetractionSubject("record", str(said["Garden"][1])))
    anchors, places = await kept(engine, memory, names)
    left = {name: days for name, days in DAYS.items() if name != "Garden"}
    assert places == left and len(anchors) == 3 and anchors.items() >= {("Garage", 4), ("Choir", 3)}
    await memory.records.move(said["Choir"][0], nodes["Choir"], nodes["Attic"])
    await memory.records.move(said["Choir"][1], nodes["Choir"], nodes["Attic"])
    anchors, places = await kept(engine, memory, names)
    assert places == {"Garage": 4, "Attic": 3, "Choir": 1, "Cellar": 1}
    assert len(anchors) == 3 and anchors.items() >= {("Garage", 4), ("Attic", 3)}
