"""Nodes whose name means an entity are linked with it by the job `communities`; doubt makes no link."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from engine.domain.clock import Moment
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("few_nodes")


async def say(memory: Memory, node_id: UUID, text: str) -> None:
    turn = Turn("Bob", text, datetime(2024, 5, 1, tzinfo=UTC))
    await memory.records.remember(Conversation(text, (turn,)), node_id=node_id)


async def about(engine: Engine, memory: Memory, name: str) -> set[tuple[str, ...]]:
    """The paths of the nodes that are about an entity, by a word of its name."""
    await engine.derivations.run("communities")
    [one, *_] = await memory.entities.list(name=name)
    return {anchor.path[1:] for anchor in (await memory.entities.get(one.entity_id)).anchors if anchor.about}


@pytest.mark.ledger("N04", "A05")
async def test_a_node_is_about_the_entity_that_its_name_means(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    family, work = [await memory.nodes.provision(NewNode(root, name)) for name in ("Family", "Work")]
    at_home, at_work = [await memory.nodes.provision(NewNode(node.node_id, "Dave")) for node in (family, work)]
    await say(memory, at_home.node_id, "Dave Kowalski called; Dave is fine.")
    await say(memory, at_work.node_id, "Dave Kowalski sanded the door, and Dave was quick.")
    assert await about(engine, memory, "kowalski") == {("Family", "Dave"), ("Work", "Dave")}
    app = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(at_work.node_id, "third_party", app.integration_id))
    reader = engine.memory_as(Principal("third_party", app.integration_id, root))
    [seen] = await reader.entities.list(name="kowalski")
    assert not any(one.about for one in (await reader.entities.get(seen.entity_id)).anchors)
    await memory.history.change(Change("node", at_work.node_id, {"name": "Paint"}))
    assert await about(engine, memory, "kowalski") == {("Family", "Dave")}
    await say(memory, at_home.node_id, "We also met Dave Lindqvist.")
    assert await about(engine, memory, "kowalski") == set(), "which Dave is not sure any more"


@pytest.mark.ledger("M04")
async def test_the_last_mention_by_the_user_is_shown_to_the_user(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    work = await memory.nodes.provision(NewNode(root, "Work"))
    await say(memory, work.node_id, "Dave Kowalski called.")
    await say(memory, work.node_id, "Later Dave Kowalski sanded the door.")
    [one] = await memory.entities.list(name="kowalski")
    shown = await memory.entities.get(one.entity_id)
    assert shown.mentioned is not None and shown.mentioned.times == 2
    assert shown.mentioned.context == "Later Dave Kowalski sanded the door."
    assert shown.mentioned.record_id in {mention.record_id for mention in shown.latest}
    app = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(work.node_id, "third_party", app.integration_id))
    reader = engine.memory_as(Principal("third_party", app.integration_id, root))
    assert (await reader.entities.get(one.entity_id)).mentioned is None
    past = Moment(known_at=datetime.now(UTC))
    assert (await memory.entities.get(one.entity_id, past)).mentioned is None
