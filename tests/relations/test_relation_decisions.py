"""What the user decides of relations: archived ones, properties; through Python, REST and the shell."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.clock import Moment
from engine.domain.entity import Relation
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

pytestmark = pytest.mark.usefixtures("few_nodes")
SAID = "Dave Kowalski works at Globex. Dave Kowalski is married to Ellen Harlan."


@pytest.fixture
async def node(memory: Memory) -> UUID:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    turn = Turn("Bob", SAID, datetime(2024, 5, 1, tzinfo=UTC))
    await memory.records.remember(Conversation("c1", (turn,)), node_id=node.node_id)
    return node.node_id


async def relations(memory: Memory, *, ended: bool = False, moment: Moment | None = None) -> dict[str, Relation]:
    [dave] = await memory.entities.list(name="dave")
    found = await memory.entities.relations(dave.entity_id, *([moment] if moment else []), ended=ended)
    return {one.other_name: one for one in found}


@pytest.mark.ledger("M05")
async def test_an_archived_relation_is_set_aside_and_comes_back(engine: Engine, memory: Memory, node: UUID) -> None:
    works = (await relations(memory))["Globex"]
    before = datetime.now(UTC)
    archived = await memory.entities.archive_relation(works.relation_id, "another Dave")
    assert archived.archived and archived.other_name == "Globex"
    assert (await memory.entities.archive_relation(works.relation_id)) == archived
    assert set(await relations(memory)) == {"Ellen Harlan"} and (await relations(memory, ended=True))["Globex"].archived
    assert "Globex" in await relations(memory, moment=Moment(known_at=before))
    turn = Turn("Bob", "Dave Kowalski works at Globex.", datetime(2024, 6, 1, tzinfo=UTC))
    await memory.records.remember(Conversation("c2", (turn,)), node_id=node)
    assert "Globex" not in await relations(memory)
    [dave] = await memory.entities.list(name="dave")
    facts = await memory.entities.facts(dave.entity_id, ended=True)
    assert [one.text for one in facts] == ["Dave Kowalski is married to Ellen Harlan."]
    assert "Globex" not in [line for line in (await memory.profiles.entity(dave.entity_id)).text.splitlines()]
    await engine.derivations.run("communities")
    assert "Globex" not in ((await memory.entities.get(dave.entity_id)).summary or "")
    restored = await memory.entities.restore_relation(works.relation_id)
    assert (restored.archived, restored.strength) == (False, 2) and "Globex" in await relations(memory)
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []


@pytest.mark.ledger("M05", "N31")
async def test_others_see_neither_properties_nor_what_is_archived(engine: Engine, memory: Memory, node: UUID) -> None:
    app = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(node, "third_party", app.integration_id, fields=("records",)))
    reader = engine.memory_as(Principal("third_party", app.integration_id, memory.principal.user_id))
    works = (await relations(memory))["Globex"]
    described = await memory.entities.describe_relation(works.relation_id, {"position": "welder", "floor": "2"})
    assert described.properties == {"floor": "2", "position": "welder"}
    assert (await relations(reader))["Globex"].properties == {}
    for ask in (
        lambda: reader.entities.archive_relation(works.relation_id),
        lambda: reader.entities.describe_relation(works.relation_id, {}),
        lambda: memory.entities.archive_relation(uuid4()),
    ):
        with pytest.raises(NotFound):
            await ask()
    await memory.entities.archive_relation(works.relation_id)
    assert "Globex" not in await relations(reader)
    for wrong in ({"two words": "x"}, {"x": "y" * 2001}, {f"p{number}": "" for number in range(21)}, {"x": "\x00"}):
        with pytest.raises(InvalidInput):
            await memory.entities.describe_relation(works.relation_id, wrong)


@pytest.mark.ledger("M05")
async def test_many_at_once_agree(memory: Memory, node: UUID) -> None:
    works = (await relations(memory))["Globex"]
    asks = [memory.entities.archive_relation(works.relation_id, str(number)) for number in range(8)]
    assert all(one.archived for one in await asyncio.gather(*asks))
    assert not (await memory.entities.restore_relation(works.relation_id)).archived


@pytest.mark.ledger("M05", "U02", "U05")
async def test_the_doors(engine: Engine, user: User, memory: Memory, node: UUID, tmp_path: Path) -> None:
    works = (await relations(memory))["Globex"]
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/relations/{works.relation_id}"
        answer = await door.post(f"{path}/archive", json={"reason": "wrong"})
        assert answer.status_code == 200 and answer.json()["archived"]
        answer = await door.put(f"{path}/properties", json={"properties": {"position": "welder"}})
        assert answer.json()["properties"] == {"position": "welder"}
        assert (await door.put(f"{path}/properties", json={"properties": {"a b": "x"}})).status_code == 422
        assert (await door.post(f"/v1/users/{user.user_id}/relations/{uuid4()}/archive", json={})).status_code == 404
    shell = Shell(engine, tmp_path, user.handle)
    assert not (await shell.answers("relation", "restore", str(works.relation_id)))["archived"]
    assert "position=cook" in await shell.prints("relation", "describe", str(works.relation_id), "position=cook")
    assert "NAME=VALUE" in await shell.refuses("relation", "describe", str(works.relation_id), "position")
    assert "Archived: works at Globex." in await shell.prints("relation", "archive", str(works.relation_id))
    assert "archived" in await shell.prints("entity", "relations", "Dave Kowalski", "--ended")
