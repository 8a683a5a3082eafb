"""Documents and their versions: what stays from one version to the next, and what readers see of them. Pure rules.

A chunk is identified by its hash: SHA-256 over the headings above it and its text, which its vector is made from. So a
chunk that moved is the same chunk, and one whose heading was renamed is another.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.domain.graph import RecordRevision

HASH_BYTES = 32


def chunk_hash(section: str, text: str) -> bytes:
    """What a chunk is recognised by in the next version."""
    return hashlib.sha256(section.encode("utf-8") + b"\x00" + text.encode("utf-8")).digest()


def joined(hashes: Sequence[bytes]) -> bytes:
    """Hashes as they are kept: one after the other."""
    return b"".join(hashes)


def parted(hashes: bytes) -> list[bytes]:
    """Kept hashes as a list."""
    return [hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES)]


@dataclass(frozen=True, slots=True)
class Matched:
    """`places`: for each chunk of the new version the id of the old chunk that it is, None for a new one. `gone`: old ones that
    the new version does not have, in their order."""

    places: tuple[UUID | None, ...]
    gone: tuple[UUID, ...]


def matched(before: Sequence[tuple[UUID, bytes]], after: Sequence[bytes]) -> Matched:
    """Which chunks of a version are those of the version before. Of equal ones the first becomes the first."""
    waiting: dict[bytes, deque[UUID]] = defaultdict(deque)
    for chunk_id, digest in before:
        waiting[digest].append(chunk_id)
    places = tuple(waiting[digest].popleft() if waiting.get(digest) else None for digest in after)
    stayed = {place for place in places if place is not None}
    return Matched(places, tuple(chunk_id for chunk_id, _ in before if chunk_id not in stayed))


def allotted(owners: Sequence[int | None]) -> list[int]:
    """To which of a document's parts each chunk of a new version goes: one that stayed (`owners`) to its own, a new one (None)
    to that of the chunk before it, at the beginning to that of the first that stayed; where none stayed to the first part."""
    last = next((owner for owner in owners if owner is not None), 0)
    return [last := owner if owner is not None else last for owner in owners]


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What a write did to a document: chunks that stayed with id and vector, that are new, that ended."""

    document_id: UUID
    node_id: UUID
    version: int
    file_id: UUID
    kept: int
    added: int
    superseded: int


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version on its way in. `source_id` is the key of its source, `chunks` all chunks with their hashes, in order."""

    document_id: UUID
    version: int
    source_id: str
    node_id: UUID
    title: str
    content_hash: bytes
    file_id: UUID
    file_name: str
    chunks: tuple[tuple[UUID, bytes], ...]
    added: int
    superseded: int = 0

    @property
    def kept(self) -> int:
        """Chunks that were there before."""
        return len(self.chunks) - self.added

    @property
    def change(self) -> DocumentChange:
        """The version as a report shows it."""
        counts = self.kept, self.added, self.superseded
        return DocumentChange(self.document_id, self.node_id, self.version, self.file_id, *counts)


@dataclass(frozen=True, slots=True)
class RecordRenewal:
    """What a version, or another reading, makes of its record. `fields` as deltas hold them, `vector` of the new summary (None:
    it is made later), `known`: times that the renewal is known later than, `at`: when it is known (None: now)."""

    node_id: UUID
    schema: str
    record_id: UUID
    fields: Mapping[str, Any]
    vector: NDArray[np.float32] | None
    known: tuple[datetime, ...]
    reason: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Renewed:
    """A renewed record: since when the version is known, since when the record holds (None: from the beginning), the rows that
    hold what is known from now on, and what the graph learns."""

    known_at: datetime
    since: datetime | None
    rows: tuple[UUID, ...]
    graph: RecordRevision


@dataclass(frozen=True, slots=True)
class Ending:
    """An item that ends: its revision, when its newest slice became known, the terms that it is counted with, under which unit
    (empty: it is not counted)."""

    item_id: UUID
    revision: int
    known_from: datetime
    terms: tuple[int, ...]
    counted: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as it is now. `document_id` is the id of its record, `node_id` where that lies."""

    document_id: UUID
    node_id: UUID
    source_id: str
    title: str
    version: int
    content_hash: str
    file_id: UUID
    file_name: str
    chunks: int
    created_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """One version: its file, its hash (SHA-256 of the text, in hex), how it came from the one before it (`previous`)."""

    document_id: UUID
    node_id: UUID
    version: int
    previous: int | None
    title: str
    content_hash: str
    file_id: UUID
    file_name: str
    chunks: int
    kept: int
    added: int
    superseded: int
    authored_by: str
    known_at: datetime


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A passage of a version: its place in it, and what is known of it now. `span` is in characters, and only of the newest
    version; `superseded` says that the newest version has it no more."""

    item_id: UUID
    index: int
    content: str
    section: str
    token_count: int
    content_hash: str
    keywords: list[str]
    span: tuple[int, int] | None
    superseded: bool
