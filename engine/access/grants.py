"""Creates and revokes grants; the databases enforce them.

A grant is written (or revoked) in Postgres first, then applied to the graph; only then is it acknowledged. After a
crash between the two the outbox finishes it, like every other commit.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.commit.outbox import Commit
from engine.commit.unit_of_work import Follow, UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.grant import (
    LITTLE_CONFIDENCE,
    GivenGrant,
    Grant,
    GrantPreview,
    NewGrant,
    OpenedNode,
    Viewer,
)
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.errors import InvalidInput
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

TITLES = 5


@dataclass(frozen=True, slots=True)
class _Given:
    grant_id: UUID
    granted_at: datetime
    created: bool
    payload: dict[str, Any] | None

    @property
    def follow(self) -> Follow:
        """The new commit; of a grant that was there, the commit that gave it: its id is the grant's."""
        return Commit(self.grant_id, [self.payload]) if self.payload else self.grant_id


@dataclass(frozen=True, slots=True)
class _Revoked:
    commit_id: UUID | None
    revoked_at: datetime
    changed: bool
    payload: dict[str, Any]

    @property
    def follow(self) -> Follow:
        """The new commit; of a grant that had ended, the commit that ended it."""
        return Commit(self.commit_id, [self.payload]) if self.changed and self.commit_id else self.commit_id


class GraphGrants:
    """The grants of a graph, for its owner; the operations say what each call does (`engine.operations.nodes`)."""

    def __init__(self, postgres: Postgres, units: UnitsOfWork, clock: Clock) -> None:
        self._postgres, self._units, self._clock = postgres, units, clock

    async def give(self, principal: Principal, new: NewGrant, own_id: UUID | None = None) -> GivenGrant:
        new = new.checked()
        if new.expires_at is not None and new.expires_at <= self._clock.now():
            raise InvalidInput("This grant would expire before it starts.")
        parameters = asdict(new) | {"grant_id": own_id or uuid4(), "fields": list(new.fields)}
        given = await self._units.call(principal, sql_text("grant/give"), parameters, _Given, lambda made: made.follow)
        return GivenGrant(given.grant_id, given.granted_at, given.created or given.grant_id == own_id)

    async def preview(
        self, principal: Principal, node_id: UUID, *, depth: int = 0, below: float = LITTLE_CONFIDENCE
    ) -> GrantPreview:
        if not 0 <= depth <= 5:
            raise InvalidInput("A grant reaches 0 to 5 layers below its node.")
        if not 0 <= below <= 1:
            raise InvalidInput("A confidence lies between 0 and 1.")
        parameters = {"node_id": node_id, "depth": depth, "below": below, "titles": TITLES}
        nodes = await self._postgres.fetch(principal, sql_text("grant/preview"), parameters, row=OpenedNode)
        return GrantPreview(node_id, depth, below, tuple(nodes))

    async def revoke(self, principal: Principal, grant_id: UUID) -> datetime:
        revoke, parameters = sql_text("grant/revoke"), {"commit_id": uuid4(), "grant_id": grant_id}
        revoked = await self._units.call(principal, revoke, parameters, _Revoked, lambda ended: ended.follow)
        return revoked.revoked_at

    async def listing(
        self, principal: Principal, *, node_id: UUID | None = None, ended: bool = False, after: UUID | None = None,
        limit: int = 100,
    ) -> tuple[Grant, ...]:  # fmt: skip
        check_page(limit)
        parameters = {"node_id": node_id, "ended": ended, "after": after, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("grant/page"), parameters, row=Grant))

    async def audience(self, principal: Principal, node_id: UUID, at: datetime | None = None) -> tuple[Viewer, ...]:
        parameters = {"node_id": node_id, "at": at}
        return tuple(await self._postgres.fetch(principal, sql_text("access/audience"), parameters, row=Viewer))
