"""Archives of users: what the manifest says, and what came of an export and an import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

PartKind = Literal["node", "source", "entity"]
FORMAT = "neurigraph archive"
VERSION = 1
MANIFEST, COLUMNS, READ_ME = "manifest.json", "columns.json", "README.txt"


@dataclass(frozen=True, slots=True)
class ArchivePart:
    """A part of a user's graph: a node with all below it, by its id; a source, by the id that was given for it; an entity, by its
    id, with the records that mention it."""

    kind: PartKind
    id: str


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file in an archive: its bytes, the SHA-256 of them, the number of its lines (0 where it has none)."""

    size: int
    sha256: str
    lines: int = 0


@dataclass(frozen=True, slots=True)
class ArchiveUser:
    """Whose archive it is."""

    user_id: UUID
    handle: str
    display_name: str
    created_at: datetime
    root_schema: str
    """The schema of the root; keys of files begin with it."""


@dataclass(frozen=True, slots=True)
class ArchiveManifest:
    """What an archive says of itself. `principal`: who read it, as kind:id; `whole`: all of the user's, which can be imported;
    `part`: what it is of, where it is of a part alone; `migrations`: the newest of each database; `embeddings`: the versions of
    the vectors by slot; `missing`: keys of files that could not be read; `tombstone_key`: hex digits, by which tombstones are
    known again; empty where there are none."""

    format: str
    version: int
    made_by: str
    made_at: datetime
    principal: str
    whole: bool
    user: ArchiveUser
    migrations: Mapping[str, int]
    embeddings: Mapping[str, str]
    members: Mapping[str, ArchiveMember]
    missing: tuple[str, ...] = ()
    tombstone_key: str = ""
    part: ArchivePart | None = None


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """An archive that was written or imported. `counts`: lines by member, and `files`; `resumed`: how many members an earlier
    attempt had written; `missing`: how many files could not be read; `derived_again`: what a job makes anew."""

    path: Path
    user_id: UUID
    handle: str
    counts: Mapping[str, int]
    size_bytes: int
    seconds: float
    resumed: int = 0
    missing: int = 0
    derived_again: tuple[str, ...] = field(default=())
