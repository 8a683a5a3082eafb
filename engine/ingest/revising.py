"""The next version of a document: what changed is embedded and stored, what stayed keeps its id and its vector.

    newest version → split → match by hash → describe → embed what is new → file → one transaction → graph

Everything is decided before the transaction from the newest version; the transaction refuses (Conflict) when that is no
longer the newest. The document stays at its node, also where the new text would be assigned to another.
A document that spans several concepts has a part at each of their nodes: a record with its passages. The file is stored once: the
user opens all of it, others the passages of the record (`engine.lifecycle.resources`). Each part is renewed: an unchanged chunk
is found by its hash and stays in its part; a new chunk goes to the part of the chunk before it.
Where the embedding service does not answer, or a limit is reached, the version is written without vectors: a job makes them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from engine.commit.changes import RecordRevised
from engine.commit.rows import sources
from engine.commit.rows.records import NamedRow
from engine.commit.unit_of_work import UnitOfWork
from engine.domain.document import NewVersion, allotted, chunks, parted
from engine.domain.embedding import Embedded, vector_of
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, ItemDraft, RecordDraft, SourceAdvance
from engine.domain.report import STORED_ALREADY, Skipped, StoredRecord
from engine.errors import EmbeddingsChanged, NotFound, VersionRefused
from engine.ingest.allowance import Allowance
from engine.ingest.cleaning import fingerprint
from engine.ingest.commit import RecordCommit
from engine.ingest.drafts import describe, document_draft, named, whole_fact
from engine.ingest.sources import ChangedDocument, StoredBatch
from engine.knowledge.entity_finder import EntityFinder, entered, spoken_of
from engine.naming.mentions import texts_of
from engine.providers.active import ActiveModel, Model
from engine.records.diff import diff, digest
from engine.records.files import StoredFile
from engine.records.rows import KeptRecord
from engine.records.writer import NewSource, RecordPlace, RecordRenewal
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text
from engine.turns import computed

NOT_HERE = "Its earlier version lies where nothing can be stored now."
ENDED = "It was ended by hand; a new version does not bring it back."
NEW_VERSION = "A new version of a document is read after it was stored."
NARROWER = "Its earlier version is for more readers, or belongs elsewhere; a version belongs where its document does."

VersionNote = Callable[[Connection, UUID, Sequence[NewVersion], Sequence[UUID], int], Awaitable[None]]
"""The caller's writes in the transaction: gets the version of each part, the chunks that end, how many lack vectors."""


@dataclass(frozen=True, slots=True)
class PartHead:
    """The newest version of a document, or of the part of it that lies at one node."""

    document_id: UUID
    node_id: UUID
    version: int
    content_hash: bytes
    chunks: list[UUID]
    chunk_hashes: bytes
    known_at: datetime
    schema_name: str


@dataclass(frozen=True, slots=True)
class VersionPart:
    """The version of one part on its way in: the part as it was (`head`), its draft with the ids of what stayed, the ids of
    what is new, what is to end."""

    changed: ChangedDocument
    head: PartHead
    draft: RecordDraft
    new: frozenset[UUID]
    gone: tuple[UUID, ...]
    version: NewVersion
    commit_id: UUID
    part: bool = False
    """Whether the file holds what lies at other nodes, too."""

    @property
    def fresh(self) -> tuple[ItemDraft, ...]:
        """The items that were not there before."""
        return tuple(item for item in self.draft.items if item.item_id in self.new)

    @property
    def stayed(self) -> tuple[ItemDraft, ...]:
        """The others."""
        return tuple(item for item in self.draft.items if item.item_id not in self.new)


def shared(draft: RecordDraft, nodes: Sequence[AssignableNode]) -> list[RecordDraft]:
    """The record of a whole document as one for each node of its items; nodes in the order of their first item.

    `nodes`: the node of each item. Ids and positions of items are those in the whole document.
    """
    by_node: dict[UUID, tuple[AssignableNode, list[ItemDraft]]] = {}
    for item, node in zip(draft.items, nodes, strict=True):
        by_node.setdefault(node.node_id, (node, []))[1].append(item)
    return [_of_items(draft, uuid4(), node, items) for node, items in by_node.values()]


