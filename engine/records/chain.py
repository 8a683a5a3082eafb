"""The chain of deltas of one subject, as the delta log of its node keeps it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4, uuid5

from engine.domain.delta import (
    BEGINNING,
    THERE,
    Change,
    Changed,
    Delta,
    FieldChange,
    Operation,
    Subject,
    fields_at,
    next_known,
)
from engine.errors import Outdated
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text

PAGE = 1000


async def load(connection: Connection, node_id: UUID, subject_id: UUID) -> list[Delta]:
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
