"""Background jobs on the real queue: asked for once, carried out once, repeated, timed out, looked at afterwards."""

from __future__ import annotations

import asyncio
import io
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from engine.access.idempotency import Idempotency
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.errors import NotFound, ProviderUnavailable, SettingsError, StoreUnavailable
from engine.jobs.jobs import JobCatalogue
from engine.jobs.queue import install_queue
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.job_catalogue import CATALOGUE
from engine.wiring.open_engine import open_engine
from tests.clock import Ahead
from tests.faults.servers import until_settled
from tests.workshop import AT_MOST, LIMITS, Gate, fresh, job, nothing, workshop


async def carried_out(engine: Engine, name: str) -> dict[str, Any]:
    """The report of a run of this job, here and now."""
    asked = await engine.workspace.jobs.ask(name)
    async with engine.working(only=name):
        run = await engine.workspace.jobs.run(name, asked.run_id, AT_MOST)
    assert run.outcome == "succeeded", run
    assert run.report is not None
    return run.report


# the jobs that there are ---------------------------------------------------------------------------------


@pytest.mark.ledger("N34")
@pytest.mark.parametrize("name", [job.name for job in CATALOGUE])
async def test_every_job_runs_is_counted_and_keeps_its_report(engine: Engine, name: str) -> None:
    before = await engine.workspace.jobs.get(name)
    report = await carried_out(engine, name)
    after = await engine.workspace.jobs.get(name)
    assert (after.runs, after.failures) == (before.runs + 1, before.failures)
    assert after.last is not None and after.last.report == report
    assert after.last.duration_s is not None and after.last.duration_s >= 0
    assert after.next_due is not None and after.next_due > datetime.now(UTC) - timedelta(seconds=1)
    assert not after.running and not after.waiting
    assert (await engine.workspace.jobs.runs(name, quiet=True))[0] == after.last
    assert name in {state.name for state in await engine.workspace.jobs.list()}


@pytest.mark.ledger("N34", "N15")
async def test_recovery_finishes_what_was_left_half_way(engine: Engine, settings: Settings, user: User) -> None:
    def interrupted(step: str) -> None:
        if step == "accepted":
            raise StoreUnavailable("test")

    memory = engine.memory(user.user_id)
    async with open_engine(settings, on_step=interrupted) as other:
        with pytest.raises(StoreUnavailable):
            await other.memory(user.user_id).records.remember(
                Conversation("c", (Turn("Ann", "The walleye of Loon Lake."),))
            )
    assert (await carried_out(engine, "recovery"))["finished"] == 0, "a young commit may still be on its way"
    assert (await memory.search(SearchRequest("walleye"))).hits == ()
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.outbox SET created_at = created_at - interval '1 minute' WHERE user_id = %s", [user.user_id]
        )
    assert (await carried_out(engine, "recovery"))["finished"] <= 1  # the engine's own recovery may have been faster
    await until_settled(engine)
    assert len((await memory.search(SearchRequest("walleye"))).hits) == 1


@pytest.mark.ledger("N34")
async def test_what_the_drift_check_found_can_be_read_later_and_the_sweep_mends_it(
    engine: Engine, settings: Settings, memory: Memory, user: User
) -> None:
    root = (await memory.nodes.shell(user.user_id)).schema_name
    key = f"{root}/{uuid4()}/lost.txt.gz"
    await engine.objects.put(key, io.BytesIO(b"nobody knows me"))
    assert (await carried_out(engine, "drift-check"))["warnings"] >= 1
    kept = (await engine.workspace.jobs.get("drift-check")).last
    assert kept is not None and kept.report is not None
    assert [entry["store"] for entry in kept.report["details"] if root in entry["subject"]] == ["objects"]
    await carried_out(engine, "orphan-sweep")
    assert [found.key async for found in engine.objects.listing(key)] == [key], "it is too young"
    async with open_engine(settings, clock=Ahead(hours=2)) as later:
        report = await carried_out(later, "orphan-sweep")
    assert report["orphans"] == report["quarantined"] + report["deleted"] >= 1
    assert [found async for found in engine.objects.listing(key)] == []
    found = await carried_out(engine, "drift-check")
    assert [entry for entry in found["details"] if root in entry["subject"]] == []


