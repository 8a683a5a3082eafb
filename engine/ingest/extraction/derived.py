"""Items that are not in the source: facts, observations and summaries of windows, from a model's answer; and the fact that
holds a whole input, where no model has read it.

They have a session of their own, so that a search does not take them for neighbours of the source's turns or chunks.
`position` and `span` name the places that they are derived from: turns of the session, or characters of a document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid5

from engine.commit.rows import items as item_rows
from engine.commit.rows import records as record_rows
from engine.domain.dates import dates_in
from engine.domain.extraction import PLAIN, WHOLE, Derived
from engine.domain.principal import Principal
from engine.domain.record import EmbeddedRecord, ItemDraft, Keywords, RecordDraft
from engine.domain.scope import INGESTED, MemoryScope, Origin, Privacy, ScopeKind, SourceKind
from engine.domain.search import ItemKind
from engine.domain.terms import words
from engine.ingest.extraction.form import MOST_NAMES, Extracted, Statement
from engine.stores.postgres import Connection

LONGEST_WHOLE = 20_000
"""Characters up to which an input's fact quotes it whole; the fact of a longer input holds the summary instead."""


# what a model found ---------------------------------------------------------------------------------------


def derived_items(
    principal: Principal, draft: RecordDraft, lines: Sequence[ItemDraft], answer: Extracted, *, windows: bool
) -> Iterator[ItemDraft]:
    """The items that an answer about these lines of a record makes. `windows`: with summaries of windows, the answer's own
    or, where it has none, one of all lines."""
    for fact in answer.facts:
        known = Derived(
            fact.type, fact.named_category, tuple(fact.tags), tuple(fact.subjects), fact.confidence, fact.importance
        )
        item = _item(draft, lines, "fact", fact, known)
        if fact.happened is not None:
            dates = tuple(dict.fromkeys([fact.happened.date().isoformat(), *item.dates]))
            item = replace(item, occurred_at=fact.happened, dates=dates)
        yield item
    for one in answer.observations:
        private = one.private and principal.owns
        known = Derived("", "", tuple(one.tags), tuple(one.subjects), 1.0, one.importance, private)
        item = _item(draft, lines, "observation", one, known)
        yield replace(item, item_id=_observation_id(principal, draft, item, private=private))
    if windows:
        whole = Statement(text=answer.summary, first_line=0, last_line=len(lines) - 1)
        for window in answer.windows or [whole]:
            if window.text:
                yield _item(draft, lines, "summary", window, Derived(category="window"))


def _item(
    draft: RecordDraft, lines: Sequence[ItemDraft], kind: ItemKind, statement: Statement, known: Derived
) -> ItemDraft:
    """One derived item at the lines that it names; a missing line is replaced by the nearest one."""
    first, last = sorted(min(number, len(lines) - 1) for number in (statement.first_line, statement.last_line))
    start, end = lines[first], lines[max(first, last)]
    digest = hashlib.sha256(statement.text.encode()).hexdigest()
    return ItemDraft(
        item_id=uuid5(start.session, f"{kind}:{lines[0].position}:{start.position}:{digest}"),
        kind=kind,
        session=derived_session(draft),
        position=start.position,
        content=statement.text,
        embedded=statement.text,
        unit="passage",
        source_ref=start.source_ref,
        occurred_at=start.occurred_at,
        dates=dates_in(statement.text, start.occurred_at),
        section=known.fact_type,
        span=_span(start, end),
        derived=known,
    )


def _span(first: ItemDraft, last: ItemDraft) -> tuple[int, int]:
    if first.span and last.span:
        return first.span[0], last.span[1]
    return first.position, last.position + 1


def derived_session(draft: RecordDraft) -> UUID:
    """The session of a record's derived items, which are in the order of their places in the source."""
    return uuid5(draft.items[0].session, "derived")


def _observation_id(principal: Principal, draft: RecordDraft, item: ItemDraft, *, private: bool) -> UUID:
    """The same observation has the same id in a node, for all who may read it."""
    digest = hashlib.sha256(item.content.encode()).hexdigest()
    readers = f"{'private' if private else draft.privacy}:{draft.origin.scope}"
    return uuid5(draft.node.node_id, principal.own_key(f"observation:{readers}:{digest}"))


def keywords_of(answers: Sequence[Extracted], offline: Keywords) -> Keywords:
    """A model's keywords by column; those found without a model where it names none."""

    def column(name: str) -> tuple[str, ...]:
        found = dict.fromkeys(entry for answer in answers for entry in getattr(answer, name))
        return tuple(found)[:MOST_NAMES] or tuple(getattr(offline, name))

    return Keywords(column("entities"), column("topics"), column("dates"), column("relationships"), offline.source)


