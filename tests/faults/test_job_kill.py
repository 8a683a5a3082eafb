"""A worker that is killed in the middle, and a database that goes away: the job is taken up again."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from dataclasses import replace

import pytest
from psycopg import conninfo

from engine.domain.job import Run
from engine.embedded import status
from engine.errors import StoreUnavailable
from engine.jobs import queue
from engine.jobs.jobs import JobCatalogue
from engine.neurigraph import Engine
from tests.processes import run_module
from tests.workshop import AT_MOST, LIMITS, Gate, fresh, job, nothing, workshop


async def kill_a_worker(engine: Engine, name: str, kind: str) -> None:
    """A worker of another process dies in the middle of a run of that job."""
    ended = await asyncio.to_thread(
        run_module, "tests.faults.job_victim", str(engine.settings.home), str(engine.settings.cache), name, kind
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr


async def grow_old(engine: Engine) -> None:
    """No worker has given a sign of life for an hour: the database's clock cannot be moved, so its notes are."""
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE _queue.procrastinate_workers SET last_heartbeat = last_heartbeat - interval '1 hour'"
        )


async def taken_up(jobs: JobCatalogue) -> int:
    """How many runs it retries; those of other jobs, whose workers other tests ended, it gives up."""
    return (await jobs.take_up_stalled())[0]


@pytest.fixture(autouse=True)
async def no_lost_runs(engine: Engine) -> None:
    """What workers of other tests left when they were killed is not counted here."""
    await grow_old(engine)
    async with workshop(engine, job(fresh("none"), nothing)) as here:
        await here.take_up_stalled()


@pytest.mark.ledger("N34")
async def test_the_run_of_a_killed_worker_is_taken_up(engine: Engine) -> None:
    mended = job(fresh("mended"), nothing)
    await kill_a_worker(engine, mended.name, "alone")
    async with workshop(engine, mended) as here:
        assert (await here.state(mended.name)).running, "nobody knows yet that its worker is gone"
        assert await taken_up(here) == 0, "it may live"
        blocked = await here.ask(mended.name)
        await grow_old(engine)
        assert await taken_up(here) == 1
        lost = (await here.log(mended.name))[-1]
        assert (lost.outcome, lost.failure) == ("lost", "Its worker is gone.")
        async with here.working(None):
            run = await here.outcome(blocked, AT_MOST)
        assert (run.outcome, run.attempt) == ("succeeded", 1)
        state = await here.state(mended.name)
        assert (state.runs, state.failures, state.running, state.waiting) == (2, 1, False, False)


@pytest.mark.ledger("N34")
async def test_two_that_look_for_stalled_runs_take_each_up_once(engine: Engine) -> None:
    mended = job(fresh("mended"), nothing)
    await kill_a_worker(engine, mended.name, "alone")
    await grow_old(engine)
    async with workshop(engine, mended) as here, workshop(engine, mended) as there:
        found = await asyncio.gather(taken_up(here), taken_up(there))
        assert sorted(found) == [0, 1]
        async with here.working(None):
            await until_ended(here, mended.name, 2)
        assert [(run.attempt, run.cause, run.outcome) for run in await here.log(mended.name, quiet=True)] == [
            (2, "takeover", "succeeded"),
            (1, "request", "lost"),
        ]


async def test_a_job_that_kills_its_worker_every_time_has_an_end(engine: Engine) -> None:
    deadly = job(fresh("deadly"), nothing)
    async with workshop(engine, deadly, limits=replace(LIMITS, attempts=2)) as here:
        await kill_a_worker(engine, deadly.name, "alone")
        await grow_old(engine)
        assert await taken_up(here) == 1
        await kill_a_worker(engine, deadly.name, "alone")  # takes up the second attempt
        await grow_old(engine)
        assert await taken_up(here) == 0
        state = await here.state(deadly.name)
        assert (state.runs, state.failures, state.waiting) == (2, 2, False)


@pytest.mark.ledger("N34")
async def test_the_job_that_frees_the_queue_is_not_blocked_by_its_own_death(engine: Engine) -> None:
    freeing = job(fresh("freeing"), nothing, alone=False)
    await kill_a_worker(engine, freeing.name, "together")
    async with workshop(engine, freeing) as here:
        assert (await here.state(freeing.name)).running
        async with here.working(None):
            run = await here.outcome(await here.ask(freeing.name), AT_MOST)
        assert run.outcome == "succeeded"
        await grow_old(engine)
        await here.take_up_stalled()