def _of_items(draft: RecordDraft, record_id: UUID, node: AssignableNode, items: Sequence[ItemDraft]) -> RecordDraft:
    text = draft.text if len(items) == len(draft.items) else "\n\n".join(item.content for item in items)
    return replace(draft, record_id=record_id, node=node, items=tuple(items), text=text)


def parts_of(
    changed: ChangedDocument,
    heads: Sequence[PartHead],
    nodes: Mapping[UUID, AssignableNode],
    count_tokens: Callable[[str], int],
    summary_words: int,
) -> list[VersionPart]:
    """Everything about the version that needs no vector, part by part, in the order of schemas, as writers lock them.

    `heads`: the newest version of each part, the largest first.
    """
    source, document = changed.source, changed.document
    whole = document_draft(source.session, document, chunks(document.text), nodes[heads[0].node_id], source.trigger)
    before = [pair for head in heads for pair in zip(head.chunks, parted(head.chunk_hashes), strict=True)]
    number = 1 + max(head.version for head in heads)
    found = diff(before, whole.items, lambda item: uuid5(source.session, f"{number}:{item.position}"))
    owner = {chunk: part for part, head in enumerate(heads) for chunk in head.chunks}
    homes = allotted([owner.get(item.item_id) for item in found.items])
    works = []
    for part, head in enumerate(heads):
        own = [item for item, home in zip(found.items, homes, strict=True) if home == part]
        gone = tuple(chunk for chunk in found.gone if owner[chunk] == part)
        drafted = _of_items(whole, head.document_id, nodes[head.node_id], own)
        work = _part(changed, head, drafted, found.new, gone)
        described = describe(work.draft, count_tokens, summary_words)
        works.append(replace(work, draft=described, part=len(heads) > 1))
    return sorted(works, key=lambda work: work.draft.node.schema_name)


def _part(
    changed: ChangedDocument, head: PartHead, draft: RecordDraft, new: frozenset[UUID], gone: tuple[UUID, ...]
) -> VersionPart:
    new &= {item.item_id for item in draft.items}
    version = NewVersion(
        draft.record_id,
        head.version + 1,
        changed.source.key,
        draft.node.node_id,
        draft.title,
        fingerprint(changed.document),
        draft.file.file_id,
        draft.file.name,
        tuple((item.item_id, digest(item)) for item in draft.items),
        len(new),
        len(gone),
    )
    return VersionPart(changed, head, draft, new, gone, version, uuid4())


def fields_of(draft: RecordDraft) -> dict[str, Any]:
    """The fields of a record that a version of its document says, as deltas hold them."""
    occurred = draft.occurred_at.astimezone(UTC).isoformat(timespec="microseconds") if draft.occurred_at else None
    return {
        "title": draft.title,
        "summary": draft.summary,
        "kw_entities": list(draft.keywords.entities),
        "kw_topics": list(draft.keywords.topics),
        "kw_dates": list(draft.keywords.dates),
        "kw_relationships": list(draft.keywords.relationships),
        **({"occurred_at": occurred} if occurred else {}),
    }


@dataclass(frozen=True, slots=True)
class _Shown:
    """A passage that holds. `content`: its text where that may have been changed by hand."""

    item_id: UUID
    content: str | None


