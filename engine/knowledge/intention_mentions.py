"""What a record says that somebody intends, at the mention of who has the intention. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.domain.graph import EntityMention
from engine.domain.intention import StatedIntention
from engine.domain.names import name_key
from engine.knowledge.intention_rules import intentions_in
from engine.knowledge.record_names import ReadRecord
from engine.naming.mentions import NamedMention, SourceText, UsedName

MOST_OF_RECORD = 100


def with_intentions(
    record: ReadRecord, mentions: Sequence[EntityMention], entities: Mapping[UsedName, NamedMention]
) -> tuple[EntityMention, ...]:
    """The mentions of a record with its intentions: of its facts where it was read into facts, else of its turns."""
    facts = [text for text in record.texts if text.fact is not None]
    stated: dict[str, dict[str, StatedIntention]] = defaultdict(dict)
    for text in facts or record.texts:
        entity = entities.get(_subject(record, text) or ("?", "?"))
        if entity is None or (text.fact is not None and text.fact.private):
            continue
        for one in intentions_in(text.piece.text, text.at, of_fact=text.fact is not None):
            span = f"{one.start}-{one.end}"
            known = StatedIntention(text=one.text, item_id=text.item_id, span=span, due=one.due)
            stated[entity.key].setdefault(one.text, known)
    return tuple(
        replace(one, intentions=list(stated.pop(one.key).values())[:MOST_OF_RECORD]) if one.key in stated else one
        for one in mentions
    )


def _subject(record: ReadRecord, text: SourceText) -> UsedName | None:
    if text.fact is not None:
        return record.facts[text.item_id].subject
    return (name_key(text.piece.speaker), "") if text.piece.spoken else None
