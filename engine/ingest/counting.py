"""In how many documents of a node each term occurs: what a commit adds to the node's counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.domain.record import EmbeddedRecord, RecordDraft
from engine.domain.scope import counted_unit
from engine.domain.terms import Unit, weights, words


def document_counts(
    records: Sequence[EmbeddedRecord], item_words: Sequence[list[str]]
) -> Iterator[tuple[str, Counter[int]]]:
    """Documents by term for each unit, what is private and what is scoped apart; term 0 counts all documents of the unit.

    `item_words`: the words of every item of the records, in their order.
    """
    counts: dict[str, Counter[int]] = {}
    items: list[tuple[Unit, RecordDraft]] = [
        (item.unit, record.draft) for record in records for item in record.draft.items
    ]
    documents = [(unit, draft, found) for (unit, draft), found in zip(items, item_words, strict=True)]
    documents += [("record", record.draft, words(record.draft.text)) for record in records]
    for unit, draft, found in documents:
        counted = counted_unit(unit, private=draft.privacy == "private", scoped=draft.origin.scope.narrow)
        counts.setdefault(counted, Counter()).update([0, *weights(found, unit)])
    yield from counts.items()
