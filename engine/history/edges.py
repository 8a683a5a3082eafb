"""Edges between nodes: made once, then changed by deltas in the delta log of the node at their start.

One type between the same two nodes is always the same edge: its id is derived from them, so two clients who make it at once
get one, and an ended edge may hold again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from engine.commit.changes import EdgeRevised
from engine.commit.rows import deltas
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock, Moment
from engine.domain.delta import (
    BEGINNING,
    ENDED,
    Change,
    Changed,
    Delta,
    FieldChange,
    NewSlice,
    Plan,
    Slice,
    Subject,
    SubjectState,
    base_of,
)
from engine.domain.graph import EdgeRevision, EdgeSlice, own_slice, times
from engine.domain.names import clean_name
from engine.domain.node import CreatedEdge
from engine.domain.principal import Principal
from engine.errors import Conflict, InvalidInput, NotFound, StoreUnavailable
from engine.hierarchy.shells import Shells, require_unarchived
from engine.history.nodes import replayed
from engine.records.slices import delta_id_of, deltas_of, next_delta
from engine.stores.neo4j import STORE, Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher

RESERVED = frozenset(
    {"edge_id", "edge_type", "revision", "slice_id", "valid_from", "valid_to", "known_from", "known_to"}
)
_PROPERTY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class _Edge:
    edge_id: UUID
    edge_type: str
    source_id: UUID
    target_id: UUID
    properties: dict[str, Any]
    revision: int
    known_from: datetime | None
    valid_to: datetime | None
    known_to: datetime | None


@dataclass(frozen=True, slots=True)
class _Ends:
    source_id: UUID
    target_id: UUID


@dataclass(frozen=True, slots=True)
class _EdgeState:
    source_id: UUID
    revision: int
    properties: dict[str, Any]


class EdgeHistory:
    """Makes and changes edges for the user of a graph."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, units: UnitsOfWork, shells: Shells, clock: Clock) -> None:
        self._postgres, self._neo4j, self._units, self._shells = postgres, neo4j, units, shells
        self._clock = clock

    async def make(
        self, principal: Principal, source: UUID, target: UUID, edge_type: str, properties: Mapping[str, str],
        key: str | None = None,
    ) -> CreatedEdge:  # fmt: skip
        """Makes an edge, or returns the one of that type between these nodes. One that had ended holds again from now on. What a
        request does is known by its `key` where it is repeated.

        Raises NotFound when an end is missing, Archived for a new one at an archived node, InvalidInput for an edge from a
        node to itself or reserved properties, StoreUnavailable.
        """
        edge_type = clean_name(edge_type)
        if source == target:
            raise InvalidInput("An edge needs two different nodes.")
        _check_properties(properties)
        ends = {"source_id": str(source), "target_id": str(target)}
        between = {**principal.parameters, **ends, "edge_type": edge_type}
        if found := await self._neo4j.read(cypher("edge/between"), row=_Edge, **between):
            return await self._there(principal, found[0], key)
        if not await self._neo4j.read(cypher("edge/ends"), row=_Ends, **principal.parameters, **ends):
            raise NotFound
        await require_unarchived(self._postgres, principal, source, target)
        try:
            return await self._create(principal, source, target, edge_type, properties, key)
        except Conflict as error:  # a concurrent request makes the same one
            found = await self._neo4j.read(cypher("edge/between"), row=_Edge, **between)
            if not found:
                raise StoreUnavailable(STORE, "This edge is still being finished; try again.") from error
            return CreatedEdge(found[0].edge_id, created=False)

    async def _there(self, principal: Principal, edge: _Edge, key: str | None) -> CreatedEdge:
        """A known edge: unchanged, or holding again; or what an earlier attempt of the request did with it."""
        reopened = False
        if key:
            async with self._postgres.as_principal(principal, writes=False) as connection:
                chain = await deltas_of(connection, edge.source_id, edge.edge_id)
            own_id = delta_id_of(edge.edge_id, principal.name, key)
            for did in (delta.operation for delta in chain if delta.delta_id == own_id):
                return CreatedEdge(edge.edge_id, created=did == "created", reopened=did == "reopened")
        if edge.known_to is not None or (edge.valid_to is not None and edge.valid_to <= self._clock.now()):
            change = Change("edge", edge.edge_id, {ENDED: False}, key=key)
            reopened = (await self.change(principal, change)).changed
        return CreatedEdge(edge.edge_id, created=False, reopened=reopened)

    async def _create(
        self, principal: Principal, source: UUID, target: UUID, edge_type: str, properties: Mapping[str, str],
        key: str | None,
    ) -> CreatedEdge:  # fmt: skip
        # The text keeps the word of older releases: the same edge has the same id in every home.
        edge_id = uuid5(principal.user_id, f"relation:{source}:{target}:{edge_type}")
        now = self._clock.now()
        fields = {"edge_type": FieldChange(None, edge_type), "properties": FieldChange(None, dict(properties))}
        delta = Delta(
            delta_id_of(edge_id, principal.name, key), "edge", edge_id, 1, "created", fields, None, now, principal.name
        )
        plan = Plan(Slice(BEGINNING, None, {"properties": dict(properties)}), now, (), ())
        ends = {"edge_type": edge_type, "source_id": str(source), "target_id": str(target)}
        await self._commit(principal, source, delta, None, _revision(principal, delta, plan, ends))
        return CreatedEdge(edge_id, created=True)

    async def change(self, principal: Principal, change: Change) -> Changed:
        """Writes a checked change of an edge: other properties, its end, or its return.

        Raises NotFound, Conflict, InvalidInput, StoreUnavailable.
        """
        if "properties" in change.fields:
            _check_properties(change.fields["properties"])
        edge, subject = await self._read(principal, change.subject_id)
        delta = next_delta(change, subject, principal.name, self._clock.now())
        if isinstance(delta, Changed):
            return delta
        plan = replayed([*subject.deltas, delta], subject)
        ends = {"edge_type": edge.edge_type, "source_id": str(edge.source_id), "target_id": str(edge.target_id)}
        previous = subject.deltas[-1].delta_id if subject.deltas else None
        await self._commit(principal, edge.source_id, delta, previous, _revision(principal, delta, plan, ends))
        return Changed(change.subject_id, delta.revision, delta.known_at, delta.effective_at)

    async def subject(self, principal: Principal, edge_id: UUID) -> tuple[UUID, Subject]:
        """The node that keeps an edge's chain, and the edge with it, for the user of its graph.

        Raises NotFound, Conflict while a change is being finished.
        """
        edge, subject = await self._read(principal, edge_id)
        return edge.source_id, subject

    async def shown(self, principal: Principal, edge_id: UUID, moment: Moment) -> SubjectState:
        """An edge at a moment for a reader who may read both ends, as the list of edges shows it. Raises NotFound."""
        times = moment.graph_parameters(self._clock.now())
        shown = {**principal.parameters, **times, "edge_id": str(edge_id)}
        found = await self._neo4j.read(cypher("edge/state"), row=_EdgeState, **shown)
        if not found:
            raise NotFound
        [state] = found
        fields = {"properties": {name: value for name, value in state.properties.items() if name not in RESERVED}}
        return SubjectState("edge", edge_id, state.source_id, state.revision, fields)

    async def source_of(self, principal: Principal, edge_id: UUID) -> UUID:
        """The node whose log keeps the edge's deltas; raises NotFound for anyone but the user of its graph."""
        return (await self._edge(principal, edge_id)).source_id

    async def _edge(self, principal: Principal, edge_id: UUID) -> _Edge:
        found = await self._neo4j.read(cypher("edge/by_id"), row=_Edge, **principal.parameters, edge_id=str(edge_id))
        if not found:
            raise NotFound
        return found[0]

    async def _read(self, principal: Principal, edge_id: UUID) -> tuple[_Edge, Subject]:
        edge = await self._edge(principal, edge_id)
        async with self._postgres.as_principal(principal, writes=False) as connection:
            chain = await deltas_of(connection, edge.source_id, edge_id)
        if chain and chain[-1].revision != edge.revision:
            raise Conflict("An earlier change of this edge is still being finished; try again.")
        present = {name: value for name, value in edge.properties.items() if name not in RESERVED}
        created = next((delta.known_at for delta in chain if delta.operation == "created"), None)
        first = created or edge.known_from or BEGINNING
        return edge, Subject(base_of({"properties": present}, chain), BEGINNING, chain, edge.revision, first)

    async def _commit(
        self, principal: Principal, node_id: UUID, delta: Delta, previous: UUID | None, revision: EdgeRevision
    ) -> None:
        schema = await self._shells.schema_of(principal, node_id)
        async with self._units.begin(principal) as unit:
            await deltas.append(unit.connection, schema, [(delta, previous)])
            await unit.accept(EdgeRevised(revision))


def _check_properties(properties: Mapping[str, str]) -> None:
    names_fit = all(_PROPERTY_NAME.fullmatch(name) for name in properties)
    if RESERVED & properties.keys() or len(properties) > 50 or not names_fit:
        raise InvalidInput("An edge has at most 50 properties with plain names, none of them one of the engine's own.")


def _revision(principal: Principal, delta: Delta, plan: Plan, ends: dict[str, str]) -> EdgeRevision:
    """The graph's part of the change."""
    own = own_slice(delta, plan)
    return EdgeRevision(
        edge_id=delta.subject_id,
        **ends,
        user_id=principal.user_id,
        revision=delta.revision,
        own=_edge_slice(own) if own else None,
        closed=plan.closed,
        closed_at=delta.known_at,
        added=[_edge_slice(one) for one in plan.added],
    )


def _edge_slice(new: NewSlice) -> EdgeSlice:
    return EdgeSlice(properties=dict(new.slice.state["properties"]), **times(new))
