"""Upkeep, for operator and administrators, and for the owner of a graph.

jobs        background jobs: their schedules and runs, and a run now
failures    permanent failures of a graph, for its owner, and of jobs, for administrators
commits     those that were set aside, of one graph or of all: list, retry, discard
replays     all records of a user rebuilt beside the present ones, compared, swapped or discarded
embeddings  versions of the instance: build a canary beside the active one, compare, promote, roll back
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace, UserMemory
from api.cursors import PAGE_HEADERS, APage, identity, number, timed
from api.headers import Prefer, waited
from api.models import RunRequest
from api.problems import WRITES, answered, documented
from engine.domain.commit import CommitOutcome, CommitSummary
from engine.domain.embedding import BuildReport, Compression, EmbeddingVersion, ModelChoice, Pace, VersionProgress
from engine.domain.ingest import Failure, FailureState
from engine.domain.job import JobState, Run
from engine.domain.replay import Replay, ReplayComparison
from engine.domain.written import Body

of_jobs = APIRouter(prefix="/v1/jobs", tags=["jobs"], route_class=JsonRoute, dependencies=ADMINISTRATORS)
LONGEST_WAIT = 60
LOOK_AGAIN = "2"
"""Seconds after which to poll a run that has not ended."""
_RETRY = {"Retry-After": {"description": "Seconds after which to poll the run.", "schema": {"type": "string"}}}
_PLACE = {"Location": {"description": "URL of the run.", "schema": {"type": "string"}}}

JobName = Annotated[str, Path(examples=["orphan-sweep"])]
RunId = Annotated[int, Path(ge=1, le=2**63 - 1)]
of_failures = APIRouter(tags=["failures"])
OWN_FAILURES = "/v1/users/{user_id}/failures"
of_job_failures = APIRouter(prefix="/v1/failures", dependencies=ADMINISTRATORS)

State = Annotated[FailureState | None, Query(description="Only failures in this state; without it, all.")]
Before = Annotated[UUID | None, Query(description="The last failure of the previous page.")]
Note = Annotated[str, Query(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$", description="Why, in one line.")]
of_commits = APIRouter(tags=["commits"])
OWN_COMMITS = "/v1/users/{user_id}/commits"
of_all_commits = APIRouter(prefix="/v1/commits", dependencies=ADMINISTRATORS)

After = Annotated[UUID | None, Query(description="The last commit of the previous page.")]
Reason = Annotated[str, Query(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$", description="Why, in one line.")]
of_replays = APIRouter(prefix="/v1/users/{user_id}/replays", tags=["replays"], route_class=JsonRoute)

of_versions = APIRouter(
    prefix="/v1/embedding-versions", tags=["embedding versions"], route_class=JsonRoute, dependencies=ADMINISTRATORS
)
Name = Annotated[
    str, Path(max_length=200, pattern=r"^[^\x00]+$", description="The version's name.", examples=["e5-small-v2"])
]


@of_jobs.get("", operation_id="listJobs", responses=PAGE_HEADERS)
async def list_jobs(workspace: CurrentWorkspace, page: APage) -> Sequence[JobState]:
    """All jobs: schedule, next run, numbers of runs and failures, and the last run."""
    return page.window(await workspace.jobs.list())


@of_jobs.get("/{name}", operation_id="getJob")
async def get_job(name: JobName, workspace: CurrentWorkspace) -> JobState:
    """One job."""
    return await workspace.jobs.get(name)


@of_jobs.get("/{name}/runs", operation_id="listRuns", responses=PAGE_HEADERS)
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


@of_jobs.get("/{name}/runs/{run_id}", operation_id="getRun")
async def get_run(name: JobName, run_id: RunId, workspace: CurrentWorkspace) -> Run:
    """One run: waiting, running or ended, with its report."""
    return await workspace.jobs.run(name, run_id)


@of_jobs.post(
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


@of_failures.get(OWN_FAILURES, operation_id="listFailures", responses=PAGE_HEADERS)
async def list_failures(
    memory: UserMemory, page: APage, state: State = None, before: Before = None
) -> Sequence[Failure]:
    """Permanent failures of this graph, newest first, one page. They name sources, never their content."""
    found = await memory.failures.list(state=state, before=page.start(identity, before), limit=page.limit)
    return page.of(found, lambda failure: failure.failure_id)


@of_failures.post(
    f"{OWN_FAILURES}/{{failure_id}}/replay", operation_id="replayFailure", responses=documented(409, 413, 415, 507)
)
async def replay(failure_id: UUID, memory: UserMemory) -> Failure:
    """Reads the source again from its file and stores it; 409 if it has no file and must be sent again."""
    return await memory.failures.replay(failure_id)


@of_failures.post(f"{OWN_FAILURES}/{{failure_id}}/dismiss", operation_id="dismissFailure", responses=documented(409))
async def dismiss(failure_id: UUID, memory: UserMemory, note: Note = "") -> Failure:
    """Dismisses a failure. Repeating it changes nothing; 409 if it was replayed."""
    return await memory.failures.dismiss(failure_id, note)


@of_job_failures.get("", operation_id="listJobFailures", responses=PAGE_HEADERS)
async def list_job_failures(
    workspace: CurrentWorkspace, page: APage, state: State = None, before: Before = None
) -> Sequence[Failure]:
    """Jobs that failed at every attempt, newest first, one page. A later success settles the entry."""
    start = page.start(identity, before)
    found = await workspace.failures.list(state=state, before=start, limit=page.limit)
    return page.of(found, lambda failure: failure.failure_id)


@of_job_failures.post("/{failure_id}/replay", operation_id="replayJobFailure", responses=documented(409))
async def replay_job(failure_id: UUID, workspace: CurrentWorkspace) -> Failure:
    """Requests a run of the job; the entry is settled when a run succeeds."""
    return await workspace.failures.replay(failure_id)


@of_job_failures.post("/{failure_id}/dismiss", operation_id="dismissJobFailure", responses=documented(409))
async def dismiss_job(failure_id: UUID, workspace: CurrentWorkspace, note: Note = "") -> Failure:
    """Dismisses an entry. Repeating it changes nothing; 409 if it was replayed."""
    return await workspace.failures.dismiss(failure_id, note)


of_failures.include_router(of_job_failures)


def _place(commit: CommitSummary) -> tuple[datetime, UUID]:
    """The key after which the next page starts; it stays valid if the commit is settled meanwhile."""
    return commit.created_at, commit.commit_id


@of_commits.get(OWN_COMMITS, operation_id="listCommits", responses=PAGE_HEADERS)
async def list_own(memory: UserMemory, page: APage, after: After = None) -> Sequence[CommitSummary]:
    """Commits of this graph that were accepted, but failed and were set aside, oldest first, one page."""
    found = await memory.commits.list(after=after, behind=page.start(timed, None), limit=page.limit)
    return page.of(found, _place)


@of_commits.post(f"{OWN_COMMITS}/{{commit_id}}/retry", operation_id="retryCommit")
async def retry_own(commit_id: UUID, memory: UserMemory) -> CommitOutcome:
    """Retries the commit now; if it fails again, its state is `pending` and recovery goes on retrying."""
    return await memory.commits.retry(commit_id)


@of_commits.post(f"{OWN_COMMITS}/{{commit_id}}/discard", operation_id="discardCommit", responses=documented(409))
async def discard_own(commit_id: UUID, memory: UserMemory, reason: Reason = "") -> CommitOutcome:
    """Undoes it: a node's name is free again, records can be sent again, a grant is revoked. 409 for a revocation."""
    return await memory.commits.discard(commit_id, reason)


