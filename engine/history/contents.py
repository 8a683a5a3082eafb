"""Changes of records and items: one transaction writes the delta and the slices, then the change is applied in the graph.

    read and lock → the delta → the plan → slices → delta → the graph's part

A reader sees the state before or the state after; a failed change leaves the state before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.commit.changes import RecordRevised, RecordReworded
from engine.commit.rows import deltas, facts, pending_vectors, term_counts
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.dates import dates_in
from engine.domain.delta import (
    BEGINNING,
    ENDED,
    Change,
    Changed,
    Delta,
    FieldChange,
    NewSlice,
    OpenSlice,
    Plan,
    Slice,
    Subject,
    base_of,
    planned,
    timeline,
)
from engine.domain.embedding import Embedded
from engine.domain.graph import RecordRevision, RecordSlice, RewordedRecord, own_slice, times
from engine.domain.principal import Principal
from engine.domain.scope import Privacy, ScopeKind
from engine.domain.terms import Unit, sparse_of, stored_words, weights
from engine.errors import EmbeddingsChanged, NotFound, ProviderUnavailable
from engine.history.chain import load, next_delta
from engine.providers.active import ActiveModel, Model
from engine.stores.postgres import Connection, Jsonb, Parameters, Statement
from engine.stores.statements import sql_in

SEARCHED: Mapping[str, str] = {"record": "summary", "item": "content"}
"""The field whose words and meaning are searched."""
TOLD = frozenset({"content", "subjects", "occurred_at", ENDED})
"""Fields of an item on which it depends what its record mentions and states."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a record or item, its kind, and the model of its vectors."""

    principal: Principal
    node_id: UUID
    schema: str
    kind: str
    model: Model

    def statement(self, name: str) -> Statement:
        """The statement of that name for this kind, on the columns of the model's slot."""
        return sql_in(f"{self.kind}/{name}", self.schema, self.model.version.column)


@dataclass(frozen=True, slots=True)
class _StoredSlice:
    """A row of a record or item: its own, or a slice that is known until further notice. `since`: of its earliest slice."""

    row_id: UUID
    own: bool
    revision: int
    privacy: Privacy
    scope: ScopeKind
    unit: Unit
    state: dict[str, Any]
    valid_from: datetime | None
    valid_to: datetime | None
    known_from: datetime
    known_to: datetime | None
    since: datetime | None

    @property
    def open(self) -> OpenSlice:
        """The slice with its times."""
        one = Slice(self.valid_from or BEGINNING, self.valid_to, self.state)
        return OpenSlice(self.row_id, self.known_from, one, self.known_to)


@dataclass(frozen=True, slots=True)
class Stored:
    """The open slices of a subject as they are stored, and its chain."""

    own: OpenSlice
    others: tuple[OpenSlice, ...]
    subject: Subject
    unit: Unit


_COUNTED = frozenset({"content", "category", ENDED})
"""Fields of an item on which the counts of documents by term depend."""
_NOTHING = FieldChange(None, None)


@dataclass(frozen=True, slots=True)
class Wording:
    """A new text of a subject's rows; `vector` is None until it is embedded."""

    text: str
    rows: list[UUID]
    vector: Embedded | None


