"""Changes of records and items by hand: one transaction writes the delta and the slices, then the change is applied in the graph.

A reader sees the state before or the state after; a failed change leaves the state before.

The description of a record says what holds now, in the transaction of the change: title, summary, keywords and the fact that
holds the whole input. A title that began the text begins the new one; one that was given stays, as does what was changed by
hand. A record of which nothing holds has ended, too, and holds again with the first of its passages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.commit.changes import GraphChange, RecordRevised, RecordReworded
from engine.commit.rows import due, term_counts
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.delta import ENDED, Change, Changed, Delta, FieldChange, SubjectKind
from engine.domain.description import keywords, summarize, tags
from engine.domain.embedding import Embedded
from engine.domain.extraction import LONGEST_WHOLE
from engine.domain.graph import RewordedRecord
from engine.domain.principal import Principal
from engine.domain.record import ItemDraft
from engine.domain.shown import ShownPassage, beginning, begins, held_text
from engine.errors import EmbeddingsChanged, NotFound
from engine.facts.items import ChangedFacts
from engine.language.dates import dates_in
from engine.providers.active import ActiveModel, Model
from engine.records.slices import SEARCHED, SlicePlace, Slices, recorded
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text
from engine.turns import computed

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


TOLD = frozenset({"content", "subjects", "occurred_at", ENDED})
"""Fields of an item on which it depends what its record mentions and states."""
_OF_FACTS: Mapping[str, frozenset[str]] = {
    "item": frozenset({ENDED, "category", "content"}),
    "record": frozenset({ENDED}),
}
"""Fields on which facts depend, of which the item may be one, or which the record may state."""
_COUNTED = frozenset({"content", "category", ENDED})
"""Fields of an item on which the counts of documents by term depend."""


class ContentHistory:
    """Changes records and items of nodes."""

    def __init__(self, units: UnitsOfWork, slices: Slices, active: ActiveModel) -> None:
        self._units, self._slices, self._active = units, slices, active

    async def change(self, principal: Principal, schema: str, change: Change) -> Changed:
        """Writes a checked change of a record or item in a node's schema.

        Raises NotFound, Conflict (another revision than expected), StoreUnavailable.
        """
        try:
            return await self._change(principal, schema, change, self._active.current)
        except EmbeddingsChanged:
            return await self._change(principal, schema, change, await self._active.follow())

    async def _change(self, principal: Principal, schema: str, change: Change, model: Model) -> Changed:
        assert change.node_id is not None
        place = SlicePlace(principal, change.node_id, schema, change.subject_kind, model)
        vector = await self._vector(model, change)
        async with self._units.begin(principal) as unit:
            await unit.require(embeddings=model.name, whole_past=True)
            items = [change.subject_id] if place.kind == "item" and change.fields.keys() & _COUNTED else []
            concerned = ChangedFacts.of(change)
            if not principal.owns:  # what is hidden from a persona locks nothing, and takes as long as what is missing
                await self._slices.require(unit.connection, place, change.subject_id)
            await concerned.hold(unit)
            before = await term_counts.of_items(unit.connection, place.schema, items)
            record_id = await self._record_of(unit.connection, place, change)
            stored = await self._slices.read(unit.connection, place, change.subject_id)
            if place.kind == "item":
                change = retagged(change, stored.own.slice.state, stored.subject.deltas)
            written = await self._slices.write(unit.connection, place, stored, change, vector)
            if isinstance(written, Changed):
                return written
            delta, plan = written
            await term_counts.recount(unit.connection, place.schema, items, before)
            if delta.fields.keys() & _OF_FACTS[place.kind]:
                await due.note(unit.connection, "chains", [place.node_id])
            parts: list[GraphChange] = []
            if place.kind == "record":
                parts += [RecordRevised(recorded(place, delta, plan))]
            elif record_id is not None:
                await due.note(unit.connection, "entities", [place.node_id])
                reworded = RewordedRecord(record_id=record_id, user_id=principal.user_id, node_id=place.node_id)
                parts += [RecordReworded(reworded), *await self._described(unit.connection, place, record_id, delta)]
            commit_id = uuid4()
            parts += await concerned.changed(unit, place.node_id, commit_id, delta.known_at)
            if parts:
                await unit.accept(*parts, commit_id=commit_id)
        return Changed(change.subject_id, delta.revision, delta.known_at, delta.effective_at)

    async def _record_of(self, connection: Connection, place: SlicePlace, change: Change) -> UUID | None:
        """The record of an item whose text is another now, locked before the item, as a renewal does."""
        if place.kind != "item" or not change.fields.keys() & TOLD:
            return None
        of_item = sql_in("item/record", place.schema)
        found = await connection.fetch(of_item, {"item_id": change.subject_id}, row=UUID)
        for record_id in found:
            await connection.execute(sql_in("record/lock", place.schema), {"subject_id": record_id})
        return found[0] if found else None

    async def _described(
        self, connection: Connection, place: SlicePlace, record_id: UUID, cause: Delta
    ) -> tuple[RecordRevised, ...]:
        """Lets a record say what its items say now, see `engine.history.contents`; returns the graph's part."""
        record = replace(place, kind="record")
        revised = await self._holds_again(connection, record, record_id, cause)
        passages = await passages_of(connection, record_id, place.node_id, cause.known_at)
        await self._whole_follows(connection, place, record_id, passages, cause)
        try:
            stored = await self._slices.read(connection, record, record_id)
        except NotFound:  # whoever may change items alone does not change what a record says
            return ()
        fields = await computed(described, passages, stored.own.slice.state, stored.subject.deltas, cause)
        for change in changes_of("record", record_id, place.node_id, fields, cause):
            vector = await self._vector(place.model, change)
            written = await self._slices.change(connection, record, change, vector, known=cause.known_at)
            if not isinstance(written, Changed):
                revised.append(RecordRevised(recorded(record, *written)))
        return tuple(revised)

    async def _holds_again(
        self, connection: Connection, record: SlicePlace, record_id: UUID, cause: Delta
    ) -> list[RecordRevised]:
        """A record that ended with the last of its passages holds before they are read again; returns the graph's part."""
        if cause.fields.get(ENDED, FieldChange(None, None)).after is not False:
            return []
        try:
            stored = await self._slices.read(connection, record, record_id)
        except NotFound:
            return []
        fields, revised = again(stored.subject.deltas), []
        for change in changes_of("record", record_id, record.node_id, fields, cause):
            written = await self._slices.change(connection, record, change, known=cause.known_at)
            if not isinstance(written, Changed):
                revised.append(RecordRevised(recorded(record, *written)))
        return revised

    async def _whole_follows(
        self, connection: Connection, place: SlicePlace, record_id: UUID, passages: Sequence[ShownPassage], cause: Delta
    ) -> None:
        """Lets the fact that holds the whole input of a record hold what its passages say now."""
        for item_id in await connection.fetch(sql_in("item/whole", place.schema), {"record_id": record_id}, row=UUID):
            if item_id == cause.subject_id:
                continue
            stored = await self._slices.read(connection, place, item_id)
            fields = await computed(whole_fields, passages, stored.own.slice.state, stored.subject.deltas)
            for change in changes_of("item", item_id, place.node_id, fields, cause):
                vector = await self._vector(place.model, change)
                await self._slices.change(connection, place, change, vector, known=cause.known_at)

    async def _vector(self, model: Model, change: Change) -> Embedded | None:
        text = change.fields.get(SEARCHED[change.subject_kind])
        return None if text is None else await self._slices.embedded(model, text)
