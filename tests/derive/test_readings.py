"""What no model has read when it was stored is read later: by a job, with pauses, until it is given up."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter
from psycopg import sql

from engine.domain import document
from engine.domain.clock import Moment
from engine.domain.history import Conversation
from engine.domain.node import NewNode, User
from engine.domain.scope import MemoryScope
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.clock import Ahead
from tests.model_server import BROKEN, NOT_JSON, ModelServer
from tests.reader import ANSWER, TURNS, WHEN, kinds, reading, turns, untroubled, whole_facts

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users


@pytest.mark.ledger("L02", "N16", "L01")
@pytest.mark.parametrize("scripted", [BROKEN, NOT_JSON], ids=["silent", "unusable"])
async def test_a_record_that_could_not_be_read_is_read_by_the_job(
    reads: Engine,
    user: User,
    server: ModelServer,
    scripted: object,
) -> None:
    memory = reads.memory(user.user_id)
    server.script = [scripted]
    report = await memory.records.remember(Conversation("c", TURNS, "A call", WHEN))
    [record] = report.records
    assert (report.readings_pending, record.reading_pending, report.extraction.whole) == (1, True, 1)
    before, known = await turns(memory), datetime.now(UTC)
    assert len(await whole_facts(memory)) == 1
    await reads.derivations.run("reading")
    now = (await memory.nodes.metadata(user.user_id)).records[0]
    assert (now.record_id, now.revision, now.summary) == (record.record_id, 2, ANSWER["summary"])
    assert list(now.kw_entities) == ["Ellen", "Duluth"]
    assert {hit.content for hit in await kinds(memory, "fact")} == {fact["text"] for fact in ANSWER["facts"]}
    assert len(await kinds(memory, "observation")) == 2 and await whole_facts(memory) == []
    assert await turns(memory) == before
    then = Moment(known_at=known)
    assert len(await whole_facts(memory, then)) == 1
    old = (await memory.nodes.metadata(user.user_id, moment=then)).records[0]
    assert old.summary != ANSWER["summary"] and old.summary
    [delta] = (await memory.history.deltas("record", record.record_id, node_id=user.user_id))[1:]
    assert (delta.operation, delta.reason) == ("renewed", "read again")
    assert (await memory.nodes.shell(user.user_id)).items == 7
    await untroubled(reads, user)
    asked = len(server.requests)
    await reads.derivations.run("reading")  # nothing is left
    assert len(server.requests) == asked


@pytest.mark.ledger("L01")
async def test_what_is_read_out_of_a_document_that_is_split_anew_holds_since_its_own_day(
    reads: Engine, user: User, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = reads.memory(user.user_id)
    server.script = [BROKEN]
    text = "Ellen moved to Ely in 2021. The roof was mended in May. The lease ends in June."
    await memory.records.remember_text("Papers", text)
    passages = RecursiveCharacterTextSplitter(
        chunk_size=30, chunk_overlap=0, add_start_index=True, separators=[". "], keep_separator="end"
    )
    monkeypatch.setattr(document, "_chunker", lambda: passages)
    fact = {"text": "Ellen moved to Ely.", "type": "event", "event_date": "2021-03-04", "first_line": 0, "last_line": 0}
    server.reply = lambda _: {"summary": "Ellen, the roof, the lease.", "facts": [fact]}
    await reads.derivations.run("reading")
    assert (await memory.documents.list())[0].version == 2
    async with reads.postgres.as_service() as connection:
        schema = (await memory.nodes.shell(user.user_id)).schema_name
        held = sql.SQL(
            "SELECT kind, nullif(valid_from, '-infinity') AS since FROM {}.memory_items WHERE known_to IS NULL"
        ).format(sql.Identifier(schema))
        found = await (await connection.execute(held)).fetchall()
    since = {kind: {row["since"] for row in found if row["kind"] == kind} for kind in ("fact", "chunk")}
    assert since["fact"] == {datetime(2021, 3, 4, tzinfo=UTC)} and len(since["chunk"]) == 1, "as the document"


@pytest.mark.ledger("F02", "F04")
async def test_a_new_version_of_a_document_is_read_by_the_job(reads: Engine, user: User, server: ModelServer) -> None:
    def reply(asked: object) -> dict[str, object]:
        word = "June" if "June" in asked.text else "May"
        return {"summary": f"The lease ends in {word}.", "facts": [{"text": f"The lease ends in {word}."}]}

    server.reply = reply
    memory = reads.memory(user.user_id)
    text = "# Boat\n\nThe hull leaks.\n\n# Lease\n\nThe lease ends in May.\n"
    await memory.records.remember_text("Papers", text, source_id="paper", node_id=user.user_id)
    changed = await memory.records.remember_text("Papers", text.replace("May", "June"), source_id="paper")
    assert changed.readings_pending == 1 and changed.extraction.calls == 0
    await reads.derivations.run("reading")
    assert [hit.content for hit in await kinds(memory, "fact", query="lease")] == ["The lease ends in June."]
    record = (await memory.nodes.metadata(user.user_id)).records[0]
    assert record.summary == "The lease ends in June."
    assert (await memory.documents.list())[0].version == 2  # its passages are the same
    again = await memory.records.remember_text("Papers", text, source_id="paper")
    assert [(one.version, one.kept, one.added) for one in again.documents] == [(3, 1, 1)]
    await reads.derivations.run("reading")
    assert [hit.content for hit in await kinds(memory, "fact", query="lease")] == ["The lease ends in May."]
    await untroubled(reads, user)


@pytest.mark.ledger("L02")
async def test_a_record_that_was_moved_is_read_where_it_lies(reads: Engine, user: User, server: ModelServer) -> None:
    memory = reads.memory(user.user_id)
    shed = await memory.nodes.provision(NewNode(user.user_id, "Shed"))
    server.script = [NOT_JSON]
    report = await memory.records.remember(Conversation("c", TURNS, "A call", WHEN), node_id=user.user_id)
    await memory.records.move(report.records[0].record_id, user.user_id, shed.node_id)
    await reads.derivations.run("reading")
    assert {hit.node_id for hit in await kinds(memory, "fact")} == {shed.node_id}
    assert await whole_facts(memory) == [] and (await memory.nodes.shell(shed.node_id)).items == 7
    await untroubled(reads, user)


async def test_two_runs_at_once_read_a_record_once(reads: Engine, user: User, server: ModelServer) -> None:
    memory = reads.memory(user.user_id)
    server.script = [NOT_JSON]
    await memory.records.remember(Conversation("c", TURNS, f"A call of {user.handle}", WHEN))
    await asyncio.gather(*(reads.derivations.run("reading") for _ in range(3)))
    assert sum(user.handle in asked.text for asked in server.requests) == 2
    assert len(await kinds(memory, "fact")) == 2


async def test_what_is_private_or_of_a_thread_stays_so(reads: Engine, user: User, server: ModelServer) -> None:
    memory = reads.memory(user.user_id)
    inside = memory.within(MemoryScope("thread", "t1"))
    server.script = [NOT_JSON]
    await inside.records.remember(Conversation("c", TURNS, "A call", WHEN))
    await reads.derivations.run("reading")
    assert await kinds(memory, "fact", "observation") == []
    found = await kinds(inside, "fact", "observation")
    assert len(found) == 4 and {hit.source for hit in found} == {"extracted"}
    assert (await memory.nodes.shell(user.user_id)).items == 7


@pytest.mark.ledger("N16")
async def test_what_cannot_be_read_is_given_up_and_can_be_asked_for_again(
    settings: Settings,
    user: User,
    server: ModelServer,
) -> None:
    clock, title = Ahead(), f"A call of {user.handle}"
    server.reply = lambda asked: "Sorry." if title in asked.text and not healed else ANSWER
    healed = False
    model = reading(settings, server, reading_attempts=3, reading_retry_s=60.0)
    async with open_engine(model, clock=clock) as engine:
        memory = engine.memory(user.user_id)
        await memory.records.remember(Conversation("c", TURNS, title, WHEN))

        async def asked_after(seconds: float) -> int:
            clock.by += timedelta(seconds=seconds)
            before = sum(title in asked.text for asked in server.requests)
            await engine.derivations.run("reading")
            return sum(title in asked.text for asked in server.requests) - before

        # at once, then after 30 to 60 s, then after 60 to 120 s
        assert [await asked_after(seconds) for seconds in (0, 10, 51, 10, 111)] == [1, 0, 1, 0, 1]
        [failure] = await memory.failures.list()
        assert (failure.stage, failure.cause) == ("reading", "ProviderUnavailable") and "JSON" in failure.detail
        assert await asked_after(100_000) == 0
        healed = True
        assert (await memory.failures.replay(failure.failure_id)).state == "replayed"
        assert await asked_after(0) == 1
        assert len(await kinds(memory, "fact")) == 2 and await memory.failures.list() == ()


async def test_without_a_model_nothing_waits(engine: Engine, memory: Memory) -> None:
    report = await memory.records.remember(Conversation("c", TURNS, "A call", WHEN))
    assert report.readings_pending == 0
    assert (await engine.derivations.run("reading"))["read"] == 0
