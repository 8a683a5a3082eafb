"""Background jobs: what there is, how it went, and a run now, for whoever owns the clock."""

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
"""Seconds after which a run that has not ended is worth another look."""
_RETRY = {"Retry-After": {"description": "Seconds after which to look again.", "schema": {"type": "string"}}}
_PLACE = {"Location": {"description": "Where the run is.", "schema": {"type": "string"}}}

JobName = Annotated[str, Path(examples=["orphan-sweep"])]
RunId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("", operation_id="listJobs", responses=PAGE_HEADERS | documented(404, 422, 503))
async def list_jobs(engine: CurrentEngine, identity: WhoAsks, page: APage) -> Sequence[JobState]:
    """Every job: its schedule, when it is due next, how often it ran and failed, and its last run."""
    return page.window([_shown(state, identity) for state in await engine.jobs.states()])


@router.get("/{name}", operation_id="getJob", responses=documented(404, 422, 503))
async def get_job(name: JobName, engine: CurrentEngine, identity: WhoAsks) -> JobState:
    """One job as it stands."""
    return _shown(await engine.jobs.state(name), identity)


@router.get("/{name}/runs", operation_id="listRuns", responses=PAGE_HEADERS | documented(404, 422, 503))
async def list_runs(
    name: JobName,
    engine: CurrentEngine,
    identity: WhoAsks,
    page: APage,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="The last run of the page before.")] = None,
    quiet: Annotated[bool, Query(description="Also runs that found nothing to do; they are kept for an hour.")] = False,
) -> Sequence[Run]:
    """Runs of a job that began, newest first, one page."""
    runs = await engine.jobs.log(name, before=page.start(number, before), quiet=quiet, limit=page.limit)
    return page.of([_told(run, identity) for run in runs], lambda run: run.run_id)


@router.get("/{name}/runs/{run_id}", operation_id="getRun", responses=documented(404, 422, 503))
async def get_run(name: JobName, run_id: RunId, engine: CurrentEngine, identity: WhoAsks) -> Run:
    """One run: whether it waits, is under way or ended, with its report."""
    return _told(await engine.jobs.run(name, run_id), identity)


@router.post(
    "/{name}/run",
    operation_id="runJob",
    status_code=202,
    responses=answered(200, Run, "The run ended within the time.")
    | {202: {"description": "The run has not ended.", "headers": _RETRY | _PLACE}}
    | documented(400, 404, 413, 415, 422, 503, 507),
)
async def run_job(
    name: JobName,
    body: RunRequest,
    engine: CurrentEngine,
    identity: WhoAsks,
    response: Response,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for its end.")] = 0,
) -> Run:
    """Asks for a run now. One that waits already serves this request, too; one under way is followed by another."""
    run = await engine.jobs.outcome(await engine.jobs.ask(name), wait)
    response.status_code = 200 if run.ended else 202
    if not run.ended:
        response.headers["Retry-After"] = LOOK_AGAIN
        response.headers["Location"] = f"/v1/jobs/{name}/runs/{run.run_id}"
    return _told(run, identity)


def _shown(state: JobState, identity: Identity) -> JobState:
    return replace(state, last=_told(state.last, identity)) if state.last else state


def _told(run: Run, identity: Identity) -> Run:
    """The run as it may be seen: details name nodes of users, and administrators see counts only."""
    if run.report is None or identity.kind == "operator":
        return run
    return replace(run, report={name: value for name, value in run.report.items() if name != DETAILS})
