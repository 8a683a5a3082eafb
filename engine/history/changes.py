"""One door for every change, and one for every look back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change, Changed, Delta, SubjectKind, SubjectState
from engine.domain.principal import Principal
from engine.errors import InvalidInput
from engine.hierarchy.shells import Shells
from engine.history.contents import ContentHistory
from engine.history.fields import checked
from engine.history.nodes import NodeHistory
from engine.history.reading import DifferencePage, Past
from engine.history.relations import RelationHistory


class Changes:
    """Changes in a graph and its past. What a change does is said in `engine.domain.delta`."""

    def __init__(
        self, shells: Shells, contents: ContentHistory, nodes: NodeHistory, relations: RelationHistory, past: Past
    ) -> None:
        self._shells, self._contents, self._nodes, self._relations, self._past = (
            shells,
            contents,
            nodes,
            relations,
            past,
        )

    async def change(self, principal: Principal, change: Change) -> Changed:
        """Writes a change as a delta; nothing is overwritten.

        Raises NotFound, Conflict (somebody else changed it meanwhile), NameTaken, DepthExceeded, InvalidInput,
        ProviderUnavailable, StoreUnavailable; nothing is written then.
        """
        change = checked(change)
        if change.subject_kind == "node":
            return await self._nodes.change(principal, change)
        if change.subject_kind == "relation":
            return await self._relations.change(principal, change)
        if change.node_id is None:
            raise InvalidInput("A record or an item is changed at its node: name it.")
        schema = await self._shells.schema_of(principal, change.node_id)
        return await self._contents.change(principal, schema, change)

    async def relate(
        self, principal: Principal, source: UUID, target: UUID, edge_type: str, properties: Mapping[str, str]
    ) -> tuple[UUID, bool]:
        """Registers a relation. See `RelationHistory.relate`."""
        return await self._relations.relate(principal, source, target, edge_type, properties)

    async def deltas(
        self, principal: Principal, kind: SubjectKind, subject_id: UUID, *, node_id: UUID | None = None, after: int = 0,
        limit: int = 100,
    ) -> tuple[Delta, ...]:  # fmt: skip
        """The chain of a subject, one page by revision. See `Past.deltas`."""
        place = await self._place(principal, kind, subject_id, node_id)
        return await self._past.deltas(principal, place, subject_id, after=after, limit=limit)

    async def state(
        self,
        principal: Principal,
        kind: SubjectKind,
        subject_id: UUID,
        *,
        node_id: UUID | None = None,
        moment: Moment = NOW,
    ) -> SubjectState:
        """What a subject was at a moment. See `Past.state`."""
        place = await self._place(principal, kind, subject_id, node_id)
        return await self._past.state(principal, kind, place, subject_id, moment)

    async def reconstructed(
        self, principal: Principal, kind: SubjectKind, subject_id: UUID, node_id: UUID, moment: Moment
    ) -> Mapping[str, Any] | None:
        """What a subject was at a moment, played again from its deltas alone; for those who may change it."""
        return await self._past.reconstructed(principal, kind, node_id, subject_id, moment)

    async def difference(
        self, principal: Principal, start: datetime, end: datetime, *, node_id: UUID | None = None,
        after: tuple[UUID, UUID] | None = None, limit: int = 100,
    ) -> DifferencePage:  # fmt: skip
        """What differs between two times. See `Past.difference`."""
        return await self._past.difference(principal, start, end, node_id=node_id, after=after, limit=limit)

    async def _place(self, principal: Principal, kind: SubjectKind, subject_id: UUID, node_id: UUID | None) -> UUID:
        """The node whose log keeps the chain of a subject."""
        if kind == "node":
            return subject_id
        if kind == "relation":
            return await self._relations.source_of(principal, subject_id)
        if node_id is None:
            raise InvalidInput("A record or an item lies at a node: name it.")
        return node_id
