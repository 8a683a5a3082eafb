"""Facts whose item or record is changed by hand: their rows and the graph follow in the transaction of the change, also where a
persona changes them: chains are the user's, so they follow in the user's name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.commit.changes import FactsStated
from engine.commit.rows import facts
from engine.commit.unit_of_work import UnitOfWork
from engine.domain.delta import ENDED, Change
from engine.domain.principal import Principal
from engine.facts.graph_entries import ShownFact, stated
from engine.stores.statements import sql_text


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
