"""Reads of the past: the chain of one subject, its state at a moment, the differences between two moments; and reads of
documents: the list, their versions, and the passages of any version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.clock import NOW, Clock, Moment
from engine.domain.delta import (
    BEGINNING,
    EVERYTHING,
    Delta,
    Difference,
    DifferencePage,
    LoggedKind,
    Operation,
    State,
    Subject,
    SubjectKind,
    SubjectState,
    Within,
    base_of,
    difference,
    state_at,
)
from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.extraction import WHOLE
from engine.domain.names import shown_name
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.errors import InvalidInput, NotFound
from engine.hierarchy.shells import Shells
from engine.history.edges import EdgeHistory
from engine.history.nodes import NodeHistory
from engine.records.slices import deltas_of
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_in, sql_text

MOST_DIFFERENCES = 100
STATELESS = "Records, items, nodes and edges have states."


@dataclass(frozen=True, slots=True)
class _AtMoment:
    """A record or item: the state of its own row, and `state` at the moment; None where it was not there."""

    revision: int
    own: dict[str, Any]
    since: datetime | None
    known_from: datetime
    state: dict[str, Any] | None
    access_count: int | None
    last_accessed_at: datetime | None
    record_id: UUID | None
    resource_id: UUID | None


@dataclass(frozen=True, slots=True)
class _ChangedSubject:
    node_id: UUID
    subject_id: UUID
    subject_kind: LoggedKind


class Past:
    """Reads deltas and what follows from them."""

    def __init__(
        self, postgres: Postgres, shells: Shells, nodes: NodeHistory, edges: EdgeHistory, clock: Clock
    ) -> None:
        self._postgres, self._shells, self._nodes, self._edges = postgres, shells, nodes, edges
        self._clock = clock

    async def deltas(
        self, principal: Principal, kind: SubjectKind, subject_id: UUID, *, node_id: UUID | None = None, after: int = 0,
        limit: int = 100,
    ) -> tuple[Delta, ...]:  # fmt: skip
        """The deltas of a subject in the order of revisions, one page; for those who may change it.

        A record's or item's `node_id` is the node where it lies. Raises NotFound where there is no such subject, or it has no
        deltas and cannot be read; InvalidInput.
        """
        check_page(limit)
        node_id = await self._place(principal, kind, subject_id, node_id)
        await self._shells.schema_of(principal, node_id)
        parameters = {"node_id": node_id, "subject_id": subject_id, "after": after, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("delta/of_subject"), parameters, row=Delta))

    async def state(
        self, principal: Principal, kind: SubjectKind, subject_id: UUID, *, node_id: UUID | None = None, moment: Moment = NOW
    ) -> SubjectState:  # fmt: skip
        """The state of a record or item at a moment, from its slices; of a node or edge from its deltas, for its user. Others
        read an edge as it is listed for them.

        Raises NotFound where it is missing or not for this principal, InvalidInput for a kind without states.
        """
        if kind in ("record", "item"):
            node_id = await self._place(principal, kind, subject_id, node_id)
            there = await self._at(principal, kind, node_id, subject_id, moment)
            more = (there.access_count, there.last_accessed_at, there.record_id, there.resource_id)
            return SubjectState(kind, subject_id, node_id, there.revision, there.state, *more)
        if kind == "node":
            place, subject = subject_id, await self._nodes.subject(principal, subject_id)
        elif kind == "edge":
            if not principal.owns:
                return await self._edges.shown(principal, subject_id, moment)
            place, subject = await self._edges.subject(principal, subject_id)
        else:
            raise InvalidInput(STATELESS)
        return SubjectState(kind, subject_id, place, subject.revision, state_at(subject, moment, self._clock.now()))

    async def _place(self, principal: Principal, kind: SubjectKind, subject_id: UUID, node_id: UUID | None) -> UUID:
        """The node whose log keeps the chain of a subject."""
        if kind == "node":
            return subject_id
        if kind == "edge":
            return await self._edges.source_of(principal, subject_id)
        if kind not in ("record", "item"):
            raise InvalidInput(STATELESS)
        if node_id is None:
            raise InvalidInput("A record or an item lies at a node: name the node (`--node`, or `node_id`).")
        return node_id

    async def subject(self, principal: Principal, kind: str, node_id: UUID, subject_id: UUID) -> Subject:
        """A subject with its whole chain; for those who may change it. Raises NotFound."""
        if kind == "node":
            return await self._nodes.subject(principal, subject_id)
        if kind == "edge":
            return (await self._edges.subject(principal, subject_id))[1]
        if kind not in ("record", "item"):
            raise InvalidInput(STATELESS)
        there = await self._at(principal, kind, node_id, subject_id, NOW)
        async with self._postgres.as_principal(principal, writes=False) as connection:
            deltas = await deltas_of(connection, node_id, subject_id)
        since = there.since or BEGINNING
        return Subject(base_of(there.own, deltas), since, deltas, there.revision, there.known_from)

    async def reconstructed(
        self, principal: Principal, kind: SubjectKind, node_id: UUID, subject_id: UUID, moment: Moment
    ) -> State | None:
        """The state at a moment, replayed from the chain alone; for those who may change the subject. Raises NotFound."""
        return state_at(await self.subject(principal, kind, node_id, subject_id), moment, self._clock.now())

    async def _at(self, principal: Principal, kind: str, node_id: UUID, subject_id: UUID, moment: Moment) -> _AtMoment:
        schema = await self._shells.schema_of(principal, node_id, moment)
        parameters = {"node_id": node_id, "subject_id": subject_id, **moment.parameters(self._clock.now())}
        return only(await self._postgres.fetch(principal, sql_in(f"{kind}/at", schema), parameters, row=_AtMoment))

    async def difference(
        self, principal: Principal, start: datetime, end: datetime, within: Within = EVERYTHING, *,
        after: tuple[UUID, UUID] | None = None, limit: int = MOST_DIFFERENCES,
    ) -> DifferencePage:  # fmt: skip
        """Differences between the known and valid state at `start` and at `end`, one page.

        A page may hold fewer differences than `limit`: what changed and changed back is left out. For the user of the graph.
        Raises InvalidInput for times without an offset or in the wrong order, NotFound.
        """
        check_page(limit, MOST_DIFFERENCES)
        if start.tzinfo is None or end.tzinfo is None or start >= end:
            raise InvalidInput(
                "A difference lies between two times with their offsets from UTC, the earlier one first."
            )
        if not principal.owns:
            raise NotFound
        await self._shells.schema_of(principal, within.node_id or principal.user_id)
        changed = await self._changed(principal, start, end, within, after, limit)
        found = []
        for subject in changed:
            one = await self._compared(principal, subject, start, end)
            if one is not None:
                found.append(one)
        last = changed[-1] if len(changed) == limit else None
        return DifferencePage(tuple(found), (last.node_id, last.subject_id) if last else None)

    async def _changed(
        self, principal: Principal, start: datetime, end: datetime, within: Within,
        after: tuple[UUID, UUID] | None, limit: int,
    ) -> Sequence[_ChangedSubject]:  # fmt: skip
        after_node, after_subject = after or (None, None)
        parameters = {
            "user_id": principal.user_id,
            "node_id": within.node_id,
            "subject_id": within.subject_id,
            "from_time": start,
            "to_time": end,
            "after_node": after_node,
            "after_subject": after_subject,
            "limit": limit,
        }
        changed = sql_text("delta/subjects_changed")
        return await self._postgres.fetch(principal, changed, parameters, row=_ChangedSubject)

    async def _compared(
        self, principal: Principal, changed: _ChangedSubject, start: datetime, end: datetime
    ) -> Difference | None:
        subject = await self.subject(principal, changed.subject_kind, changed.node_id, changed.subject_id)
        before = state_at(subject, Moment(start, start), start)
        now = state_at(subject, Moment(end, end), end)
        fields = difference(before, now)
        of_whole = (before or now or {}).get("category") == WHOLE  # it says what the passages of its record do
        if not fields or of_whole:
            return None
        operation: Operation = "changed"
        if before is None:
            operation = "created" if subject.known_from > start else "reopened"
        elif now is None:
            operation = "ended"
        return Difference(changed.subject_kind, changed.subject_id, changed.node_id, operation, fields)


@dataclass(frozen=True, slots=True)
class VersionPlace:
    """The node and file of a version, its chunks, and those of the newest version."""

    node_id: UUID
    version: int
    file_id: UUID
    chunks: list[UUID]
    newest: list[UUID]


class DocumentReads:
    """Documents of a graph: all of them for its user, its own for a persona."""

    def __init__(self, postgres: Postgres, shells: Shells) -> None:
        self._postgres, self._shells = postgres, shells

    async def page(
        self, principal: Principal, *, after: UUID | None = None, limit: int = 100
    ) -> tuple[StoredDocument, ...]:
        """Documents as they are now, by id, one page; `after` is the last id of the page before."""
        check_page(limit)
        parameters = {"user_id": principal.user_id, "after": after, "limit": limit}
        found = await self._postgres.fetch(principal, sql_text("document/page"), parameters, row=StoredDocument)
        return tuple(replace(one, file_name=shown_name(one.file_name, one.title)) for one in found)

    async def versions(
        self, principal: Principal, document_id: UUID, *, after: int = 0, limit: int = 100
    ) -> tuple[DocumentVersion, ...]:
        """Versions of a document, the oldest first, one page. Raises NotFound where there is none such document."""
        check_page(limit)
        await self.place(principal, document_id)
        parameters = {"user_id": principal.user_id, "document_id": document_id, "after": after, "limit": limit}
        found = await self._postgres.fetch(principal, sql_text("document/versions"), parameters, row=DocumentVersion)
        return tuple(replace(one, file_name=shown_name(one.file_name, one.title)) for one in found)

    async def place(self, principal: Principal, document_id: UUID, version: int | None = None) -> VersionPlace:
        """Where a version lies; without a version the newest. Raises NotFound."""
        parameters = {"user_id": principal.user_id, "document_id": document_id, "version": version}
        return only(await self._postgres.fetch(principal, sql_text("document/place"), parameters, row=VersionPlace))

    async def chunks(
        self, principal: Principal, document_id: UUID, version: int | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[DocumentChunk, ...]:
        """Passages of a version in their order, one page; `after` is the last index of the page before. Raises NotFound."""
        check_page(limit)
        place = await self.place(principal, document_id, version)
        schema = await self._shells.schema_of(principal, place.node_id)
        wanted = place.chunks[after + 1 : after + 1 + limit]
        parameters = {"items": wanted, "first": after + 1, "newest": place.newest}
        chunks = await self._postgres.fetch(principal, sql_in("document/chunks", schema), parameters, row=DocumentChunk)
        return tuple(chunks)
