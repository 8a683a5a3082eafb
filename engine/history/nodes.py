"""Changes of nodes: names, fields of shells, and places in the tree. Schemas, files and ids stay the same.

The registry in Postgres holds names and places, the graph all of a shell. The present state comes from the graph, its chain from
the node's delta log; both must be at the same revision, else another change is being finished (Conflict).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from engine.commit.changes import NodeRevised, to_json
from engine.commit.outbox import Commit
from engine.commit.rows.deltas import row_of
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.delta import (
    BEGINNING,
    Change,
    Changed,
    Delta,
    NewSlice,
    OpenSlice,
    Plan,
    Slice,
    Subject,
    base_of,
    planned,
    timeline,
)
from engine.domain.graph import NodeRevision, NodeSlice, PresentShell, own_slice, times
from engine.domain.names import name_key
from engine.domain.node import shell_text
from engine.domain.principal import Principal
from engine.errors import Conflict, InvalidInput, NotFound
from engine.hierarchy.provisioning import shell_meaning
from engine.hierarchy.shells import require_unarchived
from engine.providers.active import ActiveModel
from engine.records.slices import deltas_of, next_delta
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Jsonb, Parameters, Postgres
from engine.stores.rows import only
from engine.stores.statements import cypher, sql_text

CLOCK_SKEW = timedelta(seconds=60)
"""A caller's clock may be this far ahead of the engine's."""


@dataclass(frozen=True, slots=True)
class _NodeState:
    state: dict[str, Any]
    revision: int
    known_from: datetime


@dataclass(frozen=True, slots=True)
class _Archived:
    """A node for which an archiving changed something, with the times of all its archivings."""

    node_id: str
    times: list[str]


class NodeHistory:
    """Changes nodes for the user of a graph."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, units: UnitsOfWork, active: ActiveModel, clock: Clock
    ) -> None:  # fmt: skip
        self._postgres, self._neo4j, self._units = postgres, neo4j, units
        self._active, self._clock = active, clock

    async def change(self, principal: Principal, change: Change) -> Changed:
        """Writes a checked change of a node.

        A place changes now or not at all, and so does whether a node is archived, which is a change of its own; names and texts
        not in the future. Raises NotFound, NameTaken, DepthExceeded (below layer 5), MovedIntoItself, Archived, Conflict,
        InvalidInput, ProviderUnavailable, StoreUnavailable.
        """
        if not principal.owns:
            raise NotFound
        now = self._clock.now()
        _check_times(change, now)
        subject = await self.subject(principal, change.subject_id)
        if "archived" not in change.fields:
            parents = [UUID(change.fields["parent_id"])] if "parent_id" in change.fields else []
            await require_unarchived(self._postgres, principal, change.subject_id, *parents)
        if change.subject_id == principal.user_id and "parent_id" in change.fields:
            raise InvalidInput("The user is the root: it has no parent.")
        delta = next_delta(change, subject, principal.name, now)
        if isinstance(delta, Changed):
            return delta
        plan = replayed([*subject.deltas, delta], subject)
        assert plan.own is not None  # a node does not end here
        await self._write(principal, await self._revision(principal, delta, plan), subject, delta, plan)
        return Changed(change.subject_id, delta.revision, delta.known_at, delta.effective_at)

    async def subject(self, principal: Principal, node_id: UUID) -> Subject:
        """A node with its chain, for the user of its graph. Raises NotFound, Conflict while a change is being finished."""
        found = await self._neo4j.read(
            cypher("node/state"), row=_NodeState, **principal.parameters, node_id=str(node_id)
        )
        now = only(found)
        async with self._postgres.as_principal(principal, writes=False) as connection:
            deltas = await deltas_of(connection, node_id, node_id)
        if deltas and deltas[-1].revision != now.revision:
            raise Conflict("An earlier change of this node is still being finished; try again.")
        return Subject(base_of(now.state, deltas), BEGINNING, deltas, now.revision, now.known_from)

    async def _revision(self, principal: Principal, delta: Delta, plan: Plan) -> NodeRevision:
        """The graph's part of the change."""
        own = own_slice(delta, plan)
        assert own is not None
        state = own.slice.state
        text = shell_text(state["name"], state["summary"], state["keywords"])
        meaning = await shell_meaning(self._postgres, self._active, delta.subject_id, text)
        alias_keys = [name_key(alias) for alias in state["aliases"]]
        return NodeRevision(
            node_id=delta.subject_id,
            user_id=principal.user_id,
            revision=delta.revision,
            own=PresentShell(**_state(own), alias_keys=alias_keys, **meaning),
            closed=plan.closed,
            closed_at=delta.known_at,
            added=[NodeSlice(**_state(one)) for one in plan.added],
        )

    async def _write(
        self, principal: Principal, revision: NodeRevision, subject: Subject, delta: Delta, plan: Plan
    ) -> None:
        """Registry, slices, delta and outbox by one function of the database, then the graph."""
        assert plan.own is not None
        own = plan.own.state
        slices = [*to_json(NodeRevised(revision))["revision"]["added"]]
        slices += [{"slice_id": str(row), "known_to": delta.known_at.isoformat()} for row in plan.closed]
        previous = subject.deltas[-1].delta_id if subject.deltas else None
        row = row_of(delta, previous)
        logged = {
            "delta_id": str(delta.delta_id),
            "subject_kind": "node",
            "subject_id": str(delta.subject_id),
            "w_coordinate": delta.effective_at.isoformat() if delta.effective_at else "-infinity",
            "payload": row["payload"],
            "previous_delta_id": str(previous) if previous else None,
            "authored_by": delta.author,
            "created_at": delta.known_at.isoformat(),
            "revision": delta.revision,
        }
        parameters = {
            "commit_id": uuid4(),
            "node_id": delta.subject_id,
            "expected": subject.revision,
            "name": own["name"],
            "key": name_key(own["name"]),
            "parent_id": own["parent_id"],
            "slices": Jsonb(slices),
            "delta": Jsonb(logged),
            "payload": Jsonb(to_json(NodeRevised(revision))),
        }
        async with self._units.begin(principal) as unit:
            if "archived" in delta.fields:
                archiving = {"node_id": delta.subject_id, "archived": own["archived"], "now": delta.known_at}
                found = await unit.connection.fetch(sql_text("node/archive"), archiving, row=_Archived)
                archived = replace(revision, archivings=[asdict(one) for one in found])
                parameters["payload"] = Jsonb(to_json(NodeRevised(archived)))
            [payload] = await unit.connection.fetch(sql_text("node/revise"), parameters, row=dict)
            unit.follow(Commit(parameters["commit_id"], [payload]))


