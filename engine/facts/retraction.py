"""Records, facts and their items as a retraction ends them, or lets them hold again, inside the caller's transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

from engine.commit.changes import GraphChange, RecordRetracted, RecordRevised
from engine.commit.rows import facts as fact_rows
from engine.commit.rows import items as item_rows
from engine.commit.rows import term_counts
from engine.commit.rows.retractions import RetractionStep
from engine.commit.unit_of_work import UnitOfWork
from engine.domain.delta import BEGINNING, RETRACTED, Change, Changed
from engine.domain.fact import FactRow
from engine.domain.retraction import RecordRetraction
from engine.domain.scope import counted_unit
from engine.domain.terms import terms_of
from engine.errors import Conflict
from engine.facts.graph_entries import ShownFact, stated
from engine.facts.items import FactItems, FactTimes
from engine.facts.withdrawals import Affected
from engine.providers.active import Model
from engine.records.slices import SlicePlace, recorded
from engine.records.writer import RecordPlace, RecordRenewal, RecordWriter
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text

STAYS = "a fact goes on here"


@dataclass(frozen=True, slots=True)
class FactAround:
    """A fact that a retraction may change, and the schema of its node."""

    row: FactRow
    schema_name: str


async def facts_around(
    connection: Connection, records: Sequence[UUID], facts: Sequence[UUID], *, hold: bool
) -> list[FactAround]:
    """What stands in chains with the facts of these records, or with these facts; `hold`: until the end of the transaction."""
    asked = {"records": list(records), "facts": list(facts), "hold": hold}
    return await connection.fetch(sql_text("fact/around"), asked, row=FactAround)


async def holding(connection: Connection, around: Sequence[FactAround], gone: frozenset[UUID] | set[UUID]) -> set[UUID]:
    """The records, beside those that go, which hold now and confirm one of these facts."""
    by_schema: dict[str, set[UUID]] = {}
    for one in around:
        if one.row.status == "confirmation" and one.row.record_id not in gone:
            by_schema.setdefault(one.schema_name, set()).add(one.row.record_id)
    found: set[UUID] = set()
    for schema, records in sorted(by_schema.items()):
        statement, asked = sql_in("record/holding", schema), {"records": sorted(records)}
        found |= set(await connection.fetch(statement, asked, row=UUID))
    return found


class RetractedRecords:
    """Withdraws records and brings them back; makes items of facts that go on in another record."""

    def __init__(self, writer: RecordWriter) -> None:
        self._writer = writer

    async def record(self, connection: Connection, place: SlicePlace, step: RetractionStep) -> tuple[GraphChange, ...]:
        """Writes the change of a record; returns the graph's part, nothing where it was so already. Raises NotFound."""
        fields = {RETRACTED: not step.undone}
        change = Change("record", step.record_id, fields, place.node_id, correction=True, reason=step.reason)
        written = await self._writer.slices.change(connection, place, change)
        if isinstance(written, Changed):
            return ()
        delta, plan = written
        retraction = RecordRetraction(
            record_id=step.record_id,
            user_id=place.principal.user_id,
            node_id=place.node_id,
            revision=delta.revision,
            at=delta.known_at,
            undone=step.undone,
        )
        return RecordRevised(recorded(place, delta, plan)), RecordRetracted(retraction)

    async def promote(
        self, unit: UnitOfWork, model: Model, withdrawn: FactRow, taker: FactRow, schema: str, now: datetime
    ) -> None:
        """Writes the item of a fact that takes the place of another one, in its own record, unless it is there already."""
        connection = unit.connection
        copied = {"item_id": taker.fact_id, "copied": withdrawn.fact_id, "record_id": taker.record_id}
        times = {"valid_from": taker.valid_from, "now": now}
        terms = await item_rows.promote(connection, schema, copied | times)
        if terms is None:
            return
        unit_name = counted_unit("passage", taker.privacy, taker.scope)
        counted = Counter([0, *terms_of(terms)])
        await term_counts.move(connection, schema, term_counts.moves({unit_name: counted}))
        place = RecordPlace(taker.record_id, taker.node_id, schema)
        kept, commit_id = await self._writer.lock(unit, place), uuid4()
        change = RecordRenewal(place, STAYS, at=now)
        renewed = await self._writer.change(unit, change, kept, model, commit_id) if kept else None
        if renewed is None:
            raise Conflict("A record that says the same was ended meanwhile.")
        await unit.accept(RecordRevised(renewed.graph), commit_id=commit_id)


class RetractedFacts:
    """Writes what becomes of facts: their rows, then their items."""

    def __init__(self, records: RetractedRecords, items: FactItems) -> None:
        self._records, self._items = records, items

    async def write(
        self,
        unit: UnitOfWork,
        model: Model,
        affected: Affected,
        schemas: Mapping[UUID, str],
        step: RetractionStep,
        now: datetime,
    ) -> None:
        """Writes them. Raises Conflict where one was changed meanwhile."""
        changed = {fact: replace(row, revision=row.revision + 1) for fact, row in affected.changed().items()}
        await fact_rows.restate(unit.connection, changed.values())
        times = []
        for fact, row in changed.items():
            role, was = affected.role(fact), affected.before(fact)
            if role == "promoted" and not step.undone:
                assert was.confirms is not None
                await self._records.promote(unit, model, affected.before(was.confirms), row, schemas[fact], now)
            retracted = _retracted(affected, fact, step)
            if retracted is not None or _until(row) != _until(was):
                times.append(FactTimes(row.node_id, schemas[fact], fact, _until(row), retracted, step.reason))
        await self._items.set_times(unit.connection, unit.principal, model, times)
        if changed:
            commit_id = uuid4()
            shown = {fact: _shown(affected, fact) for fact in changed}
            change = stated(unit.principal.user_id, commit_id, changed.values(), shown)
            await unit.accept(change, commit_id=commit_id)


def _shown(affected: Affected, fact: UUID) -> ShownFact:
    """What the graph shows of a fact: one that takes the place of another is shown as that was; a confirmation is no item."""
    role, was = affected.role(fact), affected.before(fact)
    return ShownFact(copied=was.confirms if role == "promoted" else None, item=role != "confirmation")


def _retracted(affected: Affected, fact: UUID, step: RetractionStep) -> bool | None:
    """Whether the item of a fact is withdrawn from now on; None: as it was."""
    return {"withdrawn": not step.undone, "promoted": step.undone}.get(affected.role(fact))


def _until(row: FactRow) -> datetime | None:
    """Until when the item of a fact holds."""
    if row.valid_to is None:
        return None
    return row.valid_to if row.valid_to > (row.valid_from or BEGINNING) else BEGINNING
