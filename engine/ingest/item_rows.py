"""Items as the tables of a node take them."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from engine.domain.record import ItemDraft
from engine.domain.scope import Privacy
from engine.domain.terms import sparse_of, weights
from engine.ingest.extraction.derived import derived_columns

Row = dict[str, Any]

_NO_UTTERANCE: Row = {
    "is_question": False,
    "previous_has_question": False,
    "first_of_session": False,
    "first_person": False,
    "word_count": 0,
    "time_expressions": 0,
}


class Holder(Protocol):
    """The record that an item hangs on."""

    @property
    def record_id(self) -> UUID:
        """Its id."""

    @property
    def privacy(self) -> Privacy:
        """Who may read it."""


def item_row(item: ItemDraft, record: Holder, found: list[str], now: datetime) -> Row:
    """An item of a record as the node's table takes it, without its vector; `found`: its words."""
    features = {name: getattr(item.utterance, name) for name in _NO_UTTERANCE} if item.utterance else _NO_UTTERANCE
    start, end = item.span or (None, None)
    return {
        "item_id": item.item_id,
        "record_id": record.record_id,
        "kind": item.kind,
        "session": item.session,
        "position": item.position,
        "source_ref": item.source_ref,
        "speaker": item.speaker,
        "content": item.content,
        "content_hash": hashlib.sha256(item.content.encode("utf-8")).digest(),
        "terms": sparse_of(weights(found, item.unit)),
        "occurred_at": item.occurred_at,
        "dates": list(item.dates),
        **features,
        "section": item.section,
        "span_start": start,
        "span_end": end,
        "token_count": item.token_count,
        **derived_columns(item, record.privacy),
        **times(now, item.occurred_at),
    }


def times(now: datetime, occurred_at: datetime | None) -> Row:
    """`known_from` and `valid_from` of content. It is valid since it was said, where that is known; never in the future."""
    return {"now": now, "valid_from": None if occurred_at is None else min(occurred_at, now)}
