"""Entities of records that were stored without them, that older rules read, or of which a text was changed by hand; and entities
in the rows of items that were stored before these named any, filled from the graph.

    records of a node → what the graph says of these → rows that name nothing yet

A mention says by which names and where in which item; a fact what it is about. A row gets those whose names still stand at
their places, so what was changed by hand meanwhile names nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.commit.rows import due
from engine.commit.rows import records as record_rows
from engine.commit.rows.due import DueNode
from engine.commit.rows.records import NamedRow
from engine.derive.derivations import Made
from engine.domain.forms import ItemSpan
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.knowledge.entity_finder import EntityFinder
from engine.knowledge.item_entities import RecordNames, Titles, names_of_titles, numbered
from engine.knowledge.unread_records import UnreadRecords
from engine.naming.words import relations_with_my
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in
from engine.turns import computed

RECORDS = 50


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of an item, its slices too. `item_id`: of the item; `title`: of its document, empty for a turn."""

    row_id: UUID
    item_id: UUID
    record_id: UUID
    kind: str
    whole: bool
    content: str
    title: str


@dataclass(frozen=True, slots=True)
class _Mentioned:
    """An entity that a record mentions, or that a fact of it is about (`fact_id`, `primary`)."""

    record_id: UUID
    key: str
    names: tuple[str, ...]
    spans: tuple[ItemSpan, ...]
    fact_id: UUID | None
    primary: bool


class Names:
    """Fills the rows of a node, a page of records after the other."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, entities: EntityFinder) -> None:
        self._postgres, self._neo4j, self._entities = postgres, neo4j, entities

    async def page(self, node: DueNode) -> Made:
        page = {"after": node.after, "most": RECORDS}
        rows = await self._postgres.fetch_as_service(sql_in("item/older", node.schema_name), page, row=_Row)
        if not rows:
            return Made({})
        named = await self._named(Principal.user(node.user_id), rows)
        async with self._postgres.as_service() as connection:
            await record_rows.name_items(connection, node.schema_name, named, bare=True)
            await due.advance(connection, node, rows[-1].record_id)
        return Made({"items": len(named)}, rows[-1].record_id)

    async def _named(self, principal: Principal, rows: Sequence[_Row]) -> list[NamedRow]:
        records = [str(record) for record in {row.record_id for row in rows}]
        told: dict[UUID, list[_Mentioned]] = defaultdict(list)
        for one in await self._neo4j.read(cypher("lifecycle/items_named"), row=_Mentioned, records=records):
            told[one.record_id].append(one)
        names = await computed(names_of_titles, {row.title for row in rows})
        asked = {name for one in names.values() for name in one}
        known = await self._entities.known(principal, asked) if asked else ()
        return await computed(lambda: list(_rows(rows, told, Titles(names, [], known))))


def _rows(rows: Sequence[_Row], told: Mapping[UUID, Sequence[_Mentioned]], titles: Titles) -> Iterator[NamedRow]:
    """What each row names."""
    for record_id, own in _by_record(rows).items():
        names = RecordNames({name: one.key for one in told[record_id] if not one.fact_id for name in one.names})
        placed = _placed(told[record_id])
        about = {(one.fact_id, one.key) for one in told[record_id] if one.primary}
        for row in own:
            if row.whole:
                continue
            keys = _keys(row, placed, names)
            title = titles.named(row.title, names.keys) if row.title and row.kind == "chunk" else []
            subject = [key for key in keys if (row.item_id, key) in about]
            found = numbered(keys, [*title, *subject])
            if found.entities:
                yield NamedRow(row.row_id, row.content, found.entities, found.about)


def _by_record(rows: Sequence[_Row]) -> dict[UUID, list[_Row]]:
    found: dict[UUID, list[_Row]] = defaultdict(list)
    for row in rows:
        found[row.record_id].append(row)
    return found


def _placed(told: Sequence[_Mentioned]) -> dict[UUID, list[tuple[int, int, _Mentioned]]]:
    """Where each item names which of them; facts name theirs anywhere."""
    places: dict[UUID, list[tuple[int, int, _Mentioned]]] = defaultdict(list)
    for one in told:
        if one.fact_id is not None:
            places[one.fact_id].append((0, 0, one))
        for span in one.spans:
            item, _, place = span.partition(":")
            start, _, end = place.partition("-")
            places[UUID(item)].append((int(start), int(end), one))
    return places


def _keys(row: _Row, placed: Mapping[UUID, Sequence[tuple[int, int, _Mentioned]]], names: RecordNames) -> list[str]:
    """Keys of the entities that a row names, as often as it does."""
    if row.kind in ("observation", "summary"):
        return names.keys_in(row.content)
    kin = {(start, end) for start, end, _ in relations_with_my(row.content)}
    return [
        one.key
        for start, end, one in placed.get(row.item_id, ())
        if one.fact_id is not None or (start, end) in kin or name_key(row.content[start:end]) in one.names
    ]


class Entities:
    """Reads the records of a node that the graph says are unread."""

    def __init__(self, postgres: Postgres, unread: UnreadRecords) -> None:
        self._postgres, self._unread = postgres, unread

    async def page(self, node: DueNode) -> Made:
        # A change is noted before the graph has it. Asked first: what does not wait any more is seen there.
        waits = await due.commits_wait(self._postgres, node.user_id)
        read = await self._unread.of_node(node.user_id, node.node_id, node.after)
        if not read:
            return Made({}, waits=waits)
        async with self._postgres.as_service() as connection:
            await due.advance(connection, node, read[-1].record_id)
        return Made({"records": len(read), "mentions": sum(len(one.entities) for one in read)}, read[-1].record_id)
