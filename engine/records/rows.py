"""Records and their items as the tables of a node take them, and what they add to its counts of words. Slow for long texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.commit.rows.records import hash_of
from engine.domain.embedding import Embedded
from engine.domain.extraction import PLAIN, WHOLE
from engine.domain.record import EmbeddedRecord, ItemDraft
from engine.domain.scope import Privacy, ScopeKind, SourceKind, counted_unit
from engine.domain.terms import Unit, sparse_of, stored_words, terms_of, weights
from engine.domain.utterance import Utterance
from engine.providers.active import Model
from engine.records.files import StoredFile

Row = dict[str, Any]
_NO_UTTERANCE = Utterance(False, False, False, False, 0, 0)
_UTTERANCE = tuple(field.name for field in fields(Utterance))


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """What a record says of its readers and of where it belongs, which its items share; `terms`: its words as they are counted,
    None of a new one."""

    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    terms: Any

    @classmethod
    def of(cls, record: EmbeddedRecord) -> KeptRecord:
        """The same of a new record."""
        origin = record.draft.origin
        return cls(record.draft.privacy, origin.scope.kind, origin.scope.scope_id, origin.source, None)


@dataclass(frozen=True, slots=True)
class Ending:
    """An item that ends: its revision, when its newest slice became known, the terms that it is counted with, under which unit
    (empty: it is not counted)."""

    item_id: UUID
    revision: int
    known_from: datetime
    terms: tuple[int, ...]
    counted: str


def record_row(record: EmbeddedRecord, file: StoredFile, commit_id: UUID, model: Model, now: datetime) -> Row:
    """A record with its file, whose vector `model` made."""
    draft = record.draft
    keywords = asdict(draft.keywords).items()
    return {
        "record_id": draft.record_id,
        "commit_id": commit_id,
        "title": draft.title,
        "summary": draft.summary,
        **model.meaning(record.vector),
        "embedding_pending": record.pending,
        "terms": sparse_of(weights(stored_words(draft.text), "record")),
        **{f"kw_{name}": one if isinstance(one, str) else list(one) for name, one in keywords},
        "content_type": draft.content_type,
        "trigger_type": draft.trigger_type,
        "source_id": draft.source_id,
        "privacy": draft.privacy,
        "scope": draft.origin.scope.kind,
        "scope_id": draft.origin.scope.scope_id,
        "source": draft.origin.source,
        "token_count": sum(item.token_count for item in draft.items if item.derived is None),
        "occurred_at": draft.occurred_at,
        **_times(now, draft.occurred_at),
        "file_id": draft.file.file_id,
        "file_name": draft.file.name,
        "received_name": draft.file.name,
        "file_type": draft.file.file_type,
        "file_content_type": draft.file.content_type,
        "file_pointer": file.key,
        "compression_format": file.compression_format,
        "size_bytes": file.size_bytes,
        "stored_bytes": file.stored_bytes,
        "sha256": file.sha256,
    }


def item_row(
    item: ItemDraft, record_id: UUID, kept: KeptRecord, embedded: Embedded | None, model: Model, now: datetime
) -> Row:
    """An item of a record. `embedded`: its vector, which `model` made."""
    start, end = item.span or (None, None)
    known = item.derived or PLAIN
    return {
        "item_id": item.item_id,
        "record_id": record_id,
        "kind": item.kind,
        "session": item.session,
        "position": item.position,
        "source_ref": item.source_ref,
        "speaker": item.speaker,
        "content": item.content,
        "content_hash": hash_of(item.content),
        "terms": sparse_of(weights([] if item.whole else stored_words(item.content), item.unit)),
        "occurred_at": item.occurred_at,
        "dates": list(item.dates),
        **{name: getattr(item.utterance or _NO_UTTERANCE, name) for name in _UTTERANCE},
        "section": item.section,
        "span_start": start,
        "span_end": end,
        "token_count": item.token_count,
        "entities": list(item.entities),
        "about": list(item.about),
        "category": known.category,
        "tags": list(known.tags or item.tags),
        "subjects": list(known.subjects),
        "confidence": known.confidence,
        "importance": known.importance,
        "privacy": "private" if known.private else kept.privacy,
        "scope": kept.scope,
        "scope_id": kept.scope_id,
        "source": "extracted" if item.extracted else kept.source,
        **model.item_meaning(embedded),
        **_times(now, item.occurred_at),
    }


def item_rows(records: Sequence[EmbeddedRecord], model: Model, now: datetime) -> list[Row]:
    """The items of new records in the order of writing: observations last, by id. So of two commits with the same observations
    the second waits for the first, and they cannot deadlock."""
    rows = [
        item_row(item, record.draft.record_id, kept, embedded, model, now)
        for record, kept in ((record, KeptRecord.of(record)) for record in records)
        for item, embedded in zip(record.draft.items, record.item_vectors, strict=True)
    ]
    return sorted(rows, key=lambda row: row["item_id"] if row["kind"] == "observation" else UUID(int=0))


def _times(now: datetime, occurred_at: datetime | None) -> Row:
    """`known_from` and `valid_from` of content. It is valid since it was said, where that is known; never in the future."""
    return {"now": now, "valid_from": None if occurred_at is None else min(occurred_at, now)}


class WordCounts:
    """What moves the counts of a node: documents by term for each unit, what is private and what is scoped apart; term 0 counts
    all documents of the unit. They are counted by the terms that their rows are stored with."""

    def __init__(self) -> None:
        self.by_unit: dict[str, Counter[int]] = {}

    def enter_items(self, rows: Iterable[Row]) -> None:
        """New items. A fact that holds a whole input is no document: its words are those of the turns or chunks."""
        for row in rows:
            if row["category"] != WHOLE:
                unit: Unit = "turn" if row["kind"] == "turn" else "passage"
                self._unit(unit, row["privacy"], row["scope"]).update([0, *terms_of(row["terms"])])

    def end_items(self, items: Iterable[Ending]) -> None:
        """Items that end."""
        for item in items:
            if item.counted:
                self.by_unit.setdefault(item.counted, Counter()).subtract([0, *item.terms])

    def enter_text(self, row: Row) -> None:
        """The text of a record."""
        self._unit("record", row["privacy"], row["scope"]).update([0, *terms_of(row["terms"])])

    def end_text(self, kept: KeptRecord) -> None:
        """The text that a record had before."""
        self._unit("record", kept.privacy, kept.scope).subtract([0, *terms_of(kept.terms)])

    def _unit(self, unit: Unit, privacy: Privacy, scope: ScopeKind) -> Counter[int]:
        return self.by_unit.setdefault(counted_unit(unit, privacy, scope), Counter())