@of_all_commits.get("", operation_id="listAllCommits", responses=PAGE_HEADERS)
async def list_all(workspace: CurrentWorkspace, page: APage, after: After = None) -> Sequence[CommitSummary]:
    """Commits of all users of the workspace that were set aside. Only the operator sees what they write."""
    found = await workspace.commits.list(after=after, behind=page.start(timed, None), limit=page.limit)
    return page.of(found, _place)


@of_all_commits.post("/{commit_id}/retry", operation_id="retryAnyCommit")
async def retry_any(commit_id: UUID, workspace: CurrentWorkspace) -> CommitOutcome:
    """Retries a commit of any user now."""
    return await workspace.commits.retry(commit_id)


@of_all_commits.post("/{commit_id}/discard", operation_id="discardAnyCommit", responses=documented(409))
async def discard_any(commit_id: UUID, workspace: CurrentWorkspace, reason: Reason = "") -> CommitOutcome:
    """Undoes a commit of any user. 409 for a revocation."""
    return await workspace.commits.discard(commit_id, reason)


of_commits.include_router(of_all_commits)


@of_replays.post("", operation_id="beginReplay", status_code=202, responses=WRITES)
async def begin(body: RunRequest, memory: UserMemory) -> Replay:
    """Starts a replay, or resumes the open one; a background job builds it. No model is called."""
    return await memory.replays.begin(job=True)


@of_replays.get("", operation_id="listReplays", responses=PAGE_HEADERS)
async def list_replays(
    memory: UserMemory,
    page: APage,
    before: Annotated[UUID | None, Query(description="The last replay of the previous page.")] = None,
) -> Sequence[Replay]:
    """Replays, newest first, one page."""
    found = await memory.replays.list(before=page.start(identity, before), limit=page.limit)
    return page.of(found, lambda replay: replay.replay_id)


