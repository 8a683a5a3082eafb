"""The operations of a workspace: its users, tokens, integrations, jobs and embedding versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from engine.domain.embedding import BuildReport, Compression, EmbeddingVersion, ModelChoice, Pace, VersionProgress
from engine.domain.forgetting import Forgetting, ForgettingPreview, ForgettingSubject, ReceiptCheck
from engine.domain.grant import Integration
from engine.domain.ingest import Failure, FailureState
from engine.domain.job import DETAILS, JobState, Run
from engine.domain.node import Credential, User
from engine.domain.principal import NO_GRACE, Identity, IssuedToken, NewToken, Token
from engine.errors import Conflict, NotFound
from engine.lifecycle.embedding_versions import LabelledQuery
from engine.operations import redactions
from engine.operations.declaring import OfWorkspace, reads, writes
from engine.operations.failures import AllCommits
from engine.operations.keeper import WITHIN_S, Keeper, administrators, identities
from engine.operations.redactions import without_text
from engine.operations.retention import Holds, WorkspaceRetention
from engine.progress import Progress


class Users(OfWorkspace, name="users"):
    """The users of the workspace. A handle identifies its user, so it is not redacted."""

    @writes(administrators, redacts=dict.fromkeys(("handle", "display_name"), without_text), spends=True)
    async def create(self, handle: str, display_name: str = "") -> User:
        """The user with this handle, created with a root node when there is none. Raises InvalidName, Conflict."""
        return await self._services.users.create(handle, display_name)

    @reads(administrators)
    async def list(self, *, after: str = "", limit: int = 100) -> tuple[User, ...]:
        """Users by handle, one page; `after` is the last handle of the page before."""
        return await self._services.users.page(after=after, limit=limit)

    @reads(identities)
    async def find(self, handle: str) -> User:
        """The user with this handle; a user finds only itself. Raises NotFound."""
        return self._own(await self._services.users.find(handle))

    @reads(identities)
    async def get(self, user_id: UUID) -> User:
        """The user with this id; a user finds only itself. Raises NotFound."""
        return self._own(await self._services.users.get(user_id))

    @reads(identities)
    async def me(self) -> Credential:
        """Of what kind the caller's credential is, and of which user."""
        who, user = self._identity, None
        if who.kind == "user" and who.principal_id is not None:
            user = await self._services.users.get(who.principal_id)
        return Credential(who.kind, user)

    @reads(administrators)
    async def forgetting_preview(self, user_id: UUID) -> ForgettingPreview:
        """How much a forgetting of this user would erase; nothing is written. Raises NotFound."""
        user = await self._services.users.get(user_id)
        subject = ForgettingSubject("user", str(user.user_id))
        return await self._services.erasure.preview(user.user_id, subject, limit=1)

    @writes(administrators, redacts={"reason": redactions.note})
    async def forget(self, user_id: UUID, reason: str = "") -> Forgetting:
        """Forgets a user with everything; within 20 seconds, then a job goes on. The same call goes on with one that was
        interrupted. Raises NotFound, Conflict while a SQL role reads the graph."""
        subject, erasure, who = ForgettingSubject("user", str(user_id)), self._services.erasure, self._identity
        if await erasure.forgettings.open(user_id, subject) is None:
            await self._services.users.get(user_id)
        author = f"{who.kind}:{who.principal_id}" if who.principal_id else who.kind
        return await erasure.forget(user_id, subject, reason, author, within_s=WITHIN_S)

    @reads(administrators)
    async def forgetting(self, forgetting_id: UUID) -> Forgetting:
        """The forgetting of a user. Raises NotFound."""
        found = await self._services.erasure.forgettings.get(forgetting_id)
        if found.kind != "user":
            raise NotFound
        return found

    @reads(administrators)
    async def receipt(self, forgetting_id: UUID) -> Mapping[str, Any]:
        """The signed receipt of the forgetting of a user that is over. Raises NotFound, also before there is one."""
        found = await self.forgetting(forgetting_id)
        return await self._services.erasure.forgettings.receipt(found.forgetting_id, None)

    @reads(administrators, limited=False)
    async def verify(self, receipt: Mapping[str, Any]) -> ReceiptCheck:
        """Whether the receipt of the forgetting of a user is signed as it is, and what is found by it in all stores now. Raises
        NotFound for a receipt of another kind, ReceiptChanged, ReceiptUnreadable, ReceiptKeyUnusable."""
        return await self._services.erasure.end.verify(receipt, None)

    def _own(self, user: User) -> User:
        who = self._identity
        if not who.administers and (who.kind, who.principal_id) != ("user", user.user_id):
            raise NotFound
        return user


