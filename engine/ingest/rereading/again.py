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
from engine.commit.rows import sources
from engine.commit.rows.records import NamedRow
from engine.commit.unit_of_work import UnitOfWork, UnitsOfWork
from engine.domain.document import NewVersion
from engine.domain.embedding import Embedded
from engine.domain.extraction import UNASKED
from engine.domain.principal import Principal
from engine.domain.record import ItemDraft, RecordDraft, SourceAdvance
from engine.errors import Outdated, ProviderUnavailable, WrongDimension
from engine.ingest.allowance import Allowance
from engine.ingest.drafts import describe, named
from engine.ingest.extraction.extract import Extraction
from engine.ingest.rereading.held import DocumentPart, Held, HeldRecords, as_it_came
from engine.knowledge.entity_finder import EntityFinder, RecordSpoken, Spoken, entered
from engine.knowledge.item_entities import rows_named
from engine.naming.mentions import texts_of
from engine.providers.active import ActiveModel, Model
from engine.records.diff import KEYWORDS, UNTOUCHED, ItemDiff, Rebuilt, diff_again, differing, digest, moved
from engine.records.writer import CHANGED, ChangedRecord, RecordPlace, RecordRenewal, RecordWriter
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text
from engine.turns import computed


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
        writer: RecordWriter,
        active: ActiveModel,
        extraction: Extraction,
        kept: Extraction,
        entities: EntityFinder,
    ) -> None:
        self.units, self._records, self._entities = units, records, entities
        self._writer, self._active, self._extraction, self._kept = writer, active, extraction, kept
        self.asks = extraction.asks

    # beside what is there ---------------------------------------------------------------------------------

    async def reread(self, principal: Principal, place: RecordPlace, *, by_model: bool) -> Reread | None:
        """The record read again; None where it has ended. With `by_model`, the model is called where no answer is kept.

        Raises StoreUnavailable; model failures are not raised.
        """
        held = await self._records.held(principal, place)
        if held is None or not held.source_items:  # a fact that the user wrote has no other source
            return None
        extraction = self._extraction if by_model else self._kept
        drafted, shown = await self._records.drafts(principal, held)
        [read], report = await extraction.read(principal, [shown], set(), Allowance(self._active))
        model, words = self._active.current, extraction.limits.summary_words
        draft = as_it_came(await computed(describe, read, model.embedder.count_tokens, words), drafted)
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
        """Renews the record inside a transaction, known from `at` on, and accepts its commit. Raises Outdated."""
        rebuilt, commit_id = reread.rebuilt, uuid4()
        place = RecordPlace(rebuilt.record_id, rebuilt.node_id, rebuilt.schema)
        kept = await self._writer.lock(unit, place)
        if kept is None:
            raise Outdated(CHANGED)
        version = await _next_version(unit.connection, rebuilt) if rebuilt.chunks else None
        change = _change(place, reread, version, model, at)
        changed = await self._writer.change(unit, change, kept, model, commit_id)
        if changed is None:
            raise Outdated(CHANGED)
        if version:
            advance = SourceAdvance.to_version(version)
            await sources.advance(unit.connection, [advance], commit_id)
        speaks = [_speaks(reread.spoken, changed, commit_id)] if reread.spoken else []
        await unit.accept(RecordRevised(changed.graph), *(entered(speaks) if speaks else ()), commit_id=commit_id)


def _change(
    place: RecordPlace, reread: Reread, version: NewVersion | None, model: Model, at: datetime | None
) -> RecordRenewal:
    """What the other reading makes of the record; vectors of another model are made later."""
    rebuilt, vectors = reread.rebuilt, reread.within(model)
    summary = vectors[-1].vector if vectors is not None and rebuilt.new_summary else None
    return RecordRenewal(
        place,
        "read again",
        rebuilt.fields,
        summary,
        rebuilt.fresh,
        [None] * len(rebuilt.fresh) if vectors is None else vectors[: len(rebuilt.fresh)],
        dict(rebuilt.gone),
        rebuilt.places,
        reread.spoken.items if reread.spoken else (),
        version=version,
        if_revision=rebuilt.revision,
        at=at,
    )


def _speaks(anew: SpokenAnew, changed: ChangedRecord, commit_id: UUID) -> RecordSpoken:
    revision = changed.graph
    return RecordSpoken(
        record_id=revision.record_id,
        user_id=revision.user_id,
        node_id=revision.node_id,
        commit_id=commit_id,
        revision=revision.revision,
        known_from=changed.known_at,
        at=anew.at or changed.known_at,
        entities=anew.spoken.entities,
        relations=anew.spoken.relations,
    )


def rebuilt_of(held: Held, draft: RecordDraft) -> Rebuilt:
    """How the draft differs from the record as it is kept."""
    revision, taken = held.fields.revision, {item.item_id for item in held.items}
    sources = diff_again(
        [item for item in held.items if not item.derived],
        [item for item in draft.items if item.derived is None],
        taken,
        revision,
    )
    found = _derived(held, draft, taken)
    described = draft.extracted or not held.read  # else a model made both, and has not read it now
    split = held.version is not None and bool(sources.new or sources.gone)
    both = (sources, found)
    kept = sum(len(one.items) - len(one.new) for one in both)
    if not draft.extracted:
        kept += sum(item.holds for item in held.items if item.derived)
    return Rebuilt(
        held.place.record_id,
        held.place.node_id,
        held.place.schema_name,
        revision,
        kept=kept,
        fields=differing(held.fields, _described(draft)) if described else {},
        fresh=(*sources.fresh, *found.fresh),
        gone=tuple((item_id, UNTOUCHED) for one in both for item_id in one.gone),
        places=moved(held.items, sources.items),
        chunks=_chunks(sources.items) if split else (),
        unread=draft.unread,
    )


def _derived(held: Held, draft: RecordDraft, taken: set[UUID]) -> ItemDiff:
    """What becomes of items that a model made; where it has not read all of the record, all of them stay as they are."""
    if not draft.extracted:
        return diff_again([], [], taken, held.fields.revision)
    derived = [item for item in held.items if item.derived]
    items = [item for item in draft.items if item.derived is not None]
    return diff_again(derived, items, taken, held.fields.revision)


def _described(draft: RecordDraft) -> dict[str, Any]:
    names = (name.removeprefix("kw_") for name in KEYWORDS)
    return {"summary": draft.summary} | {f"kw_{name}": list(getattr(draft.keywords, name)) for name in names}


def _chunks(items: Sequence[ItemDraft]) -> tuple[tuple[UUID, str], ...]:
    return tuple((item.item_id, digest(item).hex()) for item in items)


async def _next_version(connection: Connection, rebuilt: Rebuilt) -> NewVersion:
    """Another version of the same text, for a document whose passages differ."""
    document = {"document_id": rebuilt.record_id}
    head = await connection.first(sql_text("document/part"), document, row=DocumentPart)
    if head is None:
        raise Outdated(CHANGED)
    stayed = set(head.chunks)
    chunks = tuple((item_id, bytes.fromhex(digest)) for item_id, digest in rebuilt.chunks)
    return NewVersion(
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