def _check_times(change: Change, now: datetime) -> None:
    """Raises InvalidInput for a time at which such a change cannot take effect."""
    timed = bool(change.effective_at or change.correction)
    if timed and "parent_id" in change.fields:
        raise InvalidInput("A node is moved now: a move takes no time of effect.")
    if "archived" in change.fields and (timed or len(change.fields) > 1):
        raise InvalidInput("A node is archived now, by a change of its own: without a time of effect or other fields.")
    if change.effective_at and change.effective_at > now + CLOCK_SKEW:
        raise InvalidInput("A node is not changed in advance.")


def replayed(deltas: Sequence[Delta], subject: Subject) -> Plan:
    """The plan of the last delta after a replay of those before it: ids of slices are derived from the deltas."""
    first = Slice(subject.since, None, subject.base)
    own = OpenSlice(deltas[0].subject_id, subject.known_from, first)
    others: dict[UUID, OpenSlice] = {}
    plan = Plan(first, own.known_from, (), ())
    for count, delta in enumerate(deltas, 1):
        wanted = timeline(subject.base, subject.since, deltas[:count])
        plan = planned(own, tuple(others.values()), wanted, delta.delta_id, delta.known_at)
        others = {row: one for row, one in others.items() if row not in plan.closed}
        others |= {
            new.row_id: OpenSlice(new.row_id, new.known_from, new.slice) for new in plan.added if new.known_to is None
        }
        if plan.own is None:
            own = OpenSlice(own.row_id, own.known_from, own.slice, own.known_to or delta.known_at)
        else:
            own = OpenSlice(own.row_id, plan.own_known_from, plan.own)
    return plan


def _state(new: NewSlice) -> Parameters:
    """A slice with its fields, as the graph takes it."""
    return {**new.slice.state, "name_key": name_key(new.slice.state["name"]), **times(new)}
