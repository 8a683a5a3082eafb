"""Facts as nodes of the graph: in their chains, about the entities that they name, counted; after changes of every kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import FIELDS, NewGrant
from engine.domain.history import Conversation, History, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.analysis.test_analysis import rows as asked_rows
from tests.facts.test_facts import rows, say, stated
from tests.model_server import ModelServer
from tests.reader import WHEN

pytestmark = pytest.mark.usefixtures("few_nodes")


@pytest.fixture
async def memory(reads: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    server.reply = stated
    yield reads.memory(user.user_id)


async def drawn(engine: Engine, user_id: UUID) -> dict[str, dict[str, Any]]:
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
        user=str(user_id),
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
    facts = await drawn(reads, user.user_id)
    berlin, munich, visit = (
        facts[text] for text in ("Dave lives in Berlin.", "Dave lives in Munich.", "Dave visited Ellen Harlan.")
    )
    assert (berlin["status"], munich["status"], munich["supersedes"]) == ("superseded", "live", "Dave lives in Berlin.")
    assert munich["about"] == ["Dave", "Munich"] and visit["about"] == ["Dave", "Ellen Harlan"]
    assert {one["primary"] for one in facts.values()} == {1}
    assert await counts(reads, user) == {"Dave": 2, "Munich": 1, "Ellen Harlan": 1}
    await say(memory, 20, "Dave lives in Munich.")
    facts = await drawn(reads, user.user_id)
    assert len(facts) == 3 and facts["Dave lives in Munich."]["confirmations"] == 1
    assert len(facts["Dave lives in Munich."]["stated_by"]) == 2
    assert all(row["revision"] == row["graph_revision"] for row in await rows(reads, user))


@pytest.mark.ledger("A05", "X06")
async def test_counts_and_chains_follow_a_retraction_and_its_undoing(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.")
    await say(memory, 20, "Dave lives in Munich.")
    before, counted = await drawn(reads, user.user_id), await counts(reads, user)
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
    after = await drawn(reads, user.user_id)
    for name, fact in before.items():
        assert {**after[name], "revision": 0} == {**fact, "revision": 0}


@pytest.mark.ledger("A05")
async def test_a_job_carries_facts_of_before_and_what_others_changed(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.", "Dave visited Ellen Harlan.")
    before, counted = await drawn(reads, user.user_id), await counts(reads, user)
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
    assert (await reads.derivations.run("facts"))["carried"] >= 3
    after = await drawn(reads, user.user_id)
    assert after.keys() == before.keys() and await counts(reads, user) == counted
    assert all(
        after[name]["about"] == before[name]["about"] and after[name]["status"] == before[name]["status"]
        for name in before
    )
    async with reads.postgres.as_service() as connection:
        await connection.execute("UPDATE engine.facts SET stale = true WHERE user_id = %s", [user.user_id])
    await reads.derivations.of_job("fact-chains")
    assert all(one["stale"] and one["revision"] == 2 for one in (await drawn(reads, user.user_id)).values())
    assert (await reads.derivations.run("facts"))["carried"] == 0


@pytest.mark.ledger("A06", "X01")
async def test_others_read_live_facts_where_they_may_read_items(reads: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    here, there = [await memory.nodes.provision(NewNode(root, name)) for name in ("Boat", "Clinic")]
    await say(memory, 0, "Dave lives in Berlin.", node_id=here.node_id)
    await say(memory, 10, "Dave lives in Munich.", node_id=here.node_id)
    await say(memory, 20, "Dave visited Dr. Lund.", node_id=there.node_id)
    [dave] = await memory.entities.list(name="dave")
    assert dave.fact_count == (await memory.entities.get(dave.entity_id)).fact_count == 2
    own = await memory.entities.facts(dave.entity_id, ended=True)
    assert [(one.text, one.status, one.subject) for one in own] == [
        ("Dave visited Dr. Lund.", "live", True),
        ("Dave lives in Munich.", "live", True),
        ("Dave lives in Berlin.", "superseded", True),
    ]
    assert "Dave visited Dr. Lund." in (await memory.profiles.entity(dave.entity_id)).text
    for fields, seen in ((FIELDS, ["Dave lives in Munich."]), (("records",), [])):
        app = await reads.workspace.integrations.create(f"app {uuid4()}")
        await memory.grants.give(NewGrant(here.node_id, "third_party", app.integration_id, fields=fields))
        reader = reads.memory_as(Principal("third_party", app.integration_id, root))
        assert [one.text for one in await reader.entities.facts(dave.entity_id, ended=True)] == seen
        assert (await reader.entities.get(dave.entity_id)).fact_count == len(seen)
        [listed] = await reader.entities.list(name="dave")
        assert listed.fact_count == len(seen)
        [lund] = await memory.entities.list(name="lund")
        with pytest.raises(NotFound):
            await reader.entities.facts(lund.entity_id)
    moved = own[1].record_id
    await memory.records.move(moved, here.node_id, there.node_id)
    assert {one["node_id"] for one in (await drawn(reads, root)).values()} == {str(here.node_id), str(there.node_id)}
    assert (await memory.entities.facts(dave.entity_id))[1].node_id == there.node_id


@pytest.mark.ledger("A04", "A05")
async def test_what_is_said_twice_in_one_ingest_is_stated_by_both(reads: Engine, user: User, memory: Memory) -> None:
    """Whichever of the two is entered first."""
    people = ("Dave", "Ellen", "Iris", "Otto", "Ruth", "Nils")
    twice = tuple(
        Conversation(
            f"{time} {name}", (Turn("Bob", f"{name} lives in Berlin."),), started_at=WHEN + timedelta(days=time)
        )
        for name in people
        for time in (1, 2)
    )
    await memory.ingests.history(History("twice", "Bob", twice))
    found = await drawn(reads, user.user_id)
    assert {name: len(one["stated_by"]) for name, one in found.items()} == {
        f"{name} lives in Berlin.": 2 for name in people
    }
    assert all(one["confirmations"] == 1 for one in found.values())


@pytest.mark.ledger("A05")
async def test_a_fact_that_the_graph_never_had_is_carried_whole_when_another_one_ends_it(
    reads: Engine, user: User, memory: Memory
) -> None:
    """As in a home of before facts were nodes."""
    await say(memory, 0, "Dave lives in Berlin.")
    await reads.neo4j.write(
        "MATCH (f:Fact {user_id: $user})-[:ABOUT]->(e:Entity) SET e.fact_count = 0 DETACH DELETE f",
        user=str(user.user_id),
    )
    async with reads.postgres.as_service() as connection:
        await connection.execute("UPDATE engine.facts SET graph_revision = 0 WHERE user_id = %s", [user.user_id])
    await say(memory, 10, "Dave lives in Munich.")
    await reads.derivations.of_job("fact-chains")
    found = await drawn(reads, user.user_id)
    assert {name: (one["status"], one["about"][0], one["supersedes"]) for name, one in found.items()} == {
        "Dave lives in Berlin.": ("superseded", "Dave", None),
        "Dave lives in Munich.": ("live", "Dave", "Dave lives in Berlin."),
    }
    assert (await counts(reads, user))["Dave"] == 1


@pytest.mark.ledger("U03")
async def test_statements_for_analysts_show_facts(reads: Engine, user: User, memory: Memory) -> None:
    for day, text in ((0, "Dave lives in Berlin."), (10, "Dave lives in Munich."), (10, "Dave lives in Rome.")):
        await say(memory, day, text)

    async def asked(name: str, **given: str) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in await asked_rows(reads, memory, name, **given)]

    [(who, _, one, other, records)] = [row for row in await asked("contradictions") if row[1] == "FACT"]
    assert (who, {one, other}, records) == (
        "Dave",
        {"Dave lives in Munich.", "Dave lives in Rome."},
        [1, 1],
    )
    lines = [(what, detail) for _, what, detail in await asked("timeline", entity="dave")]
    assert {
        ("begins", "Dave lives in Berlin."),
        ("ends", "Dave lives in Berlin."),
        ("begins", "Dave lives in Rome."),
    } <= set(lines)
    span = {"from": "1900-01-01", "to": "2100-01-01"}
    assert ("ended", "Dave lives in Berlin.") in [row[1:] for row in await asked("changes", entity="dave", **span)]


DAMAGE = {
    # what: how it is inflicted, what is found of it
    "fact": (
        "MATCH (f:Fact {user_id: $user, status: 'live'}) DETACH DELETE f",
        {"2 facts missing", "2 entities counted"},
    ),
    "status": (
        "MATCH (f:Fact {user_id: $user, status: 'superseded'}) SET f.status = 'invalidated'",
        {"1 fact missing"},
    ),
    "chain": ("MATCH (:Fact {user_id: $user})-[s:SUPERSEDES]->(:Fact) DELETE s", {"1 fact missing"}),
    "source": ("MATCH (:Fact {user_id: $user, status: 'live'})<-[s:STATES]-() DELETE s", {"2 facts missing"}),
    "confirmation": (
        "MATCH (f:Fact {user_id: $user})<-[s:STATES]-() WHERE s.fact_id <> f.fact_id DELETE s",
        {"1 fact missing"},
    ),
    "count": ("MATCH (e:Entity {user_id: $user, name: 'Dave'}) SET e.fact_count = 7", {"1 entity counted"}),
    "surplus": ("CREATE (:Fact {user_id: $user, fact_id: randomUUID(), status: 'live'})", {"1 fact left over"}),
}


@pytest.mark.ledger("A05")
async def test_damage_of_facts_is_found_named_and_mended(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.")
    await say(memory, 20, "Dave lives in Munich.")
    before, counted = await drawn(reads, user.user_id), await counts(reads, user)
    for inflict, words in DAMAGE.values():
        await reads.neo4j.write(f"{inflict} RETURN count(*) AS done", user=str(user.user_id))
        findings = [one for one in await reads.doctor.examine() if one.node_id == user.user_id]
        assert {word for word in words for one in findings if one.problem.startswith(word)} == words, findings
        assert len(findings) == len(words) and {one.kind for one in findings} == {"knowledge-off"}, findings
        await reads.remedies.fix(findings)
        await reads.derivations.of_job("fact-chains")
        assert [one for one in await reads.doctor.examine() if one.node_id == user.user_id] == []
        assert await counts(reads, user) == counted
        assert {
            name: (one["about"], one["supersedes"]) for name, one in (await drawn(reads, user.user_id)).items()
        } == {name: (one["about"], one["supersedes"]) for name, one in before.items()}


async def test_a_lost_row_of_a_fact_takes_nothing_out_of_the_graph(reads: Engine, user: User, memory: Memory) -> None:
    """The item that states it is there, so the row was lost: it is entered again, and the fact stays where it was."""
    await say(memory, 0, "Dave lives in Berlin.")
    before = await drawn(reads, user.user_id)
    async with reads.postgres.as_service() as connection:
        await connection.execute("DELETE FROM engine.facts WHERE user_id = %s", [user.user_id])
    found = [one for one in await reads.doctor.examine() if one.node_id == user.user_id]
    assert [one.problem for one in found] == [
        "1 fact without a row in Postgres, though the item that states it is there"
    ]
    assert [one.failure for one in await reads.remedies.fix(found) if one.failure] == []
    assert (await drawn(reads, user.user_id)).keys() == before.keys()
    await reads.derivations.of_job("fact-chains")
    assert (await drawn(reads, user.user_id)).keys() == before.keys()
    assert [one for one in await reads.doctor.examine() if one.node_id == user.user_id] == []


@pytest.mark.ledger("A03", "A05")
async def test_a_fact_follows_a_change_of_its_item_and_its_record_at_once(
    reads: Engine, user: User, memory: Memory
) -> None:
    """Without the job: its row, the graph and its counts."""
    [fact] = await memory.facts.write(WrittenFact("Dave plays the cello."))
    for kind, subject in (("item", fact.fact_id), ("record", fact.record_id)):
        for ended, status in ((True, "withdrawn"), (False, "live")):
            await memory.history.change(Change(kind, subject, {"ended": ended}, fact.node_id))
            assert [one.status for one in await memory.facts.chain(fact.fact_id)] == [status]
            assert len(await memory.facts.list()) == (not ended)
            assert (await drawn(reads, user.user_id))["Dave plays the cello."]["status"] == status
            assert await counts(reads, user) == ({} if ended else {"Dave": 1})
    for text in ("Dave plays the harp.", "Dave plays the organ."):
        await memory.history.change(Change("item", fact.fact_id, {"content": text}, fact.node_id))
        assert set(await drawn(reads, user.user_id)) == {text}
    assert await reads.derivations.of_job("fact-chains") is not None and set(await drawn(reads, user.user_id)) == {text}


@pytest.mark.ledger("A05", "X01")
@pytest.mark.parametrize("kind", ["item", "record"])
async def test_a_change_by_a_persona_is_seen_at_once(reads: Engine, user: User, memory: Memory, kind: str) -> None:
    here = (await memory.nodes.provision(NewNode(user.user_id, "Boat"))).node_id
    butler = (await memory.nodes.provision(NewNode(user.user_id, "Butler", "persona"))).node_id
    await memory.grants.give(NewGrant(here, "persona", butler, mode="read_write"))
    acting = reads.memory_as(Principal("persona", butler, user.user_id))
    [fact] = await memory.facts.write(WrittenFact("Dave lives in Berlin."), node_id=here)
    subject = fact.fact_id if kind == "item" else fact.record_id
    for ended, status in ((True, "withdrawn"), (False, "live"), (True, "withdrawn")):
        await acting.history.change(Change(kind, subject, {"ended": ended}, here))
        assert [one["status"] for one in (await drawn(reads, user.user_id)).values()] == [status]
        assert [(one["status"], one["revision"]) for one in await rows(reads, user)] == [
            (one["status"], one["graph_revision"]) for one in await rows(reads, user)
        ] and [one["status"] for one in await rows(reads, user)] == [status]
        assert len(await memory.facts.list()) == (status == "live")
    await acting.history.change(Change(kind, subject, {"ended": False}, here))
    await acting.history.change(Change("item", fact.fact_id, {"content": "Dave lives in Bonn."}, here, correction=True))
    assert list(await drawn(reads, user.user_id)) == ["Dave lives in Bonn."]
