"""Rereading of a stored record: the pipeline's steps over its source, and the result compared with the present record.

    held record → draft → read by the model, or by its kept answers → describe → match → embed what is new
    one transaction that renews the record → graph

Unchanged items keep id and vector; missing items end to be known, new items are known from now on; summary and keywords
become a correction. Nothing is overwritten: a read with an earlier `known_at` finds the record as it was. Where no model has
read all of it, the items that a model made before stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.commit.changes import RecordRevised
from engine.commit.rows import facts, items, pending_vectors, sources, term_counts
from engine.commit.rows.items import NamedRow
from engine.commit.unit_of_work import UnitOfWork, UnitsOfWork
from engine.domain.document import NewVersion, RecordRenewal, Renewed, chunk_hash
from engine.domain.embedding import Embedded
from engine.domain.extraction import UNASKED
from engine.domain.graph import DocumentFile, RecordRevision
from engine.domain.principal import Principal
from engine.domain.record import ItemDraft, RecordDraft, SourceAdvance
from engine.domain.rereading import KEYWORDS, MatchedItems, Rebuilt, differing, matched_items, moved
from engine.errors import Outdated, ProviderUnavailable, WrongDimension
from engine.ingest.allowance import Allowance
from engine.ingest.describe import describe
from engine.ingest.entered import enter_version
from engine.ingest.extraction.extract import Extraction, HeldItemId
from engine.ingest.item_rows import KeptRecord, item_row, item_words, set_items_origin
from engine.ingest.named_items import named
from engine.ingest.rereading.held import DocumentPart, Held, HeldRecords, Place
from engine.ingest.versions.passages import item_counts, items_counted
from engine.ingest.versions.revising import RecordRenewals
from engine.knowledge.entities import Entities, Spoken
from engine.knowledge.item_entities import rows_named
from engine.knowledge.mentions import texts_of
from engine.knowledge.stating import RecordSpoken, entered
from engine.providers.active import ActiveModel, Model
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text
from engine.turns import computed

CHANGED = "This was changed meanwhile."


@dataclass(frozen=True, slots=True)
class SpokenAnew:
    """Whom a record speaks of, with what a model says now, and when that was said; `items`: what each of its texts names."""

    spoken: Spoken
    at: datetime | None
    items: list[NamedRow]


@dataclass(frozen=True, slots=True)
class Reread:
    """A record read again, with the vectors of its new items and, last, of a new summary; None where they are made later.
    `embeddings`: the version that they were made with; `spoken`: the entities that it mentions, where a model has named more."""

    rebuilt: Rebuilt
    vectors: Sequence[Embedded] | None
    embeddings: str
    spoken: SpokenAnew | None = None

    def within(self, model: Model) -> Sequence[Embedded] | None:
        """The vectors, if this model made them."""
        return self.vectors if self.embeddings == model.name else None


class Rereading:
    """Rereads records, for their user. `kept`: reads by kept answers alone. `asks`: a model is configured."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        units: UnitsOfWork,
        records: HeldRecords,
        renewals: RecordRenewals,
        active: ActiveModel,
        extraction: Extraction,
        kept: Extraction,
        entities: Entities,
    ) -> None:
        self.units, self._records, self._entities = units, records, entities
        self._renewals, self._active, self._extraction, self._kept = renewals, active, extraction, kept
        self.asks = extraction.asks

    # beside what is there ---------------------------------------------------------------------------------

    async def reread(self, principal: Principal, place: Place, *, by_model: bool) -> Reread | None:
        """The record read again; None where it has ended. With `by_model`, the model is called where no answer is kept.

        Raises StoreUnavailable; model failures are not raised.
        """
        held = await self._records.held(principal, place)
        if held is None or not held.source_items:  # a fact that the user wrote has no other source
            return None
        extraction = self._extraction if by_model else self._kept
        drafted = await self._records.draft(principal, held)
        [read], report = await extraction.read(principal, [drafted], set(), Allowance(self._active))
        model = self._active.current
        draft = await computed(describe, read, model.embedder.count_tokens, extraction.limits.summary_words)
        rebuilt = rebuilt_of(held, draft)
        if rebuilt.fresh:
            [found] = await self._entities.spoken(principal, [texts_of(read)], [read.reading])
            rebuilt = rebuilt_of(held, named(draft, found))
        spoken = await self._spoken(principal, held, read) if by_model else None
        rebuilt = replace(rebuilt, missing=bool(report.failures))
        return Reread(rebuilt, await self._vectors(model, rebuilt), model.name, spoken)

    async def _spoken(self, principal: Principal, held: Held, draft: RecordDraft) -> SpokenAnew | None:
        """Whom the record speaks of by the rules and a model; None where the model says nothing, or its places are others now."""
        texts = [text for text in texts_of(draft) if text.fact is None]  # a job enters its facts, with what they name
        there = {item.item_id for item in held.items if item.holds}
        if draft.reading == UNASKED or not {text.item_id for text in texts} <= there:
            return None
        [spoken] = await self._entities.spoken(principal, [texts], [draft.reading])
        return SpokenAnew(spoken, draft.occurred_at, rows_named(texts, spoken.items))

    async def _vectors(self, model: Model, rebuilt: Rebuilt) -> Sequence[Embedded] | None:
        texts = [item.embedded for item in rebuilt.fresh]
        texts += [rebuilt.new_summary] if rebuilt.new_summary else []
        try:
            return await self._active.patience.asked(lambda: model.embed_documents(texts))
        except (ProviderUnavailable, WrongDimension):
            return None

    # one transaction --------------------------------------------------------------------------------------

    async def store(self, principal: Principal, reread: Reread) -> None:
        """Renews the record where it differs. Raises Outdated where it was changed meanwhile, EmbeddingsChanged,
        StoreUnavailable."""
        if not reread.rebuilt.differs:
            return
        model = self._active.current
        async with self.units.begin(principal) as unit:
            await unit.require(embeddings=model.name)
            await self.renew(unit, reread, model)

    async def renew(self, unit: UnitOfWork, reread: Reread, model: Model, at: datetime | None = None) -> None:
        """Renews the record inside a transaction, known from `at` on. Raises Outdated."""
        rebuilt, schema = reread.rebuilt, reread.rebuilt.schema
        await unit.require(current=[rebuilt.node_id])
        connection, principal = unit.connection, unit.principal
        record = {"record_id": rebuilt.record_id}
        kept = await connection.first(sql_in("record/kept", schema), record, row=KeptRecord)
        ending = await self._renewals.ending(connection, schema, [item for item, _ in rebuilt.gone])
        if kept is None or {(one.item_id, one.revision) for one in ending} != set(rebuilt.gone):
            raise Outdated(CHANGED)
        vectors = reread.within(model)
        summary = vectors[-1].vector if vectors is not None and rebuilt.new_summary else None
        known, place = tuple(one.known_from for one in ending), (rebuilt.node_id, schema, rebuilt.record_id)
        renewal = RecordRenewal(*place, rebuilt.fields, summary, known, "read again", at)
        renewed = await self._renewals.renew(connection, principal, model, renewal)
        if renewed is None or renewed.graph.revision != rebuilt.revision + 1:
            raise Outdated(CHANGED)
        await self._renewals.supersede(connection, principal, renewal, ending, renewed.known_at)
        fresh = await _add(connection, reread, kept, model, renewed)
        await items.place(connection, schema, rebuilt.places)
        await items.name(connection, schema, reread.spoken.items if reread.spoken else ())
        counts = item_counts(fresh, ending, private=kept.private, scoped=kept.scoped)
        await term_counts.move(connection, schema, term_counts.moves(counts))
        await facts.note(connection, [rebuilt.node_id])
        await self._accepted(unit, reread, renewed)

    async def _accepted(self, unit: UnitOfWork, reread: Reread, renewed: Renewed) -> None:
        """Accepts the commit, and writes a new version of a document whose passages differ."""
        rebuilt = reread.rebuilt
        commit_id, connection = uuid4(), unit.connection
        items = await items_counted(connection, rebuilt.schema, rebuilt.record_id)
        revision = replace(renewed.graph, items=items)
        if rebuilt.chunks:
            document = await _next_version(connection, unit.principal, rebuilt, commit_id, renewed.known_at)
            revision = replace(revision, document=document)
        speaks = [_speaks(reread.spoken, revision, rebuilt.node_id, commit_id, renewed)] if reread.spoken else []
        await unit.accept(RecordRevised(revision), *(entered(speaks) if speaks else ()), commit_id=commit_id)


