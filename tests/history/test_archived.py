"""Archived nodes are not searched and take no writes; the past has them, and they come back. A path is made whole or not at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.domain.stream import StreamedTurn
from engine.errors import Archived, DepthExceeded, InvalidInput, InvalidName, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine

BOAT = "Dave sold the walleye boat."


@pytest.fixture
async def nodes(memory: Memory, user: User) -> dict[str, UUID]:
    """Family > Dave > Boats beside Work; a text about the boat at Boats and one at Work, the record and file of the first."""
    ids = {"root": user.user_id}
    for parent, name in (("root", "Family"), ("Family", "Dave"), ("Dave", "Boats"), ("root", "Work")):
        ids[name] = (await memory.nodes.provision(NewNode(ids[parent], name))).node_id
    report = await memory.records.remember_text("Boat", BOAT, source_id="boat", node_id=ids["Boats"])
    await memory.records.remember_text(
        "Harbour", "The harbour office keeps papers of the walleye boat.", node_id=ids["Work"]
    )
    return ids | {"record": report.records[0].record_id, "file": report.records[0].file_id}


async def found(memory: Memory, moment: Moment = NOW, nodes: tuple[UUID, ...] | None = None) -> set[UUID]:
    """Where a search for the boat finds something: of Dave by name, and everywhere."""
    asked = [SearchRequest("walleye boat of Dave", 20, None, nodes, widen, moment) for widen in ("auto", "always")]
    return {hit.node_id for request in asked for hit in (await memory.search(request)).hits}


async def test_an_archived_node_is_not_searched_until_it_is_taken_back(
    memory: Memory, engine: Engine, user: User, nodes: dict[str, UUID]
) -> None:
    persona = await memory.nodes.provision(NewNode(user.user_id, "Lawyer", "persona"))
    await memory.grants.give(NewGrant(nodes["Boats"], "persona", persona.node_id))
    lawyer = engine.memory_as(Principal("persona", persona.node_id, user.user_id))
    assert nodes["Boats"] in await found(memory) and await found(lawyer) == {nodes["Boats"]}
    archived = await memory.nodes.archive(nodes["Dave"], reason="He moved away.")
    assert await found(memory) == {nodes["Work"]}
    assert await found(memory, nodes=(nodes["Boats"],)) == await found(lawyer) == set()
    answer = await memory.search(SearchRequest("Who is Dave?"))
    assert nodes["Dave"] not in {anchor.node_id for anchor in answer.anchors}
    before = archived.known_at - timedelta(microseconds=1)
    for moment in (Moment(known_at=before), Moment(as_of=before)):
        assert nodes["Boats"] in await found(memory, moment) and nodes["Boats"] in await found(lawyer, moment)
        assert not (await memory.nodes.shell(nodes["Dave"], moment)).archived
    await memory.nodes.unarchive(nodes["Dave"])
    assert nodes["Boats"] in await found(memory) and await found(lawyer) == {nodes["Boats"]}
    assert await found(memory, Moment(known_at=archived.known_at)) == {nodes["Work"]}  # it was archived then
    deltas = await memory.history.deltas("node", nodes["Dave"])
    assert [(one.fields["archived"].after, one.reason) for one in deltas] == [(True, "He moved away."), (False, "")]


async def test_an_archived_node_takes_no_writes_and_is_read_by_its_ids(memory: Memory, nodes: dict[str, UUID]) -> None:
    await memory.nodes.archive(nodes["Dave"])
    boats, work, said = nodes["Boats"], nodes["Work"], Turn("Bob", "Dave bought another boat.")
    writes: list[Callable[[], Awaitable[object]]] = [
        lambda: memory.records.remember_text("More", "More boats.", node_id=boats),
        lambda: memory.records.remember(Conversation("c1", (said,)), node_id=boats),
        lambda: memory.conversations.append("c2", StreamedTurn("Bob", "Dave sails."), node_id=boats),
        lambda: memory.nodes.provision(NewNode(boats, "Oars")),
        lambda: memory.nodes.provision_whole([NewNode(boats, name) for name in ("Family", "Dave", "Boats", "Oars")]),
        lambda: memory.edges.make(work, boats, "owns"),
        lambda: memory.records.move(nodes["record"], boats, work),
        lambda: memory.history.change(Change("record", nodes["record"], {"title": "Other"}, boats)),
        lambda: memory.history.change(Change("node", boats, {"summary": "Other"})),
        lambda: memory.history.change(Change("node", work, {"parent_id": boats})),
    ]
    for number, write in enumerate(writes):
        with pytest.raises(Archived):
            pytest.fail(f"write {number} went through: {await write()}")
    again = await memory.records.remember_text("Boat", BOAT + " In May.", source_id="boat")
    assert [skip.source_id for skip in again.skipped] == ["text:boat"]
    for title in ("Boats of Dave", "Dave", "Boats"):
        placed = await memory.records.remember_text(title, f"{title}: Dave has new boats. " * 40)
        assert {record.node_id for record in placed.records}.isdisjoint({boats, nodes["Dave"]})
    shell = await memory.nodes.shell(boats)
    assert (shell.archived, shell.records, shell.manifest[0].file_id) == (True, 1, nodes["file"])
    async with memory.files.open(boats, nodes["file"]) as file:
        assert BOAT.encode() in file.content.read()
    children = {child.name: child.archived for child in (await memory.nodes.shell(nodes["root"])).children}
    assert children == {"Family": False, "Work": False}
    assert [anchor.archived for anchor in await memory.nodes.anchors("Dave")] == [True]
    await memory.nodes.unarchive(nodes["Dave"])
    assert (await memory.records.remember_text("More", "More boats.", node_id=boats)).records


async def test_a_node_below_two_archived_ones_comes_back_with_the_last(memory: Memory, nodes: dict[str, UUID]) -> None:
    with pytest.raises(InvalidInput):
        await memory.history.change(Change("node", nodes["Dave"], {"archived": True, "name": "David"}))
    for name in ("Boats", "Family"):
        await memory.nodes.archive(nodes[name])
    assert not (await memory.nodes.archive(nodes["Family"])).changed
    await memory.nodes.unarchive(nodes["Family"])
    states = {name: (await memory.nodes.shell(nodes[name])).archived for name in ("Family", "Dave", "Boats")}
    assert states == {"Family": False, "Dave": False, "Boats": True}
    await memory.nodes.unarchive(nodes["Boats"])
    assert nodes["Boats"] in await found(memory)


async def test_a_user_is_archived_with_the_root(
    engine: Engine, memory: Memory, user: User, nodes: dict[str, UUID]
) -> None:
    assert not (await engine.workspace.users.get(user.user_id)).archived
    await memory.nodes.archive(user.user_id)
    seen = [
        await engine.workspace.users.get(user.user_id),
        await engine.workspace.users.find(user.handle),
        await engine.workspace.users.create(user.handle),
    ]
    assert [one.archived for one in seen] == [True] * 3
    assert await found(memory) == set()
    with pytest.raises(Archived):
        await memory.records.remember_text("More", "More boats.")
    await memory.nodes.unarchive(user.user_id)
    assert nodes["Boats"] in await found(memory) and (await engine.workspace.users.find(user.handle)).archived is False


async def test_only_the_user_archives(engine: Engine, memory: Memory, user: User, nodes: dict[str, UUID]) -> None:
    persona = await memory.nodes.provision(NewNode(user.user_id, "Lawyer", "persona"))
    await memory.grants.give(NewGrant(nodes["Boats"], "persona", persona.node_id, "read_write"))
    stranger = engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}")).user_id)
    for other in (engine.memory_as(Principal("persona", persona.node_id, user.user_id)), stranger):
        with pytest.raises(NotFound):
            await other.nodes.archive(nodes["Boats"])
    assert not (await memory.nodes.shell(nodes["Boats"])).archived


async def test_a_path_is_made_whole_or_not_at_all(memory: Memory, user: User) -> None:
    def path(*names: str) -> list[NewNode]:
        return [NewNode(user.user_id, name) for name in names]

    made = await memory.nodes.provision_whole(path("Family", "Siblings", "Ellen"))
    again = await memory.nodes.provision_whole(path("family", "Siblings", "Ellen"))
    assert (made.created, again.created, again.node_id) == (True, False, made.node_id)
    assert (await memory.nodes.shell(made.node_id)).path[1:] == ("Family", "Siblings", "Ellen")
    impossible = [
        (DepthExceeded, path("Work", "A", "B", "C", "D", "E")),
        (InvalidName, path("Work", "A", "\u0007")),
        (InvalidInput, [*path("Work", "A"), NewNode(user.user_id, "B", summary="long" * 1000)]),
    ]
    for error, nodes in impossible:
        with pytest.raises(error):
            await memory.nodes.provision_whole(nodes)
    assert [child.name for child in (await memory.nodes.shell(user.user_id)).children] == ["Family"]
