"""Documents and their versions: what stays from one version to the next, and what readers see of them. Pure rules.

A chunk is identified by its hash: SHA-256 over the headings above it and its text, which its vector is made from. So a
chunk that moved is the same chunk, and one whose heading was renamed is another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

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