def _speaks(
    anew: SpokenAnew, revision: RecordRevision, node_id: UUID, commit_id: UUID, renewed: Renewed
) -> RecordSpoken:
    return RecordSpoken(
        record_id=revision.record_id,
        user_id=revision.user_id,
        node_id=node_id,
        commit_id=commit_id,
        revision=revision.revision,
        known_from=renewed.known_at,
        at=anew.at or renewed.known_at,
        entities=anew.spoken.entities,
        relations=anew.spoken.relations,
    )


def rebuilt_of(held: Held, draft: RecordDraft) -> Rebuilt:
    """How the draft differs from the record as it is kept."""
    revision, taken = held.fields.revision, {item.item_id for item in held.items}
    sources = matched_items(
        [item for item in held.items if not item.derived],
        [item for item in draft.items if item.derived is None],
        taken,
        revision,
    )
    found = _derived(held, draft, taken)
    described = draft.extracted or not held.read  # else a model made both, and has not read it now
    split = held.version is not None and bool(sources.fresh or sources.gone)
    return Rebuilt(
        held.place.record_id,
        held.place.node_id,
        held.place.schema_name,
        revision,
        kept=sources.kept + found.kept,
        fields=differing(held.fields, _described(draft)) if described else {},
        fresh=(*sources.fresh, *found.fresh),
        gone=(*sources.gone, *found.gone),
        places=moved(held.items, sources.items),
        chunks=_chunks(sources.items) if split else (),
        unread=draft.unread,
    )


