"""A commit that holds changes of several kinds is mended, cleaned, discarded, revoked and awaited by each of them, not by its first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.commit.set_aside import SetAside
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.errors import Conflict
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.statements import sql_text
from engine.wiring.open_engine import open_engine
from tests.clock import Ahead
from tests.faults.half_way import Leaving, done, left, left_half_way, newest, recovered, set_aside, spoil
from tests.faults.killing import all_agree

TALK = Conversation("talk", (Turn("Bob", "A walleye was caught at the lake."),))


async def mixed(engine: Engine, commits: Sequence[UUID], under: UUID) -> UUID:
    """One commit with the changes of these in their order; it has the id of one of them. Returns that id."""
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.outbox AS o SET kind = m.changes -> 0 ->> 'kind', payload = jsonb_build_object('changes', m.changes)"
            " FROM (SELECT jsonb_agg(c.change ORDER BY p.place, c.place) AS changes FROM unnest(%s::uuid[]) WITH ORDINALITY AS p (id, place)"
            " JOIN engine.outbox AS w ON w.commit_id = p.id, engine.graph_changes(w.kind, w.payload) AS c) AS m WHERE o.commit_id = %s",
            [list(commits), under],
        )
        others = [one for one in commits if one != under]
        await connection.execute("DELETE FROM engine.outbox WHERE commit_id = ANY (%s)", [others])
    return under


async def kinds_of(engine: Engine, commit: UUID) -> list[str]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT c.kind FROM engine.outbox AS o, engine.graph_changes(o.kind, o.payload) AS c WHERE o.commit_id = %s ORDER BY c.place",
            [commit],
        )
        return [row["kind"] for row in await cursor.fetchall()]


async def tail(engine: Engine) -> str | None:
    """What the graph must know because it was written last, if no mark was set since."""
    async with engine.postgres.service.connection() as connection, connection.transaction(force_rollback=True):
        await connection.execute("UPDATE engine.installation SET marked_at = '-infinity'")
        row = await (await connection.execute(sql_text("installation/tail"))).fetchone()
        return row["subject_id"] if row else None


async def provisioned(memory: Memory, name: str, parent: UUID | None = None) -> UUID:
    return (await memory.nodes.provision(NewNode(parent or memory.principal.user_id, name, summary="By it."))).node_id


async def mailbox(engine: Engine) -> UUID:
    return (await engine.workspace.integrations.create(f"mailbox {uuid4().hex[:8]}")).integration_id


async def shown(engine: Engine, memory: Memory, node: UUID) -> dict[str, Any]:
    """What the graph has of a node: shell, manifest, edges, grants."""
    shell = await memory.nodes.shell(node)
    grants = await engine.neo4j.read(
        "MATCH ()-[g:GRANTED]->(:Node {node_id: $id}) RETURN g.depth AS depth, g.revoked_at IS NULL AS holds ORDER BY depth",
        id=str(node),
    )
    return {
        "shell": (shell.name, shell.summary, shell.path, shell.revision, shell.records, shell.items),
        "manifest": [entry.title for entry in shell.manifest],
        "edges": [(edge.edge_type, edge.source_name, edge.target_name) for edge in await memory.edges.list()],
        "grants": [(grant["depth"], grant["holds"]) for grant in grants],
    }


@pytest.mark.ledger("N15", "X12")
async def test_clean_up_keeps_of_a_commit_what_mending_needs(
    engine: Engine, settings: Settings, memory: Memory
) -> None:
    root = memory.principal.user_id
    commits = []
    lake = await provisioned(memory, "Lake")
    commits.append(await newest(engine, root))
    await memory.records.remember(TALK, node_id=lake)
    commits.insert(0, records := await newest(engine, root))
    await memory.history.change(Change("node", lake, {"name": "Pond", "aliases": ["Water"]}))
    commits.append(await newest(engine, root))
    await memory.edges.make(root, lake, "goes to", {"since": "2001"})
    commits.append(await newest(engine, root))
    own = await mailbox(engine)
    given = await memory.grants.give(NewGrant(lake, "third_party", own))
    ended = await memory.grants.give(NewGrant(lake, "third_party", own, depth=1))
    commits += [given.grant_id, ended.grant_id]
    await memory.grants.revoke(ended.grant_id)
    commits.append(await newest(engine, root))
    await mixed(engine, commits, records)
    assert not (await engine.mending.run(dry_run=True)).surplus, "edges and grants are found in the commit of records"
    before = await shown(engine, memory, lake)
    later = settings.model_copy(update={"outbox_days": 20})
    async with open_engine(later, clock=Ahead(days=21), warming=False) as opened:
        assert (await opened.retention.run()).commits >= 1
        assert (await opened.retention.run()).commits == 0, "what was cleaned once is done"
    assert await kinds_of(engine, records) == ["node", "node_revised", "edge_revised", "granted", "granted", "revoked"]
    await engine.neo4j.write(
        "MATCH (n:Node {node_id: $id}) OPTIONAL MATCH (n)-[:HOLDS]->(r) DETACH DELETE n, r", id=str(lake)
    )
    mended = (await engine.mending.run()).mended
    assert {name: mended[name] for name in ("shells", "changes of nodes", "changes of edges", "grants")} == {
        "shells": 1,
        "changes of nodes": 1,
        "changes of edges": 1,
        "grants": 2,
    }
    assert await shown(engine, memory, lake) == before
    assert not (await engine.mending.run()).mended
    await all_agree(engine)


async def test_changes_of_one_commit_are_mended_one_by_one(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    lake = await provisioned(memory, "Lake")
    await memory.history.change(Change("node", lake, {"name": "Pond"}))
    revised = await newest(engine, root)
    await memory.edges.make(root, lake, "goes to")
    await mixed(engine, [revised, await newest(engine, root)], revised)
    await engine.neo4j.write("MATCH ()-[e:RELATED]->(:Node {node_id: $id}) DELETE e", id=str(lake))
    assert (await engine.mending.run()).mended == {"changes of edges": 1}
    await all_agree(engine)


@pytest.mark.ledger("N15")
async def test_recovery_makes_everything_of_a_commit_visible(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User
) -> None:
    """What belongs to its node waits for it, though the commit has another id than the node."""
    theirs, memory = leaver.memory(user.user_id), engine.memory(user.user_id)
    home = await provisioned(memory, "Home")
    edge = await left(leaver, leaving, user.user_id, theirs.edges.make(user.user_id, home, "lives at"))
    path = [NewNode(user.user_id, "Lake"), NewNode(user.user_id, "Bay")]
    bay = await left(leaver, leaving, user.user_id, theirs.nodes.provision_whole(path))
    talk = await left_half_way(leaver, leaving, user, TALK)
    async with engine.postgres.as_service() as connection:
        lake = await connection.first("SELECT parent_id FROM engine.nodes WHERE node_id = %s", [bay], row=UUID)
    assert lake is not None
    commit = await mixed(engine, [edge, lake, talk], talk)
    before = sql_text("commit/before")
    assert await engine.postgres.fetch_as_service(before, {"commit_id": bay}, row=UUID) == [commit]

    async def whole() -> bool:
        return await done(engine, commit) and await done(engine, bay)

    await recovered(engine, until=whole)
    assert [child.name for child in (await memory.nodes.shell(user.user_id)).children] == ["Home", "Lake"]
    assert len((await memory.search(SearchRequest("walleye", widen="always"))).hits) == 1
    assert [one.edge_type for one in await memory.edges.list()] == ["lives at"]
    assert await tail(engine) in (str(lake), str(bay)), "whichever was done last"
    assert [child.name for child in (await memory.nodes.shell(lake)).children] == ["Bay"]
    await all_agree(engine)


async def test_the_tail_is_a_record_of_a_commit_that_begins_with_something_else(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    lake = await provisioned(memory, "Lake")
    await memory.edges.make(root, lake, "goes to")
    edge = await newest(engine, root)
    report = await memory.records.remember(TALK, node_id=lake)
    talk = await newest(engine, root)
    await mixed(engine, [edge, talk], talk)
    assert await tail(engine) == str(report.records[0].record_id)


@pytest.mark.ledger("N15")
async def test_all_of_a_discarded_commit_is_undone(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User
) -> None:
    theirs, memory = leaver.memory(user.user_id), engine.memory(user.user_id)
    grant = NewGrant(await provisioned(memory, "Home"), "third_party", await mailbox(engine))
    given = await left(leaver, leaving, user.user_id, theirs.grants.give(grant))
    talk = await left_half_way(leaver, leaving, user, TALK)
    lake = await left(leaver, leaving, user.user_id, provisioned(theirs, "Lake"))
    commit = await mixed(engine, [given, talk, lake], talk)
    await spoil(engine, commit, "{changes,1,records,0,occurred_at}", '"no time"')
    await set_aside(engine, commit)
    [listed] = await engine.parts[SetAside].list(user.user_id)
    assert (listed.kind, listed.commit_id) == ("granted", commit) and "Lake" in (listed.subject or "")
    await engine.parts[SetAside].discard(commit, "operator")
    assert await memory.grants.list() == ()
    assert (await memory.nodes.provision(NewNode(user.user_id, "Lake"))).created
    assert (await memory.records.remember(TALK)).turns == 1
    assert (await memory.grants.give(grant)).created
    assert (await memory.grants.revoke(given)).grant_id == given, "it had ended with its commit"
    await all_agree(engine)


async def test_a_commit_with_a_revocation_is_never_discarded(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User
) -> None:
    theirs, memory = leaver.memory(user.user_id), engine.memory(user.user_id)
    lake = await provisioned(memory, "Lake")
    given = await memory.grants.give(NewGrant(lake, "third_party", await mailbox(engine)))
    revoked = await left(leaver, leaving, user.user_id, theirs.grants.revoke(given.grant_id))
    talk = await left_half_way(leaver, leaving, user, TALK)
    commit = await mixed(engine, [talk, revoked], talk)
    await spoil(engine, commit, "{changes,0,records,0,occurred_at}", '"no time"')
    await set_aside(engine, commit)
    with pytest.raises(Conflict):
        await engine.parts[SetAside].discard(commit, "operator")
    await spoil(engine, commit, "{changes,0,records,0,occurred_at}", "null")
    assert (await engine.parts[SetAside].retry(commit, "operator")).state == "done"
    await all_agree(engine)


@pytest.mark.parametrize("again", ["grant", "revoke", "move"])
async def test_a_repeat_finishes_all_of_the_commit_that_it_finds(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User, again: str
) -> None:
    theirs, memory = leaver.memory(user.user_id), engine.memory(user.user_id)
    lake, sea = await provisioned(memory, "Lake"), await provisioned(memory, "Sea")
    record = (await memory.records.remember(TALK, node_id=lake)).records[0].record_id
    grant = NewGrant(lake, "third_party", await mailbox(engine))
    if again == "revoke":
        given = await memory.grants.give(grant)

    async def repeated(memory: Memory) -> object:
        if again == "grant":
            return (await memory.grants.give(grant)).grant_id
        if again == "revoke":
            return await memory.grants.revoke(given.grant_id)
        return await memory.once("a key").records.move(record, lake, sea)

    edge = await left(leaver, leaving, user.user_id, theirs.edges.make(lake, sea, "flows to"))
    first = await left(leaver, leaving, user.user_id, repeated(theirs))
    commit = await mixed(engine, [edge, first], first)
    answer = await repeated(memory)
    assert await done(engine, commit)
    assert [one.edge_type for one in await memory.edges.list()] == ["flows to"]
    assert await repeated(memory) == answer
    await all_agree(engine)


async def test_a_text_whose_change_the_graph_lacks_is_read_when_it_has_it(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User
) -> None:
    """The job runs between the two halves of a change by hand, and later once more."""
    memory = engine.memory(user.user_id)
    await memory.records.remember(Conversation("c", (Turn("Bob", "Dave Kowalski called."),)), node_id=user.user_id)
    [hit] = (await memory.search(SearchRequest("Who called?", widen="always"))).hits
    change = Change("item", hit.item_id, {"content": "Teresa Vang called."}, user.user_id)
    await left(leaver, leaving, user.user_id, leaver.memory(user.user_id).history.change(change))
    await engine.derivations.run("entities")
    await engine.outbox.recover()
    assert (await engine.derivations.run("entities"))["records"] == 1
    assert "Teresa Vang" in {one.name for one in await memory.entities.list(everything=True)}
    assert await engine.doctor.examine() == []
    assert (await engine.derivations.run("entities"))["waiting"] == 0
