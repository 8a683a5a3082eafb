"""What a record or an item says at any time: its slices, and a change that writes new ones, in the transaction of the caller; and
the chain of deltas of one subject, as the delta log of its node keeps it.

    read and lock → the delta → the plan → slices → delta

A slice is a row with the times for which it holds and is known; an earlier one stays. The row of the subject's own id is the
slice that holds until further notice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from engine.commit.rows import deltas, due
from engine.domain.clock import Clock
from engine.domain.delta import (
    BEGINNING,
    THERE,
    Change,
    Changed,
    Delta,
    FieldChange,
    NewSlice,
    OpenSlice,
    Operation,
    Plan,
    Slice,
    Subject,
    base_of,
    fields_at,
    next_known,
    planned,
    timeline,
)
from engine.domain.embedding import Embedded
from engine.domain.extraction import WHOLE
from engine.domain.graph import RecordRevision, RecordSlice, own_slice, times
from engine.domain.principal import Principal
from engine.domain.scope import Privacy, ScopeKind
from engine.domain.terms import Unit, sparse_of, stored_words, weights
from engine.errors import NotFound, Outdated, ProviderUnavailable
from engine.language.dates import dates_in
from engine.providers.active import ActiveModel, Model
from engine.stores.postgres import Connection, Jsonb, Parameters, Statement
from engine.stores.statements import sql_in, sql_text

PAGE = 1000
SEARCHED: Mapping[str, str] = {"record": "summary", "item": "content"}
"""The field whose words and meaning are searched."""
_NOTHING = FieldChange(None, None)


async def deltas_of(connection: Connection, node_id: UUID, subject_id: UUID) -> list[Delta]:
    """All deltas of a subject in the order of revisions, if the principal may change it."""
    found: list[Delta] = []
    after = 0
    while True:
        parameters = {"node_id": node_id, "subject_id": subject_id, "after": after, "limit": PAGE}
        page = await connection.fetch(sql_text("delta/of_subject"), parameters, row=Delta)
        found += page
        if len(page) < PAGE:
            return found
        after = found[-1].revision


def delta_id_of(subject_id: UUID, author: str, key: str | None) -> UUID:
    """The id of a delta: the same for the same change with the same key."""
    return uuid5(subject_id, f"{author} {key}") if key else uuid4()


def next_delta(change: Change, subject: Subject, author: str, now: datetime) -> Delta | Changed:
    """The delta of a change, with the values before it. Returns the answer instead where nothing would differ, or where the
    change was made before with the same key.

    A change without a time takes effect now. Raises Outdated where the subject is not at the revision that the change expects.
    """
    delta_id = delta_id_of(change.subject_id, author, change.key)
    for made in subject.deltas:
        if made.delta_id == delta_id:
            return Changed(change.subject_id, made.revision, made.known_at, made.effective_at)
    if change.if_revision is not None and change.if_revision != subject.revision:
        raise Outdated(f"This was changed meanwhile: it is at revision {subject.revision}.")
    known = next_known(now, [subject.known_from, *(delta.known_at for delta in subject.deltas)])
    effective = None if change.correction else change.effective_at or known
    at = effective or BEGINNING
    before = {**THERE, **fields_at(subject.base, subject.deltas, at, known)}
    fields = {name: FieldChange(before.get(name), value) for name, value in change.fields.items()}
    if all(field.before == field.after for field in fields.values()):
        return Changed(change.subject_id, subject.revision, None, change.effective_at, changed=False)
    operation: Operation = "changed"
    for name in fields.keys() & THERE.keys():
        if fields[name].before != fields[name].after:
            operation = "ended" if fields[name].after else "reopened"
    number = subject.revision + 1
    return Delta(
        delta_id, change.subject_kind, change.subject_id, number, operation, fields, effective, known, author, change.reason
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SlicePlace:
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
class StoredSlice:
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


@dataclass(frozen=True, slots=True)
class Wording:
    """A new text of a subject's rows; `vector` is None until it is embedded."""

    text: str
    rows: list[UUID]
    vector: Embedded | None