@pytest.mark.ledger("N34", "N33")
async def test_the_clean_up_deletes_what_is_past_its_time(engine: Engine, settings: Settings, memory: Memory) -> None:
    async def rows(table: str) -> int:
        async with engine.postgres.as_service() as connection:
            statement = f"SELECT count(*) AS n FROM engine.{table} WHERE user_id = %s"
            row = await (await connection.execute(statement, [memory.principal.user_id])).fetchone()
        assert row is not None
        return row["n"]

    async def answer() -> dict[str, Any]:
        return {"said": 1}

    node = (await memory.nodes.provision(NewNode(memory.principal.user_id, "Boat"))).node_id
    mailbox = await engine.workspace.integrations.create(fresh("mailbox"))
    grant = await memory.grants.give(NewGrant(node, "third_party", mailbox.integration_id))
    ended = await memory.grants.revoke(grant.grant_id)
    await engine.parts[Idempotency].once(memory.principal, "key", b"request", answer)
    await carried_out(engine, "recovery")
    last = await carried_out(engine, "recovery")
    assert (await carried_out(engine, "clean-up"))["answers"] == 0, "nothing is old yet"
    assert (await rows("idempotency"), await rows("outbox")) == (1, 4)

    shorter = settings.model_copy(update={"idempotency_days": 5, "outbox_days": 20})
    async with open_engine(shorter, clock=Ahead(days=10)) as later:
        await carried_out(later, "clean-up")
        assert (await rows("idempotency"), await rows("outbox")) == (0, 4)
    async with open_engine(shorter, clock=Ahead(days=31)) as later:
        await carried_out(later, "clean-up")
    assert await rows("outbox") == 4, "those of nodes and grants stay: what the graph has lost is mended from them"
    async with engine.postgres.as_service() as connection:
        vectors = "SELECT FROM engine.outbox WHERE user_id = %s AND payload #> '{changes,0,node}' ? 'embedding'"
        assert await (await connection.execute(vectors, [memory.principal.user_id])).fetchone() is None
    assert await memory.grants.revoke(grant.grant_id) == ended
    kept = await engine.workspace.jobs.runs("recovery", quiet=True)
    assert [run.report for run in kept] == [last], "the last run of a job stays"
    _, replayed = await engine.parts[Idempotency].once(memory.principal, "key", b"another request", answer)
    assert not replayed


# asking, and being asked at once -------------------------------------------------------------------------


@pytest.mark.ledger("N34")
async def test_two_requests_are_one_run(engine: Engine) -> None:
    one = job(fresh("one"), nothing)
    async with workshop(engine, one) as here, workshop(engine, one) as there:
        asked = await asyncio.gather(*(jobs.ask(one.name) for jobs in (here, there) for _ in range(5)))
        assert len({run.run_id for run in asked}) == 1 and asked[0].outcome == "waiting"
        assert (await here.outcome(asked[0], 0)).outcome == "waiting", "nobody works"
        assert (await here.state(one.name)).waiting
        async with here.working(None), there.working(None):
            run = await here.outcome(asked[0], AT_MOST)
        assert (run.outcome, run.cause, run.report) == ("succeeded", "request", {})
        assert (await here.state(one.name)).runs == 1


@pytest.mark.ledger("N34")
async def test_no_two_runs_of_one_job_go_on_at_once(engine: Engine) -> None:
    gate = Gate()
    one, other = job(fresh("gate"), gate.work), job(fresh("other"), nothing)
    async with workshop(engine, one, other) as here, workshop(engine, one, other) as there:
        async with here.working(None), there.working(None):
            first = await here.ask(one.name)
            await asyncio.wait_for(gate.entered.wait(), AT_MOST)
            second = await there.ask(one.name)
            assert second.run_id != first.run_id, "what goes on may have begun before the reason to ask"
            for jobs in (here, there):  # whoever takes a later run has seen the second and left it
                await jobs.outcome(await jobs.ask(other.name), AT_MOST)
            assert (await here.run(one.name, first.run_id)).outcome == "running"
            assert (await here.run(one.name, second.run_id)).outcome == "waiting"
            gate.let_out.set()
            assert (await here.outcome(second, AT_MOST)).outcome == "succeeded"
    assert gate.most == 1


