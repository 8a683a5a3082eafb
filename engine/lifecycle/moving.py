"""Records moved by hand: one that was placed wrongly goes to another node, with all that hangs on it.

    one transaction    rows, items with their vectors, manifest, deltas and counts of words move; the delta, the decision
    the graph's part   the manifest line and the counters of both shells; after a crash recovery does it

Ids stay and no byte of a file moves. Deltas and decisions show where a record lay before; a read of the past shows it at its
present node.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from engine.commit.changes import RecordRevised
from engine.commit.outbox import Commit
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.assignment import Moved
from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.errors import Conflict, InvalidInput, NotFound
from engine.hierarchy.shells import require_unarchived
from engine.lifecycle.file_states import NodeStates
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

MOST_REASON = 500


@dataclass(frozen=True, slots=True)
class _Moved:
    payload: dict[str, Any]
    revision: int
    moved_at: datetime


class Moving:
    """Moves records between the nodes of one graph."""

    def __init__(self, postgres: Postgres, units: UnitsOfWork, nodes: NodeStates, clock: Clock) -> None:
        self._postgres, self._units, self._nodes = postgres, units, nodes
        self._clock = clock

    async def move(
        self,
        principal: Principal,
        record_id: UUID,
        source: UUID,
        target: UUID,
        reason: str = "",
        key: str | None = None,
    ) -> Moved:
        """Moves a record from one node to another, whole or not at all. The same move with the same `key` is done once.

        Raises NotFound where it is missing or the principal may not write at both nodes, Conflict while its file is being
        restored or where that node holds another part of the same document, InvalidInput, StoreUnavailable.
        """
        if source == target:
            raise InvalidInput("A record is moved to another node.")
        if len(reason) > MOST_REASON or not reason.isprintable():
            raise InvalidInput(f"A reason is one line of at most {MOST_REASON} characters.")
        await require_unarchived(self._postgres, principal, source, target)
        move = f"move {record_id} from {source} to {target}: {principal.own_key(key)}" if key else ""
        commit_id = uuid5(principal.user_id, move) if key else uuid4()
        parameters = {
            "commit_id": commit_id,
            "record_id": record_id,
            "from_node": source,
            "to_node": target,
            "reason": reason,
            "now": self._clock.now(),
        }
        try:
            row = await self._moved(principal, parameters)
        except (NotFound, Conflict):
            done = await self._done_before(principal, commit_id, record_id) if key else None
            if done is None:
                raise
            return Moved(record_id, target, source, done["revision"], datetime.fromisoformat(done["closed_at"]))
        await self._nodes.apply_quietly([source])  # a file that was awake fell asleep
        return Moved(record_id, target, source, row.revision, row.moved_at)

    async def _moved(self, principal: Principal, parameters: dict[str, Any]) -> _Moved:
        def commit(row: _Moved) -> Commit:
            return Commit(parameters["commit_id"], [row.payload])

        moved = await self._units.call(principal, sql_text("record/move"), parameters, _Moved, commit)
        return moved

    async def _done_before(self, principal: Principal, commit_id: UUID, record_id: UUID) -> dict[str, Any] | None:
        """The graph's part of a move whose answer was lost."""
        changes = await self._units.done_before(principal, commit_id) or ()
        revisions = (change["revision"] for change in changes if change["kind"] == RecordRevised.kind)
        return next((one for one in revisions if one["record_id"] == str(record_id)), None)
