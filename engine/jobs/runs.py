"""The results of runs of jobs, in Postgres: the worker of a run writes them, every process of the service reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.domain.clock import Clock
from engine.domain.job import Cause, Outcome, Report, Run
from engine.domain.page import check_page
from engine.errors import StoreFull, StoreTimeout, StoreUnavailable
from engine.jobs.job import is_quiet
from engine.stores.postgres import Json, Jsonb, Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

MOST_STALLED = 100
"""Runs retried in one pass."""


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
