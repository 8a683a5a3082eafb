"""A commit that the graph refuses holds up no other one; it is counted, set aside, and a person has it tried again or discards it."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

import httpx
import pytest

from engine.commit.set_aside import SetAside
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.errors import CommitSetAside, Conflict, NotFound, StoreFailed
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import counted
from tests.commands import typed
from tests.door import new_door
from tests.faults.half_way import Leaving, Left, done, left_half_way, newest, recovered, row_of, set_aside, spoil
from tests.faults.killing import all_agree

pytestmark = pytest.mark.usefixtures("alone")

TURNS = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(4))


async def plant(engine: Engine, schema: str) -> None:
    """A shell of an older time that holds the schema's name: the graph refuses another one."""
    await engine.neo4j.write(
        "CREATE (n:Node {node_id: $id, schema_name: $schema})", id=str(uuid5(NAMESPACE_OID, schema)), schema=schema
    )


async def unplant(engine: Engine, schema: str) -> None:
    await engine.neo4j.write("MATCH (n:Node {node_id: $id}) DETACH DELETE n", id=str(uuid5(NAMESPACE_OID, schema)))


async def refused_node(engine: Engine, memory: Memory, name: str) -> tuple[UUID, str]:
    """A node whose shell the graph refuses, set aside; its commit and its schema."""
    schema = f"{(await memory.nodes.shell(memory.principal.user_id)).schema_name}_{name.lower()}"
    await plant(engine, schema)
    with pytest.raises(StoreFailed):
        await memory.nodes.provision(NewNode(memory.principal.user_id, name))
    await set_aside(engine, commit := await newest(engine, memory.principal.user_id))
    assert [one.commit_id for one in await engine.parts[SetAside].list(memory.principal.user_id)] == [commit]
    return commit, schema


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("{changes,0,records,0,occurred_at}", '"no time"'),
        ("{changes,0,records,0,title}", '{"a": 1}'),
        ("{changes,0,records}", "7"),
        ("{changes,0}", "7"),
        ("{changes}", "7"),
    ],
    ids=["argument", "type", "shape", "change", "list"],
)
async def test_others_are_finished_whatever_the_graph_refuses(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User, place: str, value: str
) -> None:
    refused = await left_half_way(leaver, leaving, user, Conversation("refused", TURNS))
    await spoil(engine, refused, place, value)
    await left_half_way(leaver, leaving, user, Conversation("younger", TURNS))
    memory = engine.memory(user.user_id)

    async def seen() -> list[str]:
        return [record.title for record in (await memory.nodes.metadata(user.user_id)).records]

    await recovered(engine, until=seen)
    assert await seen() == ["younger"] and (await row_of(engine, refused))["state"] == "pending"
    await set_aside(engine, refused)
    [one] = await engine.parts[SetAside].list(user.user_id)
    assert (one.commit_id, one.kind, one.attempts) == (
        refused,
        "records",
        engine.settings.commit_attempts,
    ) and one.cause
    await engine.parts[SetAside].discard(refused, "operator")
    await all_agree(engine)


async def test_what_is_due_later_is_left_to_later(engine: Engine, leaver: Engine, leaving: Leaving, user: User) -> None:
    refused = await left_half_way(leaver, leaving, user, Conversation("refused", TURNS))
    await spoil(engine, refused, "{changes,0,records,0,occurred_at}", '"no time"')
    for _ in range(engine.settings.commit_attempts + 5):
        await engine.outbox.recover(due_only=True)
    assert await engine.parts[SetAside].list(user.user_id) == ()  # it was tried at most once or twice so far
    await set_aside(engine, refused)
    await engine.parts[SetAside].discard(refused, "operator")
    await all_agree(engine)