class Slices:
    """Reads and writes the slices of records and items."""

    def __init__(self, active: ActiveModel, clock: Clock) -> None:
        self._active, self.clock = active, clock

    async def read(
        self, connection: Connection, place: SlicePlace, subject_id: UUID, *, pending: bool = False
    ) -> Stored:
        """The subject, locked; with `pending` also where the graph does not have its record yet. Raises NotFound."""
        await connection.execute(sql_in(f"{place.kind}/lock", place.schema), {"subject_id": subject_id})
        own, found = await self._found(connection, place, subject_id, pending=pending)
        chain = await deltas_of(connection, place.node_id, subject_id)
        known = min(one.known_from for one in found)
        subject = Subject(base_of(own.state, chain), own.since or BEGINNING, chain, own.revision, known)
        others = tuple(one.open for one in found if not one.own)
        return Stored(own.open, others, subject, own.unit)

    async def require(self, connection: Connection, place: SlicePlace, subject_id: UUID) -> None:
        """Raises NotFound where the principal is not shown the subject, before anything is locked in the name of another."""
        await self._found(connection, place, subject_id, pending=False)

    async def _found(
        self, connection: Connection, place: SlicePlace, subject_id: UUID, *, pending: bool
    ) -> tuple[StoredSlice, list[StoredSlice]]:
        """The newest slice of a subject, and all."""
        slices = sql_in(f"{place.kind}/slices", place.schema)
        found = await connection.fetch(slices, {"subject_id": subject_id, "pending": pending}, row=StoredSlice)
        own = next((one for one in found if one.own), None)
        if own is None:
            raise NotFound
        return own, found

    async def change(
        self, connection: Connection, place: SlicePlace, change: Change, vector: Embedded | None = None, *,
        pending: bool = False, known: datetime | None = None,
    ) -> tuple[Delta, Plan] | Changed:  # fmt: skip
        """Reads the subject and writes a change of it; see `read` and `write`."""
        stored = await self.read(connection, place, change.subject_id, pending=pending)
        return await self.write(connection, place, stored, change, vector, known=known)

    async def write(
        self, connection: Connection, place: SlicePlace, stored: Stored, change: Change, vector: Embedded | None = None, *,
        known: datetime | None = None,
    ) -> tuple[Delta, Plan] | Changed:  # fmt: skip
        """Writes a change of a subject that was read, known from `known` on (None: now); returns the answer where nothing would
        differ. `vector`: of its new text, None where there is none or it is made later. Raises Outdated, Conflict."""
        subject = stored.subject
        delta = next_delta(change, subject, place.principal.name, known or self.clock.now())
        if isinstance(delta, Changed):
            return delta
        wanted = timeline(subject.base, subject.since, [*subject.deltas, delta])
        plan = planned(stored.own, stored.others, wanted, delta.delta_id, delta.known_at)
        await self.write_planned(connection, place, stored, delta, plan, vector)
        return delta, plan

    async def embedded(self, model: Model, text: str) -> Embedded | None:
        """A text with its vector; None while the embedding service does not answer: a job makes it later."""
        try:
            [found] = await self._active.patience.asked(lambda: model.embed_documents([text]))
        except ProviderUnavailable:
            return None
        return found

    async def write_planned(
        self, connection: Connection, place: SlicePlace, now: Stored, delta: Delta, plan: Plan, vector: Embedded | None
    ) -> None:
        """Writes the slices as planned, then the delta."""
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
            meaning = await self.embedded(place.model, text) if older else vector
            await self._reword(connection, place, now, delta, Wording(text, rows, meaning))
        revision = {"subject_id": own_id, "revision": delta.revision}
        await connection.execute(place.statement("revision"), revision)
        previous = now.subject.deltas[-1].delta_id if now.subject.deltas else None
        await deltas.append(connection, schema, [(delta, previous)])

    async def _reword(
        self, connection: Connection, place: SlicePlace, now: Stored, delta: Delta, wording: Wording
    ) -> None:
        """New words and a new vector for rows whose searched text none of the open slices has."""
        text, vector = wording.text, wording.vector
        if vector is None:
            await due.note(connection, "vectors", [place.node_id])
        pending: Parameters = {"rows": wording.rows, "embedding_pending": vector is None}
        parameters = pending | place.model.item_meaning(vector)
        if place.kind == "item":
            whole = now.own.slice.state["category"] == WHOLE
            parameters |= {
                # the words of a whole input are those of its turns or passages
                "terms": sparse_of({} if whole else weights(stored_words(text), now.unit)),
                "content_hash": hashlib.sha256(text.encode("utf-8")).digest(),
                "dates": list(dates_in(text, delta.effective_at or delta.known_at)),
                "word_count": len(text.split()),
                "token_count": place.model.embedder.count_tokens(text),
            }
        await connection.execute(place.statement("reworded"), parameters)


def recorded(place: SlicePlace, delta: Delta, plan: Plan) -> RecordRevision:
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