class ContentHistory:
    """Changes records and items of nodes."""

    def __init__(self, units: UnitsOfWork, active: ActiveModel, clock: Clock) -> None:
        self._units, self._active = units, active
        self._clock = clock

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
        place = Place(principal, change.node_id, schema, change.subject_kind, model)
        vector = await self._vector(model, change)
        async with self._units.begin(principal) as unit:
            await unit.require(embeddings=model.name, whole_past=True)
            items = [change.subject_id] if place.kind == "item" and change.fields.keys() & _COUNTED else []
            before = await term_counts.of_items(unit.connection, place.schema, items)
            written = await self._next(unit.connection, place, change, vector)
            if isinstance(written, Changed):
                return written
            delta, plan = written
            await term_counts.recount(unit.connection, place.schema, items, before)
            if place.kind == "item" and delta.fields.keys() & {ENDED, "category"}:  # it may be a fact
                await facts.note(unit.connection, [place.node_id])
            if place.kind == "record":
                await unit.accept(RecordRevised(recorded(place, delta, plan)))
            elif delta.fields.keys() & TOLD:
                await unit.accept(RecordReworded(await self._reworded(unit.connection, place, change.subject_id)))
        return Changed(change.subject_id, delta.revision, delta.known_at, delta.effective_at)

    async def _reworded(self, connection: Connection, place: Place, item_id: UUID) -> RewordedRecord:
        """The record of an item whose text is another now."""
        of_item = sql_in("item/record", place.schema)
        [record_id] = await connection.fetch(of_item, {"item_id": item_id}, row=UUID)
        return RewordedRecord(record_id=record_id, user_id=place.principal.user_id, node_id=place.node_id)

    async def _next(
        self, connection: Connection, place: Place, change: Change, vector: Embedded | None = None, *, pending: bool = False
    ) -> tuple[Delta, Plan] | Changed:  # fmt: skip
        """Writes a change in the transaction of the caller; returns the answer where nothing would differ. Raises NotFound."""
        stored = await self._read(connection, place, change.subject_id, pending=pending)
        subject = stored.subject
        delta = next_delta(change, subject, place.principal.name, self._clock.now())
        if isinstance(delta, Changed):
            return delta
        wanted = timeline(subject.base, subject.since, [*subject.deltas, delta])
        plan = planned(stored.own, stored.others, wanted, delta.delta_id, delta.known_at)
        await self._write(connection, place, stored, delta, plan, vector)
        return delta, plan

    async def _vector(self, model: Model, change: Change) -> Embedded | None:
        text = change.fields.get(SEARCHED[change.subject_kind])
        return None if text is None else await self._embedded(model, text)

    async def _embedded(self, model: Model, text: str) -> Embedded | None:
        """A text with its vector; None while the embedding service does not answer: a job makes it later."""
        try:
            [found] = await self._active.patience.asked(lambda: model.embed_documents([text]))
        except ProviderUnavailable:
            return None
        return found

    async def _read(self, connection: Connection, place: Place, subject_id: UUID, *, pending: bool = False) -> Stored:
        """The subject, locked; with `pending` also where the graph does not have its record yet."""
        await connection.execute(sql_in(f"{place.kind}/lock", place.schema), {"subject_id": subject_id})
        slices = sql_in(f"{place.kind}/slices", place.schema)
        found = await connection.fetch(slices, {"subject_id": subject_id, "pending": pending}, row=_StoredSlice)
        own = next((one for one in found if one.own), None)
        if own is None:
            raise NotFound
        chain = await load(connection, place.node_id, subject_id)
        known = min(one.known_from for one in found)
        subject = Subject(base_of(own.state, chain), own.since or BEGINNING, chain, own.revision, known)
        others = tuple(one.open for one in found if not one.own)
        return Stored(own.open, others, subject, own.unit)

    async def _write(
        self, connection: Connection, place: Place, now: Stored, delta: Delta, plan: Plan, vector: Embedded | None
    ) -> None:
        """Writes the slices as planned, then the delta, in the transaction of the caller."""
        kind, schema, known = place.kind, place.schema, delta.known_at
        field = SEARCHED[kind]
        sources = {one.slice.state[field]: one.row_id for one in (*now.others, now.own)}
        reworded: dict[str, list[UUID]] = {}
        for added in plan.added:  # copies of rows as they are, before any of them changes
            text = added.slice.state[field]
            parameters = {"row_id": added.row_id, "subject_id": delta.subject_id, "known_to": added.known_to}
            parameters["copied"] = sources.get(text, now.own.row_id)
            await connection.execute(place.statement("slice_add"), parameters)
            await connection.execute(place.statement("slice_set"), _slice_row(added))
            if text not in sources:
                reworded.setdefault(text, []).append(added.row_id)
        own_id = delta.subject_id
        if plan.own is None:
            closed = [*plan.closed, own_id]
        else:
            closed = list(plan.closed)
            own = NewSlice(own_id, plan.own, plan.own_known_from)
            text = plan.own.state[field]
            await connection.execute(place.statement("slice_set"), _slice_row(own))  # a new text drops the old vector
            if text != now.own.slice.state[field]:
                if text in sources:
                    copied = {"row_id": own_id, "copied": sources[text]}
                    await connection.execute(place.statement("words_copy"), copied)
                else:
                    reworded.setdefault(text, []).append(own_id)
        if closed:
            await connection.execute(place.statement("slice_close"), {"rows": closed, "known_to": known})
        for text, rows in reworded.items():
            older = text != delta.fields.get(field, _NOTHING).after  # it holds again
            meaning = await self._embedded(place.model, text) if older else vector
            await self._reword(connection, place, now, delta, Wording(text, rows, meaning))
        revision = {"subject_id": own_id, "revision": delta.revision}
        await connection.execute(place.statement("revision"), revision)
        previous = now.subject.deltas[-1].delta_id if now.subject.deltas else None
        await deltas.append(connection, schema, [(delta, previous)])

    async def _reword(self, connection: Connection, place: Place, now: Stored, delta: Delta, wording: Wording) -> None:
        """New words and a new vector for rows whose searched text none of the open slices has."""
        text, vector = wording.text, wording.vector
        if vector is None:
            await pending_vectors.note(connection, [place.node_id])
        pending: Parameters = {"rows": wording.rows, "embedding_pending": vector is None}
        parameters = pending | place.model.item_meaning(vector)
        if place.kind == "item":
            parameters |= {
                "terms": sparse_of(weights(stored_words(text), now.unit)),
                "content_hash": hashlib.sha256(text.encode("utf-8")).digest(),
                "dates": list(dates_in(text, delta.effective_at or delta.known_at)),
                "word_count": len(text.split()),
                "token_count": place.model.embedder.count_tokens(text),
            }
        await connection.execute(place.statement("reworded"), parameters)


def recorded(place: Place, delta: Delta, plan: Plan) -> RecordRevision:
    """The graph's part of a change of a record."""
    own = own_slice(delta, plan)
    return RecordRevision(
        record_id=delta.subject_id,
        node_id=place.node_id,
        user_id=place.principal.user_id,
        revision=delta.revision,
        own=_graph_slice(own) if own else None,
        closed=plan.closed,
        closed_at=delta.known_at,
        added=[_graph_slice(one) for one in plan.added],
    )


def _slice_row(new: NewSlice) -> Parameters:
    return {"row_id": new.row_id, "state": Jsonb(new.slice.state), **times(new)}


def _graph_slice(new: NewSlice) -> RecordSlice:
    state = new.slice.state
    return RecordSlice(title=state["title"], occurred_at=state["occurred_at"], **times(new))
