"""The description of a record after one of its turns or passages was changed by hand: title, summary, keywords and the fact that
holds the whole input say what holds now, in the transaction of that change.

A title that began the text begins the new one; one that was given stays, as does what was changed by hand. A record of which
nothing holds has ended, too, and holds again with the first of its passages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.delta import ENDED, Change, Delta, SubjectKind
from engine.domain.description import keywords, summarize, tags
from engine.domain.extraction import LONGEST_WHOLE
from engine.domain.record import ItemDraft
from engine.domain.shown import ShownPassage, beginning, begins, held_text
from engine.language.dates import dates_in
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text

RENEWED = "one of its passages was changed"
SUMMARY_WORDS = 200


async def passages_of(connection: Connection, record_id: UUID, node_id: UUID, now: datetime) -> list[ShownPassage]:
    """What a record's input says at that time, inside a transaction."""
    asked = {"record_id": record_id, "node_id": node_id, "parts": False, "now": now}
    return await connection.fetch(sql_text("record/passages"), asked, row=ShownPassage)


def described(
    passages: Sequence[ShownPassage], state: Mapping[str, Any], deltas: Sequence[Delta], cause: Delta
) -> dict[str, Any]:
    """The fields that a record gets; none where its text is not in passages. `state`: its fields as they are, `deltas`:
    its chain; `cause`: the change of one of its passages."""
    by_hand = {name for delta in deltas if _by_hand(delta) for name in delta.fields}
    renewed = {name for delta in deltas if delta.reason == RENEWED for name in delta.fields}
    held = [one for one in passages if one.content is not None]
    fields: dict[str, Any] = {}
    if held:
        text, found = held_text(held), keywords([_item(one) for one in held], "")
        fields = {f"kw_{name}": list(getattr(found, name)) for name in ("entities", "topics", "dates", "relationships")}
        fields["summary"] = summarize(text, target_words=SUMMARY_WORDS)
        if "title" in renewed or begins(state["title"], passages):
            fields["title"] = beginning(text)
    if passages and ENDED in cause.fields and (len(passages) == 1 or cause.fields[ENDED].after == (not held)):
        fields[ENDED] = cause.fields[ENDED].after
    return {name: value for name, value in fields.items() if name not in by_hand}


def whole_fields(passages: Sequence[ShownPassage], state: Mapping[str, Any], deltas: Sequence[Delta]) -> dict[str, Any]:
    """The fields that the fact of the whole input gets, so that it quotes nothing that is gone."""
    held = [one for one in passages if one.content is not None]
    if not held:
        return {ENDED: True} if passages else {}
    text = held_text(held)
    said = text if len(text) <= LONGEST_WHOLE else summarize(text, target_words=SUMMARY_WORDS)
    return ({"content": said} if said != state["content"] else {}) | again(deltas)


def again(deltas: Sequence[Delta]) -> dict[str, Any]:
    """What lets a record, or the fact of its input, hold again, where it ended with the last of its passages."""
    ends = [delta for delta in deltas if ENDED in delta.fields]
    return {ENDED: False} if ends and ends[-1].reason == RENEWED and ends[-1].fields[ENDED].after is True else {}


def changes_of(
    kind: SubjectKind, subject_id: UUID, node_id: UUID, fields: Mapping[str, Any], cause: Delta
) -> Iterator[Change]:
    """The changes of a record, or of the fact of its input, in order: what it says is a correction, so that no other reading of
    its source undoes it; it ends, or holds again, when its passage does."""
    said = {name: value for name, value in fields.items() if name != ENDED}
    if ENDED in fields:
        end, at = {ENDED: fields[ENDED]}, cause.effective_at
        yield Change(kind, subject_id, end, node_id, effective_at=at, correction=at is None, reason=RENEWED)
    if said:
        yield Change(kind, subject_id, said, node_id, correction=True, reason=RENEWED)


def retagged(change: Change, state: Mapping[str, Any], deltas: Sequence[Delta]) -> Change:
    """The change of an item with the keywords of its new text, where it has any that were not given by hand. Those of the time
    before stay in a change that is made twice: it differs in nothing."""
    content = change.fields.get("content")
    if content is None or "tags" in change.fields or not state["tags"] or content == state["content"]:
        return change
    if any("tags" in delta.fields and "content" not in delta.fields for delta in deltas):
        return change
    return replace(change, fields={**change.fields, "tags": list(tags(content))})


def _by_hand(delta: Delta) -> bool:
    return delta.operation in ("changed", "ended", "reopened") and delta.reason != RENEWED


def _item(one: ShownPassage) -> ItemDraft:
    """As keywords are found in it."""
    content = one.content or ""
    return ItemDraft(
        one.item_id, "chunk", one.item_id, one.position, content, content, "passage", speaker=one.speaker,
        dates=dates_in(content, one.said_at),
    )  # fmt: skip
