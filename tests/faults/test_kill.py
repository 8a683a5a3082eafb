"""A process killed at any step boundary leaves all or nothing in all three stores, and no orphan after the sweep."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from typing import get_args
from uuid import uuid4

import pytest
from _pytest.mark.structures import ParameterSet

from engine.commit.outbox import STEPS
from engine.commit.rows import due
from engine.domain.clock import Moment
from engine.domain.commit import CommitKind
from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.neurigraph import Engine
from tests.faults import victim
from tests.faults.half_way import Leaving, left
from tests.faults.killing import all_agree, lived

pytestmark = pytest.mark.usefixtures("alone")

LONG = pytest.mark.long
FIRST, SECOND, THIRD = STEPS
OF_KIND: dict[CommitKind, str] = {
    "node": "node",
    "records": "record",
    "granted": "grant",
    "revoked": "revoke",
    "node_revised": "change node",
    "record_revised": "change record",
    "edge_revised": "change edge",
    "mentions": "read entities",
    "relations": "read relations",
    "facts": "state facts",
    "entities_merged": "merge entities",
    "merge_undone": "undo merge",
    "told_apart": "tell apart",
    "relation_decided": "archive relation",
    "entity_corrected": "correct entity",
    "alias_decided": "add alias",
    "intention_decided": "close intention",
    "record_retracted": "retract",
    "record_reworded": "change item",
}
"""What a victim does for a commit of each kind."""
TURNS = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(40))


AT_EVERY_STEP = ("node", "records", "facts")
NEVER_OLDER = ("relations", "facts", "record_retracted", "record_reworded")
"""Never the first of a commit, or younger than the rows of older releases."""


def kills() -> Iterator[ParameterSet]:
    """Each kind is repeated on a graph that has it already, and carried out on one that has not: here, or where an older release
    left it. What becomes of a commit at each step is one mechanism: three kinds show it."""
    for kind, step in product(get_args(CommitKind), STEPS):
        usual = kind in AT_EVERY_STEP or step == SECOND or (step == FIRST and kind in NEVER_OLDER)
        yield pytest.param(kind, step, marks=() if usual else LONG)


@pytest.mark.ledger("N15")
@pytest.mark.parametrize(("kind", "step"), [*kills()])
async def test_every_kind_of_commit_is_finished_after_a_kill_at_every_step(
    engine: Engine, kind: CommitKind, step: str
) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, OF_KIND[kind], step)
    user = await engine.workspace.users.find(handle)
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT kinds FROM engine.outbox WHERE user_id = %s AND state = 'pending'", [user.user_id]
        )
        left = [row["kinds"] for row in await cursor.fetchall()]
    assert len(left) == (step != STEPS[-1]) and all(kind in kinds for kinds in left)
    await all_agree(engine)


@pytest.mark.ledger("N15")
@pytest.mark.parametrize("step", STEPS)
async def test_a_commit_of_several_changes_is_finished_after_a_kill_at_every_step(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, "restore record", step)
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    [node] = await memory.nodes.anchors("Before")
    shell = await memory.nodes.shell(node.node_id)
    assert (shell.records, [entry.title for entry in shell.manifest]) == (1, ["After"])


@pytest.mark.ledger("N15")
@pytest.mark.parametrize("kind", [kind for kind in get_args(CommitKind) if kind not in NEVER_OLDER])
async def test_what_an_older_release_left_is_finished(
    engine: Engine, leaver: Engine, leaving: Leaving, kind: CommitKind
) -> None:
    """Its rows hold the parameter of one statement instead of a list of changes."""
    handle = f"k{uuid4().hex[:12]}"
    act = await victim.prepared(leaver, handle, OF_KIND[kind])
    user = await engine.workspace.users.find(handle)
    await left(leaver, leaving, user.user_id, act(), FIRST)
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "UPDATE engine.outbox SET payload = (payload #> '{changes,0}') - 'kind' WHERE user_id = %s RETURNING kind, state",
            [user.user_id],
        )
        assert (kind, "pending") in {(row["kind"], row["state"]) for row in await cursor.fetchall()}
        await due.note_user(connection, "entities", user.user_id)  # as the first start of this release does for all
    await all_agree(engine)


@pytest.mark.ledger("N05", "N15")
@pytest.mark.parametrize("step", [FIRST, pytest.param(SECOND, marks=LONG), pytest.param(THIRD, marks=LONG), "-"])
async def test_provisioning_is_whole_or_not_there(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert await lived(engine, victim, handle, "node", step) == (step == "-")
    await all_agree(engine)
    user = await engine.workspace.users.find(handle)
    memory = engine.memory(user.user_id)
    child = (await memory.nodes.shell(user.user_id)).children[0]
    assert (child.name, child.records) == ("Victim", 0)
    again = await memory.nodes.provision(NewNode(user.user_id, "Victim"))
    assert (again.node_id, again.created) == (child.node_id, False)
    await memory.records.remember(Conversation("c", TURNS), node_id=child.node_id)  # a whole node takes content
    await all_agree(engine)


@pytest.mark.ledger("N05", "N15")
@pytest.mark.parametrize("step", [FIRST, SECOND, pytest.param(THIRD, marks=LONG)])
async def test_a_path_is_whole_or_not_there(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, "path", step)
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    assert [node.name for node in await memory.nodes.tree()] == [handle, "Family", "Siblings", "Ellen"]
    nodes = [NewNode(memory.principal.user_id, name) for name in ("Family", "Siblings", "Ellen")]
    assert not (await memory.nodes.provision_whole(nodes)).created


@pytest.mark.ledger("N15")
@pytest.mark.parametrize("step", [FIRST, pytest.param(SECOND, marks=LONG)])
async def test_archiving_is_whole_or_not_there(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, "change archived", step)
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    states = {node.name: node.archived for node in await memory.nodes.tree()}
    assert states == {handle: False, "Before": True, "Below": True}  # Postgres had it, so it comes to its end
    answer = await memory.search(SearchRequest("Below", widen="always"))
    assert (answer.nodes_searched, [anchor.name for anchor in answer.anchors if anchor.layer]) == (1, [])


@pytest.mark.ledger("N05")
@pytest.mark.parametrize("step", ["accepted", "graph_written"])
async def test_a_user_is_whole_or_not_there(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, "user", step)
    await all_agree(engine)
    user = await engine.workspace.users.create(f"{handle}-new")
    assert (await engine.memory(user.user_id).nodes.shell(user.user_id)).layer == 0


@pytest.mark.ledger("N15")
@pytest.mark.parametrize(
    ("step", "there"),
    [
        ("objects_written", False),
        ("accepted", True),
        pytest.param("graph_written", True, marks=LONG),
        pytest.param("made_visible", True, marks=LONG),
    ],
)
async def test_a_record_is_whole_or_not_there(engine: Engine, step: str, there: bool) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, "record", step)
    user = await engine.workspace.users.find(handle)
    memory = engine.memory(user.user_id)
    if step == "objects_written":
        assert [finding.store for finding in await engine.doctor.examine()] == ["objects"]
    await all_agree(engine)
    shell = await memory.nodes.shell(user.user_id)
    assert (shell.records, shell.items) == ((1, 40) if there else (0, 0))
    page = await memory.nodes.metadata(user.user_id)
    assert len(page.records) == len(shell.manifest) == shell.records
    answer = await memory.search(SearchRequest("walleye", limit=50))
    assert len(answer.hits) == shell.items
    again = await memory.records.remember(Conversation("victim", TURNS))
    assert again.turns == (0 if there else 40)
    await all_agree(engine)
    kept = (await memory.nodes.metadata(user.user_id)).records[0]
    assert kept.file_id and b"Sentence number 39" in await memory.files.read(user.user_id, kept.file_id)


@pytest.mark.ledger("N15")
async def test_before_recovery_nothing_half_written_is_seen(engine: Engine) -> None:
    handle = f"k{uuid4().hex[:12]}"
    await lived(engine, victim, handle, "record", "accepted")
    user = await engine.workspace.users.find(handle)
    memory = engine.memory(user.user_id)
    assert (await memory.nodes.metadata(user.user_id)).records == ()
    assert (await memory.search(SearchRequest("walleye"))).hits == ()
    await all_agree(engine)
    assert len((await memory.search(SearchRequest("walleye"))).hits) == 10


@pytest.mark.ledger("N15", "N23")
@pytest.mark.parametrize("kind", ["record", "node", "edge"])
@pytest.mark.parametrize("step", ["accepted", *(pytest.param(step, marks=LONG) for step in STEPS[1:])])
async def test_a_change_is_whole_or_not_there(engine: Engine, kind: str, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, f"change {kind}", step)
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    anchors = [*await memory.nodes.anchors("Before"), *await memory.nodes.anchors("After")]
    node = await memory.nodes.shell(anchors[0].node_id)
    if kind == "node":
        subject, place, before, after = node.node_id, None, ("Before",), ("Home", "After")
        assert node.path[1:] == after and node.layer == 2
    elif kind == "edge":
        subject, place = (await memory.edges.list())[0].edge_id, None
        assert (await memory.history.state("edge", subject)).fields == {"properties": {"since": "2002"}}
    else:
        entry = node.manifest[0]
        subject, place = entry.record_id, node.node_id
        state = await memory.history.state("record", subject, node_id=place)
        assert entry.title == state.fields["title"] == "After"  # the delta was committed, so the graph learns it
    chain = await memory.history.deltas(kind, subject, node_id=place)
    assert chain[-1].revision == 2 and chain[-1].operation == "changed"
    past = Moment(known_at=chain[-1].known_at - timedelta(microseconds=1))
    if kind == "node":
        assert (await memory.nodes.shell(subject, past)).path[1:] == before
    elif kind == "record":
        assert [one.title for one in (await memory.nodes.shell(place, past)).manifest] == ["Before"]
    assert (await memory.history.change(Change(kind, subject, CHANGES[kind], place))).revision == 3


CHANGES = {"record": {"title": "Again"}, "node": {"name": "Again"}, "edge": {"properties": {"since": "2003"}}}


@pytest.mark.ledger("N15", "N23")
@pytest.mark.parametrize("step", [FIRST, pytest.param(SECOND, marks=LONG)])
async def test_a_changed_text_is_read_again_after_a_kill(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, victim, handle, "change item", step)
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    assert "Ellen Harlan" in {one.name for one in await memory.entities.list(everything=True)}
