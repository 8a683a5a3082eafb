"""Commits that recovery could not finish and set aside: listed, tried again, or discarded, which undoes them.

retry    from the beginning; commits that wait for it follow by themselves
discard  each of its changes. A node: its name is free again. Records: their rows are deleted, their sources go back to the
         state before, the sweep removes the files. A grant is revoked. A change of stored content stays; only the graph's part is
         dropped
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.commit.changes import OF_KIND, Granted, Json, NodeProvisioned, Revoked, from_row
from engine.commit.outbox import CommitStanding, Outbox, StoredCommit
from engine.commit.rows import due
from engine.domain.commit import CommitOutcome, CommitSummary
from engine.domain.read_limits import check_page
from engine.errors import Conflict, NotFound
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text


@dataclass(frozen=True, slots=True)
class SetAsideCount:
    """How many commits are set aside, since when the oldest, and one cause."""

    commits: int
    oldest: datetime | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class _Held(StoredCommit):
    user_id: UUID


class SetAside:
    """The commits of one workspace that wait for a decision (`engine.operations.failures`). With a `user_id` only that user's."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, outbox: Outbox, workspace: str) -> None:
        self._postgres, self._neo4j, self._outbox, self._workspace = postgres, neo4j, outbox, workspace

    async def list(
        self,
        user_id: UUID | None = None,
        *,
        after: UUID | None = None,
        behind: tuple[datetime, UUID] | None = None,
        limit: int = 100,
    ) -> tuple[CommitSummary, ...]:
        check_page(limit)
        since, last = behind or (None, None)
        page = {"after": after, "since": since, "last": last, "limit": limit}
        parameters = {"workspace": self._workspace, "user_id": user_id, **page}
        found = await self._postgres.fetch_as_service(sql_text("commit/all_set_aside"), parameters, row=CommitSummary)
        return tuple(found)

    async def waiting(self) -> SetAsideCount:
        """How many there are in all workspaces. Raises StoreUnavailable."""
        [count] = await self._postgres.fetch_as_service(sql_text("commit/counts"), row=SetAsideCount)
        return count

    async def retry(self, commit_id: UUID, actor: str, user_id: UUID | None = None) -> CommitOutcome:
        """Retries it now; where it fails again, recovery goes on with it. Raises NotFound, StoreUnavailable."""
        named = self._named(commit_id, user_id) | {"actor": actor}
        if not await self._postgres.fetch_as_service(sql_text("commit/retried"), named, row=UUID):
            raise NotFound
        await self._outbox.recover_one(commit_id)
        state, parameters = sql_text("commit/state"), {"commit_id": commit_id}
        for now in await self._postgres.fetch_as_service(state, parameters, row=CommitStanding):
            return CommitOutcome(commit_id, now.state, "" if now.state == "done" else now.cause)
        raise NotFound

    async def discard(
        self, commit_id: UUID, actor: str, reason: str = "", user_id: UUID | None = None
    ) -> CommitOutcome:
        """Undoes it, as above, and logs by whom and why.

        Raises NotFound, Conflict for a revocation (which has to reach the graph), StoreUnavailable, StoreFailed.
        """
        async with self._postgres.as_service() as connection:
            named = self._named(commit_id, user_id)
            held = await connection.first(sql_text("commit/to_discard"), named, row=_Held)
            if held is None:
                raise NotFound
            changes = from_row(held.kind, held.payload)
            if Revoked.kind in {held.kind, *(change["kind"] for change in changes)}:
                raise Conflict("A revocation cannot be discarded: the graph must apply it. Retry it.")
            for change in reversed(changes):
                if withdrawn := OF_KIND[change["kind"]].withdrawn:
                    await self._neo4j.write(cypher(withdrawn), **_named_parts(commit_id, held.user_id, change))
            await due.note_user(connection, "entities", held.user_id)  # records that stay are read again
            parameters = {"commit_id": commit_id, "actor": actor, "reason": reason}
            await connection.execute(sql_text("commit/discard"), parameters)
        return CommitOutcome(commit_id, "discarded")

    def _named(self, commit_id: UUID, user_id: UUID | None) -> dict[str, Any]:
        return {"workspace": self._workspace, "user_id": user_id, "commit_id": commit_id}


def _named_parts(commit_id: UUID, user_id: UUID, change: Json) -> dict[str, Any]:
    """The part of a change that names what is undone; the rest may be the reason why the graph refused the commit. It is undone
    in the graph of the user of the commit, whatever its rows say."""
    if change["kind"] == NodeProvisioned.kind:
        node = change["node"] if isinstance(change["node"], dict) else {}
        return {"node": {"node_id": node.get("node_id", str(commit_id)), "user_id": str(user_id)}}
    if change["kind"] == Granted.kind:
        return {"grant": change["grant"]}
    name = fields(OF_KIND[change["kind"]])[0].name
    lines = change.get(name)
    rows = [one for one in lines if isinstance(one, dict)] if isinstance(lines, list) else []
    of_commit = {"commit_id": str(commit_id), "user_id": str(user_id)}
    return {name: [{"record_id": one.get("record_id"), **of_commit} for one in rows]}