# the whole input as one fact ------------------------------------------------------------------------------


def with_whole(record: EmbeddedRecord) -> EmbeddedRecord:
    """The record with its whole input as one fact, unless a model has read all of it. The fact has the record's vector and no
    terms of its own: the turns or chunks have them."""
    draft = record.draft
    if draft.extracted:
        return record
    draft = replace(draft, items=(*draft.items, whole_fact(draft)))
    return EmbeddedRecord(draft, record.vector, (*record.item_vectors, record.vector))


def whole_fact(draft: RecordDraft, version: str = "") -> ItemDraft:
    """The whole input of a record as one fact; `version` distinguishes the facts of a document's versions."""
    first, last = draft.items[0], max(draft.items, key=lambda item: item.position)
    return ItemDraft(
        item_id=uuid5(first.session, f"whole:{draft.node.node_id}:{first.position}{version}"),
        kind="fact",
        session=derived_session(draft),
        position=first.position,
        content=draft.text if 0 < len(draft.text) <= LONGEST_WHOLE else draft.summary,
        embedded="",
        unit="passage",
        occurred_at=draft.occurred_at,
        span=(0, len(draft.text)) if first.span else (first.position, last.position + 1),
        token_count=sum(item.token_count for item in draft.items),
        derived=Derived("fact", WHOLE),
    )


def without_whole(draft: RecordDraft) -> RecordDraft:
    """The draft without the fact that holds the whole input."""
    return replace(draft, items=tuple(item for item in draft.items if not item.whole))


def without(record: EmbeddedRecord, items: Container[UUID]) -> EmbeddedRecord:
    """The record without these of its items."""
    kept = [place for place, item in enumerate(record.draft.items) if item.item_id not in items]
    draft = replace(record.draft, items=tuple(record.draft.items[place] for place in kept))
    return EmbeddedRecord(draft, record.vector, tuple(record.item_vectors[place] for place in kept))


# how they are stored --------------------------------------------------------------------------------------


def item_words(item: ItemDraft) -> list[str]:
    """The words that an item is found by."""
    return [] if item.whole else words(item.content)


def in_turn(items: Iterable[tuple[EmbeddedRecord, int, list[str]]]) -> list[tuple[EmbeddedRecord, int, list[str]]]:
    """Items (record, place in it, words) in the order of writing: observations last, by id. So two commits with the same
    observations cannot deadlock: the second waits for the first."""

    def turn(one: tuple[EmbeddedRecord, int, list[str]]) -> UUID:
        item = one[0].draft.items[one[1]]
        return item.item_id if item.kind == "observation" else UUID(int=0)

    return sorted(items, key=turn)


def derived_columns(item: ItemDraft, privacy: str) -> dict[str, Any]:
    """The columns of an item beside its text: category, tags, subjects, confidence, importance, privacy."""
    known = item.derived or PLAIN
    return {
        "category": known.category,
        "tags": list(known.tags or item.tags),
        "subjects": list(known.subjects),
        "confidence": known.confidence,
        "importance": known.importance,
        "privacy": "private" if known.private else privacy,
    }


def special(draft: RecordDraft) -> bool:
    """Whether its origin is not the default, or a model made one of its items: then its node needs the newest tables."""
    return draft.origin != INGESTED or any(item.extracted for item in draft.items)


async def set_origin(connection: Connection, draft: RecordDraft) -> None:
    """Writes an origin other than the default; the default can be written to a node of an older version, too."""
    if draft.origin != INGESTED:
        await record_rows.set_origin(connection, draft.node.schema_name, draft.record_id, draft.origin)
    await set_items_origin(connection, draft.node.schema_name, draft.origin, draft.items)


async def set_items_origin(connection: Connection, schema: str, origin: Origin, items: Sequence[ItemDraft]) -> None:
    """The same for new items of a record of that origin; items that a model made get the source `extracted`."""
    usual = [item.item_id for item in items if not item.extracted]
    extracted = [item.item_id for item in items if item.extracted]
    for ids, own in ((usual, origin), (extracted, replace(origin, source="extracted"))):
        if ids and own != INGESTED:
            await item_rows.set_origin(connection, schema, ids, own)


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """What a record says of its readers, of where it belongs, and its words, before it is renewed."""

    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    terms: Any

    @property
    def origin(self) -> Origin:
        """To what it belongs and how it came in."""
        return Origin(MemoryScope(self.scope, self.scope_id), self.source)

    @property
    def private(self) -> bool:
        """Whether only its user reads it."""
        return self.privacy == "private"

    @property
    def scoped(self) -> bool:
        """Whether it belongs to less than the user's whole memory."""
        return self.scope != "user"
