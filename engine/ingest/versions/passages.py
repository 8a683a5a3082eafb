"""The chunks of a new version in the tables of its node: what is new, where the rest lies now, and the counts of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from engine.commit.rows import items, term_counts
from engine.commit.rows.items import NamedRow
from engine.domain.document import Ending, Matched, Renewed
from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.domain.scope import counted_unit
from engine.domain.terms import stored_words, terms_of, weights
from engine.ingest.item_rows import KeptRecord, item_row, item_words, set_items_origin
from engine.providers.active import Model
from engine.stores.postgres import Connection, Parameters
from engine.stores.statements import sql_in
from engine.turns import computed


class Passages:
    """Writes within one transaction. `draft`: the whole version; `kept`: what its record says of readers, scope and words."""

    def __init__(self, connection: Connection, draft: RecordDraft, match: Matched, kept: KeptRecord) -> None:
        self._connection, self._draft, self._match, self._kept = connection, draft, match, kept
        self._schema = draft.node.schema_name

    async def write(self, fresh: EmbeddedRecord, model: Model, renewed: Renewed) -> None:
        """New chunks with their vectors; those that stayed get their new places."""
        rows = await computed(_item_rows, fresh, model, renewed.known_at)
        rows = [row | {"valid_from": renewed.since} for row in rows]  # the whole version holds since the record does
        await items.insert(self._connection, self._schema, model.version.column, rows)
        await set_items_origin(self._connection, self._schema, self._kept.origin, fresh.draft.items)
        await self._place()

    async def _place(self) -> None:
        pairs = zip(self._draft.items, self._match.places, strict=True)
        stayed = [item for item, place in pairs if place is not None]
        places = [(item.item_id, item.position, *(item.span or (0, 0))) for item in stayed]
        await items.place(self._connection, self._schema, places)
        await items.name(
            self._connection,
            self._schema,
            [NamedRow(item.item_id, item.content, item.entities, item.about) for item in stayed],
        )

    async def count(self, fresh: Sequence[ItemDraft], ending: Sequence[Ending]) -> None:
        """The node's counts of words: with what came, without what ended."""
        private, scoped = self._kept.private, self._kept.scoped
        counts = await computed(item_counts, fresh, ending, private=private, scoped=scoped)
        record = counts.setdefault(counted_unit("record", private=private, scoped=scoped), Counter())
        record.update(await computed(lambda: weights(stored_words(self._draft.text), "record").keys()))
        record.subtract(terms_of(self._kept.terms))
        await term_counts.move(self._connection, self._schema, term_counts.moves(counts))


def _item_rows(fresh: EmbeddedRecord, model: Model, now: datetime) -> list[Parameters]:
    draft = fresh.draft
    return [
        item_row(item, draft.record_id, draft.privacy, item_words(item), now) | model.item_meaning(embedded)
        for item, embedded in zip(draft.items, fresh.item_vectors, strict=True)
    ]


def item_counts(
    fresh: Sequence[ItemDraft], ending: Sequence[Ending], *, private: bool, scoped: bool
) -> dict[str, Counter[int]]:
    """What fresh items of a record add to the counts of words, and ended ones take from them, by unit; inputs that are one fact
    are not counted."""
    counts: dict[str, Counter[int]] = {}
    for item in fresh:
        if not item.whole:
            own = private or (item.derived is not None and item.derived.private)
            unit = counted_unit(item.unit, private=own, scoped=scoped)
            counts.setdefault(unit, Counter()).update([0, *weights(item_words(item), item.unit)])
    for ended in ending:
        if ended.counted:
            counts.setdefault(ended.counted, Counter()).subtract([0, *ended.terms])
    return counts


async def items_counted(connection: Connection, schema: str, record_id: UUID) -> int:
    """How many items a record has brought, those that ended among them: what the graph counts by."""
    [items] = await connection.fetch(sql_in("item/counted", schema), {"record_id": record_id}, row=int)
    return items
