"""Deltas, the states on two clocks that follow from them, and the differences between two moments, page by page. Pure rules; the
stores only keep what is computed here.

A subject begins with a base: fields that held from some time on. A delta sets fields from its effect on. What held at a
moment is the base with all deltas that were known by then and in effect by then, in the order of their effect (the later
written wins a tie): a correction that comes late holds until the next change of the same field that took effect after it.

    slice     a state between two times, as it is known now
    open      a stored slice that is known until further notice
    plan      what a new delta does to the stored slices: some are closed, some begin, one stays the subject's own
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID, uuid5

from engine.domain.clock import Moment

SubjectKind = Literal["record", "item", "node", "edge"]
LoggedKind = Literal["record", "item", "node", "edge", "file"]
"""Subjects of deltas: files have them, too, though no caller changes a file by one."""
Operation = Literal["created", "changed", "ended", "reopened", "moved", "renewed", "forgotten"]
State = Mapping[str, Any]
"""Fields as JSON holds them; times as ISO texts."""

BEGINNING = datetime.min.replace(tzinfo=UTC)
"""The time before all others."""
STATELESS = frozenset({"created", "moved", "forgotten"})
"""Operations whose fields are not the subject's own: they hold its base, or its node, or were forgotten."""
ENDED = "ended"
"""The field that says from when on something no longer holds."""
RETRACTED = "retracted"
"""The field of what was withdrawn: while it is true nothing holds, whatever other changes say. Only a retraction changes it."""
THERE: Mapping[str, bool] = {ENDED: False, RETRACTED: False}
"""These fields of what holds."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a delta: its value before, at the time of effect, and after."""

    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Delta:
    """One written change. `effective_at` None: from the beginning. Revisions of a subject have no gaps."""

    delta_id: UUID
    subject_kind: LoggedKind
    subject_id: UUID
    revision: int
    operation: Operation
    fields: Mapping[str, FieldChange]
    effective_at: datetime | None
    known_at: datetime
    author: str
    reason: str = ""

    @property
    def effect(self) -> datetime:
        """When it takes effect, as a time that can be compared."""
        return self.effective_at or BEGINNING


@dataclass(frozen=True, slots=True)
class Change:
    """A requested change: new values of fields, from now, `effective_at` or, as a `correction`, the beginning on.

    `fields` may hold `ended`: true for what no longer holds, false for what holds again. With `if_revision` the change is
    refused (Conflict) when the subject was changed meanwhile. `node_id`: where a record or item lies. The same change
    with the same `key` is made once, and returns the same answer again.
    """

    subject_kind: SubjectKind
    subject_id: UUID
    fields: Mapping[str, Any]
    node_id: UUID | None = None
    effective_at: datetime | None = None
    correction: bool = False
    if_revision: int | None = None
    reason: str = ""
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """The answer to a change. `changed` is False where the fields had these values already: no delta was written."""

    subject_id: UUID
    revision: int
    known_at: datetime | None
    effective_at: datetime | None
    changed: bool = True


