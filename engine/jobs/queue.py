"""The queue: procrastinate's tables in Postgres, and the worker that takes runs from them inside this process.

A job has at most one waiting run (its queueing lock) and at most one running (its lock), over all callers and engines. A
failed run is not put back but requested again after a pause: putting it back would conflict with a run that waits by then.

A worker sends a heartbeat every few seconds. When its database is lost it ends, and a new one starts once the database is
back.

The tables are the library's own scripts, applied to the schema `_queue` and noted one by one. A fresh schema gets the
library's whole schema at once; one that an earlier version of the library made gets the scripts that have come since, in the
order of their names. All in one transaction under the lock of the migrations, so that engines that start at the same time
wait for each other.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.app import WorkerOptions
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Status
from procrastinate.schema import SchemaManager

from engine.domain.job import Cause, pause_before
from engine.errors import NeurigraphError, StoreUnavailable
from engine.jobs.runs import Job, Runs
from engine.stores.limited import STORE, Connection, DriverError, RaisedError
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.telemetry.stages import handed_to_jobs
from engine.telemetry.stages import job as job_run

log = logging.getLogger(__name__)

CONNECTIONS = 3
"""Of the connections to Postgres that a process may hold: those of its queue."""
HEARTBEAT = 10.0
"""Seconds between two heartbeats of a worker."""
CATCH_UP = 8 * 86400.0
"""Seconds back: a run that was due while no worker ran is caught up, once."""
LONGEST_PAUSE = 600.0
"""Seconds between two attempts."""
LONGEST_END = 15.0
"""Seconds for a cancelled run to note its cancellation."""
RESTART = 2.0
"""Seconds after which a worker that lost its database tries again."""
ATTEMPTS_TO_ASK = 5
"""Attempts to request a run: a waiting one may start between two queries."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """How a worker works; times in seconds. `patience`: for runs under way when it is stopped."""

    concurrency: int
    attempts: int
    first_pause: float
    time_limit: float
    patience: float
    silence: float
    """A worker without a heartbeat for so long is dead."""
    polling: float = 5.0
    """Between two polls of the queue: new runs are notified at once, a poll finds those that are due."""


@contextmanager
def answering() -> Iterator[None]:
    """Within this block the library's errors are raised as the engine's."""
    try:
        yield
    except (ConnectorException, DriverError) as error:
        raise StoreUnavailable(STORE) from error


class _Connector(PsycopgConnector):
    """The library's connector; of notifications it passes on that there is a new run.

    Every role of a database may notify every channel, also one that only reads: the library's worker would end at a payload
    that is no JSON, and would abort any run that a payload names.
    """

    async def listen_notify(self, on_notification: Callable[..., Any], channels: Iterable[str]) -> None:
        async def passed_on(*, channel: str, payload: str) -> None:
            if _tells_of_run(payload):
                await on_notification(channel=channel, payload=payload)

        await super().listen_notify(on_notification=passed_on, channels=channels)


def _tells_of_run(payload: str) -> bool:
    try:
        notification = json.loads(payload)
    except (ValueError, RecursionError):
        return False
    return isinstance(notification, dict) and notification.get("type") == "job_inserted"


class Queue:
    """Takes requests for runs, and works on them where `working` was entered. Opened by `open`, ended by `close`."""

    def __init__(self, service_url: str, runs: Runs, limits: WorkLimits, *, connect_timeout: float) -> None:
        self._connector = _Connector(
            conninfo=service_url,
            kwargs={
                "connect_timeout": max(2, round(connect_timeout)),
                "options": "-c search_path=_queue,pg_catalog -c statement_timeout=30000 -c timezone=UTC",
                "keepalives_idle": 30,
            },
            connection_class=Connection,
            min_size=0,  # an idle pool holds no connection
            max_size=CONNECTIONS - 1,  # a worker has one more, on which it hears of new runs
            timeout=connect_timeout,
            max_lifetime=1800,
            reconnect_timeout=connect_timeout,  # pauses between attempts double: a request after an outage resets them
        )
        self._asking = App(connector=self._connector)
        self._runs, self.limits = runs, limits

    async def open(self) -> None:
        """Opens the pool; connections are made when they are needed."""
        await self._connector.open_async()

    async def close(self) -> None:
        await self._connector.close_async()

    async def ask(self, job: Job, cause: Cause, *, attempt: int = 1, pause: float = 0) -> int:
        """The id of a run that starts after `pause` seconds, or of the one that already waits. Raises StoreUnavailable.

        A request does not wait for the time of another: it brings that one forward.
        """
        at = datetime.now(UTC) + timedelta(seconds=pause) if pause else None  # by the clock that the queue goes by
        for _ in range(ATTEMPTS_TO_ASK):
            with answering(), suppress(AlreadyEnqueued):
                return await self._asking.configure_task(
                    job.name, queue=job.name, lock=_lock(job), queueing_lock=job.name, schedule_at=at
                ).defer_async(cause=cause, attempt=attempt, **handed_to_jobs())
            if cause == "request":
                await self._runs.hurry(job.name)
            waiting = await self._runs.waiting(job.name)
            if waiting is not None:
                return waiting
        raise StoreUnavailable("queue", "The queue is busy with this job; try again.")

    async def give_up(self, run_id: int) -> bool:
        """Ends a run whose worker is gone; returns whether this call did it. Raises StoreUnavailable."""
        with answering():
            try:
                await self._asking.job_manager.finish_job_by_id_async(run_id, Status.ABORTED, delete_job=False)
            except ConnectorException as error:
                if isinstance(error.__cause__, RaisedError):
                    return False  # another process was faster, or the worker is alive
                raise
        return True

    @asynccontextmanager
    async def working(
        self, host: Any, jobs: Sequence[Job], schedules: Mapping[str, str | None], *, only: Job | None = None
    ) -> AsyncIterator[None]:
        """While this lasts, runs are taken from the queue and carried out with `host`; `only` those of one job, if given.

        At the end a run under way gets some time (`patience`), then it is cancelled and waits in the queue again.
        """
        app = self._equipped(host, jobs, {} if only else schedules)
        work = asyncio.create_task(self._work(app, [only.name] if only else []), name="job worker")
        work.add_done_callback(_log_failure)
        try:
            yield
        finally:
            work.cancel()
            # A shutdown that hangs (on a database that does not answer) must not block the process.
            await asyncio.wait({work}, timeout=self.limits.patience + LONGEST_END)

    async def _work(self, app: App, queues: list[str]) -> None:
        """One worker after the other, until cancelled: one that loses its database ends with or without an error."""
        options: WorkerOptions = {
            "concurrency": self.limits.concurrency,
            "fetch_job_polling_interval": self.limits.polling,
            "shutdown_graceful_timeout": self.limits.patience,
            "delete_jobs": "successful",
            "install_signal_handlers": False,
            "update_heartbeat_interval": HEARTBEAT,
            "stalled_worker_timeout": self.limits.silence,
        }
        if queues:
            options["queues"] = queues
        while True:
            try:
                await app.run_worker_async(**options)
            except (ConnectorException, DriverError, NeurigraphError) as error:
                log.warning("the queue does not answer (%s); the worker restarts", type(error).__name__)
            await asyncio.sleep(RESTART)

    def _equipped(self, host: Any, jobs: Sequence[Job], schedules: Mapping[str, str | None]) -> App:
        """An application of the library with the engine's jobs as its tasks."""
        app = App(connector=self._connector, periodic_defaults={"max_delay": CATCH_UP})
        for job in jobs:
            task = app.task(name=job.name, queue=job.name, lock=_lock(job), queueing_lock=job.name, pass_context=True)(
                self._task(host, job)
            )
            if schedule := schedules.get(job.name):
                app.periodic(cron=schedule)(task)
        return app

    def _task(self, host: Any, job: Job) -> Any:
        async def task(
            context: JobContext,
            cause: Cause = "schedule",
            attempt: int = 1,
            timestamp: int = 0,
            traceparent: str | None = None,
        ) -> None:
            assert context.job.id is not None  # it comes from the queue
            with job_run(job.name, traceparent):
                await self._carry_out(host, job, context.job.id, cause, attempt)

        return task

    async def _carry_out(self, host: Any, job: Job, run_id: int, cause: Cause, attempt: int) -> None:
        """One run, its record, and the request for the next attempt where it failed. The library logs its errors."""
        limit = asyncio.timeout(self.limits.time_limit)
        try:
            await self._runs.started(run_id, job.name, cause, attempt)
            async with limit:
                report = await job.work(host)
        except BaseException as error:
            late = isinstance(error, TimeoutError) and limit.expired()
            await self._failed(job, run_id, attempt, error, late=late)
            raise
        await self._runs.finished(run_id, "succeeded", report=report)

    async def _failed(self, job: Job, run_id: int, attempt: int, error: BaseException, *, late: bool) -> None:
        """Notes the failure and requests the next attempt; each is tried even if the other one fails."""
        if isinstance(error, asyncio.CancelledError):
            with suppress(NeurigraphError):
                await self._runs.finished(run_id, "cancelled", failure="Its worker was stopped.")
            with suppress(NeurigraphError):
                await self.ask(job, "takeover", attempt=attempt)
            return
        words = error.detail if isinstance(error, NeurigraphError) else type(error).__name__
        if late:
            words = f"It did not end within {self.limits.time_limit:g} s."
        with suppress(NeurigraphError):
            await self._runs.finished(run_id, "failed", failure=words)
        if attempt < self.limits.attempts:
            pause = pause_before(
                attempt + 1, first=self.limits.first_pause, longest=LONGEST_PAUSE, chance=random.random()
            )
            with suppress(NeurigraphError):
                await self.ask(job, "retry", attempt=attempt + 1, pause=pause)
        else:
            with suppress(NeurigraphError):
                await self._runs.given_up(run_id, job.name, attempt, type(error).__name__, words)