async def test_a_name_whose_node_was_refused_is_had_by_retry(engine: Engine, memory: Memory) -> None:
    commit, schema = await refused_node(engine, memory, "Fishing")
    assert [one.subject for one in await engine.parts[SetAside].list(memory.principal.user_id)] == ["Fishing"]
    with pytest.raises(CommitSetAside) as caught:
        await memory.nodes.provision(NewNode(memory.principal.user_id, "Fishing"))
    assert caught.value.commit_id == commit and str(commit) in caught.value.detail
    assert (await engine.degraded()).commits_set_aside >= 1
    [found] = [one for one in await engine.doctor.examine() if "set aside" in one.problem]
    assert found.subject == counted((await engine.parts[SetAside].waiting()).commits, "commit")
    assert (await engine.parts[SetAside].retry(commit, "operator")).state == "pending"  # it is still in the way
    await set_aside(engine, commit)
    await unplant(engine, schema)
    assert (await engine.parts[SetAside].retry(commit, "operator")).state == "done"
    again = await memory.nodes.provision(NewNode(memory.principal.user_id, "Fishing"))
    assert (again.node_id, again.created) == (commit, False)
    await all_agree(engine)


async def test_a_repeat_finishes_what_was_set_aside_where_the_graph_takes_it_now(
    engine: Engine, memory: Memory
) -> None:
    commit, schema = await refused_node(engine, memory, "Sailing")
    await unplant(engine, schema)
    made = await memory.nodes.provision(NewNode(memory.principal.user_id, "Sailing"))
    assert (made.node_id, made.created) == (commit, False)
    assert await done(engine, commit) and await engine.parts[SetAside].list(memory.principal.user_id) == ()
    await all_agree(engine)


async def test_a_name_whose_node_was_discarded_is_free(engine: Engine, memory: Memory) -> None:
    commit, schema = await refused_node(engine, memory, "Hunting")
    await unplant(engine, schema)
    await engine.parts[SetAside].discard(commit, "operator", "never needed")
    await engine.parts[SetAside].list(memory.principal.user_id)
    with pytest.raises(NotFound):
        await engine.parts[SetAside].discard(commit, "operator")
    made = await memory.nodes.provision(NewNode(memory.principal.user_id, "Hunting"))
    assert made.created and made.node_id != commit and made.schema_name == schema
    await all_agree(engine)


async def test_a_handle_whose_root_was_refused_is_free(engine: Engine) -> None:
    handle = f"u{uuid4().hex[:12]}"
    await plant(engine, handle)
    with pytest.raises(StoreFailed):
        await engine.workspace.users.create(handle)
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT user_id FROM engine.users WHERE handle = %s", [handle])
        row = await cursor.fetchone()
    assert row is not None
    await set_aside(engine, await newest(engine, row["user_id"]))
    with pytest.raises(CommitSetAside) as caught:
        await engine.workspace.users.create(handle)
    await unplant(engine, handle)
    await engine.parts[SetAside].discard(caught.value.commit_id, "operator")
    with pytest.raises(NotFound):
        await engine.workspace.users.find(handle)
    assert (await engine.workspace.users.create(handle)).created
    await all_agree(engine)


async def counts(engine: Engine, schema: str) -> dict[tuple[str, int], int]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT unit, term, documents FROM engine.term_counts JOIN engine.nodes USING (node_id)"
            " WHERE documents > 0 AND schema_name = %s",
            [schema],
        )
        return {(row["unit"], row["term"]): row["documents"] for row in await cursor.fetchall()}


async def test_a_conversation_goes_on_where_it_stood_before_the_discarded_turns(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User
) -> None:
    memory = engine.memory(user.user_id)
    await memory.records.remember(Conversation("talk", TURNS[:2]))
    schema = (await memory.nodes.shell(user.user_id)).schema_name
    before = await counts(engine, schema)
    commit = await left_half_way(leaver, leaving, user, Conversation("talk", TURNS))
    await spoil(engine, commit, "{changes,0,records,0,occurred_at}", '"no time"')
    await set_aside(engine, commit)
    with pytest.raises(CommitSetAside):  # neither stored nor free
        await memory.records.remember(Conversation("talk", TURNS))
    await engine.parts[SetAside].discard(commit, memory.principal.name, "broken", user.user_id)
    assert await counts(engine, schema) == before
    assert (await engine.sweep.run(grace=timedelta(0))).orphans >= 1
    await all_agree(engine)
    assert (await memory.records.remember(Conversation("talk", TURNS))).turns == 2
    assert len((await memory.search(SearchRequest("walleye", widen="always"))).hits) == 4
    await all_agree(engine)


