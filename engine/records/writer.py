"""The one writer of records, in the transaction of the caller: a first write, and whatever a stored record becomes later.

    lock the record → items that end → slices and delta → the new source → items that end, come, move → counts of words

A new version of a document, a reading again and a replay differ only in what they want (`RecordRenewal`). Earlier slices are
known until now, new ones from now on: nothing is overwritten. Fields that were changed by hand from a time on keep these values
from then on, as with every late correction; items that are gone end to be known, each with a delta that takes effect from the
start.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID, uuid4

from engine.commit.rows import deltas, due, records, sources, term_counts
from engine.commit.rows.records import NamedRow
from engine.commit.unit_of_work import UnitOfWork
from engine.domain.clock import Clock
from engine.domain.delta import BEGINNING, ENDED, THERE, Delta, FieldChange, fields_at, next_known, renewed, timeline
from engine.domain.document import NewVersion
from engine.domain.embedding import Embedded
from engine.domain.extraction import WHOLE
from engine.domain.graph import DocumentFile, RecordRevision
from engine.domain.principal import Principal
from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.domain.scope import Privacy, ScopeKind, counted_unit
from engine.domain.terms import Unit, terms_of
from engine.errors import Outdated
from engine.providers.active import Model
from engine.providers.embedder import Vectors
from engine.records.files import StoredFile
from engine.records.rows import Ending, KeptRecord, Row, WordCounts, item_row, item_rows, record_row
from engine.records.slices import SlicePlace, Slices, Stored, deltas_of, recorded
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in
from engine.turns import computed

CHANGED = "This was changed meanwhile."
ENDS = {ENDED: FieldChange(False, True)}


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """A record and where it lies."""

    record_id: UUID
    node_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class NewRecords:
    """Records that are not there yet, with all that takes time to make: `records` and their `rows` in the order of their nodes,
    their items and what these add to the counts of words by schema, `now`: since when the items are known."""

    commit_id: UUID
    records: Sequence[EmbeddedRecord]
    rows: Sequence[Row]
    items: Mapping[str, Sequence[Row]]
    counts: Mapping[str, Sequence[term_counts.CountChange]]
    now: datetime


@dataclass(frozen=True, slots=True)
class NewSource:
    """Another source of a record: what was drafted from it, and its file; `part`: whether that holds what lies at other nodes,
    too."""

    draft: RecordDraft
    file: StoredFile
    part: bool


@dataclass(frozen=True, slots=True)
class RecordRenewal:
    """What a stored record becomes. `fields`: as deltas hold them; `summary`: the vector of a new one; `fresh`: new items with
    their `vectors` (None: made later); `gone`: items that end, each with the revision that it must have (None: any); `places`:
    where others lie now (position, span); `names`: what they name; `source`: what it is made of from now on, where that is
    another; what was derived from the former ends. `unread`: why no model has read it, where one was to.

    `if_revision`: which one it must have; `at`: when the change is known (None: now); `after`: times that this is later than.
    """

    place: RecordPlace
    reason: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    summary: Vectors | None = None
    fresh: Sequence[ItemDraft] = ()
    vectors: Sequence[Embedded | None] = ()
    gone: Mapping[UUID, int | None] = field(default_factory=dict)
    places: Sequence[tuple[UUID, int, int, int]] = ()
    names: Sequence[NamedRow] = ()
    source: NewSource | None = None
    version: NewVersion | None = None
    unread: str = ""
    if_revision: int | None = None
    at: datetime | None = None
    after: Sequence[datetime] = ()


@dataclass(frozen=True, slots=True)
class ChangedRecord:
    """A changed record: since when it is known so, and what the graph learns."""

    known_at: datetime
    graph: RecordRevision


@dataclass(frozen=True, slots=True)
class _Revised:
    """Its slices are written: since when the change is known and the record holds (None: from the beginning), the rows that hold
    what is known from now on, what the graph learns."""

    known_at: datetime
    since: datetime | None
    rows: tuple[UUID, ...]
    graph: RecordRevision


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
        counted = "" if self.whole else counted_unit(self.unit, self.privacy, self.scope)
        return Ending(self.item_id, self.revision, self.known_from, terms_of(self.terms), counted)


def new_records(
    records: Sequence[EmbeddedRecord], files: Mapping[UUID, StoredFile], commit_id: UUID, model: Model, clock: Clock
) -> NewRecords:
    """Records in the order of their nodes, whose vectors `model` made, ready to be written; `files` by id. Each is known a moment
    later than the one before it, so lists by time have them in this order. Slow for long ones."""
    rows = [record_row(record, files[record.draft.file.file_id], commit_id, model, clock.now()) for record in records]
    now = rows[0]["now"]
    by_schema: dict[str, list[Row]] = {}
    counts: dict[str, list[term_counts.CountChange]] = {}
    own = iter(rows)
    for schema, group in groupby(records, key=lambda record: record.draft.node.schema_name):
        some = list(group)
        words = WordCounts()
        by_schema[schema] = item_rows(some, model, now)
        words.enter_items(by_schema[schema])
        for _ in some:
            words.enter_text(next(own))
        counts[schema] = term_counts.moves(words.by_unit)
    return NewRecords(commit_id, records, rows, by_schema, counts, now)


class RecordWriter:
    """Writes records and their items, with what hangs on them in Postgres."""

    def __init__(self, slices: Slices) -> None:
        self.slices = slices

    async def enter(
        self, unit: UnitOfWork, new: NewRecords, model: Model, versions: Sequence[NewVersion],
        starts: Mapping[UUID, datetime],
    ) -> None:  # fmt: skip
        """Writes new records, not yet visible; nothing is fetched, so all of it is sent at once. `versions`: the first ones of
        documents among them; `starts`: since when items hold that came without a date and replace what has one."""
        connection, principal = unit.connection, unit.principal
        shared = [file_id for file_id, count in Counts(row["file_id"] for row in new.rows).items() if count > 1]
        pairs = [(record.draft, row) for record, row in zip(new.records, new.rows, strict=True)]
        for schema, group in groupby(pairs, key=lambda pair: pair[0].node.schema_name):
            rows = [row for _, row in group]
            await records.insert(connection, schema, model.version.column, rows)
            await sources.enter_files(connection, schema, rows, shared)
            await deltas.begin(connection, schema, [_created(principal, row) for row in rows])
        await sources.enter_resources(connection, principal, pairs)
        for schema, own in new.items.items():
            begun = [row | {"valid_from": starts[row["item_id"]]} if row["item_id"] in starts else row for row in own]
            await records.insert_items(connection, schema, model.version.column, begun)
            await term_counts.move(connection, schema, new.counts[schema])
        for version in versions:
            await sources.enter_document(connection, principal, version, new.commit_id, new.now)
        await due.note(connection, "vectors", {one.draft.node.node_id for one in new.records if one.pending})
        waiting = [(draft.record_id, draft.node.node_id, draft.unread) for draft, _ in pairs if draft.unread]
        await due.note_readings(connection, waiting, new.now)

    async def lock(self, unit: UnitOfWork, place: RecordPlace) -> KeptRecord | None:
        """What a record says of itself, locked until the end of the transaction; None where it is missing, hidden or not yet
        visible."""
        statement, record = sql_in("record/kept", place.schema_name), {"record_id": place.record_id}
        return await unit.connection.first(statement, record, row=KeptRecord)

    async def change(
        self, unit: UnitOfWork, change: RecordRenewal, kept: KeptRecord, model: Model, commit_id: UUID
    ) -> ChangedRecord | None:
        """Writes what a locked record becomes; None, with nothing written, where it was ended by hand. Raises Outdated."""
        connection, place = unit.connection, change.place
        schema, counts = place.schema_name, WordCounts()
        ending = await _ending(connection, change)
        revised = await self._revised(unit, change, ending, model)
        if revised is None:
            return None
        lacking = False
        if change.source:
            row = await _enter_source(unit, change, kept, model, revised, commit_id)
            lacking = row["embedding_pending"]
            counts.enter_text(row)
            counts.end_text(kept)
        await _end_items(unit, change, ending, revised.known_at)
        rows = await _item_rows(connection, change, kept, model, revised)
        await records.insert_items(connection, schema, model.version.column, rows)
        await records.place_items(connection, schema, change.places)
        await records.name_items(connection, schema, change.names)
        counts.enter_items(rows)
        counts.end_items(ending)
        await term_counts.move(connection, schema, term_counts.moves(counts.by_unit))
        await due.note(connection, "chains", [place.node_id])
        await due.note(
            connection, "entities", [place.node_id]
        )  # what was changed by hand and read meanwhile is read again
        lacking = lacking or any(row["embedding"] is None for row in rows)
        await due.note(connection, "vectors", [place.node_id] if lacking else [])
        waiting = [(place.record_id, place.node_id, change.unread)] if change.unread else []
        await due.note_readings(connection, waiting, revised.known_at)
        graph = replace(revised.graph, items=await records.items_counted(connection, schema, place.record_id))
        if version := change.version:
            await sources.enter_version(connection, unit.principal, version, commit_id, revised.known_at)
            graph = replace(graph, document=DocumentFile(version.version, version.file_id, version.file_name))
        return ChangedRecord(revised.known_at, graph)

    async def _revised(
        self, unit: UnitOfWork, change: RecordRenewal, ending: Sequence[Ending], model: Model
    ) -> _Revised | None:
        """Writes slices and delta of the record; None where it was ended by hand."""
        connection, record_id = unit.connection, change.place.record_id
        place = SlicePlace(unit.principal, change.place.node_id, change.place.schema_name, "record", model)
        stored = await self.slices.read(connection, place, record_id)
        subject = stored.subject
        if change.if_revision not in (None, subject.revision):
            raise Outdated(CHANGED)
        delta = self._delta(stored, change, ending, unit.principal)
        wanted = timeline(subject.base, subject.since, [*subject.deltas, delta])
        if not wanted:
            return None
        plan = renewed(stored.own, stored.others, wanted, delta.delta_id, delta.known_at)
        summary = None if change.summary is None else Embedded(change.summary)
        await self.slices.write_planned(connection, place, stored, delta, plan, summary)
        since = None if subject.since == BEGINNING else subject.since
        known = (record_id, *(added.row_id for added in plan.added if added.known_to is None))
        return _Revised(delta.known_at, since, known, recorded(place, delta, plan))

    def _delta(self, stored: Stored, change: RecordRenewal, ending: Sequence[Ending], principal: Principal) -> Delta:
        subject = stored.subject
        bounds = [subject.known_from, stored.own.known_from, *(delta.known_at for delta in subject.deltas)]
        bounds += [*change.after, *(item.known_from for item in ending)]
        known = next_known(change.at or self.slices.clock.now(), bounds)
        before = {**THERE, **fields_at(subject.base, subject.deltas, BEGINNING, known)}
        fields = {
            name: FieldChange(before.get(name), value)
            for name, value in change.fields.items()
            if before.get(name) != value
        }
        return Delta(
            uuid4(), "record", change.place.record_id, subject.revision + 1, "renewed", fields, None, known,
            principal.name, change.reason,
        )  # fmt: skip


async def _ending(connection: Connection, change: RecordRenewal) -> list[Ending]:
    """The items that end, locked until the end of the transaction. Raises Outdated where one has another revision."""
    schema = change.place.schema_name
    gone = {"items": list(change.gone)}
    found = await connection.fetch(sql_in("item/ending", schema), gone, row=_EndingItem)
    there = {one.item_id: one.revision for one in found}
    if any(must is not None and there.get(item_id) != must for item_id, must in change.gone.items()):
        raise Outdated(CHANGED)
    if change.source:
        derived = {"record_id": change.place.record_id}
        found += await connection.fetch(sql_in("item/derived_ending", schema), derived, row=_EndingItem)
    return [item.ending for item in found]


async def _enter_source(
    unit: UnitOfWork, change: RecordRenewal, kept: KeptRecord, model: Model, revised: _Revised, commit_id: UUID
) -> Row:
    """Gives a record the file and the words of its new source. Returns its row."""
    source = change.source
    assert source is not None
    connection, schema = unit.connection, change.place.schema_name
    draft = replace(source.draft, privacy=kept.privacy)
    record = EmbeddedRecord(draft, change.summary, tuple(change.vectors))
    row = await computed(record_row, record, source.file, commit_id, model, revised.known_at)
    await sources.enter_files(connection, schema, [row], [row["file_id"]] if source.part else ())
    await records.set_version(connection, schema, row, revised.rows)
    # Only now: a file that no record shows yet is hidden from its writer.
    await sources.enter_resources(connection, unit.principal, [(draft, row)])
    return row


async def _end_items(unit: UnitOfWork, change: RecordRenewal, ending: Sequence[Ending], known: datetime) -> None:
    """Ends what the record no longer has; reads of the past still find it."""
    connection, place = unit.connection, change.place
    ended: list[deltas.Chained] = []
    for item in ending:
        chain = await deltas_of(connection, place.node_id, item.item_id) if item.revision > 1 else []
        delta = Delta(
            uuid4(), "item", item.item_id, item.revision + 1, "ended", ENDS, None, known, unit.principal.name,
            change.reason,
        )  # fmt: skip
        ended.append((delta, chain[-1].delta_id if chain else None))
    await records.end_items(connection, place.schema_name, [item.item_id for item in ending], known)
    await deltas.append(connection, place.schema_name, ended)


async def _item_rows(
    connection: Connection, change: RecordRenewal, kept: KeptRecord, model: Model, revised: _Revised
) -> list[Row]:
    """The new items, but for observations that another record of the node has brought meanwhile."""
    there = await records.items_there(
        connection, change.place.schema_name, [item.item_id for item in change.fresh if item.kind == "observation"]
    )

    def rows() -> list[Row]:
        pairs = zip(change.fresh, change.vectors, strict=True)
        return [
            item_row(item, change.place.record_id, kept, vector, model, revised.known_at)
            for item, vector in pairs
            if item.item_id not in there
        ]

    found = await computed(rows)
    if change.version is None:
        return found
    # a passage of a version holds since its record does, a fact that was read out of it since its own day
    whole = [row["kind"] == "chunk" or row["category"] == WHOLE for row in found]
    return [row | {"valid_from": revised.since} if of_all else row for row, of_all in zip(found, whole, strict=True)]


def _created(principal: Principal, row: Row) -> Delta:
    fields = {name: FieldChange(None, row[name]) for name in ("title", "summary", "content_type", "source_id")}
    times = row["valid_from"], row["now"]
    return Delta(uuid4(), "record", row["record_id"], 1, "created", fields, *times, principal.name)
