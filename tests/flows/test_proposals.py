"""A person's own history gets a hierarchy: proposed from what is said, shown, made, and taken back."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from api.app import create_app
from engine.domain.assignment import AssignmentFilter
from engine.domain.history import Conversation, History, Turn
from engine.domain.node import User
from engine.domain.principal import Principal
from engine.domain.proposal import Proposal, ProposedNode, with_nodes
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.flows.commands import typed

SISTER = ("My sister Ellen moves to Duluth.", "Ellen said that the piano goes along.", "I drive the van for Ellen.")
CHOIR = (
    "The choir rehearses the cantata on Thursday.",
    "The organ in the choir is out of tune.",
    "The cantata is long.",
)


def history(handle: str) -> History:
    conversations = [
        Conversation(f"{name}{number}", tuple(Turn("Rosa", f"{text} ({number})") for text in said), f"{name} {number}")
        for name, said in (("sister", SISTER), ("choir", CHOIR))
        for number in range(5)
    ]
    return History(handle, "Rosa", tuple(conversations))


@pytest.mark.ledger("X13")
async def test_stored_history_gets_nodes_and_its_records_move_there_and_back(
    engine: Engine, memory: Memory, user: User
) -> None:
    await engine.ingest(history(user.handle))
    assert {node.layer for node in await memory.nodes()} == {0}
    proposal = await memory.propose_nodes()
    assert ("Ellen",) in {node.path for node in proposal.nodes}
    assert {node.layer for node in await memory.nodes()} == {0}  # nothing was made
    applied = await memory.make_proposed(proposal)
    assert applied.nodes_created == len(proposal.nodes)
    paths = {node.node_id: node.path[1:] for node in await memory.nodes()}
    lies = {one.title: paths[one.node_id] for one in applied.moved}
    assert {title for title, path in lies.items() if path == ("Ellen",)} == {f"sister {n}" for n in range(5)}
    again = await memory.make_proposed(proposal)
    assert (again.nodes_created, again.moved) == (0, ())
    first = applied.moved[0]
    await memory.move_record(first.record_id, first.node_id, user.user_id, reason="by hand")
    back = await memory.undo_proposed(applied.proposal_id)
    assert {one.record_id for one in back} == {one.record_id for one in applied.moved[1:]}
    at_root = await memory.assignments(AssignmentFilter(node_id=user.user_id))
    assert {one.record_id for one in applied.moved} <= {one.record_id for one in at_root}
    assert await memory.undo_proposed(applied.proposal_id) == ()
    with pytest.raises(NotFound):
        await memory.undo_proposed(uuid4())


@pytest.mark.ledger("X13")
async def test_a_history_that_comes_with_its_proposal_is_placed_turn_by_turn(engine: Engine, user: User) -> None:
    came, memory = history(user.handle), engine.memory(user.user_id)
    proposal = await memory.propose_nodes(came.conversations)
    report = await engine.ingest(with_nodes(came, proposal))
    assert report.nodes_created == len(proposal.nodes) > 0
    places = {record.path[1:] for record in report.records}
    assert places - {()} <= {node.path for node in proposal.nodes} and places - {()}


@pytest.mark.ledger("X13", "N28")
async def test_only_its_user_gets_and_makes_proposals(engine: Engine, memory: Memory, user: User) -> None:
    await memory.remember(Conversation("c1", (Turn("Rosa", "Hello."),)))
    stranger = engine.memory_as(Principal("user", uuid4(), uuid4()))
    node = ProposedNode(("Family",), "concept", "", (), (), 0, 0, "")
    integration = engine.memory_as(Principal("third_party", uuid4(), user.user_id))
    for other in (stranger, integration):
        with pytest.raises(NotFound):
            await other.propose_nodes()
        with pytest.raises(NotFound):
            await other.make_proposed(Proposal((node,), 0, 0))
        with pytest.raises(NotFound):
            await other.undo_proposed(uuid4())
    assert (await memory.propose_nodes()).nodes == ()
    with pytest.raises(InvalidInput, match="Parents"):
        await memory.make_proposed(Proposal((ProposedNode(("Lost", "Child"), "concept", "", (), (), 0, 0, ""),), 0, 0))


@pytest.mark.ledger("X13")
async def test_a_proposal_is_made_and_undone_over_rest(engine: Engine, memory: Memory, user: User) -> None:
    await engine.ingest(history(user.handle))
    transport = httpx.ASGITransport(create_app(engine.settings, engine=engine), client=("127.0.0.1", 1))
    path = f"/v1/users/{user.user_id}/node-proposal"
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        proposed = (await door.get(path)).json()["nodes"]
        assert ["Ellen"] in [node["path"] for node in proposed]
        fields = ("path", "node_type", "summary", "keywords", "aliases")
        wanted = [{field: node[field] for field in fields} for node in proposed]
        made = await door.post(path, json={"nodes": wanted})
        assert (made.status_code, made.json()["nodes_created"]) == (201, len(wanted)), made.text
        moved = {one["record_id"] for one in made.json()["moved"]}
        undone = await door.post(f"{path}/{made.json()['proposal_id']}/undo", json={})
        assert undone.status_code == 200, undone.text
    assert moved and {one["record_id"] for one in undone.json()} == moved
    at_root = await memory.assignments(AssignmentFilter(node_id=user.user_id))
    assert moved <= {str(one.record_id) for one in at_root}


@pytest.mark.ledger("X13", "U05")
async def test_a_proposal_is_made_and_undone_in_the_shell(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    await engine.ingest(history(user.handle))
    shown = await typed(engine, tmp_path, user.handle, "nodes", "propose")
    assert shown.returncode == 0 and "Nothing was made" in shown.stdout, shown.stderr
    made = await typed(engine, tmp_path, user.handle, "nodes", "propose", "--apply", "--json")
    assert made.returncode == 0, made.stderr
    applied = json.loads(made.stdout)["applied"]
    assert applied["nodes_created"] > 0 and applied["moved"]
    undone = await typed(engine, tmp_path, user.handle, "nodes", "undo", applied["proposal_id"])
    assert undone.returncode == 0, undone.stderr
    assert undone.stdout.strip() == f"{len(applied['moved'])} records moved back."
