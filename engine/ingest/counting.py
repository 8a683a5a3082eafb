"""In how many documents of a node each term occurs: what a commit adds to the node's counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.domain.record import EmbeddedRecord, RecordDraft
from engine.domain.scope import counted_unit
from engine.domain.terms import Unit, weights, words


def document_counts(records: Sequence[EmbeddedRecord], item_words: Sequence[list[str]]) -> dict[str, Counter[int]]:
    """Documents by term for each unit, what is private and what is scoped apart; term 0 counts all documents of the unit.

    A fact that holds a whole input is not counted: its words are those of the turns or chunks.

    `item_words`: the words of every item of the records, in their order.
    """
    counts: dict[str, Counter[int]] = {}
    items = [(item, record.draft) for record in records for item in record.draft.items]
    documents: list[tuple[Unit, bool, RecordDraft, list[str]]] = [
        (item.unit, item.derived is not None and item.derived.private, draft, found)
        for (item, draft), found in zip(items, item_words, strict=True)
        if not item.whole
    ]
    documents += [("record", False, record.draft, words(record.draft.text)) for record in records]
    for unit, private, draft, found in documents:
        private = private or draft.privacy == "private"
        counted = counted_unit(unit, private=private, scoped=draft.origin.scope.narrow)
        counts.setdefault(counted, Counter()).update([0, *weights(found, unit)])
    return counts
