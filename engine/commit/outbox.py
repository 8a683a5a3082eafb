"""The second half of every commit: what Postgres has accepted is applied in the graph, then made visible.

    pending    the content is committed in Postgres, no reader sees it
    done       it is applied in the graph and visible to readers
    set aside  the graph refused it too often: an operator retries or discards it (see `set_aside`)

The graph's part is idempotent and the row stays pending until both are done, so the request itself, the next start
or the job can finish it; nothing has to be undone. Each commit is recovered by itself, so a commit that the graph
refuses does not block others.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg

from engine.commit import graph
from engine.commit.changes import Json, from_row
from engine.domain.commit import CommitState
from engine.domain.job import pause_before
from engine.domain.principal import Principal
from engine.errors import CommitSetAside, CommitWaits, NeurigraphError, StoreFailed, StoreUnavailable
from engine.stores.limited import STORE as METADATA_STORE
from engine.stores.limited import translated
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0
"""Seconds until a failed commit is retried; doubled each time."""
STEPS = ("accepted", "graph_written", "made_visible")
"""The step boundaries that a commit passes after its transaction, where its request finishes it. Recovery passes none."""
StepHook = Callable[[str], None]
"""Called with the name of every step boundary that a commit passes; fault tests end the process there."""


def no_step(_: str) -> None:
    """Ignores the steps: the default hook."""


@dataclass(frozen=True, slots=True)
class Commit:
    """An accepted commit with its changes of the graph, as its row holds them: a request applies what recovery would."""

    commit_id: UUID
    changes: Sequence[Json]


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit as its row holds it, whatever release wrote it; a damaged payload may be any JSON."""

    kind: str
    payload: Any


@dataclass(frozen=True, slots=True)
class _Locked(StoredCommit):
    state: CommitState
    cause: str


@dataclass(frozen=True, slots=True)
class CommitStanding:
    """The state of a commit, how often it failed, and why last."""

    state: CommitState
    attempts: int
    cause: str


class Outbox:
    """Finishes commits: new ones, and those that a crash left pending."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, reached: StepHook, *, attempts: int) -> None:
        self._postgres, self._neo4j, self._reached = postgres, neo4j, reached
        self._attempts = attempts

    async def carry_out(self, principal: Principal, commit: Commit) -> None:
        """The graph's part, then visibility.

        Raises StoreUnavailable, StoreFailed; the commit is then finished later by recovery.
        """
        self._reached("accepted")
        await graph.apply(self._neo4j, commit.changes)
        self._reached("graph_written")
        finished = {"commit_id": commit.commit_id}
        await self._postgres.fetch(principal, sql_text("commit/finish"), finished, row=bool, writes=True)
        self._reached("made_visible")

    async def await_commit(self, commit_id: UUID) -> None:
        """Returns when the commit is visible: waits for the worker that finishes it now, or finishes it.

        Raises CommitSetAside, StoreUnavailable, StoreFailed.
        """
        async with self._postgres.as_service() as connection:
            locked = await connection.first(sql_text("commit/locked"), {"commit_id": commit_id}, row=_Locked)
            if locked is None:
                return
            try:
                await graph.apply(self._neo4j, from_row(locked.kind, locked.payload))
            except (StoreFailed, CommitWaits) as error:
                if locked.state == "set_aside":
                    raise CommitSetAside(commit_id, locked.cause) from error
                raise
            await connection.execute(sql_text("commit/finish"), {"commit_id": commit_id})

    async def recover(self, *, older_than: float = 0, limit: int = 50, due_only: bool = False) -> int:
        """Finishes pending commits older than `older_than` seconds, least failed and oldest first; how many were finished.

        `due_only` leaves out failed commits whose next attempt is not due. Rows that another process holds are skipped. A
        failed commit is noted with its cause, and set aside after too many attempts. An unavailable store ends the round
        and does not count as a failure of a commit. Raises StoreUnavailable when it is Postgres.
        """
        finished = 0
        parameters = {"older_than": older_than, "limit": limit, "due_only": due_only}
        for commit_id in await self._postgres.fetch_as_service(sql_text("commit/pending"), parameters, row=UUID):
            try:
                finished += await self._finish(commit_id)
            except NeurigraphError as error:
                if not await self._noted(commit_id, error):
                    break
        if finished:
            log.info("finished %d commits that were left half way", finished)
        return finished

    async def recover_one(self, commit_id: UUID) -> None:
        """One attempt to finish a pending commit; a failure is noted. Raises StoreUnavailable when Postgres does not answer."""
        try:
            await self._finish(commit_id)
        except NeurigraphError as error:
            await self._noted(commit_id, error)

    async def _finish(self, commit_id: UUID) -> bool:
        """Whether this call finished the commit; False where another worker holds it."""
        async with self._postgres.as_service() as connection:
            taken = await connection.first(sql_text("commit/taken"), {"commit_id": commit_id}, row=StoredCommit)
            if taken is None:
                return False
            await graph.apply(self._neo4j, from_row(taken.kind, taken.payload))
            try:
                await connection.execute(sql_text("commit/finish"), {"commit_id": commit_id})
            except psycopg.Error as error:
                raise translated(error) or StoreFailed(METADATA_STORE) from error
        return True

    async def _noted(self, commit_id: UUID, error: NeurigraphError) -> bool:
        """Notes why an attempt failed; False where a store is down, so that other commits would fail, too."""
        silent = isinstance(error, StoreUnavailable) and not isinstance(error, CommitWaits)
        if silent and not await self._graph_answers():
            await self._note(commit_id, error.detail, 0, first_pause=0)
            return False
        waits = isinstance(error, CommitWaits) and bool(await self._before(commit_id))
        cause = "The shell of a node that it belongs to is missing."
        detail = cause if isinstance(error, CommitWaits) and not waits else error.detail
        state = await self._note(commit_id, detail, 0 if waits else 1)
        log.warning("the commit %s is %s: %s", commit_id, state, detail)
        return True

    async def _graph_answers(self) -> bool:
        try:
            await self._neo4j.read(cypher("schema/ping"))
        except StoreUnavailable:
            return False
        return True

    async def _before(self, commit_id: UUID) -> list[UUID]:
        return await self._postgres.fetch_as_service(sql_text("commit/before"), {"commit_id": commit_id}, row=UUID)

    async def _note(self, commit_id: UUID, failure: str, counted: int, *, first_pause: float = FIRST_PAUSE) -> str:
        async with self._postgres.as_service() as connection:
            standing = await connection.first(sql_text("commit/state"), {"commit_id": commit_id}, row=CommitStanding)
            attempt = standing.attempts + 2 if standing else 2
            pause = pause_before(attempt, first=first_pause, longest=LONGEST_PAUSE, chance=random.random())
            attempted = {
                "commit_id": commit_id,
                "failure": failure,
                "pause": pause,
                "counted": counted,
                "most": self._attempts,
            }
            state = await connection.first(sql_text("commit/attempted"), attempted, row=str)
        return state or "finished elsewhere"

    async def recover_quietly(self, older_than: float, *, due_only: bool = False) -> None:
        """One round of recovery in the background: a store that is down is retried in the next round."""
        try:
            await self.recover(older_than=older_than, due_only=due_only)
        except NeurigraphError as error:
            log.warning("recovery will try again: %s", error.detail)