@of_replays.get("/{replay_id}", operation_id="getReplay")
async def one(replay_id: UUID, memory: UserMemory) -> Replay:
    """One replay: how many records are rebuilt, and how they differ."""
    return await memory.replays.get(replay_id)


@of_replays.get("/{replay_id}/comparison", operation_id="compareReplay")
async def compare(replay_id: UUID, memory: UserMemory) -> ReplayComparison:
    """The changes that a swap would make."""
    return await memory.replays.compare(replay_id)


@of_replays.post("/{replay_id}/swap", operation_id="swapReplay", responses=WRITES)
async def swap(replay_id: UUID, body: RunRequest, memory: UserMemory) -> Replay:
    """Replaces all records that differ, in one step. Repeating it changes nothing; 409 while it is being built."""
    return await memory.replays.swap(replay_id)


@of_replays.post("/{replay_id}/discard", operation_id="discardReplay", responses=WRITES)
async def discard(replay_id: UUID, body: RunRequest, memory: UserMemory) -> Replay:
    """Discards the rebuilt records. Repeating it changes nothing; 409 if it was swapped."""
    return await memory.replays.discard(replay_id)


class Nothing(Body):
    """An empty object."""


class NewCanary(Body):
    """An embedding model for a canary."""

    provider: Literal["onnx", "openai"] = "onnx"
    model: str = Field(min_length=1, max_length=200, description="An offline encoder, or a model of the service.")
    compression: Compression | None = Field(
        default=None, description="How vectors are stored; null: the model's default."
    )


class BuildBody(Body):
    """How much of the build this request does."""

    most: int = Field(default=500, ge=1, le=10_000, description="Vectors.")
    duty: float = Field(default=1, ge=0.05, le=1, description="The share of the time in which it works.")


class CompareBody(Body):
    """How a version is compared."""

    samples: int = Field(default=100, ge=1, le=500, description="How many stored texts are used as queries.")


class PromoteBody(Body):
    """How a version is promoted."""

    force: bool = Field(default=False, description="Also if vectors are missing: those texts are found by words.")


@of_versions.get("", operation_id="listEmbeddingVersions", responses=PAGE_HEADERS)
async def list_versions(workspace: CurrentWorkspace, page: APage) -> Sequence[EmbeddingVersion]:
    """All versions, oldest first."""
    return page.window(await workspace.embeddings.list())


@of_versions.post("", operation_id="startCanary", status_code=201, responses=WRITES)
async def start_canary(body: NewCanary, workspace: CurrentWorkspace) -> EmbeddingVersion:
    """Creates a canary of a model, without vectors yet; repeating it returns the same one."""
    return await workspace.embeddings.start(ModelChoice(body.provider, body.model), body.compression)


@of_versions.get("/{name}", operation_id="getEmbeddingVersion")
async def version_progress(name: Name, workspace: CurrentWorkspace) -> VersionProgress:
    """The progress of a version; it counts every text, so do not poll it every second."""
    return await workspace.embeddings.get(name)


@of_versions.post("/{name}/build", operation_id="buildEmbeddings", responses=WRITES)
async def build(name: Name, body: BuildBody, workspace: CurrentWorkspace) -> BuildReport:
    """Makes some of a version's missing vectors and returns how many remain; repeat it until none does."""
    return await workspace.embeddings.build(name, pace=Pace(body.duty, body.most))


@of_versions.post("/{name}/compare", operation_id="compareEmbeddings", summary="Compare", responses=WRITES)
async def compare_versions(name: Name, body: CompareBody, workspace: CurrentWorkspace) -> dict[str, Any]:
    """Compares the version with the active one on stored texts; the result is kept with it."""
    return await workspace.embeddings.compare(body.samples, name=name)


@of_versions.post("/{name}/promote", operation_id="promoteEmbeddings", responses=WRITES)
async def promote(name: Name, body: PromoteBody, workspace: CurrentWorkspace) -> VersionProgress:
    """Makes the canary the active version, in one step."""
    return await workspace.embeddings.promote(name, force=body.force)


@of_versions.post("/{name}/rollback", operation_id="rollBackEmbeddings", responses=WRITES)
async def roll_back(name: Name, body: Nothing, workspace: CurrentWorkspace) -> VersionProgress:
    """Rolls back the active version, which is named, to the previous one, in one step."""
    return await workspace.embeddings.roll_back(name)


@of_versions.delete("/{name}", operation_id="dropEmbeddings", responses=documented(409))
async def drop(name: Name, workspace: CurrentWorkspace) -> EmbeddingVersion:
    """Deletes the vectors of a version that is not active."""
    return await workspace.embeddings.drop(name)
