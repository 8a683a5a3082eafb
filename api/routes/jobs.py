"""Background jobs: their schedules and runs, and a run now; for operator and administrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from api.bodies import JsonRoute
from api.context import CurrentEngine, WhoAsks, administrators_only
from api.cursors import PAGE_HEADERS, APage, number
from api.models import RunRequest
from api.problems import answered, documented
from engine.domain.identity import Identity
from engine.jobs.job import DETAILS, JobState, Run

router = APIRouter(prefix="/v1/jobs", tags=["jobs"], route_class=JsonRoute, dependencies=[Depends(administrators_only)])
LONGEST_WAIT = 60
LOOK_AGAIN = "2"
"""Seconds after which to poll a run that has not ended."""
_RETRY = {"Retry-After": {"description": "Seconds after which to poll the run.", "schema": {"type": "string"}}}
_PLACE = {"Location": {"description": "URL of the run.", "schema": {"type": "string"}}}

JobName = Annotated[str, Path(examples=["orphan-sweep"])]
RunId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("", operation_id="listJobs", responses=PAGE_HEADERS | documented(404, 422, 503))
async def list_jobs(engine: CurrentEngine, identity: WhoAsks, page: APage) -> Sequence[JobState]:
    """All jobs: schedule, next run, numbers of runs and failures, and the last run."""
    return page.window([_shown(state, identity) for state in await engine.jobs.states()])


@router.get("/{name}", operation_id="getJob", responses=documented(404, 422, 503))
async def get_job(name: JobName, engine: CurrentEngine, identity: WhoAsks) -> JobState:
    """One job."""
    return _shown(await engine.jobs.state(name), identity)


@router.get("/{name}/runs", operation_id="listRuns", responses=PAGE_HEADERS | documented(404, 422, 503))
async def list_runs(
    name: JobName,
    engine: CurrentEngine,
    identity: WhoAsks,
    page: APage,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="The last run of the previous page.")] = None,
    quiet: Annotated[bool, Query(description="Also runs that found nothing to do; they are kept for an hour.")] = False,
) -> Sequence[Run]:
    """Started runs of a job, newest first, one page."""
    runs = await engine.jobs.log(name, before=page.start(number, before), quiet=quiet, limit=page.limit)
    return page.of([_without_details(run, identity) for run in runs], lambda run: run.run_id)


@router.get("/{name}/runs/{run_id}", operation_id="getRun", responses=documented(404, 422, 503))
async def get_run(name: JobName, run_id: RunId, engine: CurrentEngine, identity: WhoAsks) -> Run:
    """One run: waiting, running or ended, with its report."""
    return _without_details(await engine.jobs.run(name, run_id), identity)


@router.post(
    "/{name}/run",
    operation_id="runJob",
    status_code=202,
    responses=answered(200, Run, "The run ended within the waiting time.")
    | {202: {"description": "The run has not ended.", "headers": _RETRY | _PLACE}}
    | documented(400, 404, 413, 415, 422, 503, 507),
)
async def run_job(
    name: JobName,
    body: RunRequest,
    engine: CurrentEngine,
    identity: WhoAsks,
    response: Response,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the run to end.")] = 0,
) -> Run:
    """Requests a run now. A waiting run serves this request, too; a running one is followed by another."""
    run = await engine.jobs.outcome(await engine.jobs.ask(name), wait)
    response.status_code = 200 if run.ended else 202
    if not run.ended:
        response.headers["Retry-After"] = LOOK_AGAIN
        response.headers["Location"] = f"/v1/jobs/{name}/runs/{run.run_id}"
    return _without_details(run, identity)


def _shown(state: JobState, identity: Identity) -> JobState:
    return replace(state, last=_without_details(state.last, identity)) if state.last else state


def _without_details(run: Run, identity: Identity) -> Run:
    """The run as the caller may see it: details name nodes of users, so administrators see only counts."""
    if run.report is None or identity.kind == "operator":
        return run
    return replace(run, report={name: value for name, value in run.report.items() if name != DETAILS})
