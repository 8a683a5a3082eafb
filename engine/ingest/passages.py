"""The chunks of a new version in the tables of its node: what is new, where the rest lies now, and the counts of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.domain.document import Ending, Matched, Renewed
from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.domain.scope import counted_unit
from engine.domain.terms import weights, words
from engine.ingest.commit import item_row
from engine.ingest.derived import item_words
from engine.providers.active import Model
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in

Row = dict[str, Any]


class Passages:
    """Writes within one transaction. `draft`: the whole version; `kept`: what its record says of readers, scope and words."""

    def __init__(self, connection: Connection, draft: RecordDraft, match: Matched, kept: Row) -> None:
        self._connection, self._draft, self._match, self._kept = connection, draft, match, kept
        self._schema = draft.node.schema_name

    async def write(self, fresh: EmbeddedRecord, model: Model, renewed: Renewed) -> None:
        """New chunks with their vectors; those that stayed get their new places."""
        times = {"valid_from": renewed.since}  # the whole version holds since the record does
        rows = [
            item_row(fresh, index, item_words(item), model, renewed.known_at) | times
            for index, item in enumerate(fresh.draft.items)
        ]
        async with self._connection.cursor() as cursor:
            await cursor.executemany(sql_in("item_insert", self._schema, model.version.column), rows)
        if (self._kept["scope"], self._kept["source"]) != ("user", "ingested"):
            origin = {name: self._kept[name] for name in ("scope", "scope_id", "source")}
            items = [row["item_id"] for row in rows]
            await self._connection.execute(sql_in("items_origin_set", self._schema), origin | {"items": items})
        await self._place()

    async def _place(self) -> None:
        pairs = zip(self._draft.items, self._match.places, strict=True)
        stayed = [item for item, place in pairs if place is not None]
        spans = [item.span or (0, 0) for item in stayed]
        parameters = {
            "items": [item.item_id for item in stayed],
            "positions": [item.position for item in stayed],
            "starts": [start for start, _ in spans],
            "ends": [end for _, end in spans],
        }
        await self._connection.execute(sql_in("items_place", self._schema), parameters)

    async def count(self, fresh: Sequence[ItemDraft], ending: Sequence[Ending]) -> None:
        """The node's counts of words: with what came, without what ended."""
        passages: Counter[int] = Counter()
        for item in fresh:
            passages.update([0, *weights(words(item.content), "passage")])
        for ended in ending:
            passages.subtract([0, *ended.terms])
        record = Counter(weights(words(self._draft.text), "record").keys())
        record.subtract(place + 1 for place in self._kept["terms"].indices())
        await self._move("passage", passages)
        await self._move("record", record)

    async def _move(self, unit: str, counts: Counter[int]) -> None:
        private, scoped = self._kept["privacy"] == "private", self._kept["scope"] != "user"
        named = {"unit": counted_unit(unit, private=private, scoped=scoped)}
        for statement, sign in (("term_counts_add", 1), ("term_counts_take", -1)):
            terms = sorted(term for term, count in counts.items() if count * sign > 0)
            if terms:
                amounts = {"terms": terms, "counts": [abs(counts[term]) for term in terms]}
                await self._connection.execute(sql_in(statement, self._schema), named | amounts)
