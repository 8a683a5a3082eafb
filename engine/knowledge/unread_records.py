"""Records that were stored before their entities were looked for, whose names older rules found, or of which a text was changed
by hand: they are read again.

`engine.due` names their nodes, the graph says which records of a node those are, so a run that was interrupted is simply started
again. The graph counts the changes by hand, too: a reading says how many it knew, and where there are others by then, the record
stays unread.

What a model found in a record holds on for texts that are as it read them. The graph has it, so no answer of a model needs to
be kept: mentions say by which names and where, evidence in which item. A name is given to the reading where the rules miss it,
or where it has a role; a relation where its item is as it was.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID, uuid4

from engine.commit.rows import records as record_rows
from engine.commit.rows.records import NamedRow
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.entity import MentionRole
from engine.domain.extraction import UNASKED, ModelReading, NamedByModel, StatedByModel
from engine.domain.forms import ItemSpan
from engine.domain.graph import READER, RewordedFact
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.errors import NeurigraphError
from engine.knowledge.entity_finder import EntityFinder, RecordSpoken, Spoken, entered
from engine.knowledge.record_names import WEIGHT
from engine.naming.mentions import ReadFact, SourceText, fact_text, text_of
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in


@dataclass(frozen=True, slots=True)
class FoundMention:
    """An entity that a record mentions or mentioned: by which names (normal forms), and where (`item:start-end`)."""

    names: tuple[str, ...]
    kind: str
    role: MentionRole
    spans: tuple[ItemSpan, ...]


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation that a model stated in an item, with the names that the record uses of both ends."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    type: str
    item_id: UUID
    since: str | None
    until: str | None
    ended: bool


@dataclass(frozen=True, slots=True)
class FoundBefore:
    """What the graph says of a record. `modelled`: whether a model has read it: facts were read out of it, or a model relates its
    names."""

    record_id: UUID
    mentions: tuple[FoundMention, ...]
    relations: tuple[FoundRelation, ...]
    modelled: bool

    def reading(self, texts: Mapping[UUID, str], read: Collection[str]) -> ModelReading:
        """What of it still holds, as a model would say it. `texts`: those that are as they were stored first, by their items;
        `read`: normal forms of the names that the rules find in the record."""
        named = tuple(
            NamedByModel(one.names[0], one.kind, one.names[1:], one.role)
            for one in self.mentions
            if (one.role != "mention" or not set(one.names).issubset(read)) and _stands(one, texts)
        )
        there = {*read, *(name for one in named for name in (one.name, *one.also))}
        return ModelReading(named, tuple(self._stated(texts, there)))

    def _stated(self, texts: Mapping[UUID, str], there: Collection[str]) -> Iterator[StatedByModel]:
        for one in self.relations:
            source, target = (next((name for name in ends if name in there), "") for ends in (one.sources, one.targets))
            if one.item_id in texts and source and target:
                yield StatedByModel(source, one.type, target, one.item_id, one.since, one.until, one.ended)


async def found_before(neo4j: Neo4j, records: Iterable[UUID]) -> dict[UUID, FoundBefore]:
    """What the graph says of these records. Raises StoreUnavailable."""
    asked = {"records": [str(one) for one in records], "weight": WEIGHT}
    statement = cypher("lifecycle/records_reworded")
    found = await neo4j.read(statement, row=FoundBefore, **asked) if asked["records"] else []
    return {one.record_id: one for one in found}


def _stands(mention: FoundMention, texts: Mapping[UUID, str]) -> bool:
    """Whether a name of a mention still stands at one of its places."""
    for span in mention.spans:
        item, _, place = span.partition(":")
        start, _, end = place.partition("-")
        if name_key(texts.get(UUID(item), "")[int(start) : int(end)]) in mention.names:
            return True
    return False


log = logging.getLogger(__name__)
PAGE = 200


@dataclass(frozen=True, slots=True)
class _Unread:
    record_id: UUID
    user_id: UUID
    node_id: UUID
    schema_name: str
    title: str
    revision: int
    at: datetime
    rewordings: int


@dataclass(frozen=True, slots=True)
class _Row:
    record_id: UUID
    item_id: UUID
    row_id: UUID
    kind: str
    content: str
    speaker: str
    occurred_at: datetime | None
    subjects: tuple[str, ...]
    private: bool
    changed: bool

    @property
    def derived(self) -> bool:
        """Whether it has no names of its own: those of its record are looked for in it."""
        return self.kind not in ("turn", "chunk", "fact")

    def text(self, title: str) -> SourceText:
        """As a text in which names are looked for. `title`: of its record."""
        if self.kind == "fact":
            fact = ReadFact(self.subjects, self.private)
            return fact_text(self.item_id, self.content, self.speaker, fact, self.occurred_at)
        return text_of(self.item_id, self.content, self.speaker, "" if self.speaker else title, self.occurred_at)


class UnreadRecords:
    """Finds the entities of records that are stored; for the service, each record in the name of its user."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, units: UnitsOfWork, entities: EntityFinder, clock: Clock
    ) -> None:
        self._postgres, self._neo4j, self._units, self._entities, self._clock = postgres, neo4j, units, entities, clock

    async def of_node(self, user_id: UUID, node_id: UUID, after: UUID) -> list[RecordSpoken]:
        """Reads the next page of a node, in the order of ids; empty where all are read. Raises StoreUnavailable."""
        asked = {"node": str(node_id), "reader": READER, "after": str(after), "limit": PAGE}
        unread = await self._neo4j.read(cypher("lifecycle/records_unread"), row=_Unread, **asked)
        return await self._read(Principal.user(user_id), unread) if unread else []

    async def of_item(self, schema: str, item_id: UUID) -> None:
        """Reads the record of an item whose text was changed a moment ago; where that fails, a run does it later."""
        try:
            async with self._postgres.as_service() as connection:
                found = await connection.fetch(sql_in("item/record", schema), {"item_id": item_id}, row=UUID)
            for record_id in found:
                asked = {"record": str(record_id), "reader": READER}
                unread = await self._neo4j.read(cypher("lifecycle/record_unread"), row=_Unread, **asked)
                for one in unread:
                    await self._read(Principal.user(one.user_id), [one])
        except NeurigraphError as error:
            log.warning("A record that was changed is read again by the job `entities`: %s", error.detail)

    async def _read(self, principal: Principal, records: Sequence[_Unread]) -> list[RecordSpoken]:
        """What these records of a user speak of, committed."""
        rows = await self._rows(principal, records)
        spoken = await self._spoken(principal, records, rows)
        await self._name(rows, spoken, records)
        commit_id, now = uuid4(), self._clock.now()
        read = [
            RecordSpoken(
                record_id=one.record_id,
                user_id=one.user_id,
                node_id=one.node_id,
                commit_id=commit_id,
                revision=one.revision,
                known_from=now,
                at=one.at,
                entities=said.entities,
                relations=said.relations,
                rewordings=one.rewordings,
                facts=[RewordedFact(fact_id=fact, about=keys) for fact, keys in said.about.items()]
                if one.rewordings
                else [],
            )
            for one, said in zip(records, spoken, strict=True)
        ]
        async with self._units.begin(principal) as unit:
            await unit.accept(*entered(read), commit_id=commit_id)
        return read

    async def _spoken(
        self, principal: Principal, records: Sequence[_Unread], rows: Mapping[UUID, Sequence[_Row]]
    ) -> list[Spoken]:
        """By the rules, with what a model had found in texts that nobody changed by hand."""
        texts = [[row.text(one.title) for row in rows[one.record_id] if not row.derived] for one in records]
        spoken = await self._entities.spoken(principal, texts)
        before = await found_before(self._neo4j, [one.record_id for one in records])
        readings = [UNASKED] * len(records)
        for place, (one, said) in enumerate(zip(records, spoken, strict=True)):
            if one.record_id in before and (one.rewordings or before[one.record_id].modelled):
                same = {row.item_id: row.content for row in rows[one.record_id] if not row.changed}
                readings[place] = before[one.record_id].reading(same, said.names.keys)
        if all(one == UNASKED for one in readings):
            return spoken
        return await self._entities.spoken(principal, texts, readings)

    async def _name(
        self, rows: Mapping[UUID, Sequence[_Row]], spoken: Sequence[Spoken], records: Sequence[_Unread]
    ) -> None:
        """The entities in the rows of their items; before the graph's part, which says that a record was read."""
        named: dict[str, list[NamedRow]] = defaultdict(list)
        for record, said in zip(records, spoken, strict=True):
            for row in rows[record.record_id]:
                found = said.names.standing_in(row.content) if row.derived else said.items.get(row.item_id)
                if found is not None:
                    named[record.schema_name].append(NamedRow(row.row_id, row.content, found.entities, found.about))
        for schema, own in named.items():
            async with self._postgres.as_service() as connection:
                await record_rows.name_items(connection, schema, own)

    async def _rows(self, principal: Principal, records: Sequence[_Unread]) -> Mapping[UUID, list[_Row]]:
        rows: dict[UUID, list[_Row]] = defaultdict(list)
        by_schema = groupby(sorted(records, key=lambda one: one.schema_name), lambda one: one.schema_name)
        for schema, own in by_schema:
            asked = {"records": [one.record_id for one in own], "now": self._clock.now()}
            for row in await self._postgres.fetch(principal, sql_in("item/texts", schema), asked, row=_Row):
                rows[row.record_id].append(row)
        return rows
