"""What the user corrects of entities: a display name, a kind; through Python, REST and the shell."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.clock import Moment
from engine.domain.entity import Entity
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.errors import InvalidInput, InvalidName, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell
from tests.readings import read_again

pytestmark = pytest.mark.usefixtures("few_nodes")


@pytest.fixture
async def node(memory: Memory) -> UUID:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    await say(memory, node.node_id, "Dave Kowalski called. Dave Kowalski works at Globex.")
    return node.node_id


async def say(memory: Memory, node_id: UUID, text: str) -> None:
    turn = Turn("Bob", text, datetime(2024, 5, 1, tzinfo=UTC))
    await memory.records.remember(Conversation(str(uuid4()), (turn,)), node_id=node_id)


async def entity(memory: Memory, name: str) -> Entity:
    [found] = [one for one in await memory.entities.list(name=name)]
    return await memory.entities.get(found.entity_id)


async def labels(engine: Engine, entity_id: UUID) -> list[str]:
    statement = "MATCH (e:Entity {entity_id: $id}) RETURN labels(e) AS labels"
    [row] = await engine.neo4j.read(statement, id=str(entity_id))
    return sorted(row["labels"])


@pytest.mark.ledger("F07")
async def test_a_corrected_name_stays_and_both_names_lead_to_the_entity(
    engine: Engine, memory: Memory, node: UUID
) -> None:
    dave = await entity(memory, "kowalski")
    before = datetime.now(UTC)
    renamed = await memory.entities.correct(dave.entity_id, name="  David   Kowal ", reason="he changed it")
    assert (renamed.name, renamed.key, set(renamed.names)) == (
        "David Kowal",
        dave.key,
        {"Dave Kowalski", "David Kowal"},
    )
    assert (await memory.entities.get(dave.entity_id, Moment(known_at=before))).name == "Dave Kowalski"
    await say(memory, node, "Dave Kowalski sang. We also met David Kowal at the lake.")
    found = await entity(memory, "david")
    assert (found.entity_id, found.name, found.mentions) == (dave.entity_id, "David Kowal", 2)
    assert (await entity(memory, "dave")).entity_id == dave.entity_id
    [globex] = await memory.entities.list(name="globex")
    [works, *_] = await memory.entities.relations(globex.entity_id)
    assert works.other_name == "David Kowal"
    assert (await memory.entities.why(works.relation_id)).source_name == "David Kowal"
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []


@pytest.mark.ledger("F07")
async def test_a_corrected_kind_stays_and_the_name_still_leads_to_the_entity(
    engine: Engine, memory: Memory, node: UUID
) -> None:
    await say(memory, node, "Ford Transit called me yesterday. Ford Transit married Ellen Harlan.")
    van = await entity(memory, "ford")
    assert van.kind == "person"
    before = datetime.now(UTC)
    corrected = await memory.entities.correct(van.entity_id, kind="product")
    assert (corrected.kind, corrected.key, corrected.name) == ("product", van.key, van.name)
    assert await labels(engine, van.entity_id) == ["Entity", "Product"]
    assert (await memory.entities.get(van.entity_id, Moment(known_at=before))).kind == "person"
    await say(memory, node, "Ford Transit called again. My brother Ford Transit married her.")
    found = await entity(memory, "ford")
    assert (found.entity_id, found.kind, found.mentions) == (van.entity_id, "product", 2)
    assert van.entity_id in {one.entity_id for one in await memory.entities.list(everything=True, kinds=["product"])}
    assert van.entity_id not in {one.entity_id for one in await memory.entities.list(everything=True, kinds=["person"])}
    moment = Moment(known_at=before)
    assert van.entity_id in {
        one.entity_id for one in await memory.entities.list(moment, everything=True, kinds=["person"])
    }


@pytest.mark.ledger("F07")
async def test_reading_again_undoes_no_correction(engine: Engine, memory: Memory, node: UUID) -> None:
    dave = await entity(memory, "kowalski")
    await memory.entities.correct(dave.entity_id, name="Dav", kind="thing")
    lost = "MATCH (r:Record {user_id: $id}) REMOVE r.mentions_reader, r.relations_reader"
    await engine.neo4j.write(lost, id=str(memory.principal.user_id))
    await read_again(engine, memory.principal.user_id)
    found = await memory.entities.get(dave.entity_id)
    assert (found.name, found.kind, found.mentions) == ("Dav", "thing", 1)
    assert await labels(engine, dave.entity_id) == ["Entity", "Thing"]
    again = await memory.entities.correct(dave.entity_id, name="David Kowalski", kind="person")
    assert (again.name, again.kind) == ("David Kowalski", "person")


@pytest.mark.ledger("F07", "N31")
async def test_others_read_what_records_say_and_correct_nothing(engine: Engine, memory: Memory, node: UUID) -> None:
    app = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(node, "third_party", app.integration_id, fields=("records",)))
    reader = engine.memory_as(Principal("third_party", app.integration_id, memory.principal.user_id))
    dave = await entity(memory, "kowalski")
    await memory.entities.correct(dave.entity_id, name="My secret husband", kind="animal")
    seen = await reader.entities.get(dave.entity_id)
    assert (seen.name, seen.names, seen.kind) == ("Dave Kowalski", ("Dave Kowalski",), "person")
    assert await reader.entities.list(name="my secret") == ()
    await say(memory, node, "Dave Kowalski sang.")  # written as the user knows him
    again = await reader.entities.get(dave.entity_id)
    assert (again.kind, again.mentions) == ("person", 2)
    for ask in (
        lambda: reader.entities.correct(dave.entity_id, name="Mine"),
        lambda: memory.entities.correct(uuid4(), name="Mine"),
    ):
        with pytest.raises(NotFound):
            await ask()
    for wrong in ({}, {"kind": "wizard"}):
        with pytest.raises(InvalidInput):
            await memory.entities.correct(dave.entity_id, **wrong)
    for wrong_name in ("", " ", "x" * 201, "a\x00b"):
        with pytest.raises(InvalidName):
            await memory.entities.correct(dave.entity_id, name=wrong_name)


@pytest.mark.ledger("F07", "M06")
async def test_a_merged_entity_is_corrected_as_the_whole(memory: Memory, node: UUID) -> None:
    await say(memory, node, "Ellen Harlan met David Kowalsky.")
    dave, other = await entity(memory, "dave"), await entity(memory, "kowalsky")
    merge = await memory.entities.merge(dave.entity_id, other.entity_id)
    corrected = await memory.entities.correct(other.entity_id, name="David")
    assert (corrected.entity_id, corrected.name) == (dave.entity_id, "David")
    await memory.entities.undo_merge(merge.merge_id)
    assert (await memory.entities.get(other.entity_id)).name == "David Kowalsky"


@pytest.mark.ledger("F07", "U02", "U05")
async def test_the_doors(engine: Engine, user: User, memory: Memory, node: UUID, tmp_path: Path) -> None:
    dave = await entity(memory, "kowalski")
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/entities"
        answer = await door.post(f"{path}/{dave.entity_id}/correct", json={"name": "David K.", "reason": "short"})
        assert answer.status_code == 200 and answer.json()["name"] == "David K."
        assert (await door.post(f"{path}/{dave.entity_id}/correct", json={})).status_code == 422
        assert (await door.post(f"{path}/{dave.entity_id}/correct", json={"kind": "wizard"})).status_code == 422
        assert (await door.post(f"{path}/{uuid4()}/correct", json={"name": "x"})).status_code == 404
    shell = Shell(engine, tmp_path, user.handle)
    assert "David K. · animal" in await shell.prints("entity", "correct", "David K.", "--kind", "animal")
    assert (await shell.answers("entity", "correct", "Dave Kowalski", "--name", "Dave"))["name"] == "Dave"
    assert "kinds are" in await shell.refuses("entity", "correct", "Dave", "--kind", "wizard")