class Revisions:
    """Stores new versions of documents."""

    def __init__(
        self,
        commit: RecordCommit,
        entities: EntityFinder,
        active: ActiveModel,
        summary_words: int,
        *,
        reads: bool,
    ) -> None:
        """`summary_words`: words of a summary without a model; `reads`: there is a model that reads what is stored."""
        self.commit, self._active, self._summary_words = commit, active, summary_words
        self._entities = entities
        self._unread = NEW_VERSION if reads else ""
        self._postgres, self._units, self._reached = commit.postgres, commit.units, commit.reached

    async def store(
        self,
        principal: Principal,
        changed: ChangedDocument,
        nodes: Sequence[AssignableNode],
        allowance: Allowance,
        note: VersionNote,
    ) -> StoredBatch | Skipped:
        """Stores the new version at the node of the document, all or nothing; `nodes` may be written to, `note` adds its part.

        Raises Conflict when another version came in meanwhile, StoreUnavailable, StoreFull.
        """
        known = changed.source.known
        if known and known.pending:
            await self._units.outbox.await_commit(known.commit_id)
        parameters = {"user_id": principal.user_id, "source_id": changed.source.key}
        heads = await self._postgres.fetch(principal, sql_text("document/head"), parameters, row=PartHead)
        there = {node.node_id: node for node in nodes}
        if not heads or any(head.node_id not in there for head in heads):
            return Skipped(changed.document.source_id, NOT_HERE)
        if heads[0].content_hash == fingerprint(changed.document):  # a concurrent request has stored it
            return Skipped(changed.document.source_id, STORED_ALREADY)
        changed = await self._dated(principal, changed, heads[0])
        count_tokens = self._active.current.embedder.count_tokens
        parts = await computed(parts_of, changed, heads, there, count_tokens, self._summary_words)
        parts = [await self._as_shown(principal, work) for work in parts]
        spoken = await self._entities.spoken(principal, [texts_of(work.draft) for work in parts])
        parts = [
            replace(work, draft=replace(named(work.draft, one), relations=one.relations))
            for work, one in zip(parts, spoken, strict=True)
        ]
        file = await self.commit.files.put(parts[0].draft)
        self._reached("objects_written")
        try:
            pending = await self._written(principal, parts, file, allowance, note)
        except VersionRefused as refused:
            return Skipped(changed.document.source_id, refused.detail)
        return _stored(changed, parts, pending, bool(self._unread))

    async def _as_shown(self, principal: Principal, work: VersionPart) -> VersionPart:
        """The part with the passages that stay as they are shown, also in its summary and keywords: what was changed by hand
        names what it says now, what was ended nothing."""
        statement = sql_in("item/shown", work.draft.node.schema_name)
        asked = {"record_id": work.draft.record_id, "now": self.commit.clock.now()}
        found = await self._postgres.fetch(principal, statement, asked, row=_Shown)
        held = {one.item_id for one in found}
        changed = {one.item_id: one.content for one in found if one.content is not None}
        changed |= {item.item_id: "" for item in work.stayed if item.item_id not in held}
        if all(changed.get(item.item_id, item.content) == item.content for item in work.draft.items):
            return work
        items = tuple(replace(item, content=changed.get(item.item_id, item.content)) for item in work.draft.items)
        text = "\n\n".join(item.content for item in items if item.content)
        draft = replace(work.draft, items=items, text=text)
        count_tokens = self._active.current.embedder.count_tokens
        return replace(work, draft=await computed(describe, draft, count_tokens, self._summary_words))

    async def _dated(self, principal: Principal, changed: ChangedDocument, head: PartHead) -> ChangedDocument:
        """The version with the date that the document has already, where it brings none: its words are read as of then."""
        if changed.document.occurred_at is not None:
            return changed
        statement, parameters = sql_in("record/occurred", head.schema_name), {"record_id": head.document_id}
        dates = await self._postgres.fetch(principal, statement, parameters, row=datetime)
        occurred = dates[0] if dates else None
        return replace(changed, document=replace(changed.document, occurred_at=occurred))

    async def _written(
        self, principal: Principal, parts: Sequence[VersionPart], file: StoredFile, allowance: Allowance, note: VersionNote
    ) -> list[bool]:  # fmt: skip
        """Writes all parts. Returns for each whether its vectors are still to be made."""
        try:
            return await self._embedded(principal, parts, file, self._active.current, allowance, note)
        except EmbeddingsChanged:
            return await self._embedded(principal, parts, file, await self._active.follow(), allowance, note)

    async def _embedded(
        self, principal: Principal, parts: Sequence[VersionPart], file: StoredFile, model: Model, allowance: Allowance,
        note: VersionNote,
    ) -> list[bool]:  # fmt: skip
        texts = [[*(item.embedded for item in work.fresh), work.draft.summary] for work in parts]
        vectors = iter(await allowance.vectors(model, [text for own in texts for text in own]))
        embedded = [(work, [next(vectors) for _ in own]) for work, own in zip(parts, texts, strict=True)]
        await self._transaction(principal, embedded, file, model, note)
        return [own[-1] is None for _, own in embedded]

    async def _transaction(
        self,
        principal: Principal,
        parts: Sequence[tuple[VersionPart, Sequence[Embedded | None]]],
        file: StoredFile,
        model: Model,
        note: VersionNote,
    ) -> None:
        works, version = [work for work, _ in parts], parts[0][0].version
        lacking = [work.draft.node.node_id for work, vectors in parts if vectors[-1] is None]
        async with self.commit.files.unit(principal, [file]) as unit:
            await unit.require(embeddings=model.name, whole_past=True)
            for work, vectors in parts:
                await self._changed(unit, work, vectors, file, model)
            connection, first = unit.connection, works[0].commit_id
            advance = SourceAdvance.to_version(version)
            await sources.advance(connection, [advance], first)
            gone = [chunk for work in works for chunk in work.gone]
            await note(connection, first, [work.version for work in works], gone, len(lacking))

    async def _changed(
        self, unit: UnitOfWork, work: VersionPart, vectors: Sequence[Embedded | None], file: StoredFile, model: Model
    ) -> None:
        """Writes one part within the transaction, and accepts its commit. Raises NotFound, VersionRefused."""
        draft, writer = work.draft, self.commit.writer
        place = RecordPlace(draft.record_id, draft.node.node_id, draft.node.schema_name)
        kept = await writer.lock(unit, place)
        if kept is None:
            raise NotFound
        if _narrower(work.changed, kept):
            raise VersionRefused(NARROWER)
        change = _change(place, work, vectors, file, self._unread)
        changed = await writer.change(unit, change, kept, model, work.commit_id)
        if changed is None:
            raise VersionRefused(ENDED)
        spoken = spoken_of(
            draft,
            user_id=changed.graph.user_id,
            commit_id=work.commit_id,
            revision=changed.graph.revision,
            known_from=changed.known_at,
        )
        await unit.accept(RecordRevised(changed.graph), *entered([spoken]), commit_id=work.commit_id)


