"""A source is withdrawn: what it alone supported ends, what it had superseded holds again; undone, all is as before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from engine.domain.clock import Moment
from engine.domain.entity import Relation
from engine.domain.fact import FactFilter, WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.report import IngestReport
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.errors import Conflict, InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.facts.test_facts import known, rows, say, stated
from tests.hierarchy.test_graph_commands import Shell
from tests.model_server import ModelServer

pytestmark = pytest.mark.usefixtures("few_nodes")


@pytest.fixture
async def memory(reads: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    server.reply = stated
    yield reads.memory(user.user_id)


def record(report: IngestReport) -> RetractionSubject:
    return RetractionSubject("record", str(report.records[0].record_id))


LATER = ("stale", "revision", "graph_revision")


async def facts(engine: Engine, user: User) -> list[dict[str, Any]]:
    """The rows of chains; the job marks old ones as stale meanwhile, and every change raises the revision."""
    return [{name: value for name, value in row.items() if name not in LATER} for row in await rows(engine, user)]


async def graph(memory: Memory) -> dict[str, Any]:
    """All that is shown of the entities of a memory."""
    entities = await memory.entities.list(everything=True)
    relations: dict[UUID, tuple[Relation, ...]] = {}
    for one in entities:
        relations[one.entity_id] = await memory.entities.relations(one.entity_id, ended=True)
    return {"entities": entities, "relations": relations, "merges": await memory.entities.merges()}


async def shown(engine: Engine, user: User, memory: Memory) -> tuple[Any, ...]:
    return await facts(engine, user), await graph(memory), await known(memory)


async def clean(engine: Engine, user: User) -> None:
    findings = await engine.doctor.examine()
    assert [found for found in findings if str(user.user_id) in found.subject] == []


@pytest.mark.ledger("X06")
async def test_what_a_withdrawn_record_had_superseded_holds_again(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.")
    munich = await say(memory, 10, "Dave lives in Munich.")
    before, then = await shown(reads, user, memory), datetime.now(UTC)
    preview = await memory.retractions.preview(record(munich))
    assert [(one.text, one.effect) for one in preview.facts] in (
        [("Dave lives in Berlin.", "revives"), ("Dave lives in Munich.", "ends")],
        [("Dave lives in Munich.", "ends"), ("Dave lives in Berlin.", "revives")],
    )
    assert (preview.records_ending, preview.facts_ending, preview.facts_reviving) == (1, 1, 1)
    assert await shown(reads, user, memory) == before
    done = await memory.retractions.retract(record(munich), "He was joking.")
    assert (done.state, done.records, done.facts, done.revived) == ("done", 1, 1, 1)
    assert await known(memory) == {"Dave lives in Berlin."}
    assert await known(memory, Moment(known_at=then)) == {"Dave lives in Munich."}
    assert [row["status"] for row in await rows(reads, user)] == ["live", "withdrawn"]
    found = (await memory.search(SearchRequest("Dave lives Munich", widen="always"))).hits
    assert [hit for hit in found if "Munich" in hit.content] == []
    await reads.derivations.of_job("fact-chains")
    assert [row["status"] for row in await rows(reads, user)] == ["live", "withdrawn"]
    await clean(reads, user)
    assert await memory.retractions.retract(record(munich)) == done  # it is withdrawn already
    undone = await memory.retractions.undo(done.retraction_id)
    assert (undone.state, undone.waiting) == ("undone", 0)
    assert await shown(reads, user, memory) == before
    assert await known(memory, Moment(known_at=then)) == {"Dave lives in Munich."}
    assert await memory.retractions.undo(done.retraction_id) == undone
    await reads.derivations.of_job("fact-chains")
    assert await shown(reads, user, memory) == before
    await clean(reads, user)


@pytest.mark.ledger("X06")
async def test_a_chain_is_closed_over_a_withdrawn_fact_and_opened_again(
    reads: Engine, user: User, memory: Memory
) -> None:
    """Also where another fact came between the retraction and its undoing."""
    said = [
        await say(memory, day, f"Dave lives in {place}.")
        for day, place in ((0, "Berlin"), (10, "Munich"), (20, "Rome"))
    ]
    before = await shown(reads, user, memory)
    done = await memory.retractions.retract(record(said[1]))
    berlin, munich, rome = await rows(reads, user)
    assert [row["status"] for row in (berlin, munich, rome)] == ["superseded", "withdrawn", "live"]
    assert (berlin["ended_by"], berlin["valid_to"]) == (rome["fact_id"], rome["valid_from"])
    await memory.retractions.undo(done.retraction_id)
    assert await shown(reads, user, memory) == before
    done = await memory.retractions.retract(record(said[2]))
    assert await known(memory) == {"Dave lives in Munich."}
    await say(memory, 30, "Dave lives in Oslo.")
    assert await known(memory) == {"Dave lives in Oslo."}
    await memory.retractions.undo(done.retraction_id)
    berlin, munich, rome, oslo = await rows(reads, user)
    assert [row["status"] for row in (berlin, munich, rome, oslo)] == ["superseded"] * 3 + ["live"]
    assert [row["supersedes"] for row in (munich, rome, oslo)] == [
        berlin["fact_id"],
        munich["fact_id"],
        rome["fact_id"],
    ]
    assert [row["valid_to"] for row in (berlin, munich, rome)] == [row["valid_from"] for row in (munich, rome, oslo)]
    assert await known(memory) == {"Dave lives in Oslo."}
    assert await known(memory, Moment(as_of=rome["valid_from"])) == {"Dave lives in Rome."}
    await clean(reads, user)


@pytest.mark.ledger("X06")
async def test_a_fact_that_another_record_confirmed_goes_on_there(reads: Engine, user: User, memory: Memory) -> None:
    first = await say(memory, 0, "Dave lives in Berlin.")
    again = await say(memory, 5, "Dave lives in Berlin.")
    await say(memory, 7, "Dave lives in Berlin.")
    before = await shown(reads, user, memory)
    assert (await memory.retractions.preview(record(first))).facts_staying == 1
    one = await memory.retractions.retract(record(first))
    [live] = await memory.facts.list()
    assert (live.record_id, live.confirmations) == (again.records[0].record_id, 1)
    assert await known(memory) == {"Dave lives in Berlin."}
    two = await memory.retractions.retract(record(again))
    [live] = await memory.facts.list()
    assert live.confirmations == 0
    with pytest.raises(Conflict, match=str(two.retraction_id)):
        await memory.retractions.undo(one.retraction_id)
    await clean(reads, user)
    await say(memory, 30, "Dave lives in Oslo.")
    for retraction in (two, one):
        await memory.retractions.undo(retraction.retraction_id)
        await clean(reads, user)
    statuses = [row["status"] for row in await rows(reads, user)]
    assert statuses == ["superseded", "confirmation", "confirmation", "live"]
    assert await known(memory) == {"Dave lives in Oslo."}
    oslo = (await memory.facts.list())[0]
    done = await memory.retractions.retract(RetractionSubject("fact", str(oslo.fact_id)))
    assert await shown(reads, user, memory) != before and await known(memory) == {"Dave lives in Berlin."}
    assert (done.records, done.facts) == (0, 1)


@pytest.mark.ledger("X06")
async def test_a_fact_that_is_withdrawn_goes_wherever_it_is_stated(reads: Engine, user: User, memory: Memory) -> None:
    """Said in a chat, and stated twice by hand: as a record of its own that goes with it."""
    await say(memory, 0, "Dave lives in Berlin.")
    for day in (3, 4):
        await memory.facts.write(WrittenFact("Dave lives in Berlin.", at=datetime(2025, day, 3, tzinfo=UTC)))
    before = await shown(reads, user, memory)
    [live] = await memory.facts.list()
    assert live.confirmations == 2
    subject = RetractionSubject("fact", str(live.fact_id))
    assert (await memory.retractions.preview(subject)).facts_staying == 0
    done = await memory.retractions.retract(subject)
    assert await memory.facts.list() == () and await known(memory) == set()
    hits = (await memory.search(SearchRequest("Where does Dave live?", widen="always"))).hits
    assert [hit.source_ref for hit in hits if hit.kind != "turn"] == []
    await clean(reads, user)
    await memory.retractions.undo(done.retraction_id)
    await clean(reads, user)
    assert await shown(reads, user, memory) == before


@pytest.mark.ledger("X06")
async def test_a_text_is_named_by_the_id_that_was_given_for_it(reads: Engine, user: User, memory: Memory) -> None:
    await memory.records.remember_text("Lease", "The deposit is 900 francs.", source_id="lease 4")
    done = await memory.retractions.retract(RetractionSubject("source", "lease 4"))
    assert done.records == 1 and (await memory.search(SearchRequest("deposit", widen="always"))).hits == ()
    await memory.records.remember_text("Plan", "The plan has nine rooms.", source_id="both")
    await memory.records.remember(Conversation("both", (Turn("Bob", "We drew a plan."),)))
    with pytest.raises(InvalidInput, match="conversation:both, text:both"):
        await memory.retractions.retract(RetractionSubject("source", "both"))
    assert (await memory.retractions.retract(RetractionSubject("source", "text:both"))).records == 1


@pytest.mark.ledger("X06")
async def test_relations_of_two_records_get_weaker_and_those_of_one_end(
    reads: Engine, user: User, memory: Memory
) -> None:
    await say(memory, 0, "Ellen Harlan works at Harlan Joinery. Ellen Harlan lives in Duluth.")
    both = await say(memory, 10, "Ellen Harlan works at Harlan Joinery. Ellen Harlan lives in Viroqua.")
    before = await shown(reads, user, memory)
    ellen = next(one for one in await memory.entities.list(everything=True) if one.name == "Ellen Harlan")
    strengths = {
        one.other_name: (one.strength, one.until)
        for one in await memory.entities.relations(ellen.entity_id, ended=True)
    }
    assert strengths["Harlan Joinery"][0] == 2 and strengths["Duluth"][1] is not None
    preview = await memory.retractions.preview(record(both))
    assert (preview.relations_ending, preview.relations_weakened) == (1, 1)
    done = await memory.retractions.retract(record(both))
    left = {
        one.other_name: (one.strength, one.until)
        for one in await memory.entities.relations(ellen.entity_id, ended=True)
    }
    assert left == {"Harlan Joinery": (1, None), "Duluth": (1, None)}
    names = {one.name: one.mentions for one in await memory.entities.list(everything=True)}
    assert names["Ellen Harlan"] == 1 and "Viroqua" not in names
    await clean(reads, user)
    viroqua = next(one for one in before[1]["entities"] if one.name == "Viroqua")
    assert ellen.entity_id != viroqua.entity_id
    await memory.retractions.undo(done.retraction_id)
    assert await shown(reads, user, memory) == before
    await clean(reads, user)


@pytest.mark.ledger("X06")
async def test_a_merge_between_does_not_disturb_the_way_back(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Ellen Harlan works at Harlan Joinery.")
    other = await say(memory, 10, "Dave Kowalski lives in Duluth. Dave Kowalski works at Harlan Joinery.")
    done = await memory.retractions.retract(record(other))
    named = {one.name: one.entity_id for one in await memory.entities.list(everything=True)}
    assert "Dave Kowalski" not in named
    await memory.retractions.undo(done.retraction_id)
    named = {one.name: one.entity_id for one in await memory.entities.list(everything=True)}
    await memory.entities.merge(named["Ellen Harlan"], named["Dave Kowalski"])
    before = await shown(reads, user, memory)
    done = await memory.retractions.retract(record(other))
    await memory.entities.merge(named["Harlan Joinery"], named["Ellen Harlan"])
    merged = (await memory.entities.merges())[0]
    await memory.entities.undo_merge(merged.merge_id)
    await memory.retractions.undo(done.retraction_id)
    assert await shown(reads, user, memory) == before
    await clean(reads, user)


@pytest.mark.ledger("X06")
async def test_a_document_goes_with_all_its_versions(reads: Engine, user: User, memory: Memory) -> None:
    for text in (
        "# Boats\n\nDave sold the boat.",
        "# Boats\n\nDave sold the boat to Ellen.",
    ):
        report = await memory.records.remember_text("Boats", text, source_id="boats")
    [document] = await memory.documents.list()
    assert document.version == 2
    then = datetime.now(UTC)
    request = SearchRequest("Who bought the boat?", widen="always")
    found = {hit.content for hit in (await memory.search(request)).hits}
    done = await memory.retractions.retract(RetractionSubject("document", str(document.document_id)))
    assert done.records == len(report.records) == 1
    assert (await memory.search(request)).hits == ()
    past = SearchRequest("Who bought the boat?", widen="always", moment=Moment(known_at=then))
    assert {hit.content for hit in (await memory.search(past)).hits} == found
    assert await memory.documents.list() == ()
    again = await memory.records.remember_text("Boats", "# Boats\n\nDave has a boat.", source_id="boats")
    assert again.skipped == () and again.documents[0].document_id != document.document_id
    assert [one.source_id for one in await memory.documents.list()] == [document.source_id]
    await clean(reads, user)
    await memory.retractions.undo(done.retraction_id)
    assert {hit.content for hit in (await memory.search(request)).hits} == found | {"Dave has a boat."}
    await clean(reads, user)


@pytest.mark.ledger("X06")
async def test_all_records_of_a_source_go_and_a_second_call_adds_new_ones(
    reads: Engine, user: User, memory: Memory
) -> None:
    turns = tuple(Turn("Bob", f"Dave visited the town of number {number}.") for number in range(3))
    for number in range(1, 4):
        await memory.records.remember(Conversation("travels", turns[:number]))
    source, before = RetractionSubject("source", "travels"), await known(memory)
    done = await memory.retractions.retract(source)
    assert (done.state, done.records) == ("done", 3)
    await memory.records.remember(Conversation("travels", (*turns, Turn("Bob", "Dave visited Oslo."))))
    more = await memory.retractions.retract(source)
    assert (more.retraction_id, more.records) == (done.retraction_id, 4)
    with pytest.raises(Conflict):
        one = await memory.retractions.preview(source)
        await memory.retractions.retract(RetractionSubject("record", str(one.records[0].record_id)))
    assert await known(memory) == set()
    assert (await memory.retractions.undo(done.retraction_id)).state == "undone"
    assert await known(memory) == before | {"Dave visited Oslo."}
    await clean(reads, user)


async def test_in_the_shell_also_at_an_archived_node(reads: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    family = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    said = await say(memory, 0, "Ellen Harlan works at Harlan Joinery.", node_id=family.node_id)
    await memory.nodes.archive(family.node_id)
    shell = Shell(reads, tmp_path, user.handle)
    named = ("retract", "record", record(said).id)
    assert "withdraw 1 record" in await shell.prints(*named, "--dry-run")
    assert (await shell.answers(*named, "--dry-run", "--json"))["relations_ending"] == 1
    assert "retractions undo" in await shell.prints(*named, "--reason", "A mistake.")
    [listed] = (await shell.answers("retractions", "list", "--json"))["retractions"]
    assert (listed["state"], listed["reason"], listed["records"]) == ("done", "A mistake.", 1)
    assert "1 record" in await shell.prints("retractions", "undo", listed["retraction_id"])
    await shell.refuses("retractions", "undo", str(user.user_id))
    await clean(reads, user)


async def test_what_is_not_there_and_others(reads: Engine, user: User, memory: Memory) -> None:
    said = await say(memory, 0, "Dave lives in Berlin.")
    for kind in ("record", "document", "fact"):
        with pytest.raises(NotFound):
            await memory.retractions.retract(RetractionSubject(kind, str(user.user_id)))  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            await memory.retractions.preview(RetractionSubject(kind, "x"))  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        await memory.retractions.retract(RetractionSubject("source", "x"))
    with pytest.raises(NotFound):
        await memory.retractions.undo(user.user_id)
    other = await reads.workspace.users.create("other-retractor")
    dave = await memory.nodes.provision(NewNode(user.user_id, "Dave", "persona"))
    done = await memory.retractions.retract(record(said))
    for stranger in (Principal("persona", dave.node_id, user.user_id), Principal("user", other.user_id, user.user_id)):
        theirs = reads.memory_as(stranger)
        for call in (
            lambda theirs=theirs: theirs.retractions.list(),
            lambda theirs=theirs: theirs.retractions.preview(record(said)),
            lambda theirs=theirs: theirs.retractions.retract(record(said)),
            lambda theirs=theirs: theirs.retractions.undo(done.retraction_id),
        ):
            with pytest.raises(NotFound):
                await call()
    theirs = reads.memory(other.user_id)
    assert await theirs.retractions.list() == ()
    with pytest.raises(NotFound):
        await theirs.retractions.undo(done.retraction_id)
    with pytest.raises(NotFound):
        await theirs.retractions.retract(record(said))
    [listed] = await memory.retractions.list()
    assert listed == done
    assert await memory.facts.list(FactFilter(status="withdrawn")) != ()
