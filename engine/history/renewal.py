"""The renewal of a record: a document's new version, or a rereading of a stored record. Its earlier slices are known until
now, its new ones from now on.

Fields that were changed by hand from a time on keep these values from then on, as with every late correction. Items that it
no longer has end to be known, each with a delta that takes effect from the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.commit.rows import deltas
from engine.commit.rows import items as item_rows
from engine.domain.delta import (
    BEGINNING,
    ENDED,
    STATELESS,
    THERE,
    Delta,
    FieldChange,
    Plan,
    fields_at,
    next_known,
    renewed,
    timeline,
)
from engine.domain.document import Ending, RecordRenewal, Renewed
from engine.domain.embedding import Embedded
from engine.domain.principal import Principal
from engine.domain.rereading import HeldFields
from engine.domain.scope import Privacy, ScopeKind, counted_unit
from engine.domain.terms import Unit, terms_of
from engine.history.chain import load
from engine.history.contents import ContentHistory, Place, Stored, recorded
from engine.providers.active import Model
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in

ENDS = {ENDED: FieldChange(False, True)}


@dataclass(frozen=True, slots=True)
class _EndingItem:
    item_id: UUID
    revision: int
    known_from: datetime
    terms: Any
    unit: Unit
    privacy: Privacy
    scope: ScopeKind
    whole: bool

    @property
    def ending(self) -> Ending:
        """The item with the words that it is counted with."""
        private, scoped = self.privacy == "private", self.scope != "user"
        counted = "" if self.whole else counted_unit(self.unit, private=private, scoped=scoped)
        return Ending(self.item_id, self.revision, self.known_from, terms_of(self.terms), counted)


class Renewals(ContentHistory):
    """Renews records inside the caller's transaction, which stores the new version or the rereading."""

    async def held(
        self, connection: Connection, principal: Principal, model: Model, node_id: UUID, schema: str, record_id: UUID
    ) -> HeldFields:
        """The record's fields as the source, or a model, set them last, and those corrected by hand. Raises NotFound."""
        subject = (await self._read(connection, Place(principal, node_id, schema, "record", model), record_id)).subject
        own = [delta for delta in subject.deltas if delta.operation == "renewed"]
        by_hand = (
            delta for delta in subject.deltas if delta.operation not in STATELESS and delta.operation != "renewed"
        )
        corrected = frozenset(name for delta in by_hand if delta.effective_at is None for name in delta.fields)
        fields = fields_at(subject.base, own, BEGINNING, max((delta.known_at for delta in own), default=BEGINNING))
        return HeldFields(subject.revision, fields, corrected)

    async def ending(self, connection: Connection, schema: str, items: Sequence[UUID]) -> list[Ending]:
        """The chunks that are to end, locked until the end of the transaction."""
        found = await connection.fetch(sql_in("item/ending", schema), {"items": list(items)}, row=_EndingItem)
        return [item.ending for item in found]

    async def derived(self, connection: Connection, schema: str, record_id: UUID) -> tuple[list[Ending], list[Ending]]:
        """Items derived from the record, locked: those with words, and those that hold a whole input."""
        derived = sql_in("item/derived_ending", schema)
        found = await connection.fetch(derived, {"record_id": record_id}, row=_EndingItem)
        return [item.ending for item in found if not item.whole], [item.ending for item in found if item.whole]

    async def renew(
        self, connection: Connection, principal: Principal, model: Model, renewal: RecordRenewal
    ) -> Renewed | None:
        """Writes slices and delta of the record; returns the graph's part. Waits for the lock on the record.

        None, with nothing written, where the record was ended by hand. Raises NotFound.
        """
        place = Place(principal, renewal.node_id, renewal.schema, "record", model)
        stored = await self._read(connection, place, renewal.record_id)
        delta = self._delta(stored, renewal, principal)
        subject = stored.subject
        wanted = timeline(subject.base, subject.since, [*subject.deltas, delta])
        if not wanted:
            return None
        plan = renewed(stored.own, stored.others, wanted, delta.delta_id, delta.known_at)
        embedded = None if renewal.vector is None else Embedded(renewal.vector)
        await self._write(connection, place, stored, delta, plan, embedded)
        since = None if subject.since == BEGINNING else subject.since
        return Renewed(delta.known_at, since, _rows(plan, renewal.record_id), recorded(place, delta, plan))

    def _delta(self, stored: Stored, renewal: RecordRenewal, principal: Principal) -> Delta:
        subject = stored.subject
        bounds = [subject.known_from, stored.own.known_from, *(delta.known_at for delta in subject.deltas)]
        known = next_known(renewal.at or self._clock.now(), [*bounds, *renewal.known])
        before = {**THERE, **fields_at(subject.base, subject.deltas, BEGINNING, known)}
        fields = {
            name: FieldChange(before.get(name), value)
            for name, value in renewal.fields.items()
            if before.get(name) != value
        }
        return Delta(
            uuid4(), "record", renewal.record_id, subject.revision + 1, "renewed", fields, None, known, principal.name,
            renewal.reason,
        )  # fmt: skip

    async def supersede(
        self, connection: Connection, principal: Principal, renewal: RecordRenewal, items: Sequence[Ending], known: datetime
    ) -> None:  # fmt: skip
        """Ends items that the record no longer has; reads of the past still find them."""
        ended: list[deltas.Chained] = []
        for item in items:
            chain = await load(connection, renewal.node_id, item.item_id) if item.revision > 1 else []
            number = item.revision + 1
            delta = Delta(
                uuid4(), "item", item.item_id, number, "ended", ENDS, None, known, principal.name, renewal.reason
            )
            ended.append((delta, chain[-1].delta_id if chain else None))
        await item_rows.end(connection, renewal.schema, [item.item_id for item in items], known)
        await deltas.append(connection, renewal.schema, ended)


def _rows(plan: Plan, own: UUID) -> tuple[UUID, ...]:
    """The rows that are known from now on."""
    return (own, *(added.row_id for added in plan.added if added.known_to is None))
