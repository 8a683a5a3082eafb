"""The entry point for all changes of stored content: dispatches each to the history of its kind. The fields that may be changed,
by kind of subject, and their valid values are checked before anything is read or written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from engine.domain.delta import ENDED, Change, Changed, SubjectKind
from engine.domain.names import clean_name
from engine.domain.principal import Principal
from engine.errors import InvalidInput
from engine.hierarchy.shells import Shells
from engine.history.contents import TOLD, ContentHistory
from engine.history.edges import EdgeHistory
from engine.history.nodes import NodeHistory
from engine.knowledge.unread_records import UnreadRecords

MOST_WORDS = 200
MOST_REASON = 500
LONGEST_TEXT = 1 << 20
LONGEST_SUMMARY = 20_000
LONGEST_NODE_SUMMARY = 2000
MOST_PROPERTIES = 50

Check = Callable[[Any], Any]


def _text(most: int, least: int = 0) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or not least <= len(value.strip()) or len(value) > most or "\x00" in value:
            raise ValueError(f"a text of {least} to {most:,} characters without NUL")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError("valid Unicode") from error
        return value

    return check


def _texts(value: Any) -> list[str]:
    if isinstance(value, str) or not isinstance(value, list | tuple) or len(value) > MOST_WORDS:
        raise ValueError(f"a list of at most {MOST_WORDS} texts")
    return [_text(500)(one) for one in value]


def _names(value: Any) -> list[str]:
    return [clean_name(one) for one in _texts(value)]


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise ValueError("a number from 0 to 1")
    return round(float(value), 6)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _time(value: Any) -> str | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        if not isinstance(moment, datetime) or moment.tzinfo is None:
            raise ValueError
        return moment.astimezone(UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError) as error:
        raise ValueError("a time with its offset from UTC, as 2026-03-01T12:00:00+00:00") from error


def _id(value: Any) -> str:
    try:
        return str(value if isinstance(value, UUID) else UUID(str(value)))
    except ValueError as error:
        raise ValueError("the id of a node") from error


def _properties(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or len(value) > MOST_PROPERTIES:
        raise ValueError(f"at most {MOST_PROPERTIES} properties")
    return {_text(64, 1)(name): _text(10_000)(one) for name, one in value.items()}


FIELDS: Mapping[SubjectKind, Mapping[str, Check]] = {
    "record": {
        "title": _text(200, 1), "summary": _text(LONGEST_SUMMARY, 1), "kw_entities": _texts, "kw_topics": _texts,
        "kw_dates": _texts, "kw_relationships": _texts, "occurred_at": _time, ENDED: _flag,
    },
    "item": {
        "content": _text(LONGEST_TEXT, 1), "category": _text(200), "tags": _texts, "subjects": _texts,
        "confidence": _share, "importance": _share, "occurred_at": _time, ENDED: _flag,
    },
    "node": {
        "name": clean_name, "summary": _text(LONGEST_NODE_SUMMARY), "keywords": _names, "aliases": _names, "parent_id": _id,
        "archived": _flag,
    },
    "edge": {"properties": _properties, ENDED: _flag},
}  # fmt: skip


def checked(change: Change) -> Change:
    """The change with its values in stored form. Raises InvalidInput naming the invalid field or value."""
    known = FIELDS.get(change.subject_kind)
    if known is None:
        raise InvalidInput(f"Records, items, nodes and edges change, not {change.subject_kind!r}.")
    if not change.fields or not change.fields.keys() <= known.keys():
        raise InvalidInput(f"Fields of {change.subject_kind}s that change: {', '.join(sorted(known))}.")
    if change.correction and change.effective_at is not None:
        raise InvalidInput("A correction holds from the beginning: it takes no time of effect.")
    if change.effective_at is not None and change.effective_at.tzinfo is None:
        raise InvalidInput("A point in time needs its offset from UTC.")
    fields = {}
    for name, value in change.fields.items():
        try:
            fields[name] = known[name](value)
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"{name} takes {error}.") from error
    try:
        reason = _text(MOST_REASON)(change.reason)
    except ValueError as error:
        raise InvalidInput(f"The reason takes {error}.") from error
    return replace(change, fields=fields, reason=reason)


class Changes:
    """Changes in a graph. `engine.domain.delta` defines their effects."""

    def __init__(
        self, shells: Shells, contents: ContentHistory, nodes: NodeHistory, edges: EdgeHistory, unread: UnreadRecords
    ) -> None:
        self._shells, self._contents, self._nodes, self._edges = shells, contents, nodes, edges
        self._unread = unread

    async def change(self, principal: Principal, change: Change) -> Changed:
        """Writes a change as a delta; nothing is overwritten.

        Raises NotFound, Conflict (a concurrent change), NameTaken, DepthExceeded, InvalidInput,
        ProviderUnavailable, StoreUnavailable; nothing is written then.
        """
        change = checked(change)
        if change.subject_kind == "node":
            return await self._nodes.change(principal, change)
        if change.subject_kind == "edge":
            return await self._edges.change(principal, change)
        if change.node_id is None:
            raise InvalidInput("A record or an item is changed at its node: name the node (`--node`, or `node_id`).")
        schema = await self._shells.writable_schema_of(principal, change.node_id)
        changed = await self._contents.change(principal, schema, change)
        if change.subject_kind == "item" and changed.changed and change.fields.keys() & TOLD:
            await self._unread.of_item(schema, change.subject_id)
        return changed