def _derived(held: Held, draft: RecordDraft, taken: set[UUID]) -> MatchedItems:
    """The matches of items that a model made; where it has not read all of the record, all of them stay."""
    derived = [item for item in held.items if item.derived]
    if not draft.extracted:
        return MatchedItems(sum(item.holds for item in derived), (), (), ())
    items = [item for item in draft.items if item.derived is not None]
    return matched_items(derived, items, taken, held.fields.revision)


def _described(draft: RecordDraft) -> dict[str, Any]:
    names = (name.removeprefix("kw_") for name in KEYWORDS)
    return {"summary": draft.summary} | {f"kw_{name}": list(getattr(draft.keywords, name)) for name in names}


def _chunks(items: Sequence[ItemDraft]) -> tuple[tuple[UUID, str], ...]:
    return tuple((item.item_id, chunk_hash(item.section, item.content).hex()) for item in items)


async def _add(
    connection: Connection, reread: Reread, kept: KeptRecord, model: Model, renewed: Renewed
) -> list[ItemDraft]:
    """New items, with their vectors or noted for the job that makes them; those that were added."""
    rebuilt, vectors = reread.rebuilt, reread.within(model)
    there = await _observed(connection, rebuilt)
    added = [place for place, item in enumerate(rebuilt.fresh) if item.item_id not in there]
    fresh = [rebuilt.fresh[place] for place in added]
    rows = [
        item_row(item, rebuilt.record_id, kept.privacy, item_words(item), renewed.known_at)
        | model.item_meaning(None if vectors is None else vectors[place])
        for item, place in zip(fresh, added, strict=True)
    ]
    await items.insert(connection, rebuilt.schema, model.version.column, rows)
    await set_items_origin(connection, rebuilt.schema, kept.origin, fresh)
    if fresh and vectors is None:
        await pending_vectors.note(connection, [rebuilt.node_id])
    return fresh


async def _observed(connection: Connection, rebuilt: Rebuilt) -> set[UUID]:
    """New observations that another record of the node has brought meanwhile."""
    asked = [item.item_id for item in rebuilt.fresh if item.kind == "observation"]
    if not asked:
        return set()
    there = await connection.fetch(sql_in("item/there", rebuilt.schema), {"items": asked}, row=HeldItemId)
    return {item.item_id for item in there}


async def _next_version(
    connection: Connection, principal: Principal, rebuilt: Rebuilt, commit_id: UUID, now: datetime
) -> DocumentFile:
    """Writes another version of the same text for a document whose passages differ. Returns its graph part."""
    document = {"document_id": rebuilt.record_id}
    head = await connection.first(sql_text("document/part"), document, row=DocumentPart)
    if head is None:
        raise Outdated(CHANGED)
    stayed = set(head.chunks)
    chunks = tuple((item_id, bytes.fromhex(digest)) for item_id, digest in rebuilt.chunks)
    version = NewVersion(
        rebuilt.record_id,
        head.version + 1,
        head.source_id,
        rebuilt.node_id,
        head.title,
        head.content_hash,
        head.file_id,
        head.file_name,
        chunks,
        sum(item_id not in stayed for item_id, _ in chunks),
        len(stayed - {item_id for item_id, _ in chunks}),
    )
    advance = SourceAdvance(version.source_id, version.version - 1, version.version, version.content_hash)
    await sources.advance(connection, [advance], commit_id)
    await enter_version(connection, principal, version, commit_id, now)
    return DocumentFile(version.version, version.file_id, version.file_name)