def _change(
    place: RecordPlace, work: VersionPart, vectors: Sequence[Embedded | None], file: StoredFile, unread: str
) -> RecordRenewal:
    """What the version makes of its record. `vectors`: of its new items and, last, of its summary."""
    draft, number, summary = work.draft, work.version.version, vector_of(vectors[-1])
    inputs = [whole_fact(draft, f":{number}")] if draft.items else []
    whole = [None if summary is None else Embedded(summary)] * len(
        inputs
    )  # the vector of the whole is that of the summary
    return RecordRenewal(
        place,
        f"version {number} of the document",
        fields_of(draft),
        summary,
        (*work.fresh, *inputs),
        (*vectors[:-1], *whole),
        dict.fromkeys(work.gone),
        [(item.item_id, item.position, *(item.span or (0, 0))) for item in work.stayed],
        [NamedRow(item.item_id, item.content, item.entities, item.about) for item in work.stayed],
        NewSource(draft, file, work.part),
        work.version,
        unread,
        after=(work.head.known_at,),
    )


def _narrower(changed: ChangedDocument, kept: KeptRecord) -> bool:
    """Whether the new version is for fewer readers than the document, or of another thread."""
    asked = changed.source.asked
    scope = asked.origin.scope
    if (scope.kind, scope.scope_id) != (kept.scope, kept.scope_id):
        return True
    return asked.privacy == "private" and kept.privacy != "private"


def _stored(
    changed: ChangedDocument, parts: Sequence[VersionPart], pending: Sequence[bool], unread: bool
) -> StoredBatch:
    records = tuple(
        StoredRecord(
            work.draft.record_id,
            work.draft.node.node_id,
            work.draft.node.path,
            work.draft.title,
            work.draft.file.file_id,
            work.version.added,
            lacking,
            reading_pending=unread,
        )
        for work, lacking in zip(parts, pending, strict=True)
    )
    versions = tuple(work.version.change for work in parts)
    sources = {parts[0].version.source_id: tuple(record.record_id for record in records)}
    return StoredBatch(records, 0, 1, changed.source.cleaned.replaced(), sources, versions)