class Tokens(OfWorkspace, name="tokens"):
    """The tokens of the workspace. See `engine.access.principals`."""

    @writes(administrators, redacts={"new": without_text})
    async def create(self, new: NewToken) -> IssuedToken:
        """A token and its secret. Raises NotFound for a principal that is not in the workspace, InvalidInput, InvalidName."""
        return await self._services.tokens.create(new, self._identity)

    @reads(administrators)
    async def list(self, *, after: UUID | None = None, limit: int = 100) -> tuple[Token, ...]:
        """Tokens, newest first, one page; `after` is the last of the page before."""
        return tuple(await self._services.tokens.list(after=after, limit=limit))

    @writes(administrators)
    async def rotate(self, token_id: UUID, grace: timedelta = NO_GRACE) -> IssuedToken:
        """A new token that replaces an old one. Raises NotFound, Conflict, InvalidInput."""
        return await self._services.tokens.rotate(token_id, self._identity, grace)

    @writes(administrators)
    async def revoke(self, token_id: UUID) -> Token:
        """Revokes a token now; repeating it changes nothing. Raises NotFound."""
        return await self._services.tokens.revoke(token_id, self._identity)


class Integrations(OfWorkspace, name="integrations"):
    """The applications that users may grant nodes to."""

    @writes(administrators, redacts={"name": without_text})
    async def create(self, name: str) -> Integration:
        """The integration of that name, created where missing. Raises InvalidName, Conflict for a look-alike."""
        return await self._services.integrations.create(name)

    @reads(administrators)
    async def list(self, *, after: str = "", limit: int = 100) -> tuple[Integration, ...]:
        """Integrations by name, one page; `after` is the last name of the page before."""
        return tuple(await self._services.integrations.list(after=after, limit=limit))


class Jobs(OfWorkspace, name="jobs"):
    """Background jobs. Details of a report name data of users: only the operator sees them."""

    @reads(administrators)
    async def list(self) -> tuple[JobState, ...]:
        """All jobs: schedule, next run, numbers of runs and failures, the last run."""
        return tuple(self._shown(state) for state in await self._services.jobs.states())

    @reads(administrators)
    async def get(self, name: str) -> JobState:
        """One job. Raises NotFound."""
        return self._shown(await self._services.jobs.state(name))

    @reads(administrators)
    async def runs(
        self, name: str | None = None, *, before: int | None = None, quiet: bool = False, limit: int = 100
    ) -> tuple[Run, ...]:
        """Runs of a job, or of all, newest first, one page; `quiet`: also those that found nothing to do. Raises NotFound."""
        runs = await self._services.jobs.log(name, before=before, quiet=quiet, limit=limit)
        return tuple(self._without_details(run) for run in runs)

    @reads(administrators, limited=False)
    async def run(self, name: str, run_id: int, wait_s: float = 0) -> Run:
        """One run: waiting, running or ended; waits for its end at most so long. Raises NotFound."""
        jobs = self._services.jobs
        return self._without_details(await jobs.outcome(await jobs.run(name, run_id), wait_s))

    @writes(administrators, redacts={"name": without_text})
    async def ask(self, name: str, wait_s: float = 0) -> Run:
        """Requests a run now, and waits for its end at most so long. Raises NotFound."""
        jobs = self._services.jobs
        return self._without_details(await jobs.outcome(await jobs.ask(name), wait_s))

    def _shown(self, state: JobState) -> JobState:
        return replace(state, last=self._without_details(state.last)) if state.last else state

    def _without_details(self, run: Run) -> Run:
        if run.report is None or self._identity.kind == "operator":
            return run
        return replace(run, report={name: value for name, value in run.report.items() if name != DETAILS})