def _lock(job: Job) -> str | None:
    return job.name if job.alone else None


def _log_failure(work: asyncio.Task[None]) -> None:
    if not work.cancelled() and (error := work.exception()) is not None:
        log.critical("the worker of the jobs ended", exc_info=error)


async def install_queue(postgres: Postgres) -> list[str]:
    """Brings the queue's tables up to date; the names of the scripts that were new. Raises StoreUnavailable."""
    wanted = _scripts()
    async with postgres.as_service() as connection:
        applied = await _applied(connection)
        if wanted.keys() <= applied:
            return []
        await connection.execute(sql_text("schema/migrations_lock"))
        applied = await _applied(connection)  # another engine may have been faster
        missing = [name for name in wanted if name not in applied]
        await connection.execute(sql_text("job/queue_path"))
        if not applied:
            await connection.execute(SchemaManager.get_schema().encode())
        else:
            for name in missing:
                await connection.execute(wanted[name].read_bytes())
        for name in missing:
            await connection.execute(sql_text("job/queue_script_applied"), {"name": name})
        await connection.execute(sql_text("job/queue_guard"))
    return missing


def _scripts() -> dict[str, Path]:
    """The scripts that the library brings, by name, in order."""
    return {path.name: path for path in sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))}


async def _applied(connection: Connection) -> set[str]:
    return set(await connection.fetch(sql_text("job/queue_scripts_applied"), row=str))
