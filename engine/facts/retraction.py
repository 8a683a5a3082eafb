"""What becomes of chains of facts when a source is withdrawn, and when it comes back: decided by pure rules, then done to
records, facts and their items inside the caller's transaction.

    withdrawn   keeps its place in its chain and counts for nothing: the one before it holds again, or until the next begins
    promoted    what said the same: it takes the place of the withdrawn fact, right after it
    came back   ends what it had ended; where newer facts stand after it, it is ended by the next one

A chain has its order in any case, so one thing can be undone while others came in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.commit.changes import GraphChange, RecordRetracted, RecordRevised
from engine.commit.rows import facts as fact_rows
from engine.commit.rows import records as record_rows
from engine.commit.rows import term_counts
from engine.commit.rows.retractions import RetractionStep
from engine.commit.unit_of_work import UnitOfWork
from engine.domain.delta import BEGINNING, RETRACTED, Change, Changed
from engine.domain.fact import FactRow
from engine.domain.retraction import FactRole, LoggedFact, RecordRetraction
from engine.domain.scope import counted_unit
from engine.domain.terms import terms_of
from engine.errors import Conflict
from engine.facts.graph_entries import ShownFact, stated
from engine.facts.items import FactItems, FactTimes
from engine.providers.active import Model
from engine.records.slices import SlicePlace, recorded
from engine.records.writer import RecordPlace, RecordRenewal, RecordWriter
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text

AT_ITS_END = datetime.max.replace(tzinfo=BEGINNING.tzinfo)
STAYS = "a fact goes on here"


class Affected:
    """Facts that stand in chains, and what becomes of them."""

    def __init__(self, rows: Iterable[FactRow], now: datetime) -> None:
        self._before = {row.fact_id: row for row in rows}
        self.rows = dict(self._before)
        self.promoted: dict[UUID, UUID] = {}
        """By withdrawn fact: the one that takes its place, or, where it comes back, took it."""
        self._now = now
        self._roles: dict[UUID, FactRole] = {}
        self._following: dict[UUID, UUID] | None = None

    def changed(self) -> dict[UUID, FactRow]:
        """The facts that are others than before."""
        return {fact: row for fact, row in self.rows.items() if row != self._before[fact]}

    def logged(self) -> list[LoggedFact]:
        """These facts as they were."""
        return [LoggedFact(self.role(fact), self._before[fact]) for fact in self.changed()]

    def role(self, fact: UUID) -> FactRole:
        """What was done to a fact that changed."""
        return self._roles.get(fact, "changed")

    def before(self, fact: UUID) -> FactRow:
        """A fact as it was."""
        return self._before[fact]

    # a source goes ---------------------------------------------------------------------------------------

    def withdraw(self, gone: Collection[UUID], holding: Collection[UUID]) -> None:
        """Withdraws facts and confirmations; another record that holds may go on with a fact that it confirmed."""
        for fact in sorted(gone):
            if self.rows[fact].status == "confirmation":
                self._roles[fact] = "confirmation"
                confirmed = self.rows[fact].confirms
                self._put(fact, status="withdrawn", confirms=None, invalidated_at=self._now)
                self._count(confirmed)
                self._take_over(confirmed)
        for fact in sorted(gone):
            if self.rows[fact].status != "withdrawn":
                self._roles[fact] = "withdrawn"
                self._promote(self.rows[fact], holding)
                self._put(fact, status="withdrawn", invalidated_at=self._now)
        for row in list(self.rows.values()):
            if self._stands(row) and row.ended_by is not None and row.ended_by in gone:
                self._end(row.fact_id, self._next(row.fact_id) or self._next(row.ended_by))
        self._bound()

    def _take_over(self, fact: UUID | None) -> None:
        """Lets what was said after a live fact, and held until that was said again, end it: that is withdrawn."""
        head = self.rows.get(fact) if fact else None
        if head is None:
            return
        chain = {one.fact_id for one in self._line(head)}
        waiting = [one for one in self.rows.values() if one.ended_by == fact and one.fact_id not in chain]
        for one in sorted(filter(self._stands, waiting), key=_begin):
            free = head.status == "live" and self._next(one.fact_id) is None
            if free and _begin(head) < _begin(one) and not _said_again(head, one):
                self._end(one.fact_id, None)
                self._end(head.fact_id, one.fact_id)
                head = self.rows[one.fact_id]

    def _promote(self, row: FactRow, holding: Collection[UUID]) -> None:
        """Gives the place of a fact to the first that confirmed it at its node: there are its words and its readers."""
        confirming = [
            one
            for one in self.rows.values()
            if one.confirms == row.fact_id and one.node_id == row.node_id and one.record_id in holding
        ]
        taker = min(confirming, key=lambda one: (one.said_at or one.known_from, one.fact_id), default=None)
        if taker is None:
            return
        self.promoted[row.fact_id], self._roles[taker.fact_id] = taker.fact_id, "promoted"
        self._rename(row.fact_id, taker.fact_id)
        place = {"supersedes": row.fact_id, "doubts": row.doubts, "ended_by": row.ended_by}
        times = {"valid_to": row.valid_to, "invalidated_at": row.invalidated_at}
        self._put(taker.fact_id, status=row.status, confirms=None, **place, **times)
        self._count(taker.fact_id)

    def _rename(self, fact: UUID, other: UUID) -> None:
        """Lets what names a fact name another one."""
        for one in list(self.rows.values()):
            names = ("supersedes", "ended_by", "confirms")
            fields: dict[str, Any] = {
                name: other for name in names if getattr(one, name) == fact and one.fact_id != other
            }
            if any(doubt.older == fact for doubt in one.doubts):
                fields["doubts"] = tuple(
                    replace(doubt, older=other) if doubt.older == fact else doubt for doubt in one.doubts
                )
            if fields:
                self._put(one.fact_id, **fields)

    # and comes back --------------------------------------------------------------------------------------

    def restore(self, log: Sequence[LoggedFact]) -> None:
        """Brings back what a retraction withdrew; what came since stays."""
        were = {one.before.fact_id: one for one in log if one.before.fact_id in self.rows}
        back = {fact for fact, one in were.items() if one.role == "withdrawn"}
        self._roles = {fact: one.role for fact, one in were.items()}
        puts = {"promoted": self._demote, "confirmation": self._confirm, "withdrawn": self._put_back}
        for role, put in (puts | {"changed": self._end_again}).items():
            for fact, one in were.items():
                if one.role == role and (role != "changed" or one.before.ended_by in back):
                    put(fact, one.before)
        again = {one.before.confirms for one in log if one.role == "confirmation"}
        for confirmed in {*back, *again}:
            self._count(confirmed)
        self._hold_again(again, were)
        for row in list(self.rows.values()):
            after = self._next(row.fact_id)
            if self._stands(row) and row.status == "live" and after:
                self._end(row.fact_id, after)
            elif row.fact_id in back and row.ended_by and not self._stands(self.rows.get(row.ended_by)):
                self._end(row.fact_id, after or self._next(row.ended_by))
        self._bound()

    def _hold_again(self, again: Collection[UUID | None], were: Mapping[UUID, LoggedFact]) -> None:
        """Lets facts hold that are said again, and what took over from them only until then."""
        waited = {fact for fact, one in were.items() if one.role == "changed" and one.before.ended_by in again}
        for fact in waited:
            if self.rows[fact].ended_by in {None, *waited}:  # unless something else has ended it meanwhile
                self._put_back(fact, were[fact].before)
        for said in again:
            if said in self.rows and self.rows[said].ended_by in waited:
                self._end(said, self._next(said))

    def _demote(self, fact: UUID, was: FactRow) -> None:
        """Makes a promoted fact a confirmation again; what it stood for has its place, and what was put between them stays."""
        assert was.confirms is not None
        between = {one.fact_id for one in self._after(was.confirms)}
        following, after = self._follower(self.rows[fact]), self._next(fact)
        if following:
            self._put(following.fact_id, supersedes=self.rows[fact].supersedes)
        for one in [one for one in self.rows.values() if one.ended_by == fact and one.fact_id in between]:
            self._end(one.fact_id, after)
        self._rename(fact, was.confirms)
        self._put(was.confirms, doubts=self.rows[fact].doubts)
        nothing = {**dict.fromkeys(("supersedes", "ended_by", "valid_to", "invalidated_at")), "doubts": ()}
        self._put(
            fact, status="confirmation", confirms=was.confirms, confirmations=0, last_confirmed_at=None, **nothing
        )

    def _confirm(self, fact: UUID, was: FactRow) -> None:
        self._put(fact, status="confirmation", confirms=was.confirms, invalidated_at=None)

    def _put_back(self, fact: UUID, was: FactRow) -> None:
        ended = {"ended_by": was.ended_by, "valid_to": was.valid_to, "invalidated_at": was.invalidated_at}
        self._put(fact, status=was.status, **ended)

    def _end_again(self, fact: UUID, was: FactRow) -> None:
        """Ends a fact as it was ended, unless something else has ended it meanwhile."""
        row, ender = self.rows[fact], was.ended_by
        assert ender is not None
        instead = {None, ender, *(one.fact_id for one in self._after(ender))}
        if row.ended_by in instead or any(one.fact_id == ender for one in self._after(fact)):
            self._put(fact, status=was.status, ended_by=ender, valid_to=was.valid_to, invalidated_at=was.invalidated_at)

    # chains ----------------------------------------------------------------------------------------------

    def _end(self, fact: UUID, ender: UUID | None) -> None:
        """Ends a fact by another one, or lets it live."""
        row = self.rows[fact]
        if ender is None:
            self._put(fact, status="live", ended_by=None, valid_to=None, invalidated_at=None)
        else:
            status = "superseded" if row.status == "live" else row.status
            at = row.valid_to or max(_begin(row), _begin(self.rows[ender]))
            self._put(fact, status=status, ended_by=ender, valid_to=at, invalidated_at=row.invalidated_at or self._now)

    def _bound(self) -> None:
        """Lets every ended fact hold until the first of those begins that stand after it."""
        touched = self.changed()
        for head in [row for row in self.rows.values() if row.status != "confirmation" and not self._follower(row)]:
            line = list(self._line(head))
            if touched.keys().isdisjoint(one.fact_id for one in line):
                continue
            bound, chain = AT_ITS_END, {one.fact_id for one in line}
            for one in filter(self._stands, line):
                ender = self.rows.get(one.ended_by) if one.ended_by else None
                if ender and (ender.fact_id in chain or _begin(ender) >= _begin(one)):
                    bound = min(bound, _begin(ender))
                elif ender and one.valid_to:  # it held until that was said again
                    bound = min(bound, one.valid_to)
                if one.status != "live" and bound < AT_ITS_END:
                    self._put(one.fact_id, valid_to=max(_begin(one), bound))
                bound = min(bound, _begin(one))

    def _line(self, head: FactRow) -> Iterator[FactRow]:
        """A chain back from its last fact, what was withdrawn included."""
        one: FactRow | None = head
        while one is not None:
            yield one
            one = self.rows.get(one.supersedes) if one.supersedes else None

    def _follower(self, row: FactRow) -> FactRow | None:
        if self._following is None:
            self._following = {one.supersedes: fact for fact, one in self.rows.items() if one.supersedes}
        following = self._following.get(row.fact_id)
        return self.rows[following] if following else None

    def _after(self, fact: UUID) -> Iterator[FactRow]:
        """The facts that stand after one in its chain."""
        one = self.rows.get(fact)
        while one is not None and (one := self._follower(one)):
            if self._stands(one):
                yield one

    def _next(self, fact: UUID) -> UUID | None:
        return next((one.fact_id for one in self._after(fact)), None)

    def _stands(self, row: FactRow | None) -> bool:
        return row is not None and row.status not in ("withdrawn", "confirmation")

    def _count(self, fact: UUID | None) -> None:
        """Counts what confirms a fact."""
        if fact is None or fact not in self.rows:
            return
        confirming = [one for one in self.rows.values() if one.confirms == fact]
        times = [one.said_at for one in confirming if one.said_at is not None]
        self._put(fact, confirmations=len(confirming), last_confirmed_at=max(times, default=None))

    def _put(self, fact: UUID, **fields: Any) -> None:
        self.rows[fact] = replace(self.rows[fact], **fields)
        if "supersedes" in fields:
            self._following = None


def _begin(row: FactRow) -> datetime:
    return row.valid_from or BEGINNING


def _said_again(ender: FactRow, row: FactRow) -> bool:
    """Whether a fact was confirmed after another one was said."""
    again = ender.last_confirmed_at
    return again is not None and row.said_at is not None and row.said_at < again


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
        terms = await record_rows.promote_item(connection, schema, copied | times)
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