@pytest.mark.ledger("N34")
async def test_what_was_due_is_done_once_however_many_work(engine: Engine) -> None:
    daily = job(fresh("daily"), nothing, "0 0 * * *")
    marker = job(fresh("marker"), nothing)
    async with AsyncExitStack() as stack:
        shops = [await stack.enter_async_context(workshop(engine, daily, marker)) for _ in range(3)]
        for shop in shops:
            await stack.enter_async_context(shop.working(None))
        await until_ran(shops[0], daily.name)
    async with workshop(engine, daily, marker) as late:
        async with late.working(None):  # it looks for what was due, too
            await late.outcome(await late.ask(marker.name), AT_MOST)
        assert [(run.cause, run.outcome) for run in await late.log(daily.name, quiet=True)] == [
            ("schedule", "succeeded")
        ]


async def until_ran(jobs: JobCatalogue, name: str) -> None:
    deadline = time.monotonic() + AT_MOST
    while (await jobs.state(name)).runs == 0:
        assert time.monotonic() < deadline, "it never ran"
        await asyncio.sleep(0.05)


async def test_a_seconds_schedule_comes_again_and_again(engine: Engine) -> None:
    often = job(fresh("often"), nothing, "* * * * * *")
    async with workshop(engine, often) as here:
        async with here.working(None):
            deadline = time.monotonic() + AT_MOST
            while (await here.state(often.name)).runs < 3:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)


# going wrong ---------------------------------------------------------------------------------------------


@pytest.mark.ledger("N34", "N16")
async def test_a_run_that_fails_is_tried_again(engine: Engine) -> None:
    errors: list[Exception] = [ProviderUnavailable("The model sleeps."), KeyError("a secret")]

    async def work(_: Any) -> dict[str, int]:
        if errors:
            raise errors.pop(0)
        return {"done": 1}

    shaky = job(fresh("shaky"), work)
    async with workshop(engine, shaky) as here:
        async with here.working(None):
            await here.ask(shaky.name)
            await until_log(here, shaky.name, 3)
        log = [(run.attempt, run.cause, run.outcome, run.failure) for run in await here.log(shaky.name)]
        assert log == [
            (3, "retry", "succeeded", None),
            (2, "retry", "failed", "KeyError"),
            (1, "request", "failed", "The model sleeps."),
        ]
        state = await here.state(shaky.name)
        assert (state.runs, state.failures, state.waiting) == (3, 2, False)


async def until_log(jobs: JobCatalogue, name: str, ended: int) -> None:
    deadline = time.monotonic() + AT_MOST
    while sum(run.ended for run in await jobs.log(name, quiet=True)) < ended:
        assert time.monotonic() < deadline, await jobs.log(name, quiet=True)
        await asyncio.sleep(0.05)


async def test_attempts_have_an_end(engine: Engine) -> None:
    async def work(_: Any) -> dict[str, int]:
        raise StoreUnavailable("test")

    broken = job(fresh("broken"), work)
    async with workshop(engine, broken, limits=replace(LIMITS, attempts=2)) as here:
        async with here.working(None):
            await here.ask(broken.name)
            await until_log(here, broken.name, 2)
        assert not (await here.state(broken.name)).waiting
        assert [run.attempt for run in await here.log(broken.name)] == [2, 1]


async def test_a_request_does_not_wait_for_the_time_of_a_repetition(engine: Engine) -> None:
    calls = 0

    async def work(_: Any) -> dict[str, int]:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise StoreUnavailable("test")
        return {"done": 1}

    shaky = job(fresh("shaky"), work)
    async with workshop(engine, shaky, limits=replace(LIMITS, first_pause=3600)) as here:
        async with here.working(None):
            await here.ask(shaky.name)
            await until_log(here, shaky.name, 1)
            again = await here.ask(shaky.name)
            run = await here.outcome(again, AT_MOST)
        assert (run.outcome, run.cause, run.attempt) == ("succeeded", "retry", 2)


async def test_a_failure_beside_a_run_that_waits_leaves_that_one(engine: Engine) -> None:
    """Were the failed run put back into the queue, it would meet the waiting one and stay under way for ever."""
    gate = Gate()

    async def work(_: Any) -> dict[str, int]:
        if not gate.let_out.is_set():
            await gate.work(None)
            raise StoreUnavailable("test")
        return {"done": 1}

    one = job(fresh("one"), work)
    async with workshop(engine, one) as here:
        async with here.working(None):
            first = await here.ask(one.name)
            await asyncio.wait_for(gate.entered.wait(), AT_MOST)
            second = await here.ask(one.name)
            gate.let_out.set()
            assert (await here.outcome(second, AT_MOST)).outcome == "succeeded"
            assert (await here.run(one.name, first.run_id)).outcome == "failed"
        state = await here.state(one.name)
        assert (state.runs, state.running, state.waiting) == (2, False, False)


