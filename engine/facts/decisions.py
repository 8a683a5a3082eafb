"""Decisions of the user about facts in doubt: the pair, the chain, the item of a fact that ends, the graph's part, in one
transaction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid4

from engine.commit.rows import facts as fact_rows
from engine.commit.unit_of_work import UnitOfWork, UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.delta import BEGINNING
from engine.domain.fact import EndingFact, FactDecision, FactRow
from engine.domain.principal import Principal
from engine.errors import EmbeddingsChanged, NotFound
from engine.facts.graph_entries import stated
from engine.facts.items import FactItems, FactTimes
from engine.facts.pair_decisions import decided, undone
from engine.facts.retraction import facts_around
from engine.providers.active import ActiveModel, Model
from engine.stores.postgres import Postgres


class FactDecisions:
    """Decides pairs in doubt, and takes decisions back; for the user of the graph."""

    def __init__(
        self, postgres: Postgres, units: UnitsOfWork, items: FactItems, active: ActiveModel, clock: Clock
    ) -> None:
        self._postgres, self._units, self._items, self._active, self._clock = postgres, units, items, active, clock

    async def decide(
        self, principal: Principal, fact_id: UUID, decision: FactDecision | None, own_id: UUID | None = None
    ) -> None:
        """Decides of a fact in doubt; None: takes that back. Under the `own_id` of the request it is decided once. Raises
        NotFound, Conflict, StoreUnavailable."""
        if own_id and await self._units.done_before(principal, own_id) is not None:
            return
        asked = principal, fact_id, decision, own_id or uuid4()
        try:
            await self._decide(*asked, self._active.current)
        except EmbeddingsChanged:
            await self._decide(*asked, await self._active.follow())

    async def _decide(
        self, principal: Principal, fact_id: UUID, decision: FactDecision | None, commit_id: UUID, model: Model
    ) -> None:
        async with self._units.begin(principal) as unit:
            changed = await self._write(unit, fact_id, decision, model)
            await unit.accept(stated(principal.user_id, commit_id, changed, {}), commit_id=commit_id)

    async def _write(
        self, unit: UnitOfWork, fact_id: UUID, decision: FactDecision | None, model: Model
    ) -> Collection[FactRow]:
        around = await facts_around(unit.connection, [], [fact_id], hold=True)
        rows = {one.row.fact_id: one.row for one in around}
        if fact_id not in rows:
            raise NotFound
        await unit.require(embeddings=model.name, whole_past=True)
        changed = decided(rows, fact_id, decision, self._clock.now()) if decision else undone(rows, fact_id)
        changed = {fact: replace(row, revision=row.revision + 1) for fact, row in changed.items()}
        await fact_rows.restate(unit.connection, changed.values())
        schemas = {one.row.fact_id: one.schema_name for one in around}
        over = [row for row in changed.values() if rows[row.fact_id].status == "live" != row.status]
        again = [row for row in changed.values() if rows[row.fact_id].status != "live" == row.status]
        ending = [EndingFact(row.node_id, schemas[row.fact_id], row.fact_id, _until(row)) for row in over]
        holding = [FactTimes(row.node_id, schemas[row.fact_id], row.fact_id, None) for row in again]
        await self._items.end(unit.connection, unit.principal, model, ending)
        await self._items.set_times(unit.connection, unit.principal, model, holding)
        return changed.values()


def _until(row: FactRow) -> datetime | None:
    """Until when it held; None where it never did."""
    return row.valid_to if row.valid_to and row.valid_to > (row.valid_from or BEGINNING) else None
