"""What a model does for the graph: entities and relations of what it reads, its word on names in doubt, what is known as context."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope
from engine.errors import NotFound
from engine.ingest.extraction.form import EARLIER
from engine.ingest.extraction.model_calls import answer_key
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.postgres import Jsonb
from tests.facts.test_facts import stated
from tests.model_server import BROKEN, Asked, ModelServer
from tests.reader import WHEN
from tests.readings import read_again

pytestmark = pytest.mark.usefixtures("few_nodes")
READ: dict[str, Any] = {
    "summary": "Ellen Harlan and the van.",
    "facts": [
        {"text": "Ellen Harlan's birthday is 3 May.", "subjects": ["Ellen Harlan"]},
        {"text": "Ellen Harlan lives in Duluth.", "subjects": ["Ellen Harlan"]},
    ],
    "entities": [
        {"name": "Ellen Harlan", "kind": "person", "also": ["Elli"], "role": "assignee"},
        {"name": "Blue Heron", "kind": "product", "role": "component"},
        {"name": "Gustav Invented", "kind": "person"},
        "van",
    ],
    "relations": [
        {"source": "Ellen Harlan", "type": "OWNS", "target": "Blue Heron", "since": "2021", "line": 1},
        {"source": "Blue Heron", "type": "MARRIED_TO", "target": "Ellen Harlan", "line": 1},
        {"source": "Ellen Harlan", "type": "KNOWS", "target": "Gustav Invented", "line": 0},
    ],
}


@pytest.fixture
async def memory(reads: Engine, user: User) -> AsyncIterator[Memory]:
    yield reads.memory(user.user_id)


async def say(memory: Memory, day: int, *texts: str, **where: Any) -> Any:
    turns = tuple(Turn("Bob", text) for text in texts)
    return await memory.records.remember(
        Conversation(f"{day} {texts}", turns, started_at=WHEN + timedelta(days=day)), **where
    )


async def by_name(memory: Memory) -> dict[str, Any]:
    return {one.name: one for one in await memory.entities.list(everything=True)}


@pytest.mark.ledger("M05", "F07", "F08", "A07", "A12")
async def test_a_model_names_and_relates_and_is_told_what_is_known(
    memory: Memory, user: User, server: ModelServer, reads: Engine
) -> None:
    """Names count where the record has them, relations where the domain allows them; the next record brings what is known along."""
    server.reply = lambda _: READ
    texts = ("Elli came by from Duluth; she has had it for years.", "Ellen Harlan takes the Blue Heron to the lake.")
    await say(memory, 0, *texts, node_id=user.user_id)
    named = await by_name(memory)
    assert (
        named.keys() >= {"Ellen Harlan", "Blue Heron", "Bob Harlan"} and not {"Elli", "Gustav Invented"} & named.keys()
    )
    ellen = await memory.entities.get(named["Ellen Harlan"].entity_id)
    assert set(ellen.names) == {"Ellen Harlan", "Elli"} and [one.role for one in ellen.latest] == ["assignee"]
    lives, owns = sorted(await memory.entities.relations(ellen.entity_id), key=lambda one: one.relation_type)
    assert (lives.relation_type, lives.other_name) == ("LIVES_IN", "Duluth"), "a fact states it"
    assert (owns.relation_type, owns.other_name, owns.other_kind, owns.since) == (
        "OWNS",
        "Blue Heron",
        "product",
        "2021",
    )
    [evidence] = (await memory.entities.why(owns.relation_id)).evidence
    assert (evidence.weight, evidence.span, evidence.item_id is not None) == (0.8, "0-33", True)
    birthday, home = await memory.facts.attributes()
    assert (birthday.name, birthday.kind, birthday.single, birthday.facts) == ("birthday", "date", True, 1)
    assert (home.name, home.kind, home.subjects, home.last_seen_at) == ("home", "name", 1, WHEN)
    # context
    server.reply = lambda _: {"summary": "x", "facts": []}
    other = await memory.nodes.provision(NewNode(user.user_id, "Work"))
    await say(memory, 5, "Ellen Harlan called.", node_id=user.user_id)
    await say(memory, 6, "Ellen Harlan wrote.", node_id=other.node_id)
    first, here, there = (asked.text for asked in server.requests)
    assert "Known already" not in first
    assert here.startswith("Known already:\n- Ellen Harlan (person, also Elli): owns Blue Heron since 2021")
    assert "lives in Duluth" in here and "[0] Bob: Ellen Harlan called." in here
    assert "Known already" not in there, "who reads the other node need not read this one"
    again = await memory.records.remember(
        Conversation(
            "again", (Turn("Bob", "Ellen Harlan called."),), "5 ('Ellen Harlan called.',)", WHEN + timedelta(days=5)
        ),
        node_id=user.user_id,
    )
    assert (again.extraction.calls, len(server.requests)) == (0, 3), "what is known meanwhile is no part of the key"
    await attributes_follow_facts(memory, reads, user, server)
    await reads.derivations.run("entities")
    names = (str(user.user_id), str(other.node_id))
    assert [one for one in await reads.doctor.examine() if any(name in one.subject for name in names)] == []


@pytest.mark.ledger("M05")
async def test_a_later_reading_adds_what_the_model_says(memory: Memory, reads: Engine, server: ModelServer) -> None:
    server.reply, server.script = lambda _: READ, [BROKEN]
    await say(memory, 0, "Elli came by; she has had it for years.", "Ellen Harlan takes the Blue Heron to the lake.")
    before = await by_name(memory)
    assert await memory.entities.relations(before["Ellen Harlan"].entity_id) == ()
    await reads.derivations.run("reading")
    after = await by_name(memory)
    [owns] = await memory.entities.relations(after["Ellen Harlan"].entity_id)
    assert (owns.relation_type, after["Blue Heron"].kind) == ("OWNS", "product")


@pytest.mark.ledger("M05")
async def test_newer_rules_read_older_records_again(
    memory: Memory, reads: Engine, user: User, server: ModelServer
) -> None:
    """What only the older rules drew is over; what a model found, and what a fact states, stays."""
    server.reply = lambda _: READ
    texts = ("Elli came by from Duluth; she has had it for years.", "Ellen Harlan takes the Blue Heron to the lake.")
    await say(memory, 0, *texts, node_id=user.user_id)
    await memory.facts.write(WrittenFact("Vern Tamarack lives in Fargo.", at=WHEN))

    async def known() -> dict[str, set[tuple[str, str]]]:
        return {
            name: {(it.relation_type, it.other_name) for it in await memory.entities.relations(one.entity_id)}
            for name, one in (await by_name(memory)).items()
        }

    before = await known()
    assert before["Ellen Harlan"] == {("OWNS", "Blue Heron"), ("LIVES_IN", "Duluth")}
    assert before["Vern Tamarack"] == {("LIVES_IN", "Fargo")}
    await reads.neo4j.write(
        "MATCH (r:Record {user_id: $user}) SET r.mentions_reader = 1, r.relations_reader = 1 WITH r"
        " MATCH (r)-[:MENTIONS]->(a:Entity {name: 'Ellen Harlan'}), (r)-[:MENTIONS]->(b:Entity {name: 'Duluth'})"
        " CREATE (a)-[:WORKS_AT {name: 'WORKS_AT', relation_id: $id, user_id: $user, strength: 1, confidence: 0.9,"
        "                        known_from: datetime(), last_at: datetime()}]->(b)"
        " CREATE (r)-[:EVIDENCE {relation_id: $id, weight: 0.9, known_from: datetime()}]->(a) RETURN count(*) AS done",
        user=str(user.user_id),
        id=str(uuid4()),
    )
    assert ("WORKS_AT", "Duluth") in (await known())["Ellen Harlan"]
    assert (await read_again(reads, user.user_id))["records"] >= 2
    assert await known() == before
    assert (await reads.derivations.run("entities")).get("records", 0) == 0


@pytest.mark.ledger("A07", "N31")
async def test_nothing_private_stands_before_a_record(memory: Memory, user: User, server: ModelServer) -> None:
    """Neither names, facts nor relations of private records; names alone are no news."""
    server.reply = lambda _: READ
    texts = ("Elli came by; she has had it for years.", "Ellen Harlan takes the Blue Heron to the lake.")
    await say(memory.within(MemoryScope("thread", "t1")), 0, *texts, node_id=user.user_id)
    server.reply = lambda _: {"summary": "x", "facts": []}
    await say(memory, 1, "Ellen Harlan called.", node_id=user.user_id)
    await say(memory, 2, "Ellen Harlan called about the Blue Heron.", node_id=user.user_id)
    await say(memory.within(MemoryScope("thread", "t1")), 3, "Ellen Harlan wrote.", node_id=user.user_id)
    assert len(server.requests) == 4
    assert not any("Known already" in asked.text or "Duluth" in asked.text for asked in server.requests)


@pytest.mark.ledger("N16")
async def test_a_replay_uses_answers_to_the_first_prompt(
    memory: Memory, reads: Engine, user: User, server: ModelServer
) -> None:
    """What was read before entities were asked for is rebuilt from its kept answer, without a call."""
    server.reply = lambda _: READ | {"entities": [], "relations": []}
    await say(memory, 0, "Ellen Harlan takes the Blue Heron to the lake.", node_id=user.user_id)
    [asked] = server.requests
    old = {"summary": READ["summary"], "facts": READ["facts"], "entities": ["Ellen Harlan", "van"], "topics": []}
    async with reads.postgres.as_service() as connection:
        changed = await connection.execute(
            "UPDATE engine.model_answers SET key = %s, prompt = 'extract-1', answer = %s WHERE user_id = %s AND prompt = 'extract-3'",
            [answer_key("openai:small", EARLIER[0], asked.text), Jsonb(old), user.user_id],
        )
        assert changed.rowcount == 1
    built = await memory.replays.build((await memory.replays.begin()).replay_id)
    counts = built.counts
    assert (counts.records, counts.missing, counts.ended, counts.added, len(server.requests)) == (1, 0, 0, 0, 1)


async def attributes_follow_facts(memory: Memory, reads: Engine, user: User, server: ModelServer) -> None:
    """A value that is superseded is counted no more; facts that were entered before there was a registry are entered by a job."""
    server.reply = stated
    await say(memory, 7, "Ellen Harlan lives in Rome.", "Dave lives in Ulm.")
    homes = [one for one in await memory.facts.attributes(after="birthday") if one.name == "home"]
    assert [(one.facts, one.subjects) for one in homes] == [(2, 2)], "Ellen is Ellen Harlan, who has moved"
    async with reads.postgres.as_service() as connection:
        await connection.execute("DELETE FROM engine.fact_attributes WHERE user_id = %s", [user.user_id])
        await connection.execute(
            "SELECT engine.note_due('chains', ARRAY(SELECT DISTINCT node_id FROM engine.facts WHERE user_id = %s))",
            [user.user_id],
        )
    assert await memory.facts.attributes() == ()
    await reads.derivations.of_job("fact-chains")
    assert [one.name for one in await memory.facts.attributes()] == ["birthday", "home"]
    dave = await memory.nodes.provision(NewNode(user.user_id, "Dave", "persona"))
    with pytest.raises(NotFound):
        await reads.memory_as(Principal("persona", dave.node_id, user.user_id)).facts.attributes()


@pytest.mark.ledger("A08")
@pytest.mark.parametrize("verdict", ["same", "different", "unsure", None])
async def test_a_name_in_doubt_is_what_the_model_says(memory: Memory, server: ModelServer, verdict: str | None) -> None:
    def told(asked: Asked) -> Any:
        known = [line for line in asked.text.splitlines() if line.strip().startswith("known:")]
        right = [number for number, line in enumerate(known) if "Kowalski" in line]
        others = [{"entry": number, "verdict": "different"} for number in range(len(known)) if number not in right]
        return {"verdicts": [*others, *({"entry": number, "verdict": verdict} for number in right)]} if verdict else "?"

    server.reply = lambda _: {"summary": "x", "facts": []}
    server.tell_apart = told
    await say(memory, 0, "Dave Kowalski works at Globex.", "Dave Miller sings.")
    before = await by_name(memory)
    assert server.doubts == []
    report = await say(memory, 9, "Dave has a new desk at Globex.")
    [asked] = server.doubts
    assert "name: Dave" in asked.text and "works at Globex" in asked.text
    assert report.extraction.calls == 3, "where it goes, what it says, whom it means"
    after, pairs = await by_name(memory), await memory.entities.review()
    if verdict == "same":
        assert after.keys() == before.keys() and after["Dave Kowalski"].mentions == 2 and pairs == ()
    else:
        assert after["Dave"].mentions == 1
        assert {one.other_name for one in pairs} | {one.name for one in pairs} == (
            set() if verdict == "different" else {"Dave", "Dave Kowalski"} | ({"Dave Miller"} if not verdict else set())
        )