async def test_a_run_has_a_time_limit(engine: Engine) -> None:
    endless = job(fresh("endless"), Gate().work)
    async with workshop(engine, endless, limits=replace(LIMITS, attempts=1, time_limit=0.2)) as here:
        async with here.working(None):
            run = await here.outcome(await here.ask(endless.name), AT_MOST)
    assert (run.outcome, run.failure) == ("failed", "It did not end within 0.2 s.")


@pytest.mark.ledger("N34")
async def test_a_worker_that_is_told_to_end_hands_its_run_on(engine: Engine) -> None:
    gate = Gate()
    one = job(fresh("one"), gate.work)
    async with workshop(engine, one) as here:
        async with here.working(None):
            first = await here.ask(one.name)
            await asyncio.wait_for(gate.entered.wait(), AT_MOST)
        assert (await here.run(one.name, first.run_id)).outcome == "cancelled"
        state = await here.state(one.name)
        assert (state.running, state.waiting, gate.inside) == (False, True, 0)
        gate.let_out.set()
        async with here.working(None):
            await until_log(here, one.name, 2)
        second = (await here.log(one.name))[0]
        assert (second.outcome, second.cause, second.attempt) == ("succeeded", "takeover", 1)


# settings and doors --------------------------------------------------------------------------------------


async def test_what_no_job_is_called_is_not_found(engine: Engine) -> None:
    jobs = engine.workspace.jobs
    for attempt in (jobs.get("x"), jobs.ask("x"), jobs.runs("x"), jobs.run("x", 1)):
        with pytest.raises(NotFound):
            await attempt
    with pytest.raises(NotFound):
        engine.working(only="x")
    with pytest.raises(NotFound):
        await jobs.run("recovery", 2**62)


@pytest.mark.ledger("N34", "N33")
async def test_an_engine_works_where_it_is_told_to_and_the_settings_allow_it(settings: Settings) -> None:
    """The schedule is every second, so that an engine that works would soon show it."""
    often = {"job_schedules": {"*": "off", "stalled-jobs": "* * * * * *"}}

    async with open_engine(settings.model_copy(update=often), worker=True) as engine:
        before = (await engine.workspace.jobs.get("stalled-jobs")).runs
        deadline = time.monotonic() + AT_MOST
        while (await engine.workspace.jobs.get("stalled-jobs")).runs == before:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
    for settled in (settings.model_copy(update=often | {"worker": False}), settings.model_copy(update=often)):
        async with open_engine(settled, worker=not settled.worker) as engine:
            run = await engine.workspace.jobs.ask("stalled-jobs", 0.5)
            assert run.outcome == "waiting"
            await carried_out(engine, "stalled-jobs")
    with pytest.raises(SettingsError, match="nonsense"):
        async with open_engine(settings.model_copy(update={"job_schedules": {"nonsense": "off"}})):
            pass


async def test_the_queue_is_installed_once(engine: Engine) -> None:
    assert await install_queue(engine.postgres) == []


@pytest.mark.ledger("N31")
async def test_the_request_role_sees_nothing_of_the_queue(engine: Engine) -> None:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT has_schema_privilege('neurigraph_request', '_queue', 'USAGE') AS enters,"
            " (SELECT count(*) FROM pg_class AS c WHERE c.relnamespace = '_queue'::regnamespace AND c.relkind = 'r'"
            "  AND NOT c.relrowsecurity) AS open,"
            " (SELECT count(*) FROM pg_class AS c WHERE c.relnamespace = '_queue'::regnamespace AND c.relkind = 'r') AS tables,"
            " has_table_privilege('neurigraph_request', 'engine.job_runs', 'SELECT') AS reads"
        )
        row = await cursor.fetchone()
    assert row is not None and row["tables"] >= 4
    assert (row["enters"], row["open"], row["reads"]) == (False, 0, False)
