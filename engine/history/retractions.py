"""Retractions: a source is withdrawn with all that it alone supports, shown before, and undone by the way back.

    subject → its records → a retraction with a step for each → step by step: one transaction, then the graph's part

A step is whole or not done; a retraction that was interrupted goes on with the next call for the same subject, its undoing with
the next call to undo it. For the user of the graph alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from engine.commit.rows import due
from engine.commit.rows import retractions as rows
from engine.commit.rows.retractions import RetractionStep, WithdrawnSource
from engine.commit.unit_of_work import UnitOfWork, UnitsOfWork
from engine.domain.clock import NOW, Clock
from engine.domain.fact import FactRow
from engine.domain.history import source_key
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.domain.retraction import (
    AffectedFact,
    AffectedRelation,
    FactEffect,
    Retraction,
    RetractionPreview,
    RetractionSubject,
    SourceRecord,
)
from engine.entities.reads import EntityReads
from engine.errors import EmbeddingsChanged, Forgotten, InvalidInput, NotFound
from engine.facts.retraction import Affected, FactAround, RetractedFacts, RetractedRecords, facts_around, holding
from engine.providers.active import ActiveModel, Model
from engine.records.slices import SlicePlace
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import cypher, sql_in, sql_text

FORGOTTEN_SINCE = "What this retraction withdrew was forgotten since: it does not come back."
NOT_AN_ID = "A record, a document and a fact are named by their ids; a source by the id that was given for it."


@dataclass(frozen=True, slots=True)
class _Place:
    record_id: UUID
    node_id: UUID
    title: str
    source_id: str


@dataclass(frozen=True, slots=True)
class _Stated:
    mentions: int
    unmentioned: int
    ending: int
    weaker: int
    relations: tuple[AffectedRelation, ...]


@dataclass(frozen=True, slots=True)
class _Caption:
    item_id: UUID
    content: str
    holds: bool


class SourceRetractions:
    """Withdraws sources, and brings them back."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        postgres: Postgres,
        units: UnitsOfWork,
        reads: EntityReads,
        records: RetractedRecords,
        facts: RetractedFacts,
        active: ActiveModel,
        clock: Clock,
    ) -> None:
        self._postgres, self._units, self._reads = postgres, units, reads
        self._records, self._facts, self._active, self._clock = records, facts, active, clock

    async def page(self, principal: Principal, *, before: int | None, limit: int) -> tuple[Retraction, ...]:
        """Retractions, newest first, one page. Raises InvalidInput."""
        check_page(limit)
        return tuple(await self._found(principal, None, before, limit))

    async def retract(self, principal: Principal, subject: RetractionSubject, reason: str) -> Retraction:
        """Withdraws a source; goes on with a retraction that was interrupted.

        Raises NotFound, Conflict where another retraction has withdrawn it, InvalidInput, StoreUnavailable.
        """
        sources = await self._sources(principal, subject)
        async with self._units.begin(principal) as unit:
            begun = await rows.begin(unit.connection, principal, subject, reason, sources, self._clock.now())
        return await self._carried_out(principal, begun)

    async def withdraw_records(self, principal: Principal, records: Sequence[WithdrawnSource]) -> Retraction:
        """Withdraws records together, as one retraction that is called by the first of them; some hundred at most. Raises as
        `retract`."""
        subject = RetractionSubject("record", str(records[0].record_id))
        async with self._units.begin(principal) as unit:
            begun = await rows.begin(unit.connection, principal, subject, "", records, self._clock.now())
        return await self._carried_out(principal, begun)

    async def undo(self, principal: Principal, retraction_id: UUID) -> Retraction:
        """Brings back what was withdrawn; goes on with an undoing that was interrupted. Repeating it changes nothing.

        What was forgotten since does not come back. Raises NotFound, Conflict where a later retraction changed the same facts,
        Forgotten where all was forgotten, StoreUnavailable.
        """
        try:
            async with self._units.begin(principal) as unit:
                await rows.begin_undo(unit.connection, retraction_id, self._clock.now())
        except Forgotten as error:
            raise Forgotten(FORGOTTEN_SINCE) from error
        return await self._carried_out(principal, retraction_id)

    async def preview(self, principal: Principal, subject: RetractionSubject, *, limit: int) -> RetractionPreview:
        """What a retraction would do; nothing is written. Raises NotFound, InvalidInput."""
        check_page(limit)
        sources = await self._sources(principal, subject)
        ids = {one.record_id for one in sources if one.fact_id is None}
        facts = [one.fact_id for one in sources if one.fact_id is not None]
        async with self._postgres.as_principal(principal) as connection:
            around = await facts_around(connection, sorted(ids), facts, hold=False)
            affected = Affected([one.row for one in around], self._clock.now())
            gone = {one.row.fact_id for one in around if one.row.record_id in ids} | set(facts)
            affected.withdraw(gone, await holding(connection, around, ids))
        effects = list(_effects(affected))
        stated = only(await self._stated(principal, sorted(ids), limit))
        known = await self._places(principal, [one.record_id for one in sources])
        return RetractionPreview(
            subject=subject,
            records=tuple(SourceRecord(one.record_id, one.node_id, one.title) for one in known[:limit] if ids),
            records_ending=len(ids),
            facts=await self._worded(principal, around, effects[:limit]),
            facts_ending=sum(effect == "ends" for _, effect in effects),
            facts_reviving=sum(effect == "revives" for _, effect in effects),
            facts_staying=sum(effect == "stays" for _, effect in effects),
            relations=stated.relations,
            relations_ending=stated.ending,
            relations_weakened=stated.weaker,
            mentions_ending=stated.mentions,
            entities_unmentioned=stated.unmentioned,
        )

    # what is withdrawn -----------------------------------------------------------------------------------

    async def _sources(self, principal: Principal, subject: RetractionSubject) -> list[WithdrawnSource]:
        """The records of a subject, or the fact. Raises NotFound, InvalidInput."""
        if subject.kind == "source":  # a conversation or a document
            keys = [f"{kind}:{subject.id}"[:500] for kind in ("text", "file", "fact")]
            return await self._of_source(principal, [subject.id, source_key(subject.id), *keys])
        try:
            named = UUID(subject.id)
        except ValueError:
            raise InvalidInput(NOT_AN_ID) from None
        if subject.kind == "fact":
            async with self._postgres.as_principal(principal) as connection:
                around = await facts_around(connection, [], [named], hold=False)
            fact = next((one.row for one in around if one.row.fact_id == named), None)
            if fact is None:
                raise NotFound
            # what confirms it goes first: else it would take the place of the fact
            said = [*(one.row for one in around if one.row.confirms == named), fact]
            places = await self._places(principal, [one.record_id for one in said])
            alone = {one.record_id for one in places if one.source_id.startswith("fact:")}
            # a record that states this fact alone goes with it: its title and its file are the fact's words
            return [
                WithdrawnSource(one.node_id, one.record_id, None if one.record_id in alone else one.fact_id)
                for one in said
            ]
        place = only(await self._places(principal, [named]))
        if subject.kind == "document":
            return await self._of_source(principal, [place.source_id])
        return [WithdrawnSource(place.node_id, place.record_id)]

    async def _of_source(self, principal: Principal, sources: list[str]) -> list[WithdrawnSource]:
        found = await self._reads.read(principal, NOW, cypher("record/of_source"), _Place, sources=sources)
        if len(named := sorted({one.source_id for one in found})) > 1:
            raise InvalidInput(f"Several sources have this id, say which: {', '.join(named)}.")
        only(named)
        return [WithdrawnSource(one.node_id, one.record_id) for one in found]

    async def _places(self, principal: Principal, records: Sequence[UUID]) -> list[_Place]:
        asked = {"records": [str(one) for one in records]}
        return await self._reads.read(principal, NOW, cypher("record/places"), _Place, **asked)

    async def _stated(self, principal: Principal, records: Sequence[UUID], limit: int) -> list[_Stated]:
        asked = {"records": [str(one) for one in records], "most": limit}
        return await self._reads.read(principal, NOW, cypher("entity/stated_by"), _Stated, **asked)

    async def _worded(
        self, principal: Principal, around: Sequence[FactAround], effects: Sequence[tuple[FactRow, FactEffect]]
    ) -> tuple[AffectedFact, ...]:
        schemas = {one.row.fact_id: one.schema_name for one in around}
        texts: dict[UUID, str] = {}
        reviving = {row.fact_id for row, effect in effects if effect == "revives"}
        by_schema = sorted((schemas[row.fact_id], row.fact_id) for row, _ in effects)
        for schema, own in groupby(by_schema, lambda one: one[0]):
            asked = {"items": [fact for _, fact in own]}
            found = await self._postgres.fetch(principal, sql_in("item/captions", schema), asked, row=_Caption)
            texts |= {one.item_id: one.content for one in found if one.holds or one.item_id in reviving}
        return tuple(
            AffectedFact(row.fact_id, row.node_id, texts.get(row.fact_id, ""), effect) for row, effect in effects
        )

    # step by step ----------------------------------------------------------------------------------------

    async def _carried_out(self, principal: Principal, retraction_id: UUID) -> Retraction:
        while True:
            try:
                more = await self._step(principal, retraction_id, self._active.current)
            except EmbeddingsChanged:
                more = await self._step(principal, retraction_id, await self._active.follow())
            if not more:
                return only(await self._found(principal, retraction_id, None, 1))

    async def _step(self, principal: Principal, retraction_id: UUID, model: Model) -> bool:
        """One step in a transaction of its own; whether there was one."""
        async with self._units.begin(principal) as unit:
            step = await rows.next_step(unit.connection, retraction_id)
            if step is None:
                return False
            await self._carry_out(unit, model, retraction_id, step)
        return True

    async def _carry_out(self, unit: UnitOfWork, model: Model, retraction_id: UUID, step: RetractionStep) -> None:
        """Facts first: their subjects are locked before any record or item."""
        connection, now = unit.connection, self._clock.now()
        records = [] if step.fact_id else [step.record_id]
        named = [one.before.fact_id for one in step.logged] if step.undone else [step.fact_id] if step.fact_id else []
        around = await facts_around(connection, [] if step.undone else records, named, hold=True)
        await unit.require(embeddings=model.name, whole_past=True)
        affected = Affected([one.row for one in around], now)
        if step.undone:
            affected.restore(step.logged)
        else:
            gone = {one.row.fact_id for one in around if one.row.record_id in records} | set(named)
            affected.withdraw(gone, await holding(connection, around, set(records)))
        schemas = {one.row.fact_id: one.schema_name for one in around}
        await self._facts.write(unit, model, affected, schemas, step, now)
        if records:
            place = SlicePlace(unit.principal, step.node_id, step.schema_name, "record", model)
            changes = await self._records.record(connection, place, step)
            if changes:
                await unit.accept(*changes)
        await due.note(connection, "chains", {step.node_id, *(one.row.node_id for one in around)})
        await rows.end_step(connection, retraction_id, step, affected.logged(), now)

    async def _found(self, principal: Principal, one: UUID | None, before: int | None, limit: int) -> list[Retraction]:
        asked = {"retraction_id": one, "before": before, "limit": limit}
        return await self._postgres.fetch(principal, sql_text("retraction/page"), asked, row=Retraction)


def _effects(affected: Affected) -> list[tuple[FactRow, FactEffect]]:
    """What becomes of facts: those that end, hold again, or stay because another record says the same; the last by their ids."""
    found: list[tuple[FactRow, FactEffect]] = []
    for fact, row in sorted(affected.changed().items()):
        role, was = affected.role(fact), affected.before(fact)
        if role == "withdrawn" and was.status == "live":
            found.append((was, "stays" if fact in affected.promoted else "ends"))
        elif role == "changed" and row.status == "live" and was.status != "live":
            found.append((was, "revives"))
    return found
