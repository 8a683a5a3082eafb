"""Items of facts that a newer fact ends, that hold again or are withdrawn: each by a delta, inside the caller's transaction.

Where an item or record is changed by hand, the rows of its facts and the graph follow in the transaction of the change, also
where a persona changes them: chains are the user's, so they follow in the user's name.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from engine.commit.changes import FactsStated
from engine.commit.rows import facts, term_counts
from engine.commit.unit_of_work import UnitOfWork
from engine.domain.clock import END_OF_TIME
from engine.domain.delta import BEGINNING, ENDED, RETRACTED, Change, Delta, fields_at, in_order
from engine.domain.fact import EndingFact
from engine.domain.principal import Principal
from engine.facts.graph_entries import ShownFact, stated
from engine.providers.active import Model
from engine.records.slices import SlicePlace, Slices
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text

REASON = "a newer fact"
AGAIN = "a newer fact was withdrawn, or came back"


@dataclass(frozen=True, slots=True)
class FactTimes:
    """Until when the item of a fact holds (None: until further notice), and whether it is withdrawn (None: as it is), with the
    reason for that."""

    node_id: UUID
    schema: str
    item_id: UUID
    until: datetime | None
    retracted: bool | None = None
    reason: str = ""


class FactItems:
    """Ends items of facts, and lets them hold again. Nothing is overwritten: reads of the past find them."""

    def __init__(self, slices: Slices) -> None:
        self._slices = slices

    async def end(
        self, connection: Connection, principal: Principal, model: Model, facts: Sequence[EndingFact]
    ) -> None:
        """Ends them in one order for all writers, after the locks of their subjects. Raises NotFound."""
        times = [FactTimes(one.node_id, one.schema, one.item_id, one.at or BEGINNING) for one in facts]
        await self.set_times(connection, principal, model, times, reason=REASON)

    async def set_times(
        self,
        connection: Connection,
        principal: Principal,
        model: Model,
        facts: Sequence[FactTimes],
        *,
        reason: str = AGAIN,
    ) -> None:
        """Lets each hold as long as it says, in one order for all writers. Raises NotFound."""
        by_schema: dict[str, list[UUID]] = {}
        for one in facts if reason == AGAIN else ():
            by_schema.setdefault(one.schema, []).append(one.item_id)
        before = {
            schema: await term_counts.of_items(connection, schema, items) for schema, items in sorted(by_schema.items())
        }
        for fact in sorted(facts, key=lambda one: one.item_id):
            place = SlicePlace(principal, fact.node_id, fact.schema, "item", model)
            stored = await self._slices.read(connection, place, fact.item_id, pending=True)
            changes = [replace(one, reason=reason) for one in _endings(fact, stored.subject.deltas)]
            if fact.retracted is not None:
                withdrawn = {RETRACTED: fact.retracted}
                changes.append(Change("item", fact.item_id, withdrawn, correction=True, reason=fact.reason))
            for change in changes:
                await self._slices.change(connection, place, change, pending=True)
        for schema, counts in before.items():
            await term_counts.recount(connection, schema, by_schema[schema], counts)


def _endings(fact: FactTimes, deltas: Sequence[Delta]) -> Iterator[Change]:
    """What is said of the end at each time at which the chain of the fact said something of it, in the order of time; what was
    changed by hand stays."""
    saying = [delta for delta in in_order(deltas) if ENDED in delta.fields]
    by_hand = [delta for delta in saying if delta.reason not in (REASON, AGAIN)]
    times = {delta.effect for delta in saying} - {delta.effect for delta in by_hand}
    for at in sorted(times if fact.until is None else times | {fact.until}):
        ended = fields_at({ENDED: False}, by_hand, at, END_OF_TIME)[ENDED] or (
            fact.until is not None and fact.until <= at
        )
        first = at == BEGINNING
        yield Change("item", fact.item_id, {ENDED: ended}, effective_at=None if first else at, correction=first)


@dataclass(frozen=True, slots=True)
class ChangedFacts:
    """The facts that a change may concern: the item, or what the record states."""

    facts: tuple[UUID, ...] = ()
    records: tuple[UUID, ...] = ()

    @classmethod
    def of(cls, change: Change) -> ChangedFacts:
        """Of an item whose text or end is changed, and of a record that ends or holds again."""
        if change.subject_kind == "item" and change.fields.keys() & {ENDED, "content"}:
            return cls(facts=(change.subject_id,))
        if change.subject_kind == "record" and ENDED in change.fields:
            return cls(records=(change.subject_id,))
        return cls()

    async def hold(self, unit: UnitOfWork) -> None:
        """Locks their subjects, before the item: all writers of facts do it in this order."""
        if self.facts or self.records:
            asked = {"facts": list(self.facts), "records": list(self.records), "hold": True}
            async with _as_user(unit):
                await unit.connection.execute(sql_text("fact/around"), asked)

    async def changed(self, unit: UnitOfWork, node_id: UUID, commit_id: UUID, now: datetime) -> Sequence[FactsStated]:
        """Writes what became of them; returns the graph's part, nothing where there are none."""
        if not (self.facts or self.records):
            return ()
        async with _as_user(unit):
            found = await facts.follow(unit.connection, node_id, self.facts, self.records, now)
        shown = {one.row.fact_id: ShownFact(one.text) for one in found}
        return [stated(unit.principal.user_id, commit_id, [one.row for one in found], shown)] if found else ()


@asynccontextmanager
async def _as_user(unit: UnitOfWork) -> AsyncIterator[None]:
    """Statements in the name of the user of the graph, within the transaction of another principal."""
    own = unit.principal
    if own.kind != "user":
        await _act(unit, Principal.user(own.user_id))
    yield  # after an error the transaction is over
    if own.kind != "user":
        await _act(unit, own)


async def _act(unit: UnitOfWork, principal: Principal) -> None:
    who = {"kind": principal.kind, "id": str(principal.principal_id)}
    await unit.connection.execute(sql_text("access/principal_set"), who)
