"""Creates and revokes grants, and reads the log of both; the databases enforce them.

A grant is written (or revoked) in Postgres first, then applied to the graph; only then is it acknowledged. After a
crash between the two the outbox finishes it, like every other commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.commit.outbox import Commit, Outbox
from engine.domain.clock import Clock
from engine.domain.grant import AccessEntry, GivenGrant, Grant, GrantPreview, NewGrant, OpenedNode, UnsureRecord, Viewer
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.errors import InvalidInput
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LITTLE_CONFIDENCE = 0.8
"""The confidence below which a record is shown before its node is granted."""
TITLES = 5


class Grants:
    """The grants of a graph, for its owner."""

    def __init__(self, postgres: Postgres, outbox: Outbox, clock: Clock) -> None:
        self._postgres, self._outbox, self._clock = postgres, outbox, clock

    async def give(self, principal: Principal, new: NewGrant) -> GivenGrant:
        """Creates a grant, or returns an equal one. Raises NotFound (node, subject), InvalidInput, StoreUnavailable."""
        new = new.checked()
        if new.expires_at is not None and new.expires_at <= self._clock.now():
            raise InvalidInput("This grant would expire before it starts.")
        parameters = {
            "grant_id": uuid4(),
            "node_id": new.node_id,
            "subject_kind": new.subject_kind,
            "subject_id": new.subject_id,
            "mode": new.mode,
            "depth": new.depth,
            "fields": list(new.fields),
            "purpose": new.purpose,
            "expires_at": new.expires_at,
            "past": new.past,
        }
        row = (await self._postgres.fetch(principal, sql_text("grant/give"), parameters))[0]
        await self._outbox.carry_out(None, Commit(row["grant_id"], "granted", row["payload"]))
        return GivenGrant(row["grant_id"], row["granted_at"], row["created"])

    async def preview(
        self, principal: Principal, node_id: UUID, *, depth: int = 0, below: float = LITTLE_CONFIDENCE
    ) -> GrantPreview:
        """A preview of what a grant on the node would open. Raises NotFound, InvalidInput."""
        if not 0 <= depth <= 5:
            raise InvalidInput("A grant reaches 0 to 5 layers below its node.")
        if not 0 <= below <= 1:
            raise InvalidInput("A confidence lies between 0 and 1.")
        parameters = {"node_id": node_id, "depth": depth, "below": below, "titles": TITLES}
        rows = await self._postgres.fetch(principal, sql_text("grant/preview"), parameters)
        return GrantPreview(node_id, depth, below, tuple(_opened(row) for row in rows))

    async def revoke(self, principal: Principal, grant_id: UUID) -> datetime:
        """Revokes a grant, in force when this returns. Returns the time of revocation; raises NotFound."""
        parameters = {"commit_id": uuid4(), "grant_id": grant_id}
        row = (await self._postgres.fetch(principal, sql_text("grant/revoke"), parameters))[0]
        await self._outbox.carry_out(None, Commit(row["commit_id"], "revoked", row["payload"]))
        ended: datetime = row["revoked_at"]
        return ended

    async def listing(
        self, principal: Principal, *, node_id: UUID | None = None, ended: bool = False, after: UUID | None = None,
        limit: int = 100,
    ) -> tuple[Grant, ...]:  # fmt: skip
        """Grants of the graph by id, of one node if asked, with those that ended if asked; one page."""
        check_page(limit)
        parameters = {"node_id": node_id, "ended": ended, "after": after, "limit": limit}
        rows = await self._postgres.fetch(principal, sql_text("grant/page"), parameters)
        return tuple(Grant(**row | {"fields": tuple(row["fields"])}) for row in rows)

    async def audience(self, principal: Principal, node_id: UUID, at: datetime | None = None) -> tuple[Viewer, ...]:
        """The principals that could see the node at that time (None: now). Raises NotFound."""
        parameters = {"node_id": node_id, "at": at}
        rows = await self._postgres.fetch(principal, sql_text("access/audience"), parameters)
        return tuple(Viewer(**row | {"fields": tuple(row["fields"])}) for row in rows)

    async def log(
        self, principal: Principal, *, before: int | None = None, limit: int = 100
    ) -> tuple[AccessEntry, ...]:
        """The audit log of the graph, newest first, one page; `before` is the last entry_id of the page before."""
        check_page(limit)
        rows = await self._postgres.fetch(principal, sql_text("access/log_page"), {"before": before, "limit": limit})
        return tuple(AccessEntry(**row) for row in rows)

    async def refused(self, principal: Principal, node_id: UUID, operation: str) -> None:
        """Logs a refused request; the same line whether the node exists or not."""
        await self._postgres.change(principal, sql_text("access/refused"), {"node_id": node_id, "operation": operation})


def _opened(row: Mapping[str, Any]) -> OpenedNode:
    path = tuple(row["path"])
    unsure = tuple(
        UnsureRecord(
            one["entry_id"],
            UUID(one["record_id"]),
            one["title"],
            one["confidence"],
            one["decided_by"],
            tuple(one["runner_up"].split("/")) if one["runner_up"] else path[1:-1],
        )
        for one in row["unsure"]
    )
    return OpenedNode(
        row["node_id"], path, row["records"], row["items"], row["private_records"], tuple(row["titles"]), unsure
    )