@dataclass(frozen=True, slots=True)
class SubjectState:
    """The state of a subject at a moment. `revision` is the present one, for the next change; `fields` None: none.

    `access_count`, `last_accessed_at`: how often an item was read, and when last, as of now. `record_id`: of
    an item its record. `resource_id`: the input that brought a record or item (of a document the last version that had it), whose
    bytes `resources.content` gives; None where none was kept. All four are for the user alone."""

    subject_kind: SubjectKind
    subject_id: UUID
    node_id: UUID
    revision: int
    fields: Mapping[str, Any] | None
    access_count: int | None = None
    last_accessed_at: datetime | None = None
    record_id: UUID | None = None
    resource_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How one subject differs between two moments; a state that is not there has no value in any field."""

    subject_kind: LoggedKind
    subject_id: UUID
    node_id: UUID
    operation: Operation
    fields: Mapping[str, FieldChange]


@dataclass(frozen=True, slots=True)
class Slice:
    """A state between two times; `valid_to` None: until further notice."""

    valid_from: datetime
    valid_to: datetime | None
    state: State


@dataclass(frozen=True, slots=True)
class OpenSlice:
    """A stored slice that is known until further notice."""

    row_id: UUID
    known_from: datetime
    slice: Slice
    known_to: datetime | None = None
    """Only of an own row: since when nothing of the subject holds any more."""


@dataclass(frozen=True, slots=True)
class NewSlice:
    """A slice to store under an id of its own, known from this delta on, or, with `known_to`, known until it."""

    row_id: UUID
    slice: Slice
    known_from: datetime
    known_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a delta does to stored slices. `own` is what the subject's own row holds from now on, `own_known_from` since when that
    is known; None: nothing holds any more, the own row is closed. `closed` ends to be known, `added` begins."""

    own: Slice | None
    own_known_from: datetime
    closed: tuple[UUID, ...]
    added: tuple[NewSlice, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that changes: the fields that it began with and since when, its deltas, its revision, when it became known."""

    base: State
    since: datetime
    deltas: Sequence[Delta]
    revision: int
    known_from: datetime


def base_of(present: State, deltas: Sequence[Delta]) -> dict[str, Any]:
    """The fields that a subject began with: today's, with the first `before` of every field that was changed."""
    base = dict(present)
    seen: set[str] = set()
    for delta in sorted(deltas, key=lambda delta: delta.revision):
        for name, change in delta.fields.items():
            if delta.operation not in STATELESS and name not in seen:
                seen.add(name)
                base[name] = change.before
    return base


def fields_at(base: State, deltas: Sequence[Delta], as_of: datetime, known_at: datetime) -> dict[str, Any]:
    """The fields of a subject at a moment, `ended` among them where it ever ended."""
    state = dict(base)
    for delta in in_order(deltas):
        if delta.known_at <= known_at and delta.effect <= as_of:
            state.update(_after(delta))
    return state


def state_at(subject: Subject, moment: Moment, now: datetime) -> State | None:
    """What held at a moment; None where nothing did, or nothing was known. `now` stands in for what the moment leaves open."""
    as_of, known_at = moment.as_of or now, moment.known_at or now
    if as_of < subject.since or known_at < subject.known_from:
        return None
    return _shown(fields_at(subject.base, subject.deltas, as_of, known_at))


def timeline(base: State, since: datetime, deltas: Sequence[Delta]) -> tuple[Slice, ...]:
    """All slices of a subject as they are known with these deltas, in the order of time."""
    slices: list[Slice] = []
    state, start = {**THERE, **base}, since
    for delta in in_order(deltas):
        effect = max(delta.effect, since)
        if effect > start:
            _append(slices, Slice(start, effect, dict(state)))
            start = effect
        state.update(_after(delta))
    _append(slices, Slice(start, None, state))
    shown = ((one, _shown(one.state)) for one in slices)
    return tuple(Slice(one.valid_from, one.valid_to, fields) for one, fields in shown if fields is not None)


def in_order(deltas: Sequence[Delta]) -> list[Delta]:
    """Deltas in the order in which their effects follow each other."""
    changing = (delta for delta in deltas if delta.operation not in STATELESS)
    return sorted(changing, key=lambda delta: (delta.effect, delta.revision))


def _shown(state: State) -> State | None:
    """The state without the fields that only say that it holds; None where it does not."""
    if any(state.get(name) for name in THERE):
        return None
    return {name: value for name, value in state.items() if name not in THERE}


def _after(delta: Delta) -> dict[str, Any]:
    return {name: change.after for name, change in delta.fields.items()}


def _append(slices: list[Slice], new: Slice) -> None:
    """Adds a slice; one that continues the state before it only makes that one longer."""
    if slices and slices[-1].state == new.state:
        slices[-1] = Slice(slices[-1].valid_from, new.valid_to, new.state)
    else:
        slices.append(new)


def planned(
    own: OpenSlice, others: Sequence[OpenSlice], wanted: Sequence[Slice], delta_id: UUID, known: datetime
) -> Plan:
    """What has to be done so that the open slices are those wanted, the last of them in the subject's own row.

    `others` are the open slices beside the own row. New rows get ids that follow from the delta, so that repeating a plan
    makes no second row.
    """
    if not wanted:
        return Plan(None, own.known_from, tuple(other.row_id for other in others), ())
    *earlier, last = wanted
    begins = {one.valid_from: one for one in earlier}
    kept = [other for other in others if begins.get(other.slice.valid_from) == other.slice]
    closed = tuple({other.row_id for other in others} - {other.row_id for other in kept})
    have = {other.slice.valid_from for other in kept}
    fresh = [one for one in earlier if one.valid_from not in have]
    added = [NewSlice(uuid5(delta_id, f"slice {number}"), one, known) for number, one in enumerate(fresh)]
    if last == own.slice and own.known_to is None:
        return Plan(last, own.known_from, closed, tuple(added))
    added.append(NewSlice(uuid5(delta_id, "own"), own.slice, own.known_from, own.known_to or known))
    return Plan(last, known, closed, tuple(added))


def renewed(
    own: OpenSlice, others: Sequence[OpenSlice], wanted: Sequence[Slice], delta_id: UUID, known: datetime
) -> Plan:
    """What has to be done so that nothing which was known is known any longer, and the wanted slices are, from now on.

    For a subject whose slices carry more than their fields: the file of a document's version. `wanted` is not empty.
    """
    *earlier, last = wanted
    added = [NewSlice(uuid5(delta_id, f"slice {number}"), one, known) for number, one in enumerate(earlier)]
    if own.known_to is None:
        added.append(NewSlice(uuid5(delta_id, "own"), own.slice, own.known_from, known))
    return Plan(last, known, tuple(other.row_id for other in others), tuple(added))


def next_known(now: datetime, known: Sequence[datetime]) -> datetime:
    """When a new delta is known: now, but after all that is known, also where this machine's clock was set back."""
    last = max(known, default=BEGINNING)
    return now if last < now else last + timedelta(microseconds=1)


def difference(before: State | None, after: State | None) -> dict[str, FieldChange]:
    """The fields that differ between two states."""
    left, right = before or {}, after or {}
    names = sorted((left.keys() | right.keys()) - THERE.keys())
    return {name: FieldChange(left.get(name), right.get(name)) for name in names if left.get(name) != right.get(name)}


@dataclass(frozen=True, slots=True)
class DifferencePage:
    """Differences between two moments, by node and subject. `after` leads to the next page; None on the last page."""

    differences: tuple[Difference, ...]
    after: tuple[UUID, UUID] | None


@dataclass(frozen=True, slots=True)
class Within:
    """What a difference is asked of: one node with its contents, one subject, or a whole graph (both None)."""

    node_id: UUID | None = None
    subject_id: UUID | None = None


EVERYTHING = Within()
