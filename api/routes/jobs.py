"""Background jobs: their schedules and runs, and a run now; for operator and administrators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace
from api.cursors import PAGE_HEADERS, APage, number
from api.headers import Prefer, waited
from api.models import RunRequest
from api.problems import answered, documented
from engine.domain.job import JobState, Run

router = APIRouter(prefix="/v1/jobs", tags=["jobs"], route_class=JsonRoute, dependencies=ADMINISTRATORS)
LONGEST_WAIT = 60
LOOK_AGAIN = "2"
"""Seconds after which to poll a run that has not ended."""
_RETRY = {"Retry-After": {"description": "Seconds after which to poll the run.", "schema": {"type": "string"}}}
_PLACE = {"Location": {"description": "URL of the run.", "schema": {"type": "string"}}}

JobName = Annotated[str, Path(examples=["orphan-sweep"])]
RunId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("", operation_id="listJobs", responses=PAGE_HEADERS)
async def list_jobs(workspace: CurrentWorkspace, page: APage) -> Sequence[JobState]:
    """All jobs: schedule, next run, numbers of runs and failures, and the last run."""
    return page.window(await workspace.jobs.list())


@router.get("/{name}", operation_id="getJob")
async def get_job(name: JobName, workspace: CurrentWorkspace) -> JobState:
    """One job."""
    return await workspace.jobs.get(name)


@router.get("/{name}/runs", operation_id="listRuns", responses=PAGE_HEADERS)
async def list_runs(
    name: JobName,
    workspace: CurrentWorkspace,
    page: APage,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="The last run of the previous page.")] = None,
    quiet: Annotated[bool, Query(description="Also runs that found nothing to do; they are kept for an hour.")] = False,
) -> Sequence[Run]:
    """Started runs of a job, newest first, one page."""
    runs = await workspace.jobs.runs(name, before=page.start(number, before), quiet=quiet, limit=page.limit)
    return page.of(runs, lambda run: run.run_id)


@router.get("/{name}/runs/{run_id}", operation_id="getRun")
async def get_run(name: JobName, run_id: RunId, workspace: CurrentWorkspace) -> Run:
    """One run: waiting, running or ended, with its report."""
    return await workspace.jobs.run(name, run_id)


@router.post(
    "/{name}/run",
    operation_id="runJob",
    status_code=202,
    responses=answered(200, Run, "The run ended within the waiting time.")
    | {202: {"description": "The run has not ended.", "headers": _RETRY | _PLACE}}
    | documented(400, 413, 415, 507),
)
async def run_job(
    name: JobName,
    body: RunRequest,
    workspace: CurrentWorkspace,
    response: Response,
    wait: Annotated[
        float | None, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the run to end; without it, none.")
    ] = None,
    prefer: Prefer = None,
) -> Run:
    """Requests a run now. A waiting run serves this request, too; a running one is followed by another."""
    run = await workspace.jobs.ask(name, waited(wait, prefer, LONGEST_WAIT) or 0)
    response.status_code = 200 if run.ended else 202
    if not run.ended:
        response.headers["Retry-After"] = LOOK_AGAIN
        response.headers["Location"] = f"/v1/jobs/{name}/runs/{run.run_id}"
    return run
