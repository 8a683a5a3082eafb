"""Decisions of the user about facts in doubt: the pair, the chain, the item of a fact that ends, the graph's part, in one
transaction.

replaced   the older one ends where the newer begins, and stands before it in its chain, unless another one does
both       both hold, without a mark
undone     the pair is in doubt again; an older one that the decision ended holds again
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid4

from engine.commit.rows import facts as fact_rows
from engine.commit.unit_of_work import UnitOfWork, UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.delta import BEGINNING
from engine.domain.fact import Doubt, EndingFact, FactDecision, FactRow
from engine.domain.principal import Principal
from engine.errors import Conflict, EmbeddingsChanged, NotFound
from engine.facts.graph_entries import stated
from engine.facts.items import FactItems, FactTimes
from engine.facts.retraction import facts_around
from engine.providers.active import ActiveModel, Model
from engine.stores.postgres import Postgres

Rows = Mapping[UUID, FactRow]
NOT_IN_DOUBT = "This fact is in no pair that waits for a decision: `fact doubts` lists those."
IS_NEWER = "This is the newer fact of its pair; say that the older one was replaced: {}"
NOT_DECIDED = "Nothing was decided about this fact, or other facts have ended it since."


def decided(rows: Rows, fact_id: UUID, decision: FactDecision, now: datetime) -> dict[UUID, FactRow]:
    """The facts as they are after a decision about one. Raises Conflict."""
    pairs = [(row, doubt) for row, doubt in _pairs(rows, fact_id) if doubt.decision is None and _live(rows, row, doubt)]
    if not pairs:
        raise Conflict(NOT_IN_DOUBT)
    if decision == "both":
        return _put(rows, ((row, replace(doubt, decision="both", decided_at=now)) for row, doubt in pairs))
    replacing = [(row, doubt) for row, doubt in pairs if doubt.older == fact_id]
    if not replacing:
        raise Conflict(IS_NEWER.format(", ".join(str(doubt.older) for _, doubt in pairs)))
    newer, doubt = max(replacing, key=lambda pair: (pair[0].said_at or pair[0].known_from, pair[0].fact_id))
    return _replaced(rows, newer, replace(doubt, decision="replaced", decided_at=now), now)


def undone(rows: Rows, fact_id: UUID) -> dict[UUID, FactRow]:
    """The facts as they are without what was decided about one. Raises Conflict."""
    pairs = [(row, doubt) for row, doubt in _pairs(rows, fact_id) if doubt.decision is not None]
    stands = [(row, d) for row, d in pairs if d.decision == "both" or rows[d.older].ended_by == row.fact_id]
    if not stands:
        raise Conflict(NOT_DECIDED)
    changed = _put(rows, ((row, replace(doubt, decision=None, decided_at=None)) for row, doubt in stands))
    for newer, doubt in stands:
        if doubt.decision == "replaced":
            older = changed.get(doubt.older, rows[doubt.older])
            changed[doubt.older] = replace(older, status="live", ended_by=None, valid_to=None, invalidated_at=None)
            if newer.supersedes == doubt.older:
                changed[newer.fact_id] = replace(changed[newer.fact_id], supersedes=None)
                for row in _from(rows, newer):
                    changed[row.fact_id] = replace(changed.get(row.fact_id, row), chain_id=newer.fact_id)
    return changed


def _replaced(rows: Rows, newer: FactRow, doubt: Doubt, now: datetime) -> dict[UUID, FactRow]:
    older = rows[doubt.older]
    begins = older.valid_from or BEGINNING
    ends = max(begins, newer.valid_from or newer.said_at or newer.known_from)
    changed = _put(rows, [(newer, doubt)])
    changed[older.fact_id] = replace(
        older, status="superseded", valid_to=ends, invalidated_at=now, ended_by=newer.fact_id
    )
    free = newer.supersedes is None and all(row.supersedes != older.fact_id for row in rows.values())
    if free and newer.readers == older.readers:
        changed[newer.fact_id] = replace(changed[newer.fact_id], supersedes=older.fact_id)
        for row in rows.values():
            if row.chain_id == newer.chain_id:
                changed[row.fact_id] = replace(changed.get(row.fact_id, row), chain_id=older.chain_id)
    return changed


def _pairs(rows: Rows, fact_id: UUID) -> list[tuple[FactRow, Doubt]]:
    """The pairs of a fact, each at its newer one."""
    return [
        (row, doubt)
        for row in rows.values()
        for doubt in row.doubts
        if fact_id in (row.fact_id, doubt.older) and doubt.older in rows
    ]


def _live(rows: Rows, newer: FactRow, doubt: Doubt) -> bool:
    return newer.status == "live" and rows[doubt.older].status == "live"


def _from(rows: Rows, first: FactRow) -> list[FactRow]:
    """A fact and what stands after it in its chain, with what confirms one of these."""
    line = [first]
    while following := next((row for row in rows.values() if row.supersedes == line[-1].fact_id), None):
        line.append(following)
    ids = {row.fact_id for row in line}
    return [*line, *(row for row in rows.values() if row.confirms in ids)]


def _put(rows: Rows, pairs: Iterable[tuple[FactRow, Doubt]]) -> dict[UUID, FactRow]:
    changed: dict[UUID, FactRow] = {}
    for row, doubt in pairs:
        newer = changed.get(row.fact_id, rows[row.fact_id])
        doubts = tuple(doubt if one.older == doubt.older else one for one in newer.doubts)
        changed[row.fact_id] = replace(newer, doubts=doubts)
    return changed


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