class JobFailures(OfWorkspace, name="workspace.failures"):
    """Jobs that failed at every attempt."""

    @reads(administrators)
    async def list(
        self, *, state: FailureState | None = "open", before: UUID | None = None, limit: int = 100
    ) -> tuple[Failure, ...]:
        """Newest first, one page; `state` None: settled ones, too."""
        return await self._services.failures.page(None, state=state, before=before, limit=limit)

    @writes(administrators)
    async def replay(self, failure_id: UUID) -> Failure:
        """Asks for a run of the job; its entry is settled when one succeeds. Raises NotFound, Conflict where it was dismissed."""
        failure = await self._services.failures.failure(None, failure_id)
        if failure.state == "dismissed":
            raise Conflict("It was dismissed.")
        if failure.state == "open":
            await self._services.jobs.ask(failure.subject)
        return failure

    @writes(administrators, redacts={"text": redactions.note})
    async def dismiss(self, failure_id: UUID, text: str = "") -> Failure:
        """Settles a failure that does not matter. Raises NotFound, Conflict where it was replayed, InvalidInput."""
        return await self._services.failures.settle(None, failure_id, "dismissed", text)


class Embeddings(OfWorkspace, name="embeddings"):
    """The embedding versions of the instance. See `engine.lifecycle.embedding_versions`."""

    @reads(administrators)
    async def list(self) -> tuple[EmbeddingVersion, ...]:
        """All versions, oldest first."""
        return await self._services.embeddings.list()

    @writes(administrators, redacts=dict.fromkeys(("choice", "compression"), without_text))
    async def start(self, choice: ModelChoice, compression: Compression | None = None) -> EmbeddingVersion:
        """A canary of a model, without vectors yet; repeating it returns the same one."""
        return await self._services.embeddings.start(choice, compression)

    @reads(administrators, limited=False)
    async def get(self, name: str | None = None) -> VersionProgress:
        """The progress of a version, of the canary without a name. It counts every text. Raises NotFound."""
        return await self._services.embeddings.progress(name)

    @writes(administrators, redacts=dict.fromkeys(("name", "pace"), without_text), spends=True)
    async def build(
        self, name: str | None = None, *, pace: Pace | None = None, progress: Progress | None = None
    ) -> BuildReport:
        """Makes some of a version's missing vectors; repeat it until none remains. Raises NotFound, Conflict."""
        return await self._services.embeddings.build(name, pace=pace, progress=progress)

    @writes(administrators, redacts=dict.fromkeys(("name", "queries"), without_text), spends=True)
    async def compare(
        self, samples: int = 100, queries: Sequence[LabelledQuery] = (), *, name: str | None = None
    ) -> dict[str, Any]:
        """Compares a version with the active one on stored texts, or on these queries; the result is kept with it. Raises
        NotFound."""
        return await self._services.embeddings.compare(samples, queries, name=name)

    @writes(administrators, redacts={"name": without_text}, spends=True)
    async def promote(self, name: str | None = None, *, force: bool = False) -> VersionProgress:
        """Makes the canary the active version, in one step. Raises NotFound, Conflict."""
        return await self._services.embeddings.promote(name, force=force)

    @writes(administrators, redacts={"name": without_text}, spends=True)
    async def roll_back(self, name: str | None = None) -> VersionProgress:
        """Rolls back the active version to the one before, in one step. Raises NotFound, Conflict for another name."""
        embeddings = self._services.embeddings
        if name is not None and (await embeddings.version(name)).status != "active":
            raise Conflict("Only the active version can be rolled back.")
        return await embeddings.roll_back()

    @writes(administrators, redacts={"name": without_text})
    async def drop(self, name: str) -> EmbeddingVersion:
        """Deletes the vectors of a version that is not active. Raises NotFound, Conflict."""
        return await self._services.embeddings.drop(name)


class Workspace:
    """The workspace as an identity may see and change it. Errors are those of `engine.errors`."""

    def __init__(self, keeper: Keeper) -> None:
        self.identity: Identity = keeper.identity
        self.users, self.tokens, self.integrations = Users(keeper), Tokens(keeper), Integrations(keeper)
        self.jobs, self.failures = Jobs(keeper), JobFailures(keeper)
        self.commits, self.embeddings = AllCommits(keeper), Embeddings(keeper)
        self.retention, self.holds = WorkspaceRetention(keeper), Holds(keeper)
