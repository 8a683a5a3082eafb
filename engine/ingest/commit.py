"""The commit of records over the three stores: files, then Postgres, then the graph; then they are visible.

1. Files are compressed one by one and put under new keys: an orphan is harmless and swept later.
2. One Postgres transaction, one round trip: outbox row, records, items, counts, manifest, deltas, source. This
   is the point of commit; no reader sees the records yet.
3. The outbox applies the commit in the graph and makes the records visible; after a crash, recovery does.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from os import SEEK_END
from typing import Any, cast
from uuid import UUID, uuid4

from engine.commit.changes import GraphChange, RecordsEntered
from engine.commit.outbox import StepHook
from engine.commit.rows import deltas, items, manifests, pending_vectors, term_counts
from engine.commit.rows import records as record_rows
from engine.commit.rows import sources as source_rows
from engine.commit.unit_of_work import UnitsOfWork, attempts
from engine.domain.clock import Clock
from engine.domain.delta import Delta, FieldChange
from engine.domain.document import NewVersion
from engine.domain.graph import ManifestLine
from engine.domain.names import shown_name
from engine.domain.principal import Principal
from engine.domain.record import EmbeddedRecord, RecordDraft, SourceAdvance, StoredRecord
from engine.domain.terms import sparse_of, stored_words, weights
from engine.ingest.assignment.decisions import keep_decisions
from engine.ingest.entered import enter_first, note_received, note_unread
from engine.ingest.facts import Decided, FactEntry, begun, confirmed, in_graph, new_facts
from engine.ingest.item_rows import in_turn, item_row, item_words, set_origin, special, times
from engine.ingest.packing import is_native, object_key, pack
from engine.knowledge.stating import RecordSpoken, entered, spoken_of
from engine.providers.active import Model
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Connection, Postgres
from engine.turns import computed

PARALLEL_FILES = 8
IN_MEMORY = 1 << 20
"""Packed files up to this size wait in memory for the object store, larger ones in a temporary file."""

Row = dict[str, Any]
Note = Callable[[Connection, UUID], Awaitable[None]]
"""Further writes in the transaction of the commit with that id."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in the object store, as the manifest describes it."""

    key: str
    compression_format: str
    size_bytes: int
    stored_bytes: int
    sha256: bytes


class RecordCommit:
    """Commits batches of embedded records; a batch is one commit, each record in it is whole or not there."""

    def __init__(
        self,
        postgres: Postgres,
        objects: ObjectStore,
        units: UnitsOfWork,
        facts: FactEntry,
        clock: Clock,
        reached: StepHook,
    ) -> None:
        self.postgres, self._objects, self.units, self.facts = postgres, objects, units, facts
        self.clock, self.reached = clock, reached
        self._files_at_once = asyncio.Semaphore(PARALLEL_FILES)

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
        stored = dict(zip(owners, await asyncio.gather(*map(self.put, owners.values())), strict=True))
        self.reached("objects_written")
        commit_id = uuid4()
        whole = await self._prepared(principal, ordered, stored, commit_id, model)
        drafts = [record.draft for record in ordered]
        nodes = list({one.node.node_id for one in drafts})
        pending = list({record.draft.node.node_id for record in ordered if record.pending})

        async for attempt in attempts(self.postgres, nodes):
            with attempt:
                work = whole
                async with self.units.begin(principal) as unit:
                    await unit.require(embeddings=model.name, current=nodes)
                    facts = await self.facts.decided(unit, new_facts(principal, ordered, work.now), model, work.now)
                    if facts and facts.changes.confirming:
                        kept = [confirmed(record, facts.changes) for record in ordered]
                        work = await self._prepared(principal, kept, stored, commit_id, model)
                    await unit.accept(*work.changes(facts), commit_id=commit_id)
                    connection = unit.connection
                    await _write(connection, principal, work, model, facts)
                    await keep_decisions(connection, principal, work.now, drafts)
                    for record in work.records:
                        if special(record.draft):
                            await set_origin(connection, record.draft)
                    if facts:
                        await self.facts.write(unit, facts, model, in_graph=True)
                    await source_rows.advance(connection, sources, commit_id)
                    await enter_first(connection, principal, versions, commit_id, work.now)
                    await pending_vectors.note(connection, pending)
                    await note_unread(connection, drafts, work.now)
                    await note(connection, commit_id)
        by_id = {record.draft.record_id: record for record in work.records}
        return [_stored(by_id[record.draft.record_id]) for record in records]

    async def _prepared(
        self,
        principal: Principal,
        records: Sequence[EmbeddedRecord],
        files: Mapping[UUID, StoredFile],
        commit_id: UUID,
        model: Model,
    ) -> _Work:
        """The records with their rows and the graph's lines."""
        rows, parts = await computed(self._rows, records, files, commit_id, model)
        lines = [_manifest_line(principal.user_id, record, row) for record, row in zip(records, rows, strict=True)]
        said = {"user_id": principal.user_id, "commit_id": commit_id, "revision": 1, "known_from": rows[0]["now"]}
        return _Work(records, rows, parts, lines, [spoken_of(record.draft, **said) for record in records])

    async def put(self, draft: RecordDraft) -> StoredFile:
        """Compresses and stores the file of a record; flat memory, whatever its size."""
        async with self._files_at_once:
            key = object_key(draft.node, draft.file)
            with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as ready:
                size, digest = await pack(draft.file, ready)
                packed = ready.seek(0, SEEK_END)
                ready.seek(0)
                await self._objects.put(key, ready)
                form = "native" if is_native(draft.file.content_type) else "gzip"
                return StoredFile(key, form, size, packed, digest)

    def record_row(self, record: EmbeddedRecord, file: StoredFile, commit_id: UUID, model: Model) -> Row:
        """A record with its file as the node's tables take them."""
        draft = record.draft
        return {
            "record_id": draft.record_id,
            "commit_id": commit_id,
            "title": draft.title,
            "summary": draft.summary,
            **model.meaning(record.vector),
            "embedding_pending": record.pending,
            "terms": sparse_of(weights(stored_words(draft.text), "record")),
            **{
                f"kw_{name}": one if isinstance(one, str) else list(one) for name, one in asdict(draft.keywords).items()
            },
            "content_type": draft.content_type,
            "trigger_type": draft.trigger_type,
            "source_id": draft.source_id,
            "privacy": draft.privacy,
            "token_count": sum(item.token_count for item in draft.items if item.derived is None),
            "occurred_at": draft.occurred_at,
            **times(self.clock.now(), draft.occurred_at),
            "file_id": draft.file.file_id,
            "file_name": draft.file.name,
            "received_name": shown_name(draft.file.name, draft.title),
            "file_type": draft.file.file_type,
            "file_content_type": draft.file.content_type,
            "file_pointer": file.key,
            "compression_format": file.compression_format,
            "size_bytes": file.size_bytes,
            "stored_bytes": file.stored_bytes,
            "sha256": file.sha256,
        }

    def _rows(
        self, records: Sequence[EmbeddedRecord], files: Mapping[UUID, StoredFile], commit_id: UUID, model: Model
    ) -> tuple[list[Row], list[_NodePart]]:
        """The rows for the tables of the nodes: records with their files, then items and counts. Slow for long texts."""
        rows = [self.record_row(record, files[record.draft.file.file_id], commit_id, model) for record in records]
        by_schema = groupby(records, key=lambda record: record.draft.node.schema_name)
        return rows, [_node_part(schema, list(group), rows[0]["now"], model) for schema, group in by_schema]


