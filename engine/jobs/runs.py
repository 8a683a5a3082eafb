"""What a job is, when its next run is due, and the results of runs, in Postgres: the worker of a run writes them, every
process of the service reads them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from croniter import croniter

from engine.domain.clock import Clock
from engine.domain.job import Cause, Outcome, Report, Run
from engine.domain.read_limits import check_page
from engine.errors import SettingsError, StoreFull, StoreTimeout, StoreUnavailable
from engine.stores.postgres import Json, Jsonb, Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

OFF = "off"

MOST_STALLED = 100
"""Runs retried in one pass."""


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of background work. `work` takes the engine; it must be safe to run twice, at once or half."""

    name: str
    about: str
    schedule: str
    """Cron in UTC: minute, hour, day, month, weekday, and seconds where there is a sixth; or `off`."""
    work: Callable[[Any], Awaitable[Report]]
    alone: bool = True
    """Whether no two runs go on at once. A job that frees a blocked queue must not wait for itself."""


def is_quiet(report: Report) -> bool:
    """Whether a run found nothing to do."""
    return not any(report.values())


def next_due(schedule: str | None, now: datetime) -> datetime | None:
    """When a schedule is due next, after `now`; None where it is off."""
    if schedule is None:
        return None
    due: datetime = croniter(schedule, now).get_next(datetime)
    return due.astimezone(UTC)


def scheduled(jobs: Sequence[Job], changes: Mapping[str, str]) -> dict[str, str | None]:
    """The schedule of each job by name, None where it is off. `changes` come from the settings; under `*` for all others.

    Raises SettingsError for a name that no job has, and for what is no schedule.
    """
    unknown = changes.keys() - {job.name for job in jobs} - {"*"}
    if unknown:
        known = ", ".join(job.name for job in jobs)
        raise SettingsError(f"NEURIGRAPH_JOB_SCHEDULES: there is no job {min(unknown)}; there are {known}.")
    plan = {job.name: changes.get(job.name, changes.get("*", job.schedule)) for job in jobs}
    for name, schedule in plan.items():
        if schedule != OFF and not croniter.is_valid(schedule):
            raise SettingsError(
                f"NEURIGRAPH_JOB_SCHEDULES: {schedule} is no schedule for {name}; write cron, as in 0 3 * * *, or off."
            )
    return {name: None if schedule == OFF else schedule for name, schedule in plan.items()}


@dataclass(frozen=True, slots=True)
class Counts:
    """How often a job ran and failed, and whether it runs or waits now."""

    job: str
    runs: int
    failures: int
    running: bool
    waiting: bool


@dataclass(frozen=True, slots=True)
class Stalled:
    """A run whose worker is gone."""

    run_id: int
    job: str
    attempt: int


class Runs:
    """The record of runs. All raise StoreUnavailable."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def started(self, run_id: int, job: str, cause: Cause, attempt: int) -> None:
        """Notes that a run began now."""
        parameters = {"run_id": run_id, "job": job, "cause": cause, "attempt": attempt, "at": self._clock.now()}
        await self._change("job/started", parameters)

    async def finished(
        self, run_id: int, outcome: Outcome, *, report: Report | None = None, failure: str | None = None
    ) -> None:
        """Notes that a run ended now; what has ended before stays as it is."""
        parameters = {
            "run_id": run_id,
            "outcome": outcome,
            "at": self._clock.now(),
            "quiet": report is not None and is_quiet(report),
            "report": None if report is None else Json(dict(report)),
            "failure": failure,
        }
        await self._change("job/finished", parameters)

    async def given_up(self, run_id: int, job: str, attempts: int, error: str, words: str) -> None:
        """Notes in the failure log that a job failed for good; `error` is the name of what it raised."""
        parameters = {
            "session_id": None,
            "stage": "job",
            "cause": error[:100],
            "detail": words,
            "subject": job,
            "reference": Jsonb({"run_id": run_id, "attempts": attempts}),
            "now": self._clock.now(),
        }
        await self._change("failure/log", parameters)

    async def run(self, job: str, run_id: int) -> Run:
        """The present state of one run of a job; raises NotFound."""
        return only(await self._postgres.fetch_as_service(sql_text("job/run"), {"job": job, "run_id": run_id}, row=Run))

    async def page(self, job: str | None, *, before: int | None, quiet: bool, limit: int) -> list[Run]:
        """Runs that began, newest first, of one job or of all, one page. Raises InvalidInput."""
        check_page(limit)
        parameters = {"job": job, "before": before, "quiet": quiet, "limit": limit}
        return await self._postgres.fetch_as_service(sql_text("job/runs_page"), parameters, row=Run)

    async def last(self, jobs: Sequence[str]) -> dict[str, Run]:
        """The last run of each job that ended, where there is one."""
        runs = await self._postgres.fetch_as_service(sql_text("job/last_runs"), {"jobs": list(jobs)}, row=Run)
        return {run.job: run for run in runs}

    async def counts(self, jobs: Sequence[str]) -> dict[str, Counts]:
        counted = await self._postgres.fetch_as_service(sql_text("job/counts"), {"jobs": list(jobs)}, row=Counts)
        return {counts.job: counts for counts in counted}

    async def waiting(self, job: str) -> int | None:
        """The id of the job's run that waits in the queue, if there is one."""
        found = await self._postgres.fetch_as_service(sql_text("job/waiting"), {"job": job}, row=int)
        return found[0] if found else None

    async def hurry(self, job: str) -> None:
        """Makes the waiting run of the job due now."""
        await self._change("job/hurry", {"job": job})

    async def stalled(self, *, silent: float, overdue: float) -> list[Stalled]:
        """Runs under way whose worker sent no heartbeat for `silent` seconds, or that started `overdue` seconds ago."""
        parameters = {"silent_s": silent, "overdue_s": overdue, "limit": MOST_STALLED}
        return await self._postgres.fetch_as_service(sql_text("job/stalled"), parameters, row=Stalled)

    async def _change(self, statement: str, parameters: dict[str, Any]) -> None:
        """Sends the statement, and retries once where the connection was lost: a restarted server leaves dead connections, which
        are noticed only in use. All these statements are idempotent."""
        try:
            await self._postgres.change_as_service(sql_text(statement), parameters)
        except StoreUnavailable as error:
            if isinstance(error, StoreTimeout | StoreFull):
                raise
            await self._postgres.change_as_service(sql_text(statement), parameters)
