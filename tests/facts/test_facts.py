"""Facts in chains, on the real stores: what a new fact does to a known one, whoever writes, however many at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.fact import FactFilter
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.report import IngestReport
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.retrieval.touches import Touches
from tests.model_server import Asked, ModelServer
from tests.reader import WHEN, kinds

pytestmark = pytest.mark.usefixtures("few_nodes")


def stated(asked: Asked) -> dict[str, Any]:
    """Every line as a fact about its first word."""
    lines = [line.split("] ", 1)[1] for line in asked.text.splitlines() if line.startswith("[")]
    texts = [line.split(": ", 1)[-1] for line in lines]
    facts = [
        {"text": text, "subjects": [text.split()[0].removesuffix("'s")], "first_line": number, "last_line": number}
        for number, text in enumerate(texts)
    ]
    return {"summary": " ".join(texts), "facts": facts}


@pytest.fixture
async def memory(reads: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    server.reply = stated
    yield reads.memory(user.user_id)


async def say(memory: Memory, day: int, *texts: str, **where: Any) -> IngestReport:
    turns = tuple(Turn("Bob", text) for text in texts)
    name = f"{day} {texts}"
    return await memory.records.remember(Conversation(name, turns, started_at=WHEN + timedelta(days=day)), **where)


async def rows(engine: Engine, user: User) -> list[dict[str, Any]]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT f.*, nullif(f.valid_from, '-infinity') AS valid_from FROM engine.facts AS f WHERE user_id = %s ORDER BY said_at",
            [user.user_id],
        )
        return await cursor.fetchall()  # type: ignore[return-value]


async def known(memory: Memory, moment: Moment = NOW) -> set[str]:
    """All facts that a search at the moment finds."""
    request = SearchRequest("Dave lives Berlin", limit=100, kinds=("fact",), widen="always", moment=moment)
    return {hit.content for hit in (await memory.search(request)).hits}


@pytest.mark.ledger("A03", "A04", "L03")
async def test_a_newer_value_ends_the_older_one_and_the_past_keeps_it(
    reads: Engine, user: User, memory: Memory
) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    before = datetime.now(UTC)
    await say(memory, 10, "Dave lives in Munich.")
    await say(memory, 20, "Dave moved to Rome.")
    assert await known(memory) == {"Dave moved to Rome."}
    assert await known(memory, Moment(as_of=WHEN + timedelta(days=15))) == {"Dave lives in Munich."}
    assert await known(memory, Moment(as_of=WHEN + timedelta(days=25), known_at=before)) == {"Dave lives in Berlin."}
    berlin, munich, rome = await rows(reads, user)
    assert [row["status"] for row in (berlin, munich, rome)] == ["superseded", "superseded", "live"]
    assert (munich["supersedes"], rome["supersedes"]) == (berlin["fact_id"], munich["fact_id"])
    assert (berlin["valid_to"], munich["valid_to"]) == (munich["valid_from"], rome["valid_from"])
    assert berlin["ended_by"] == munich["fact_id"] and berlin["invalidated_at"] > before
    chain = await memory.history.deltas("item", berlin["fact_id"], node_id=user.user_id)
    assert [(delta.operation, delta.effective_at, delta.reason) for delta in chain] == [
        ("ended", munich["valid_from"], "a newer fact")
    ]


@pytest.mark.ledger("A04")
async def test_the_same_again_confirms_and_is_stored_once(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    report = await say(memory, 10, "Dave lives in Berlin.", "Dave likes tea.")
    assert report.items == 3  # two turns and one fact
    first, again, _ = sorted(await rows(reads, user), key=lambda row: (row["said_at"], row["status"] == "live"))
    assert (first["status"], first["confirmations"], first["last_confirmed_at"]) == (
        "live", 1, WHEN + timedelta(days=10),
    )  # fmt: skip
    assert (again["status"], again["confirms"]) == ("confirmation", first["fact_id"])
    assert len(await kinds(memory, "fact", query="Dave Berlin")) == 2


@pytest.mark.ledger("A04")
async def test_different_facts_about_one_person_stay(memory: Memory) -> None:
    texts = (
        "Dave likes tea.",
        "Dave likes coffee.",
        "Dave visited Rome.",
        "Dave visited Paris.",
        "Dave's car is green.",
    )
    for day, text in enumerate(texts):
        await say(memory, day, text)
    assert {hit.content for hit in await kinds(memory, "fact", query="Dave tea coffee Rome Paris car")} == set(texts)


async def test_two_people_of_one_attribute_do_not_meet(memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 1, "Ellen lives in Munich.")
    assert await known(memory) == {"Dave lives in Berlin.", "Ellen lives in Munich."}


@pytest.mark.ledger("A04")
async def test_a_negation_invalidates(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave no longer lives in Berlin.")
    old, new = await rows(reads, user)
    assert (old["status"], new["status"], new["supersedes"]) == ("invalidated", "live", old["fact_id"])
    assert await known(memory) == {"Dave no longer lives in Berlin."}


@pytest.mark.ledger("A03")
async def test_a_history_in_the_wrong_order_gives_the_same_chain(reads: Engine, user: User, memory: Memory) -> None:
    for day, place in ((0, "Berlin"), (20, "Rome"), (10, "Munich")):
        await say(memory, day, f"Dave lives in {place}.")
    berlin, munich, rome = await rows(reads, user)
    assert (munich["supersedes"], rome["supersedes"]) == (berlin["fact_id"], munich["fact_id"])
    assert await known(memory) == {"Dave lives in Rome."}
    assert await known(memory, Moment(as_of=WHEN + timedelta(days=15))) == {"Dave lives in Munich."}
    assert await known(memory, Moment(as_of=WHEN + timedelta(days=5))) == {"Dave lives in Berlin."}


@pytest.mark.ledger("A03", "A04")
@pytest.mark.parametrize("late", ["Dave no longer lives in Berlin.", "Dave lives in Munich."])
async def test_what_came_late_does_not_end_what_was_said_again_since(
    reads: Engine, user: User, memory: Memory, late: str
) -> None:
    """It held until then; where what was said again is withdrawn as a whole, it holds."""
    first = await say(memory, 0, "Dave lives in Berlin.")
    again = await say(memory, 20, "Dave lives in Berlin.")
    await say(memory, 10, late)
    assert await known(memory) == {"Dave lives in Berlin."}
    berlin, between, _ = await rows(reads, user)
    assert (berlin["status"], between["status"], between["ended_by"]) == ("live", "superseded", berlin["fact_id"])
    assert (between["valid_from"], between["valid_to"]) == (WHEN + timedelta(days=10), WHEN + timedelta(days=20))
    assert late in await known(memory, Moment(as_of=WHEN + timedelta(days=15)))
    withdrawn = [
        await memory.retractions.retract(RetractionSubject("record", str(one.records[0].record_id)))
        for one in (first, again)
    ]
    assert await known(memory) == {late}
    for one in reversed(withdrawn):
        await memory.retractions.undo(one.retraction_id)
    assert await known(memory) == {"Dave lives in Berlin."}
    assert [row["valid_to"] for row in await rows(reads, user)] == [None, WHEN + timedelta(days=20), None]


@pytest.mark.ledger("A03", "A04", "X06")
async def test_what_came_late_holds_when_what_was_said_again_is_withdrawn(
    reads: Engine, user: User, memory: Memory
) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    again = await say(memory, 20, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.")
    await say(memory, 15, "Dave lives in Rome.")
    before = await rows(reads, user)
    gone = await memory.retractions.retract(RetractionSubject("record", str(again.records[0].record_id)))
    assert await known(memory) == {"Dave lives in Rome."}
    assert await known(memory, Moment(as_of=WHEN + timedelta(days=12))) == {"Dave lives in Munich."}
    await memory.retractions.undo(gone.retraction_id)
    assert await known(memory) == {"Dave lives in Berlin."}
    fields = ("status", "supersedes", "ended_by", "valid_from", "valid_to")
    assert [[row[name] for name in fields] for row in await rows(reads, user)] == [
        [row[name] for name in fields] for row in before
    ]


@pytest.mark.ledger("A03")
async def test_a_chain_goes_on_at_another_node(reads: Engine, user: User, memory: Memory) -> None:
    family = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    await say(memory, 0, "Dave lives in Berlin.", node_id=user.user_id)
    await say(memory, 10, "Dave lives in Munich.", node_id=family.node_id)
    old, new = await rows(reads, user)
    assert (old["status"], new["supersedes"], new["node_id"]) == ("superseded", old["fact_id"], family.node_id)
    assert await known(memory) == {"Dave lives in Munich."}


async def test_what_is_private_ends_nothing_that_others_read(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.", privacy="private")
    old, new = await rows(reads, user)
    assert (old["status"], new["status"]) == ("live", "live")
    [pair] = await memory.facts.doubts()
    assert (pair.kind, pair.newer.fact_id, pair.older.fact_id) == ("contradicts", new["fact_id"], old["fact_id"])


@pytest.mark.ledger("A03", "L03")
async def test_sixteen_writers_at_once_make_one_chain(reads: Engine, user: User, memory: Memory) -> None:
    """Of sixteen values said at sixteen times the chain has each once, in that order, and one lives."""
    towns = [
        f"Dave lives in {name}ville."
        for name in "Abel Bern Caen Dole Eger Faro Graz Hull Ivry Jena Kiel Lyon Metz Nice Oslo Pisa".split()
    ]
    await asyncio.gather(*(say(memory, day, text, node_id=user.user_id) for day, text in enumerate(towns)))
    line = await rows(reads, user)
    assert [row["supersedes"] for row in line] == [None, *(row["fact_id"] for row in line[:-1])]
    assert Counter(row["status"] for row in line) == {"superseded": 15, "live": 1}
    assert [row["valid_to"] for row in line] == [*(row["valid_from"] for row in line[1:]), None]
    assert await known(memory) == {towns[-1]}
    findings = await reads.doctor.examine()
    assert [found for found in findings if str(user.user_id) in found.subject] == []


@pytest.mark.ledger("A04")
async def test_sixteen_writers_of_the_same_store_it_once(reads: Engine, user: User, memory: Memory) -> None:
    await asyncio.gather(*(say(memory, day, "Dave lives in Berlin.", node_id=user.user_id) for day in range(16)))
    counted = Counter(row["status"] for row in await rows(reads, user))
    assert counted == {"live": 1, "confirmation": 15}
    assert len(await kinds(memory, "fact", query="Dave Berlin")) == 1


# read --------------------------------------------------------------------------------------------------------


@pytest.mark.ledger("A03", "A14")
async def test_facts_are_listed_by_subject_with_their_chains_and_how_often_they_were_read(
    reads: Engine, user: User, memory: Memory
) -> None:
    await say(memory, 0, "Dave lives in Berlin.", "Ellen likes tea.")
    await say(memory, 10, "Dave lives in Munich.")
    [live] = await memory.facts.list(FactFilter(about="DAVE"))
    assert (live.text, live.status, live.access_count) == ("Dave lives in Munich.", "live", 0)
    chain = await memory.facts.chain(live.supersedes or live.fact_id)
    assert [fact.text for fact in chain] == ["Dave lives in Munich.", "Dave lives in Berlin."]
    assert len(await memory.facts.list(FactFilter(status=None))) == 3
    first = (await memory.facts.list(FactFilter(status=None, limit=1)))[0]
    assert len(await memory.facts.list(FactFilter(status=None, after=first.fact_id))) == 2
    with pytest.raises(NotFound):
        await memory.facts.chain(user.user_id)
    dave = await memory.nodes.provision(NewNode(user.user_id, "Dave", "persona"))
    with pytest.raises(NotFound):
        await reads.memory_as(Principal("persona", dave.node_id, user.user_id)).facts.list()


@pytest.mark.ledger("A14")
async def test_a_search_that_gives_a_fact_is_counted(reads: Engine, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await memory.search(SearchRequest("Where does Dave live?", kinds=("fact",)))
    await reads.parts[Touches].write()
    [fact] = await memory.facts.list()
    assert fact.access_count == 1 and fact.last_accessed_at is not None


async def test_a_contradiction_is_shown_on_both(memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 0, "Dave lives in Munich.")
    one, other = await memory.facts.list(FactFilter(contradicting=True))
    assert (one.contradicts, other.contradicts) == ([other.fact_id], [one.fact_id])
    await say(memory, 10, "Dave lives in Rome.")
    assert await memory.facts.list(FactFilter(contradicting=True)) == ()
    assert await known(memory) == {"Dave lives in Rome."}


async def test_a_moved_fact_is_in_its_chain_at_the_new_node(reads: Engine, user: User, memory: Memory) -> None:
    report = await say(memory, 0, "Dave lives in Berlin.", node_id=user.user_id)
    family = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    await memory.records.move(report.records[0].record_id, user.user_id, family.node_id)
    await say(memory, 10, "Dave lives in Munich.", node_id=user.user_id)
    old, new = await rows(reads, user)
    assert (old["node_id"], old["status"], new["supersedes"]) == (family.node_id, "superseded", old["fact_id"])
    assert await known(memory) == {"Dave lives in Munich."}


# what is there already --------------------------------------------------------------------------------------


@pytest.mark.ledger("A03")
async def test_facts_of_before_are_entered_by_a_job_that_may_be_repeated(
    reads: Engine, user: User, memory: Memory
) -> None:
    """As an upgrade finds them: items without chains. The result is that of an ingest."""
    for day, (place, who) in enumerate([("Berlin", "Dave"), ("Munich", "Ellen"), ("Rome", "Carl")]):
        await say(memory, day, f"{who} lives in {place}.", node_id=user.user_id)
    async with reads.postgres.as_service() as connection:
        place = (await memory.nodes.shell(user.user_id)).schema_name
        await connection.execute(f"UPDATE {place}.memory_items SET subjects = '{{Dave}}' WHERE kind = 'fact'")
        await connection.execute(
            f"UPDATE {place}.memory_items SET content = replace(replace(content, 'Ellen', 'Dave'), 'Carl', 'Dave') WHERE kind = 'fact'"
        )
        await connection.execute("DELETE FROM engine.facts WHERE user_id = %s", [user.user_id])
        await connection.execute("SELECT engine.note_due('chains', ARRAY[%s::uuid])", [user.user_id])
    assert (await reads.derivations.run("chains"))["entered"] == 3
    line = await rows(reads, user)
    assert [row["supersedes"] for row in line] == [None, *(row["fact_id"] for row in line[:-1])]
    assert await known(memory) == {"Dave lives in Rome."}
    assert (await reads.derivations.run("chains")).get("entered", 0) == 0
    assert await rows(reads, user) == line


async def test_facts_of_an_archived_node_are_entered_all_the_same(reads: Engine, user: User, memory: Memory) -> None:
    yard = (await memory.nodes.provision(NewNode(user.user_id, "Yard"))).node_id
    await say(memory, 0, "Dave lives in Berlin.", node_id=yard)
    before = await rows(reads, user)
    async with reads.postgres.as_service() as connection:
        await connection.execute("DELETE FROM engine.facts WHERE user_id = %s", [user.user_id])
        await connection.execute("SELECT engine.note_due('chains', ARRAY[%s::uuid])", [yard])
    await memory.nodes.archive(yard)
    report = await reads.derivations.of_job("fact-chains")
    assert (report["chains_waiting"], report.get("chains_failed", 0)) == (0, 0) and report["facts_carried"] >= 1
    assert [row["fact_id"] for row in await rows(reads, user)] == [row["fact_id"] for row in before]


@pytest.mark.ledger("A03")
async def test_a_fact_that_is_ended_by_hand_is_withdrawn_and_comes_back(reads: Engine, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    [fact] = await memory.facts.list()
    for ended, status in ((True, "withdrawn"), (False, "live")):
        await memory.history.change(Change("item", fact.fact_id, {"ended": ended}, fact.node_id))
        await reads.derivations.of_job("fact-chains")
        assert [one.status for one in await memory.facts.chain(fact.fact_id)] == [status]


@pytest.mark.ledger("A03")
async def test_what_nothing_confirms_is_stale_until_it_is_said_again(reads: Engine, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    await reads.derivations.of_job("fact-chains")
    assert [fact.stale for fact in await memory.facts.list()] == [True]  # said in 2024
    await memory.records.remember(Conversation("now", (Turn("Bob", "Dave lives in Berlin."),)))
    await reads.derivations.of_job("fact-chains")
    assert [fact.stale for fact in await memory.facts.list()] == [False]