async def test_a_discarded_document_can_be_sent_again(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User
) -> None:
    leaving.step = "accepted"
    with pytest.raises(Left):
        await leaver.memory(user.user_id).records.remember_text("Manual", "The gasket of the boat leaks.")
    leaving.step = ""
    commit = await newest(engine, user.user_id)
    await spoil(engine, commit, "{changes,0,records,0,occurred_at}", '"no time"')
    await set_aside(engine, commit)
    await engine.parts[SetAside].discard(commit, "operator")
    memory = engine.memory(user.user_id)
    assert await memory.documents.list() == () and await memory.resources.list() == ()
    assert len((await memory.records.remember_text("Manual", "The gasket of the boat leaks.")).records) == 1
    assert len(await memory.documents.list()) == 1
    await all_agree(engine)


async def test_a_write_waits_for_the_node_that_it_belongs_to(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User
) -> None:
    """The parent is set aside; what was written below it is not counted, follows a retry and goes with a discard."""
    memory = engine.memory(user.user_id)
    for name, outcome in (("Lake", "retry"), ("River", "discard")):
        parent, schema = await refused_node(engine, memory, name)
        async with engine.postgres.as_service() as connection:  # as a restored graph would have it
            await connection.execute("UPDATE engine.nodes SET state = 'live' WHERE node_id = %s", [parent])
        with pytest.raises(Exception, match="still being finished"):
            await memory.nodes.provision(NewNode(parent, "Bay"))
        child = await newest(engine, user.user_id)
        for _ in range(engine.settings.commit_attempts + 2):
            await engine.outbox.recover()
        assert [one.commit_id for one in await engine.parts[SetAside].list(user.user_id)] == [parent]
        await unplant(engine, schema)
        if outcome == "retry":
            assert (await engine.parts[SetAside].retry(parent, "operator")).state == "done"
            await recovered(engine, until=partial(done, engine, child))
            assert (await memory.nodes.provision(NewNode(parent, "Bay"))).node_id == child
        else:
            async with engine.postgres.as_service() as connection:
                await connection.execute("UPDATE engine.nodes SET state = 'pending' WHERE node_id = %s", [parent])
            await engine.parts[SetAside].discard(parent, "operator")
            assert (await memory.nodes.provision(NewNode(user.user_id, name))).created
        await all_agree(engine)


async def test_a_shell_that_is_lost_sets_aside_what_belongs_there(engine: Engine, memory: Memory) -> None:
    lake = await memory.nodes.provision(NewNode(memory.principal.user_id, "Lake"))
    await engine.neo4j.write("MATCH (n:Node {node_id: $id}) SET n:Kept REMOVE n:Node", id=str(lake.node_id))
    with pytest.raises(Exception, match="still being finished"):
        await memory.nodes.provision(NewNode(lake.node_id, "Bay"))
    await set_aside(engine, await newest(engine, memory.principal.user_id))
    [one] = await engine.parts[SetAside].list(memory.principal.user_id)
    assert "shell" in one.cause and one.waits_for == ()
    await engine.neo4j.write("MATCH (n:Kept {node_id: $id}) SET n:Node REMOVE n:Kept", id=str(lake.node_id))
    assert (await engine.parts[SetAside].retry(one.commit_id, "operator")).state == "done"
    await all_agree(engine)


async def test_a_grant_is_revoked_with_its_commit_and_a_revocation_is_never_given_up(
    engine: Engine, memory: Memory
) -> None:
    me = memory.principal
    mailbox = await engine.workspace.integrations.create(f"mailbox {uuid4().hex[:8]}")
    lake = await memory.nodes.provision(NewNode(me.user_id, "Lake"))
    await engine.neo4j.write("MATCH (n:Node {node_id: $id}) SET n:Kept REMOVE n:Node", id=str(lake.node_id))
    with pytest.raises(Exception, match="still being finished"):
        await memory.grants.give(NewGrant(lake.node_id, "third_party", mailbox.integration_id))
    await set_aside(engine, await newest(engine, me.user_id))
    [given] = await engine.parts[SetAside].list(me.user_id)
    with pytest.raises(Exception, match="still being finished"):
        await memory.grants.revoke(given.commit_id)
    await set_aside(engine, await newest(engine, me.user_id))
    given, revoked = await engine.parts[SetAside].list(me.user_id)
    assert (given.kind, revoked.kind) == ("granted", "revoked")
    with pytest.raises(Conflict):
        await engine.parts[SetAside].discard(revoked.commit_id, "operator")
    await engine.parts[SetAside].discard(given.commit_id, "operator")
    await engine.neo4j.write("MATCH (n:Kept {node_id: $id}) SET n:Node REMOVE n:Kept", id=str(lake.node_id))
    assert (await engine.parts[SetAside].retry(revoked.commit_id, "operator")).state == "done"
    await all_agree(engine)


