"""What an ingest leaves to be read: its session, ids and hashes, what failed and how that is settled."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, History, HistoryFile, Turn
from engine.domain.ingest import Failure, Terms
from engine.domain.node import User
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import Conflict, InvalidText, NotFound, ProviderUnavailable, StoreUnavailable
from engine.ingest.pipeline import Ingest, Pending
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.clock import Ahead
from tests.workshop import LIMITS, fresh, job, workshop

GOOD = Conversation("good", (Turn("Bob", "The walleye of Loon Lake."), Turn("Iris", "Noted.")))
BAD = Conversation("bad", (Turn("Bob", "a NUL \x00 in it"),))


@pytest.mark.ledger("L04")
async def test_a_write_says_its_session_which_can_be_read(engine: Engine, memory: Memory) -> None:
    report = await memory.records.remember(GOOD)
    assert report.session_id is not None
    session = await memory.ingests.get(report.session_id)
    assert (session.state, session.attempt, session.failure) == ("done", 1, None)
    assert (session.sources_in, session.turns_in, session.files_in) == (1, 2, 0)
    assert (session.turns, session.records, session.items, session.skipped, session.failed) == (2, 1, 2, 0, 0)
    assert session.started_at <= session.ended_at == session.touched_at
    (source,) = await memory.ingests.sources(report.session_id)
    assert (source.source_id, source.outcome, source.first_unit, source.units) == ("good", "stored", 0, 2)
    assert source.records == (report.records[0].record_id,) and len(bytes.fromhex(source.content_hash)) == 32
    again = await memory.records.remember(GOOD)
    assert again.session_id != report.session_id
    assert (await memory.ingests.get(again.session_id)).skipped == 1
    assert await memory.ingests.sources(again.session_id) == ()
    sessions = await memory.ingests.list()
    assert [one.session_id for one in sessions] == [again.session_id, report.session_id]
    assert await memory.ingests.list(before=again.session_id) == sessions[1:]


@pytest.mark.ledger("L04")
async def test_a_session_names_what_a_new_version_superseded(memory: Memory) -> None:
    text = "# Boat\n\nThe hull leaks.\n\n# Lease\n\nIt ends in May.\n"
    await memory.records.remember_text("Paper", text, source_id="paper", node_id=memory.principal.user_id)
    asked = SearchRequest("When does it end?", kinds=("chunk",), widen="always")
    [old] = [hit for hit in (await memory.search(asked)).hits if "May" in hit.content]
    changed = await memory.records.remember_text("Paper", text.replace("May", "June"), source_id="paper")
    assert changed.session_id is not None
    (source,) = await memory.ingests.sources(changed.session_id)
    assert old.item_id in source.superseded and source.records == (changed.documents[0].document_id,)
    assert (await memory.ingests.get(changed.session_id)).superseded >= 1


@pytest.mark.ledger("L04")
async def test_the_same_key_takes_the_session_up_again(memory: Memory) -> None:
    keyed = memory.on_terms(Terms(key="k1"))
    first = await keyed.records.remember(GOOD)
    longer = replace(GOOD, turns=(*GOOD.turns, Turn("Bob", "More.")))
    second = await keyed.records.remember(longer)
    assert first.session_id == second.session_id
    (session,) = await memory.ingests.list(key="k1")
    assert (session.state, session.attempt, session.turns) == ("done", 2, 3)
    assert [one.units for one in await memory.ingests.sources(session.session_id)] == [2, 3]


async def test_sessions_and_failures_are_their_users_alone(engine: Engine, memory: Memory) -> None:
    report = await memory.ingests.store([Pending(GOOD), Pending(BAD)])
    other = engine.memory((await engine.workspace.users.create(f"o{uuid4().hex[:12]}")).user_id)
    assert await other.ingests.list() == () and await other.failures.list(state=None) == ()
    for asked in (other.ingests.get(report.session_id), other.ingests.sources(report.session_id)):
        with pytest.raises(NotFound):
            await asked
    failure = (await memory.failures.list())[0]
    with pytest.raises(NotFound):
        await other.failures.dismiss(failure.failure_id)
    integration = engine.memory_as(Principal("third_party", uuid4(), memory.principal.user_id))
    for refused in (integration.ingests.list(), integration.failures.list()):
        with pytest.raises(NotFound):
            await refused


@pytest.mark.ledger("N16", "L04")
async def test_one_bad_source_does_not_stop_the_others(memory: Memory, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_bytes(b"The lease \xff ends in June.")
    files = (HistoryFile("notes", text, "text/plain"), HistoryFile("gone", tmp_path / "gone.txt", "text/plain"))
    history = History("bob", "Bob", (BAD, GOOD), files)
    report = await memory.ingests.history(history)
    assert report.turns == 2 and {one.source_id for one in report.skipped} == {"bad", "file:notes", "file:gone"}
    session = await memory.ingests.get(report.session_id)
    assert (session.state, session.sources_in, session.failed, session.skipped) == ("done", 4, 3, 0)
    failures = {one.subject: one for one in await memory.failures.list()}
    assert {(one.stage, one.cause) for one in failures.values()} == {
        ("read", "InvalidText"), ("read", "InvalidInput"), ("draft", "InvalidText")
    }  # fmt: skip
    assert "lease" not in str(failures)  # never the content

    await memory.ingests.history(history)  # the same again is one more attempt of the same failures
    assert [one.attempts for one in await memory.failures.list()] == [2, 2, 2]
    with pytest.raises(InvalidText):
        await memory.failures.replay(failures["file:notes"].failure_id)
    text.write_text("The lease ends in June.")
    replayed = await memory.failures.replay(failures["file:notes"].failure_id)
    assert replayed.state == "replayed" and replayed.settled_at is not None
    assert (await memory.search(SearchRequest("lease"))).hits
    assert await memory.failures.replay(failures["file:notes"].failure_id) == replayed

    with pytest.raises(Conflict, match="send the same source again"):
        await memory.failures.replay(failures["bad"].failure_id)
    await memory.records.remember(replace(BAD, turns=(Turn("Bob", "no NUL in it"),)))
    dismissed = await memory.failures.dismiss(failures["file:gone"].failure_id, "It was never ours.")
    assert (dismissed.state, dismissed.note) == ("dismissed", "It was never ours.")
    with pytest.raises(Conflict):
        await memory.failures.replay(failures["file:gone"].failure_id)
    assert await memory.failures.list() == ()
    states = {one.subject: one.state for one in await memory.failures.list(state=None)}
    assert states == {"bad": "replayed", "file:notes": "replayed", "file:gone": "dismissed"}


async def test_a_request_with_one_bad_source_is_refused_as_before(memory: Memory) -> None:
    with pytest.raises(InvalidText):
        await memory.records.remember(BAD)
    assert await memory.failures.list(state=None) == ()
    (session,) = await memory.ingests.list()
    assert session.state == "failed" and session.failure is not None and session.failure.startswith("InvalidText")


@pytest.mark.ledger("N16")
async def test_the_failure_log_only_grows(engine: Engine, memory: Memory) -> None:
    await memory.ingests.store([Pending(GOOD), Pending(BAD)])
    failure = (await memory.failures.list())[0]
    changes = (
        "UPDATE engine.failure_log SET subject = 'x' WHERE failure_id = %s",
        "DELETE FROM engine.failure_log WHERE failure_id = %s",
    )
    await memory.failures.dismiss(failure.failure_id)
    for change in (*changes, "UPDATE engine.failure_log SET state = 'open', settled_at = NULL WHERE failure_id = %s"):
        with pytest.raises(NotFound):  # as a right that is not there
            async with engine.postgres.as_service() as connection:
                await connection.execute(change, [failure.failure_id])


@pytest.mark.ledger("L04", "N33", "N34")
async def test_sessions_are_forgotten_after_their_time_unless_a_failure_names_them(
    engine: Engine, memory: Memory, settings: Settings
) -> None:
    done = await memory.on_terms(Terms(key="k")).records.remember(GOOD)
    failed = await memory.ingests.store([Pending(BAD)])
    assert done.session_id is not None and failed.session_id is not None
    for change in (
        "DELETE FROM engine.ingest_sources WHERE session_id = %s",
        "UPDATE engine.ingest_sources SET reason = 'x' WHERE session_id = %s",
    ):
        with pytest.raises(NotFound):  # what became of a source stays as long as its session
            async with engine.postgres.as_service() as connection:
                await connection.execute(change, [done.session_id])
    shorter = settings.model_copy(update={"session_days": 5})
    async with open_engine(shorter, clock=Ahead(days=4)) as later:
        await later.retention.run()
    assert len(await memory.ingests.list()) == 2
    async with open_engine(shorter, clock=Ahead(days=6)) as later:
        assert (await later.retention.run()).sessions >= 1
    assert [one.session_id for one in await memory.ingests.list()] == [failed.session_id]
    assert [one.outcome for one in await memory.ingests.sources(failed.session_id)] == ["failed"]
    assert [one.session_id for one in await memory.failures.list()] == [failed.session_id]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS n FROM engine.ingest_sources WHERE session_id = %s", [done.session_id]
        )
        assert (await cursor.fetchall())[0]["n"] == 0
    again = await memory.on_terms(Terms(key="k")).records.remember(GOOD)
    assert (again.session_id, again.turns) == (done.session_id, 0)  # the same key begins it anew


@pytest.mark.ledger("N15")
async def test_two_histories_that_meet_lose_nothing(engine: Engine, memory: Memory) -> None:
    """Sources that another request moved meanwhile are refused by the commit of the batch, and only they."""
    moved: list[str] = []
    commit = engine.parts[Ingest].commit.commit

    async def overtaken(principal, records, advances, model, note, versions):  # another request is faster
        if not moved:
            moved.append("c1")
            await memory.records.remember(conversation(1))
        return await commit(principal, records, advances, model, note, versions)

    def conversation(number: int) -> Conversation:
        return Conversation(f"c{number}", (Turn("Bob", f"Walleye number {number}."),))

    engine.parts[Ingest].commit.commit = overtaken
    try:
        report = await memory.ingests.store([Pending(conversation(number)) for number in range(3)])
    finally:
        engine.parts[Ingest].commit.commit = commit
    assert report.turns == 2 and [(one.source_id, one.cause) for one in report.skipped] == [("c1", "")]
    assert (await memory.nodes.shell(memory.principal.user_id)).records == 3
    assert await memory.failures.list() == ()  # what another request stored is stored


@pytest.mark.ledger("N16", "N34")
async def test_a_job_that_failed_for_good_is_in_the_log_until_it_succeeds(engine: Engine) -> None:
    broken = True

    async def work(_: object) -> dict[str, int]:
        if broken:
            raise ProviderUnavailable
        return {"done": 1}

    async def run_of(name: str) -> None:
        async with workshop(engine, job(name, work), limits=replace(LIMITS, attempts=1)) as jobs, jobs.working(None):
            await jobs.outcome(await jobs.ask(name), 60)

    async def failure_of(name: str) -> Failure:
        """Its entry, which is written a moment after the run has ended."""
        async with asyncio.timeout(60):
            while True:
                for failure in await engine.parts[Ingest].failures.page(None):
                    if failure.subject == name:
                        return failure
                await asyncio.sleep(0.02)

    name = fresh("broken")
    await run_of(name)
    failure = await failure_of(name)
    assert (failure.stage, failure.cause, failure.state) == ("job", "ProviderUnavailable", "open")
    broken = False
    await run_of(name)
    assert (await engine.parts[Ingest].failures.failure(None, failure.failure_id)).state == "replayed"


async def test_a_graph_without_such_a_user_has_no_session(engine: Engine, user: User) -> None:
    stranger = engine.memory(uuid4())
    with pytest.raises((NotFound, StoreUnavailable)):
        await stranger.records.remember(GOOD)
