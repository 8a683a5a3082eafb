"""Items that are not in the source: facts, observations and summaries of windows, from a model's answer.

They have a session of their own, so that a search does not take them for neighbours of the source's turns or chunks.
`position` and `span` name the places that they are derived from: turns of the session, or characters of a document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID, uuid5

from engine.domain.extraction import Derived, ModelReading, NamedByModel, StatedByModel
from engine.domain.principal import Principal
from engine.domain.record import ItemDraft, Keywords, RecordDraft
from engine.domain.said import named_dates, spoken_dates
from engine.domain.search import ItemKind
from engine.ingest.extraction.form import Extracted, Statement
from engine.providers.fields import MOST_NAMES


def derived_items(
    principal: Principal, draft: RecordDraft, lines: Sequence[ItemDraft], answer: Extracted, *, windows: bool
) -> Iterator[ItemDraft]:
    """The items that an answer about these lines of a record makes. `windows`: with summaries of windows, the answer's own
    or, where it has none, one of all lines."""
    for fact in answer.facts:
        tags, subjects = tuple(fact.tags), tuple(fact.subjects)
        known = Derived(fact.type, fact.named_category, tags, subjects, fact.confidence, fact.importance)
        item = _item(draft, lines, "fact", fact, known)
        if fact.happened is not None:
            dates = tuple(dict.fromkeys([fact.happened.date().isoformat(), *named_dates(item.dates)]))
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
        session=draft.derived_session,
        position=start.position,
        content=statement.text,
        embedded=statement.text,
        unit="passage",
        source_ref=start.source_ref,
        occurred_at=start.occurred_at,
        dates=spoken_dates(statement.text, start.occurred_at),
        section=known.fact_type,
        span=_span(start, end),
        derived=known,
    )


def _span(first: ItemDraft, last: ItemDraft) -> tuple[int, int]:
    if first.span and last.span:
        return first.span[0], last.span[1]
    return first.position, last.position + 1


def _observation_id(principal: Principal, draft: RecordDraft, item: ItemDraft, *, private: bool) -> UUID:
    """The same observation has the same id in a node, for all who may read it."""
    digest = hashlib.sha256(item.content.encode()).hexdigest()
    readers = f"{'private' if private else draft.privacy}:{draft.origin.scope}"
    return uuid5(draft.node.node_id, principal.own_key(f"observation:{readers}:{digest}"))


def reading_of(lines: Sequence[ItemDraft], answer: Extracted) -> ModelReading:
    """Whom and what an answer names in these lines, and what it states of these; a missing line is replaced by the last one."""
    entities = tuple(NamedByModel(one.name, one.kind, tuple(one.also), one.role) for one in answer.entities if one.kind)
    relations = tuple(
        StatedByModel(
            one.source, one.type, one.target, lines[min(one.line, len(lines) - 1)].item_id,
            one.since or None, one.until or None, one.ended,
        )
        for one in answer.relations
    )  # fmt: skip
    return ModelReading(entities, relations)


def keywords_of(answers: Sequence[Extracted], offline: Keywords) -> Keywords:
    """A model's keywords by column; those found without a model where it names none."""

    def column(name: str) -> tuple[str, ...]:
        found = dict.fromkeys(
            entry for answer in answers for entry in (answer.named if name == "entities" else getattr(answer, name))
        )
        return tuple(found)[:MOST_NAMES] or tuple(getattr(offline, name))

    return Keywords(column("entities"), column("topics"), column("dates"), column("relationships"), offline.source)
