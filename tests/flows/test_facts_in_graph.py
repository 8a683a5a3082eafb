"""Facts as nodes of the graph: in their chains, about the entities that they name, counted; whoever changes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.domain.node import User
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.wiring.job_catalogue import unchained
from tests.flows.test_facts import rows, say, stated
from tests.model_server import ModelServer

pytestmark = pytest.mark.usefixtures("few_nodes")


@pytest.fixture
async def memory(reads: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    server.reply = stated
    yield reads.memory(user.user_id)


async def drawn(engine: Engine, user: User) -> dict[str, dict[str, Any]]:
    """Every fact of the graph by its caption: its state, whom it is about (the primary one first), what it superseded, who states it."""
    found = await engine.neo4j.read(
        """MATCH (f:Fact {user_id: $user}) WHERE f.status <> 'confirmation'
           RETURN {caption: f.caption, status: f.status, node_id: f.node_id, record_id: f.record_id, revision: f.revision, stale: f.stale,
                   confirmations: f.confirmations,
                   about: COLLECT { MATCH (f)-[a:ABOUT]->(e:Entity) RETURN e.name ORDER BY a.primary DESC, e.name },
                   primary: COUNT { (f)-[:ABOUT {primary: true}]->(:Entity) },
                   supersedes: head([(f)-[:SUPERSEDES]->(o:Fact) | o.caption]),
                   stated_by: COLLECT { MATCH (f)<-[s:STATES]-(r:Record) WHERE s.known_to IS NULL RETURN r.title ORDER BY r.title }} AS fact""",
        row=dict,
        user=str(user.user_id),
    )
    return {one["caption"]: one for one in found}


async def counts(engine: Engine, user: User) -> dict[str, int]:
    found = await engine.neo4j.read(
        "MATCH (e:Entity {user_id: $user}) WHERE e.fact_count <> 0 RETURN {name: e.name, facts: e.fact_count} AS one",
        row=dict,
        user=str(user.user_id),
    )
    return {one["name"]: one["facts"] for one in found}


@pytest.mark.ledger("A05", "A06")
async def test_a_chain_is_drawn_with_whom_its_facts_are_about(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.", "Dave visited Ellen Harlan.")
    facts = await drawn(reads, user)
    berlin, munich, visit = (
        facts[text] for text in ("Dave lives in Berlin.", "Dave lives in Munich.", "Dave visited Ellen Harlan.")
    )
    assert (berlin["status"], munich["status"], munich["supersedes"]) == ("superseded", "live", "Dave lives in Berlin.")
    assert munich["about"] == ["Dave", "Munich"] and visit["about"] == ["Dave", "Ellen Harlan"]
    assert {one["primary"] for one in facts.values()} == {1}
    assert await counts(reads, user) == {"Dave": 2, "Munich": 1, "Ellen Harlan": 1}
    await say(memory, 20, "Dave lives in Munich.")
    facts = await drawn(reads, user)
    assert len(facts) == 3 and facts["Dave lives in Munich."]["confirmations"] == 1
    assert len(facts["Dave lives in Munich."]["stated_by"]) == 2
    assert all(row["revision"] == row["graph_revision"] for row in await rows(reads, user))


@pytest.mark.ledger("A05", "X06")
async def test_counts_and_chains_follow_a_retraction_and_its_undoing(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.")
    await say(memory, 20, "Dave lives in Munich.")
    before, counted = await drawn(reads, user), await counts(reads, user)
    munich = next(row for row in await rows(reads, user) if row["status"] == "live")
    once = await memory.retractions.retract(RetractionSubject("record", str(munich["record_id"])))
    facts = await reads.neo4j.read(
        "MATCH (f:Fact {user_id: $user}) RETURN {status: f.status, about: [(f)-[:ABOUT]->(e) | e.name]} AS f",
        row=dict,
        user=str(user.user_id),
    )
    assert sorted(one["status"] for one in facts) == ["live", "superseded", "withdrawn"]
    assert all("Dave" in one["about"] for one in facts) and await counts(reads, user) == counted
    await memory.retractions.undo(once.retraction_id)
    assert await counts(reads, user) == counted
    after = await drawn(reads, user)
    for name, fact in before.items():
        assert {**after[name], "revision": 0} == {**fact, "revision": 0}


@pytest.mark.ledger("A05")
async def test_a_job_carries_facts_of_before_and_what_others_changed(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.", "Dave visited Ellen Harlan.")
    before, counted = await drawn(reads, user), await counts(reads, user)
    await reads.neo4j.write(
        "MATCH (f:Fact {user_id: $user}) DETACH DELETE f RETURN count(*) AS n", user=str(user.user_id)
    )
    await reads.neo4j.write(
        "MATCH (e:Entity {user_id: $user}) REMOVE e.fact_count RETURN count(*) AS n", user=str(user.user_id)
    )
    async with reads.postgres.as_service() as connection:  # as an older release left them
        await connection.execute(
            "UPDATE engine.facts SET revision = 1, graph_revision = 0 WHERE user_id = %s", [user.user_id]
        )
    assert (await unchained(reads).run()).carried >= 3
    after = await drawn(reads, user)
    assert after.keys() == before.keys() and await counts(reads, user) == counted
    assert all(
        after[name]["about"] == before[name]["about"] and after[name]["status"] == before[name]["status"]
        for name in before
    )
    async with reads.postgres.as_service() as connection:
        await connection.execute("UPDATE engine.facts SET stale = true WHERE user_id = %s", [user.user_id])
    await unchained(reads).run()
    assert all(one["stale"] and one["revision"] == 2 for one in (await drawn(reads, user)).values())
    assert (await unchained(reads).run()).carried == 0
