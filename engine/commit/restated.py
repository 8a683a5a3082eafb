"""A stored record as the graph is to have it, made again from its rows: for records that the graph has lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.commit.changes import RecordRevised, RecordsEntered
from engine.domain.graph import DocumentFile, ManifestLine, RecordRevision, RecordSlice

Restated = tuple[RecordsEntered | RecordRevised, ...]
"""The line of a record and, where it was ever changed, its changes; nothing of one that is not there."""


@dataclass(frozen=True, slots=True)
class RestatedSlice:
    """A slice of a record beside the record's own columns and the newest version of a document."""

    record_id: UUID
    commit_id: UUID
    content_type: str
    source_id: str
    privacy: str
    revision: int
    created_at: datetime
    file_id: UUID | None
    file_name: str | None
    items: int
    slice_id: UUID
    title: str
    occurred_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    known_from: datetime
    known_to: datetime | None
    version: int | None
    version_file_id: UUID | None
    version_file_name: str | None


def restated(slices: Sequence[RestatedSlice], node_id: UUID, user_id: UUID) -> Restated:
    """The changes that enter a record again, from its slices as `record/restated` returns them."""
    if not slices:
        return ()
    own, *others = slices
    line = ManifestLine(
        record_id=own.record_id,
        user_id=user_id,
        node_id=node_id,
        commit_id=own.commit_id,
        title=own.title,
        content_type=own.content_type,
        source_id=own.source_id,
        file_id=own.file_id,
        file_name=own.file_name,
        occurred_at=own.occurred_at,
        items=own.items,
        privacy=own.privacy,
        known_from=own.created_at,
        valid_from=own.valid_from,
    )
    if own.revision == 1:
        return (RecordsEntered([line]),)
    document = None
    if own.version and own.version_file_id and own.version_file_name:
        document = DocumentFile(own.version, own.version_file_id, own.version_file_name)
    revision = RecordRevision(
        record_id=own.record_id,
        node_id=node_id,
        user_id=user_id,
        revision=own.revision,
        own=_slice(own) if own.known_to is None else None,
        closed=(),
        closed_at=own.known_to,
        added=[_slice(one) for one in others],
        items=own.items,
        document=document,
    )
    return RecordsEntered([line]), RecordRevised(revision)


def _slice(one: RestatedSlice) -> RecordSlice:
    return RecordSlice(
        slice_id=one.slice_id,
        title=one.title,
        occurred_at=one.occurred_at,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
        known_from=one.known_from,
        known_to=one.known_to,
    )
