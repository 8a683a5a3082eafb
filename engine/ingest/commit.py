"""The commit of records over the three stores: files, then Postgres, then the graph; then they are visible.

1. Files are compressed one by one and put under new keys: an orphan is harmless and swept later.
2. One Postgres transaction, one round trip: outbox row, records, items, counts, manifest, deltas, source. This
   is the point of commit; no reader sees the records yet.
3. The outbox applies the commit in the graph and makes the records visible; after a crash, recovery does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from uuid import UUID, uuid4

from engine.commit.changes import GraphChange, RecordsEntered
from engine.commit.outbox import StepHook
from engine.commit.rows import sources as source_rows
from engine.domain.clock import Clock
from engine.domain.document import NewVersion
from engine.domain.graph import ManifestLine
from engine.domain.principal import Principal
from engine.domain.record import EmbeddedRecord, SourceAdvance
from engine.domain.report import StoredRecord
from engine.facts.new_facts import Decided, FactEntry, confirmed, in_graph, new_facts
from engine.ingest.assignment.placing import keep_decisions
from engine.knowledge.entity_finder import entered, spoken_of
from engine.providers.active import Model
from engine.records.files import RecordFiles, StoredFile
from engine.records.rows import Row
from engine.records.writer import NewRecords, RecordWriter, new_records
from engine.stores.postgres import Connection, Postgres
from engine.turns import computed

Note = Callable[[Connection, UUID], Awaitable[None]]
"""Further writes in the transaction of the commit with that id."""


class RecordCommit:
    """Commits batches of embedded records; a batch is one commit, each record in it is whole or not there."""

    def __init__(
        self,
        postgres: Postgres,
        files: RecordFiles,
        writer: RecordWriter,
        facts: FactEntry,
        clock: Clock,
        reached: StepHook,
    ) -> None:
        self.postgres, self.files, self.writer, self.facts = postgres, files, writer, facts
        self.units, self.clock, self.reached = files.units, clock, reached

    async def commit(
        self,
        principal: Principal,
        records: Sequence[EmbeddedRecord],
        sources: Sequence[SourceAdvance],
        model: Model,
        note: Note,
        versions: Sequence[NewVersion] = (),
    ) -> list[StoredRecord]:
        """Stores the records and moves the sources forward, all or nothing; `model` made their vectors, `note` adds its part,
        `versions` are the first ones of the documents among them.

        Raises Conflict when a source was moved by another request, EmbeddingsChanged, StoreUnavailable, StoreFull, NotFound.
        """
        ordered = sorted(records, key=lambda record: record.draft.node.schema_name)
        owners = {record.draft.file.file_id: record.draft for record in reversed(ordered)}  # records may share a file
        # gather, not a TaskGroup: the first error is raised as it is, and the other puts are harmless orphans
        stored = dict(zip(owners, await asyncio.gather(*map(self.files.put, owners.values())), strict=True))
        self.reached("objects_written")
        commit_id = uuid4()
        new = await self._prepared(ordered, stored, commit_id, model)
        async with self.files.unit(principal, stored.values()) as unit:
            await unit.require(embeddings=model.name)
            facts = await self.facts.decided(unit, new_facts(principal, ordered, new.now), model, new.now)
            if facts and facts.changes.confirming:
                kept = [confirmed(record, facts.changes) for record in ordered]
                new = await self._prepared(kept, stored, commit_id, model)
            await unit.accept(*_changes(principal, new, facts), commit_id=commit_id)
            await self.writer.enter(unit, new, model, versions, facts.changes.starts if facts else {})
            await keep_decisions(unit.connection, principal, new.now, [record.draft for record in ordered])
            if facts:
                await self.facts.write(unit, facts, model, in_graph=True)
            await source_rows.advance(unit.connection, sources, commit_id)
            await note(unit.connection, commit_id)
        by_id = {record.draft.record_id: record for record in new.records}
        return [_stored(by_id[record.draft.record_id]) for record in records]

    async def _prepared(
        self, records: Sequence[EmbeddedRecord], files: Mapping[UUID, StoredFile], commit_id: UUID, model: Model
    ) -> NewRecords:
        return await computed(new_records, records, files, commit_id, model, self.clock)


def _changes(principal: Principal, new: NewRecords, facts: Decided | None) -> tuple[GraphChange, ...]:
    """The graph's part: records, what they speak of, and what their facts do."""
    pairs = zip(new.records, new.rows, strict=True)
    lines = [_manifest_line(principal.user_id, record, row) for record, row in pairs]
    by_place = sorted(
        new.records, key=lambda record: record.draft.node.place
    )  # not by ids: of two the first has the name
    spoken = [
        spoken_of(record.draft, user_id=principal.user_id, commit_id=new.commit_id, revision=1, known_from=new.now)
        for record in by_place
    ]
    return RecordsEntered(lines), *entered(spoken), in_graph(lines, new.records, facts)


def _manifest_line(user_id: UUID, record: EmbeddedRecord, row: Row) -> ManifestLine:
    """The manifest line of a record, as the graph stores it."""
    draft = record.draft
    return ManifestLine(
        record_id=draft.record_id,
        user_id=user_id,
        node_id=draft.node.node_id,
        commit_id=row["commit_id"],
        title=draft.title,
        content_type=draft.content_type,
        source_id=draft.source_id,
        file_id=draft.file.file_id,
        file_name=draft.file.name,
        occurred_at=draft.occurred_at,
        items=draft.counted,
        privacy=draft.privacy,
        known_from=row["now"],
        valid_from=row["valid_from"],
    )


def _stored(record: EmbeddedRecord) -> StoredRecord:
    draft = record.draft
    return StoredRecord(
        draft.record_id,
        draft.node.node_id,
        draft.node.path,
        draft.title,
        draft.file.file_id,
        draft.counted,
        record.pending,
        draft.decision.confidence,
        draft.decision.created_node,
        bool(draft.unread),
    )
