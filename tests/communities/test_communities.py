"""Communities, clusters, insights, importance: derived by the job, kept by id, shown to the user alone and only while they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.community import Insight
from engine.domain.delta import Change
from engine.domain.entity import EntitySummary, Merge
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import sql_text
from engine.wiring.job_catalogue import CATALOGUE
from tests.facts.test_facts import stated
from tests.model_server import Asked, Misbehaviour, ModelServer

pytestmark = pytest.mark.usefixtures("few_nodes")
START = datetime(2024, 5, 8, 18, tzinfo=UTC)
FAMILY = (
    "Ellen Harlan is married to Dave Kowalski.",
    "Dave Kowalski works at Harlan Joinery.",
    "Ellen Harlan works at Harlan Joinery.",
)
CLUB = (
    "Rosa Lindqvist is married to Viktor Sandoval.",
    "Viktor Sandoval works at Duluth Sailing Club.",
    "Rosa Lindqvist works at Duluth Sailing Club.",
)


async def say(memory: Memory, day: int, text: str) -> UUID:
    talk = Conversation(f"{day} {uuid4()}", (Turn("Bob", text),), f"Call {day}", START + timedelta(days=day))
    return (await memory.records.remember(talk, node_id=memory.principal.user_id)).records[0].record_id


async def named(memory: Memory, name: str) -> EntitySummary:
    [found] = [one for one in await memory.entities.list(limit=500, everything=True) if one.name == name]
    return found


async def build(engine: Engine) -> dict[str, Any]:
    """What the job does."""
    [job] = [one for one in CATALOGUE if one.name == "communities"]
    return await job.work(engine)


DAMAGE = {
    "relation": "MATCH ({user_id: $user})-[x {relation_id: $id}]->() SET x.relation_id = $id + 'ac'",
    "entity": "MATCH (x:Entity {entity_id: $entity}) SET x.entity_id = $entity + 'ac'",
    "place": "MATCH (:Record)-[x:MENTIONS]->(:Entity {entity_id: $entity}) SET x.before = x.spans, x.spans = ['none:0-5']",
}
MENDED = {
    "relation": "MATCH ({user_id: $user})-[x {relation_id: $id + 'ac'}]->() SET x.relation_id = $id",
    "entity": "MATCH (x:Entity {entity_id: $entity + 'ac'}) SET x.entity_id = $entity",
    "place": "MATCH (:Record)-[x:MENTIONS]->(:Entity {entity_id: $entity}) SET x.spans = x.before REMOVE x.before",
}


@pytest.mark.ledger("A10")
@pytest.mark.parametrize("what", DAMAGE)
async def test_a_damaged_graph_does_not_stop_the_communities_of_others(
    engine: Engine, memory: Memory, user: User, what: str
) -> None:
    await build(engine)
    other = await engine.workspace.users.create(f"c{uuid4().hex[:9]}", "Other")
    for day, text in enumerate(FAMILY):
        await say(memory, day, text)
        await say(engine.memory(other.user_id), day, text)
    ellen = (await named(memory, "Ellen Harlan")).entity_id
    family = (await memory.entities.relations(ellen))[0]
    asked = {"user": str(user.user_id), "id": str(family.relation_id), "entity": str(ellen)}
    await engine.neo4j.write(DAMAGE[what], **asked)
    try:
        counts = await build(engine)
        assert (counts["users"], counts["damaged"]) == (1, 1)
        assert not await memory.communities.list() and await engine.memory(other.user_id).communities.list()
    finally:
        await engine.neo4j.write(MENDED[what], **asked)
    counts = await build(engine)
    assert (counts["users"], counts["damaged"]) == (1, 0) and await memory.communities.list()


@pytest.mark.ledger("A10", "A11", "A06", "F06")
async def test_what_belongs_together_is_found_kept_and_ends_with_its_support(
    engine: Engine, memory: Memory, user: User
) -> None:
    await build(engine)
    records = [await say(memory, day, text) for day, text in enumerate(FAMILY + CLUB)]
    assert (await build(engine))["users"] == 1
    found = await memory.communities.list()
    assert sorted(one.size for one in found) == [3, 3], found
    names = {
        frozenset(member.text for member in (await memory.communities.get(one.community_id)).members) for one in found
    }
    assert names == {
        frozenset({"Ellen Harlan", "Dave Kowalski", "Harlan Joinery"}),
        frozenset({"Rosa Lindqvist", "Viktor Sandoval", "Duluth Sailing Club"}),
    }
    [family] = [one for one in found if "Harlan Joinery" in one.summary]
    assert "married to" in family.summary and "works at Harlan Joinery" in family.summary
    ellen = await named(memory, "Ellen Harlan")
    assert ellen.importance is not None and 0 < ellen.importance <= 1
    assert (
        ellen.summary is not None
        and ellen.summary.startswith("person; ")
        and "married to Dave Kowalski" in ellen.summary
    )
    assert (await memory.entities.get(ellen.entity_id)).summary == ellen.summary
    belongs = await memory.insights.list("community")
    assert len(belongs) == 2 and all("belong together" in one.text for one in belongs)
    # unchanged: nothing is built; changed: ids stay
    assert (await build(engine))["users"] == 0
    records.append(await say(memory, 6, FAMILY[0] + " Margaret Olsen works at Harlan Joinery."))
    records.append(await say(memory, 7, "Ellen Harlan is still married to Dave Kowalski."))
    await build(engine)
    again = await memory.communities.list()
    assert {one.community_id for one in again} == {one.community_id for one in found}
    assert max(one.size for one in again) == 4
    assert {one.insight_id for one in await memory.insights.list("community")} == {one.insight_id for one in belongs}
    # withdrawn: at once nothing rests on it any more
    for record in (records[1], records[2], records[6], records[7], records[0]):
        await memory.retractions.retract(RetractionSubject("record", str(record)))
    assert [one.size for one in await memory.communities.list()] == [3]
    assert [one.insight_id for one in await memory.insights.list("community") if "Ellen" in one.text] == []
    await build(engine)
    assert [one.size for one in await memory.communities.list()] == [3]
    over = [one for one in await memory.insights.list("community", ended=True) if "Ellen" in one.text]
    assert over == [], "what is over does not show what was withdrawn"
    assert not [one for one in await engine.doctor.examine() if "communities" in one.problem]


@pytest.mark.ledger("A11", "X06")
async def test_an_insight_that_is_over_shows_neither_what_was_merged_nor_what_was_withdrawn(
    engine: Engine, memory: Memory
) -> None:
    records = [await say(memory, day, text) for day, text in enumerate(FAMILY + CLUB)]
    await build(engine)

    async def over() -> list[str]:
        found = await memory.insights.list("community", ended=True)
        return [one.text for one in found if one.known_to is not None and "Kowalski" in one.text]

    dave, viktor = await named(memory, "Dave Kowalski"), await named(memory, "Viktor Sandoval")
    merge = await memory.entities.merge(viktor.entity_id, dave.entity_id, "one man")
    await build(engine)
    assert await over() == [], "the name is that of a part now"
    await memory.entities.undo_merge(merge.merge_id)
    assert len(await over()) == 1
    for record in records[:2]:
        await memory.retractions.retract(RetractionSubject("record", str(record)))
    assert await over() == []


async def copied(engine: Engine, user: User) -> set[str]:
    """The names of the entities that SQL reads, with those of the relations."""
    both = "SELECT name FROM engine.known_entities UNION SELECT relation_type FROM engine.known_relations"
    async with engine.postgres.as_principal(Principal.user(user.user_id)) as connection:
        return set(await connection.fetch(sql.SQL(both), row=str))


async def not_for_others(reads: Engine, user: User, community: UUID, entity: UUID) -> None:
    """Not found, and nothing of what is derived where they read the entity."""
    memory = reads.memory(user.user_id)
    coach = await memory.nodes.provision(NewNode(user.user_id, "Coach", "persona"))
    await memory.grants.give(NewGrant(user.user_id, "persona", coach.node_id, "read"))
    other = reads.memory_as(Principal("persona", coach.node_id, user.user_id))
    for refused in (
        other.communities.list(), other.communities.list("facts"), other.communities.get(community),
        other.insights.list(), other.entities.meaning(entity),
        reads.memory_as(Principal.user(uuid4())).communities.get(community),
    ):  # fmt: skip
        with pytest.raises(NotFound):
            await refused
    shown = [one for one in await other.entities.list(everything=True) if one.name == "Ellen"]
    assert shown and shown[0].importance is None and shown[0].summary is None
    assert (await other.entities.get(entity)).importance is None
    own = await named(memory, "Ellen")
    assert own.importance is not None and own.summary is not None
    principal = Principal("persona", coach.node_id, user.user_id)
    for table in (
        "derived_builds",
        "fact_clusters",
        "insights",
        "entity_meanings",
        "known_entities",
        "known_relations",
    ):
        for who, there in ((Principal.user(user.user_id), True), (principal, False), (Principal.user(uuid4()), False)):
            async with reads.postgres.as_principal(who) as connection:
                cursor = await connection.execute(
                    sql.SQL("SELECT count(*) AS n FROM engine.{}").format(sql.Identifier(table))
                )
                row = await cursor.fetchone()
                assert row is not None and (row["n"] > 0) == there, (table, who)


async def withdrawn(reads: Engine, user: User, contradiction: Insight, server: ModelServer) -> None:
    """A fact that is over takes the insight with it, before any build; undone, the insight is one that is over."""
    memory = reads.memory(user.user_id)
    taken = await memory.retractions.retract(RetractionSubject("fact", str(contradiction.facts[0])))
    assert await memory.insights.list("contradiction") == ()
    assert await copied(reads, user) == set()
    # the model is away: what it saw before stays as long as it holds
    server.script = [Misbehaviour(500)] * 9
    await build(reads)
    assert await memory.insights.list("contradiction", ended=True) == (), "its fact is withdrawn"
    await memory.retractions.undo(taken.retraction_id)
    [over] = await memory.insights.list("contradiction", ended=True)
    assert over.known_to is not None and over.text == contradiction.text


@pytest.mark.ledger("A10", "A11", "F06", "X01")
async def test_facts_cluster_and_what_is_seen_over_them_is_for_the_user_alone(
    reads: Engine, user: User, server: ModelServer
) -> None:
    summed: list[Asked] = []

    def reply(asked: Asked) -> dict[str, Any]:
        if not asked.system.startswith("Each entry sums up"):
            return stated(asked)
        summed.extend([asked] if "boat" in asked.text else [])  # a build is of all users, those of other tests too
        return {
            "insights": [
                {"text": "Ellen spends her summers on the lake.", "entries": [0, 99]},
                {"text": "", "entries": []},
            ]
        }

    server.reply = reply
    memory = reads.memory(user.user_id)
    boats = (
        "sails her boat on the lake",
        "repaired the mast of her boat",
        "won the sailing race on the lake",
        "bought new sails for the boat",
    )
    meals = (
        "baked sourdough bread for dinner",
        "cooks onion soup for dinner",
        "baked an apple cake",
        "cooks pasta with tomato sauce for dinner",
    )
    for day, (boat, meal) in enumerate(zip(boats, meals, strict=True)):
        await say(memory, day, f"Ellen {boat}.")
        await say(memory, day, f"Dave {meal}.")
    where = {"node_id": user.user_id}
    talk = Conversation("secret", (Turn("Bob", "Dave lives in Berlin."),), "Call", START)
    await memory.records.remember(talk, privacy="private", **where)
    await say(memory, 9, "Dave lives in Munich.")
    await build(reads)

    clusters = await memory.communities.list("facts")
    assert len(clusters) >= 2 and all(one.of == "facts" and one.summary and one.name for one in clusters)
    members = {
        frozenset(each.text.split()[0] for each in (await memory.communities.get(one.community_id)).members)
        for one in clusters
    }
    assert frozenset({"Ellen"}) in members, members
    [contradiction] = await memory.insights.list("contradiction")
    assert "Berlin" in contradiction.text and "Munich" in contradiction.text and len(contradiction.facts) == 2
    [seen] = await memory.insights.list("insight")
    assert seen.text == "Ellen spends her summers on the lake." and len(summed) == 1
    assert summed[0].text.startswith("[0] ") and (seen.facts or seen.entities or seen.relations)
    meaning = await memory.entities.meaning((await named(memory, "Ellen")).entity_id)
    assert (
        meaning.items == 4 and "boat" in meaning.descriptors and meaning.drift is not None and 0 <= meaning.drift <= 2
    )
    await build(reads)
    assert len(summed) == 1, "nothing changed, nothing is asked"

    await not_for_others(reads, user, clusters[0].community_id, meaning.entity_id)

    await withdrawn(reads, user, contradiction, server)


async def test_two_runs_at_once_and_what_the_doctor_says(engine: Engine, memory: Memory, user: User) -> None:
    for day, text in enumerate(FAMILY):
        await say(memory, day, text)
    await asyncio.gather(build(engine), build(engine))
    [found] = await memory.communities.list()
    [together] = await memory.insights.list("community")
    async with engine.postgres.as_service() as connection:  # as a run leaves it that was killed before its last step
        await connection.execute("DELETE FROM engine.derived_builds WHERE user_id = %s", [user.user_id])
    assert (await build(engine))["users"] == 1
    assert [one.community_id for one in await memory.communities.list()] == [found.community_id]
    assert [one.insight_id for one in await memory.insights.list("community")] == [together.insight_id]
    await engine.neo4j.write("MATCH (c:Community {community_id: $id}) DETACH DELETE c", id=str(found.community_id))
    assert [one.subject for one in await engine.doctor.examine() if "communities" in one.problem] == [
        f"user {user.user_id}"
    ]
    await build(engine)
    assert [one.size for one in await memory.communities.list()] == [3]
    assert not [one for one in await engine.doctor.examine() if "communities" in one.problem]
    await memory.nodes.archive(user.user_id)
    assert (await build(engine))["users"] == 0


@pytest.mark.ledger("F06", "F11")
async def test_entities_whose_texts_mean_the_same_are_near(engine: Engine, memory: Memory) -> None:
    for day in range(3):
        for text in FAMILY + CLUB:
            await say(memory, day, text)
    await build(engine)
    ellen = (await named(memory, "Ellen Harlan")).entity_id
    found = await memory.entities.meaning(ellen)
    assert {one.name for one in found.near[:2]} == {"Dave Kowalski", "Harlan Joinery"} and len(found.near) == 5
    likest = [one.similarity for one in found.near]
    assert likest == sorted(likest, reverse=True) and likest[1] > 0.5 > 0 > likest[2] >= likest[4] >= -1
    back = (await memory.entities.meaning(found.near[0].entity_id)).near
    assert (ellen, found.near[0].similarity) in {(one.entity_id, one.similarity) for one in back}
    merge = await memory.entities.merge(ellen, found.near[0].entity_id)
    assert (await memory.entities.meaning(ellen)).near == found.near[1:]
    await memory.entities.undo_merge(merge.merge_id)
    assert await memory.entities.meaning(ellen) == found


@pytest.mark.ledger("F06")
async def test_a_part_means_what_the_whole_means_and_is_not_near_to_it(engine: Engine, memory: Memory) -> None:
    for day in range(3):
        for text in FAMILY + CLUB:
            await say(memory, day, text)
    await build(engine)
    ellen, dave, joinery = [
        (await named(memory, name)).entity_id for name in ("Ellen Harlan", "Dave Kowalski", "Harlan Joinery")
    ]
    await memory.entities.merge(ellen, dave)
    await memory.entities.merge(joinery, ellen)
    whole = await memory.entities.meaning(joinery)
    assert whole.entity_id == joinery and whole.near
    assert not {one.entity_id for one in whole.near} & {joinery, ellen, dave}
    assert await memory.entities.meaning(ellen) == await memory.entities.meaning(dave) == whole
    await build(engine)
    again = await memory.entities.meaning(dave)
    assert again.entity_id == joinery and again.items == 9 and len(again.near) == 3
    with pytest.raises(NotFound):
        await memory.entities.meaning(uuid4())


@pytest.mark.ledger("X01")
async def test_the_copy_for_sql_shows_nothing_that_was_withdrawn_or_joined(
    engine: Engine, memory: Memory, user: User
) -> None:
    """It is empty from then on until it is made again; what is only added leaves it."""
    for day, text in enumerate(FAMILY):
        await say(memory, day, text)
    note = await memory.records.remember_text("Visit", "Orla Brennan met Ellen Harlan.", node_id=user.user_id)
    record = note.records[0].record_id
    await build(engine)
    before = await copied(engine, user)
    assert "Orla Brennan" in before
    await say(memory, 8, "Ines called.")
    assert await copied(engine, user) == before

    async def changed(change: Awaitable[object], there: bool) -> object:
        done = await change
        assert await copied(engine, user) == set()
        await build(engine)
        assert ("Orla Brennan" in await copied(engine, user)) == there
        return done

    ids = {one.name: one.entity_id for one in await memory.entities.list(limit=500, everything=True)}
    await changed(memory.history.change(Change("record", record, {"title": "A visit"}, user.user_id)), True)
    merge = await changed(memory.entities.merge(ids["Ellen Harlan"], ids["Orla Brennan"]), False)
    assert isinstance(merge, Merge)
    await changed(memory.entities.undo_merge(merge.merge_id), True)
    await changed(memory.entities.correct(ids["Dave Kowalski"], name="David Kowalski"), True)
    await changed(memory.retractions.retract(RetractionSubject("record", str(record))), False)


async def test_a_copy_of_what_was_read_before_a_withdrawal_is_not_made(
    engine: Engine, memory: Memory, user: User
) -> None:
    """It may come while a build is under way, which then holds what was withdrawn."""

    async def outdated(read_at: datetime) -> bool:
        asked = {"user_id": user.user_id, "read_at": read_at}
        async with engine.postgres.as_service() as connection:
            return bool(await connection.fetch(sql_text("community/copy_outdated"), asked, row=UUID))

    note = await say(memory, 4, FAMILY[0])
    [before] = await engine.postgres.fetch(
        memory.principal, sql.SQL("SELECT clock_timestamp() AS at"), {}, row=datetime
    )
    await say(memory, 5, FAMILY[1])
    assert not await outdated(before)
    await memory.retractions.retract(RetractionSubject("record", str(note)))
    assert await outdated(before)
    [after] = await engine.postgres.fetch(memory.principal, sql.SQL("SELECT clock_timestamp() AS at"), {}, row=datetime)
    assert not await outdated(after)