async def test_users_see_and_decide_their_own_over_rest_and_the_operator_all(engine: Engine, memory: Memory) -> None:
    commit, schema = await refused_node(engine, memory, "Skating")
    stranger = await engine.workspace.users.create(f"u{uuid4().hex[:12]}")
    app = new_door(engine.settings, engine=engine)
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        theirs = f"/v1/users/{stranger.user_id}/commits"
        assert (await door.get(theirs)).json() == []
        assert (await door.post(f"{theirs}/{commit}/retry")).status_code == 404
        assert (await door.post(f"{theirs}/{commit}/discard")).status_code == 404
        own = f"/v1/users/{memory.principal.user_id}/commits"
        assert [one["commit_id"] for one in (await door.get(own)).json()] == [str(commit)]
        assert str(commit) in {one["commit_id"] for one in (await door.get("/v1/commits")).json()}
        assert (await door.get("/v1/health/ready")).json()["degraded"]["commits_set_aside"] >= 1
        nodes = f"/v1/users/{memory.principal.user_id}/nodes"
        answer = await door.post(nodes, json={"parent_id": str(memory.principal.user_id), "name": "Skating"})
        assert (answer.status_code, answer.json()["commit_id"]) == (409, str(commit))
        assert (await door.post(f"{own}/{commit}/retry")).json()["state"] == "pending"
        await set_aside(engine, commit)
        await unplant(engine, schema)
        answer = await door.post(f"{own}/{commit}/discard", params={"reason": "a mistake"})
        assert (answer.status_code, answer.json()["state"]) == (200, "discarded")
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT event, actor, detail FROM engine.commit_log WHERE commit_id = %s ORDER BY entry_id", [commit]
        )
        log = [(row["event"], row["actor"]) for row in await cursor.fetchall()]
    assert [event for event, _ in log] == ["set_aside", "retried", "set_aside", "discarded"]
    assert log[-1][1] == memory.principal.name
    await all_agree(engine)


async def test_the_shell_lists_retries_and_discards(engine: Engine, memory: Memory, tmp_path) -> None:
    commit, schema = await refused_node(engine, memory, "Curling")
    listed = await typed(engine, tmp_path, None, "commits", "list", "--json")
    assert listed.returncode == 1 and str(commit) in listed.stdout and "Curling" in listed.stdout, listed.stderr
    again = await typed(engine, tmp_path, None, "commits", "retry", str(commit))
    assert (again.returncode, "pending" in again.stdout) == (1, True), again.stderr
    await set_aside(engine, commit)
    of = [(await engine.workspace.users.get(memory.principal.user_id)).handle, "commits"]
    other = (await engine.workspace.users.create(f"n{uuid4().hex[:12]}")).handle
    assert str(commit) in (await typed(engine, tmp_path, *of, "list", "--json")).stdout
    assert (await typed(engine, tmp_path, other, "commits", "list")).stdout.strip() == "No commit is set aside."
    refused = await typed(engine, tmp_path, other, "commits", "discard", str(commit))
    assert refused.returncode == 1 and refused.stderr.startswith("Not found: nothing here has this id")
    await unplant(engine, schema)
    gone = await typed(engine, tmp_path, *of, "discard", str(commit), "--reason", "a mistake")
    assert (gone.returncode, "discarded" in gone.stdout) == (0, True), gone.stderr
    assert await engine.parts[SetAside].list(memory.principal.user_id) == ()
