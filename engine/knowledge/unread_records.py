"""Records that were stored before their entities were looked for, or whose names older rules found: they are read again.

The graph says which records those are, so a run that was interrupted is simply started again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID, uuid4

from engine.commit.rows.items import NamedRow
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.graph import READER
from engine.domain.principal import Principal
from engine.knowledge.entities import Entities, Spoken
from engine.knowledge.item_entities import rows_named
from engine.knowledge.mentions import ReadFact, Text, fact_text, text_of
from engine.knowledge.older_items import name_items
from engine.knowledge.stating import RecordSpoken, entered
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in

PAGE = 200


@dataclass(frozen=True, slots=True)
class ReadReport:
    """The result of a run: how many records were read, and how many mentions they have."""

    records: int
    mentions: int


@dataclass(frozen=True, slots=True)
class _Unread:
    record_id: UUID
    user_id: UUID
    node_id: UUID
    schema_name: str
    title: str
    revision: int
    at: datetime


@dataclass(frozen=True, slots=True)
class _Text:
    record_id: UUID
    item_id: UUID
    content: str
    speaker: str
    occurred_at: datetime | None
    subjects: tuple[str, ...] | None
    private: bool


class UnreadRecords:
    """Finds the entities of records that are stored; for the service, each record in the name of its user."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, units: UnitsOfWork, entities: Entities, clock: Clock) -> None:
        self._postgres, self._neo4j, self._units, self._entities, self._clock = postgres, neo4j, units, entities, clock

    async def run(self) -> ReadReport:
        """Reads all of them, page by page. Raises StoreUnavailable; what was read stays."""
        records = mentions = 0
        async for page in self._pages():
            for user_id, own in groupby(
                sorted(page, key=lambda one: (one.user_id, one.record_id)), lambda one: one.user_id
            ):
                read = await self._read(Principal.user(user_id), list(own))
                records += len(read)
                mentions += sum(len(one.entities) for one in read)
        return ReadReport(records, mentions)

    async def _pages(self) -> AsyncIterator[list[_Unread]]:
        statement, after = cypher("lifecycle/records_unread"), ""
        while page := await self._neo4j.read(statement, row=_Unread, reader=READER, after=after, limit=PAGE):
            yield page
            after = str(page[-1].record_id)

    async def _read(self, principal: Principal, records: Sequence[_Unread]) -> list[RecordSpoken]:
        """What these records of a user speak of, committed."""
        texts = await self._texts(principal, records)
        spoken = await self._entities.spoken(principal, [texts[one.record_id] for one in records])
        await self._name(texts, spoken, records)
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
            )
            for one, said in zip(records, spoken, strict=True)
        ]
        async with self._units.begin(principal) as unit:
            await unit.accept(*entered(read), commit_id=commit_id)
        return read

    async def _name(
        self, texts: Mapping[UUID, Sequence[Text]], spoken: Sequence[Spoken], records: Sequence[_Unread]
    ) -> None:
        """The entities in the rows of their items; before the graph's part, which says that a record was read."""
        rows: dict[str, list[NamedRow]] = defaultdict(list)
        for record, said in zip(records, spoken, strict=True):
            rows[record.schema_name] += rows_named(texts[record.record_id], said.items)
        for schema, named in rows.items():
            await name_items(self._postgres, schema, named)

    async def _texts(self, principal: Principal, records: Sequence[_Unread]) -> Mapping[UUID, list[Text]]:
        titles = {one.record_id: one.title for one in records}
        texts: dict[UUID, list[Text]] = defaultdict(list)
        by_schema = groupby(sorted(records, key=lambda one: one.schema_name), lambda one: one.schema_name)
        for schema, own in by_schema:
            parameters = {"records": [one.record_id for one in own]}
            for one in await self._postgres.fetch(principal, sql_in("item/texts", schema), parameters, row=_Text):
                if one.subjects is not None:
                    fact = ReadFact(one.subjects, one.private)
                    texts[one.record_id].append(fact_text(one.item_id, one.content, one.speaker, fact, one.occurred_at))
                    continue
                title = "" if one.speaker else titles[one.record_id]
                texts[one.record_id].append(text_of(one.item_id, one.content, one.speaker, title, one.occurred_at))
        return texts
