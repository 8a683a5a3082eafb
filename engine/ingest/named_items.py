"""Items with the numbers of the entities that they name. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from engine.domain.record import ItemDraft, RecordDraft
from engine.knowledge.entity_finder import Spoken
from engine.knowledge.item_entities import MOST


def named(draft: RecordDraft, spoken: Spoken) -> RecordDraft:
    """A record with the entities that it mentions, and its items with what each names. In observations and summaries the names of
    the record are looked for."""
    found = [spoken.items.get(item.item_id) or spoken.names.standing_in(item.content) for item in draft.items]
    pairs = zip(draft.items, found, strict=True)
    items = tuple(replace(item, entities=one.entities, about=one.about) for item, one in pairs)
    return replace(draft, items=items, entities=spoken.entities)


def named_by_all(items: Iterable[ItemDraft]) -> tuple[int, ...]:
    """What these items name, the most frequent first."""
    counts = Counter(number for item in items for number in item.entities)
    return tuple(number for number, _ in counts.most_common(MOST))