@pytest.mark.ledger("N34")
async def test_a_database_that_goes_away_does_not_end_the_worker(engine: Engine) -> None:
    gate = Gate()
    held, after = job(fresh("held"), gate.work), job(fresh("after"), nothing)
    async with workshop(engine, held, after) as here:
        async with here.working(None):
            first = await here.ask(held.name)
            await asyncio.wait_for(gate.entered.wait(), AT_MOST)
            pid = next(server.pid for server in status(engine.settings.home).servers if server.name == "postgres")
            os.kill(pid, signal.SIGKILL)
            run = await here.outcome(await asked_when_back(here, after.name), AT_MOST)
            assert run.outcome == "succeeded"
            gate.let_out.set()
            await grow_old(engine)
            await here.take_up_stalled()
            deadline = time.monotonic() + AT_MOST
            while (state := await here.state(held.name)).running or state.waiting:
                assert time.monotonic() < deadline, await here.log(held.name, quiet=True)
                await asyncio.sleep(0.1)
        assert (await here.run(held.name, first.run_id)).ended
        assert (await here.log(held.name))[0].outcome == "succeeded"


@pytest.mark.ledger("N34")
async def test_a_worker_that_cannot_reach_its_database_begins_again_until_it_can(
    engine: Engine, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "RESTART", 0.2)
    one = job(fresh("one"), nothing)
    parts = conninfo.conninfo_to_dict(engine.postgres.service.conninfo)
    async with Passage(str(parts["host"]), int(str(parts["port"]))) as passage:
        url = conninfo.make_conninfo(engine.postgres.service.conninfo, host="127.0.0.1", port=passage.port)
        async with workshop(engine, one) as here, workshop(engine, one, url=url, connect_timeout=2) as cut_off:
            async with cut_off.working(None):
                assert (await here.outcome(await here.ask(one.name), AT_MOST)).outcome == "succeeded"
                await until_off_the_queue(engine, one.name)
                await passage.shut()
                await until_told_twice(caplog)
                asked = await here.ask(one.name)
                assert asked.outcome == "waiting"
                await passage.unlock()
                assert (await here.outcome(asked, AT_MOST)).outcome == "succeeded"


async def until_off_the_queue(engine: Engine, name: str) -> None:
    """A run is recorded before the queue deletes it; one that it still holds keeps the next one waiting until it is taken up."""
    deadline = time.monotonic() + AT_MOST
    while True:
        async with engine.postgres.as_service() as connection:
            cursor = await connection.execute("SELECT id FROM _queue.procrastinate_jobs WHERE task_name = %s", [name])
            if await cursor.fetchone() is None:
                return
        assert time.monotonic() < deadline, "the queue still holds the run"
        await asyncio.sleep(0.05)


async def until_told_twice(caplog: pytest.LogCaptureFixture) -> None:
    """Until the worker ended twice: once the lost connection, once the attempt to begin again."""
    deadline = time.monotonic() + AT_MOST
    while sum("the queue does not answer" in record.message for record in caplog.records) < 2:
        assert time.monotonic() < deadline, "the worker did not notice"
        await asyncio.sleep(0.1)


class Passage:
    """A way to the database that can be shut: those who are in it are thrown out, nobody gets in."""

    def __init__(self, host: str, port: int) -> None:
        self._target, self.port = (host, port), 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Passage:
        await self.unlock()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.shut()

    async def unlock(self) -> None:
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self._target
        far_reader, far_writer = (
            await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
            if host.startswith("/")
            else await asyncio.open_connection(host, port)
        )
        self._writers |= {writer, far_writer}
        try:
            await asyncio.gather(_pumped(reader, far_writer), _pumped(far_reader, writer))
        finally:
            for end in (writer, far_writer):
                end.transport.abort()
                self._writers.discard(end)


async def _pumped(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while block := await source.read(65536):
            sink.write(block)
            await sink.drain()
    sink.transport.abort()


async def asked_when_back(jobs: JobCatalogue, name: str) -> Run:
    deadline = time.monotonic() + 90
    while True:
        try:
            return await jobs.ask(name)
        except StoreUnavailable:
            assert time.monotonic() < deadline, "the database did not come back by itself"
            await asyncio.sleep(0.2)


async def until_ended(jobs: JobCatalogue, name: str, runs: int) -> None:
    deadline = time.monotonic() + AT_MOST
    while sum(run.ended for run in await jobs.log(name, quiet=True)) < runs:
        assert time.monotonic() < deadline, await jobs.log(name, quiet=True)
        await asyncio.sleep(0.05)