@dataclass(frozen=True, slots=True)
class _NodePart:
    """Rows of items at one node, and what they add to its counts of words."""

    schema: str
    items: list[Row]
    counts: list[term_counts.Moved]


@dataclass(frozen=True, slots=True)
class _Work:
    """What a commit writes, `now` known: records in the order of their nodes, their rows, items by node, lines of the graph."""

    records: Sequence[EmbeddedRecord]
    rows: list[Row]
    parts: list[_NodePart]
    lines: list[ManifestLine]
    spoken: list[RecordSpoken]

    @property
    def now(self) -> datetime:
        return cast(datetime, self.rows[0]["now"])

    def changes(self, facts: Decided | None) -> tuple[GraphChange, ...]:
        return RecordsEntered(self.lines), *entered(self.spoken), in_graph(self.lines, self.records, facts)


def _node_part(schema: str, records: Sequence[EmbeddedRecord], now: datetime, model: Model) -> _NodePart:
    found = [(record, index, item_words(item)) for record in records for index, item in enumerate(record.draft.items)]
    rows = [
        item_row(record.draft.items[index], record.draft.record_id, record.draft.privacy, terms, now)
        | model.item_meaning(record.item_vectors[index])
        for record, index, terms in in_turn(found)
    ]
    counted = term_counts.of_documents(records, [terms for _, _, terms in found])
    return _NodePart(schema, rows, term_counts.moves(counted))


async def _write(
    connection: Connection, principal: Principal, work: _Work, model: Model, facts: Decided | None
) -> None:
    """All rows of the commit, in a pipeline: nothing is fetched here."""
    shared = [file_id for file_id, count in Counter(row["file_id"] for row in work.rows).items() if count > 1]
    records = list(zip((record.draft for record in work.records), work.rows, strict=True))
    for schema, group in groupby(records, key=lambda pair: pair[0].node.schema_name):
        rows = [row for _, row in group]
        await record_rows.insert(connection, schema, model.version.column, rows)
        await manifests.enter(connection, schema, rows, shared)
        await deltas.begin(connection, schema, [_creation_delta(principal, row) for row in rows])
    await note_received(connection, principal, records)
    for part in work.parts:
        begun(part.items, facts.changes.starts if facts else {})
        await items.insert(connection, part.schema, model.version.column, part.items)
        await term_counts.move(connection, part.schema, part.counts)


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


def _creation_delta(principal: Principal, row: Row) -> Delta:
    fields = {name: FieldChange(None, row[name]) for name in ("title", "summary", "content_type", "source_id")}
    times = row["valid_from"], row["now"]
    return Delta(uuid4(), "record", row["record_id"], 1, "created", fields, *times, principal.name)


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
