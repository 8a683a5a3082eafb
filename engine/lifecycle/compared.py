"""Findings about one node: its tables, its shell against the registry, its manifest, its contents, its files. Nodes are read as
the registry has them, in the form in which the graph takes them again; files are there, of the right size, and, where they are
read, of the right bytes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, cast
from uuid import UUID

from engine.domain.node import NodeType
from engine.errors import DamagedFile
from engine.lifecycle.file_states import restore
from engine.lifecycle.finding import FIX, Finding, accepting
from engine.progress import Progress, counted
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LABELS: dict[NodeType, str] = {"user": "User", "concept": "Concept", "persona": "Persona"}
NO_VECTORS: dict[str, None] = dict.fromkeys(("embedding", "embedding_version", "embedding_b", "embedding_b_version"))
_LOST = ("its schema", "its table")
_OLDER = "its tables are of an older version"
FILES = "files"
BYTES_CHANGED = "its bytes are not those that were stored"


@dataclass(frozen=True, slots=True)
class RegisteredNode:
    """A node of the registry."""

    node_id: UUID
    user_id: UUID
    parent_id: UUID | None
    name: str
    name_key: str
    node_type: NodeType
    layer: int
    schema_name: str
    created_at: datetime

    @property
    def parent(self) -> str | None:
        """The parent's id as the graph has it."""
        return str(self.parent_id) if self.parent_id else None

    @property
    def graph(self) -> dict[str, Any]:
        """The shell's properties that the registry decides."""
        return {
            "node_id": str(self.node_id),
            "user_id": str(self.user_id),
            "parent_id": self.parent,
            "name": self.name,
            "name_key": self.name_key,
            "node_type": self.node_type,
            "label": LABELS[self.node_type],
            "layer": self.layer,
            "schema_name": self.schema_name,
        }

    def shell(self, first: dict[str, Any] | None) -> dict[str, Any]:
        """A whole shell, with the words of its first commit where that is still kept."""
        words: dict[str, Any] = {"summary": "", "keywords": [], "aliases": [], "alias_keys": []}
        fixed = {
            "user_key": self.user_id.hex,
            "created_at": self.created_at.isoformat(),
        }
        return NO_VECTORS | words | (first or {}) | self.graph | fixed


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """A node as the registry and its tables show it. `damage`: by the catalog; `busy`: commits of its user are under way;
    `waits`: vectors are to be made there; `active`: the embedding version; `file_state`: None where no file ever moved;
    `applied`: whether the graph shows that. `records`, `items`: None without tables."""

    node_id: UUID
    user_id: UUID
    schema_name: str
    state: str
    records: int | None
    items: int | None
    pointers: tuple[str, ...] | None
    name: str
    name_key: str
    node_type: NodeType
    layer: int
    parent_id: UUID | None
    damage: str | None
    busy: bool
    waits: bool
    active: str | None
    file_state: str | None
    file_seq: int | None
    applied: bool | None


@dataclass(frozen=True, slots=True)
class ShownShell:
    """A shell as the graph has it, whatever that is: ids stay text. `parents`: by HAS_CHILD; `records` and `listed_items`
    of its manifest, `elsewhere`: how many of these records lie at other nodes; `versions` of its vectors."""

    node_id: UUID
    schema_name: str | None
    name: str | None
    name_key: str | None
    node_type: str | None
    labels: frozenset[str]
    layer: int | None
    user_id: str | None
    parent_id: str | None
    parents: list[str]
    records: int
    elsewhere: int
    listed_items: int
    counted_records: int | None
    counted_items: int | None
    state: str | None
    state_seq: int | None
    versions: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class NodeContents:
    """How much is wrong inside a node. `unreadable`: the error's code where it cannot be read."""

    node_id: UUID
    schema_name: str
    texts: int
    vectors: int
    deltas: int
    sources: int
    files: int
    unreadable: str | None


def tables(row: NodeFacts) -> Iterator[Finding]:
    """The tables of a node beside the template."""
    subject, node_id, damage = f"node {row.schema_name}", row.node_id, row.damage
    if damage == _OLDER:
        problem = f"its tables are not those of the template: {damage}"
        remedy = "the next start tries to upgrade it again; the log says why it failed"
        yield Finding("error", "postgres", subject, problem, remedy)
    elif damage and damage.startswith(_LOST) and damage.endswith("missing"):
        remedy = accepting("tables-lost", node_id, "the node goes on without what was in them")
        problem = damage if damage.startswith("its schema") else f"its tables are not those of the template: {damage}"
        yield Finding("error", "postgres", subject, problem, remedy, "tables-lost", node_id)
    elif damage:
        problem = f"its tables are not those of the template: {damage}"
        remedy = f"{FIX}; a column that may not be empty takes a backup"
        yield Finding("error", "postgres", subject, problem, remedy, "tables-damaged", node_id)


def shell(row: NodeFacts, shown: ShownShell | None) -> Iterator[Finding]:
    """The shell of a node beside the registry, and its vector."""
    subject, node_id = f"node {row.schema_name}", row.node_id
    if shown is None:
        remedy = f"{FIX} rebuilds it with its manifest and grants; its edges to other nodes are only in a backup"
        yield Finding("error", "neo4j", subject, "its shell is missing", remedy, "shell-missing", node_id)
        return
    if not row.busy and (wrong := [*_differing(row, shown)]):
        yield Finding("error", "neo4j", subject, "; ".join(wrong), FIX, "shell-wrong", node_id)
    if row.active and row.active not in shown.versions and not row.waits:
        problem = "its shell has no vector, and no job will make it: the node is found by words alone"
        yield Finding("error", "neo4j", subject, problem, FIX, "vector-lost", node_id)
    yield from _state(row, shown)


def _differing(row: NodeFacts, shown: ShownShell) -> Iterator[str]:
    fields: dict[str, tuple[object, object]] = {
        "name": (shown.name, row.name),
        "name_key": (shown.name_key, row.name_key),
        "node_type": (shown.node_type, row.node_type),
        "layer": (shown.layer, row.layer),
        "schema_name": (shown.schema_name, row.schema_name),
    }
    for field, (there, right) in fields.items():
        if there != right:
            yield f"its shell says {field} {there!r}, it is {right!r}"
    if (label := LABELS[row.node_type]) not in shown.labels:
        yield f"its shell lacks the label {label}"
    parent = str(row.parent_id) if row.parent_id else None
    if shown.user_id != str(row.user_id):
        yield f"its shell belongs to the user {shown.user_id}"
    if shown.parents != ([parent] if parent else []) or shown.parent_id != parent:
        yield f"its shell hangs below {', '.join(shown.parents) or 'no node'}, its parent is {parent or 'none'}"


def manifest(row: NodeFacts, shown: ShownShell) -> Iterator[Finding]:
    """The manifest and the counts of a shell beside the records and items of its node; not while a commit is under way."""
    subject, node_id = f"node {row.schema_name}", row.node_id
    listed, records, items = shown.records, row.records, row.items
    if records is None or items is None or row.busy:
        return
    if shown.elsewhere:
        problem = f"the manifest lists {counted(shown.elsewhere, 'record')} of other nodes"
        remedy = f"nothing is lost; {FIX} lists them where they lie"
        yield Finding("error", "neo4j", subject, problem, remedy, "manifest-lost", node_id)
    elif listed > records:
        problem = f"{counted(listed - records, 'record')} lost: the manifest lists {listed}, the node has {records}"
        remedy = accepting("records-gone", node_id, "the manifest forgets them")
        yield Finding("error", "postgres", subject, problem, remedy, "records-gone", node_id)
    elif listed < records:
        problem = f"the manifest lists {counted(listed, 'record')}, the node has {records}"
        yield Finding("error", "neo4j", subject, problem, f"{FIX} enters the others", "manifest-lost", node_id)
    elif shown.listed_items > items:
        gone = shown.listed_items - items
        problem = f"{counted(gone, 'item')} lost: its records had {shown.listed_items}, the node has {items}"
        remedy = accepting("items-gone", node_id, "the manifest counts what is there")
        yield Finding("error", "postgres", subject, problem, remedy, "items-gone", node_id)
    elif shown.listed_items < items or (shown.counted_records, shown.counted_items) != (listed, shown.listed_items):
        counts = f"{counted(shown.counted_records or 0, 'record')} and {counted(shown.counted_items or 0, 'item')}"
        problem = f"the shell counts {counts}, there are {records} and {items}"
        yield Finding("warning", "neo4j", subject, problem, f"nothing is lost; {FIX} recounts", "counts-off", node_id)


def contents(row: NodeContents) -> Iterator[Finding]:
    """Findings about the contents of a node."""
    subject, node_id = f"node {row.schema_name}", row.node_id
    if row.unreadable:
        problem = f"its rows cannot be read ({row.unreadable}); searches leave it out"
        yield Finding(
            "error", "postgres", subject, problem, "restore Postgres from a backup", "rows-unreadable", node_id
        )
        return
    if row.texts:
        problem = f"the text of {counted(row.texts, 'item')} is not what was stored"
        remedy = accepting("text-changed", node_id, "the present texts are accepted, their vectors rebuilt")
        yield Finding("error", "postgres", subject, problem, remedy, "text-changed", node_id)
    if row.vectors:
        without = counted(row.vectors, "item or record", "items or records")
        problem = f"no vector that can be searched for {without}, and no job will make it"
        yield Finding("error", "postgres", subject, problem, FIX, "vector-lost", node_id)
    if row.deltas:
        problem = f"the log of changes lacks {counted(row.deltas, 'entry', 'entries')}"
        remedy = f"restore a backup; {FIX} rebuilds the first entries of records and marks the others as lost"
        yield Finding("error", "postgres", subject, problem, remedy, "deltas-lost", node_id)
    if row.sources:
        problem = (
            f"it is unknown how much of {counted(row.sources, 'source')} is stored: sent again, it is stored twice"
        )
        remedy = f"{FIX}; sources in no ingest session: {accepting('source-lost', node_id, 'they stay unknown')}"
        yield Finding("error", "postgres", subject, problem, remedy, "source-lost", node_id)
    if row.files:
        problem = f"no line in its manifest for the files of {counted(row.files, 'record')}: they cannot be opened"
        remedy = f"{FIX}; files in no raw input: {accepting('entry-lost', node_id, 'the records stay without a file')}"
        yield Finding("error", "postgres", subject, problem, remedy, "entry-lost", node_id)


def _state(row: NodeFacts, shown: ShownShell) -> Iterator[Finding]:
    """The state of files in the shell, where it is wrong and was not right a moment ago."""
    right, shown_seq = row.file_state, shown.state_seq
    if right is None:  # no file ever moved: they sleep, as they were written
        right = "dormant" if row.pointers and shown_seq is None else shown.state
    elif shown_seq is not None and row.file_seq is not None and shown_seq > row.file_seq:
        return  # one moved since the registry was read
    if shown.state != right:
        problem = f"the shell shows its files as {shown.state}, they are {right}"
        remedy = (
            "the next file that wakes or sleeps there mends it" if row.applied else "nothing to do: the sweep mends it"
        )
        yield Finding("warning", "neo4j", f"node {row.schema_name}", problem, remedy)


@dataclass(frozen=True, slots=True)
class _File:
    node_id: UUID
    schema_name: str
    file_id: UUID
    storage_path: str
    stored_bytes: int
    packed: bool
    sha256: bytes


class _Nowhere:
    """Takes bytes and keeps none."""

    def write(self, block: bytes) -> int:
        return len(block)


class FileCheck:
    """One look at files; `most` of them are read, none where it is 0."""

    def __init__(self, postgres: Postgres, objects: ObjectStore, progress: Progress, most: int) -> None:
        self._postgres, self._objects, self._progress = postgres, objects, progress
        self._left = most
        self.passed_over = 0
        """Files that were not read because the limit was reached."""
        self._reads = most > 0
        if self._reads:
            progress.start(FILES, None, "files")

    async def of(self, nodes: Sequence[UUID], stored: Mapping[UUID, int]) -> AsyncIterator[Finding]:
        """What is wrong with the files of these nodes; `stored`: the sizes of the objects that there are."""
        files = await self._postgres.fetch_as_service(sql_text("doctor/files"), {"nodes": list(nodes)}, row=_File)
        wrong: dict[UUID, list[tuple[_File, str]]] = {}
        for file in files:
            if problem := await self._problem(file, stored):
                wrong.setdefault(file.node_id, []).append((file, problem))
        for node_id, found in wrong.items():
            first, problem = found[0]
            seen = f"{counted(len(found), 'file')} missing or damaged, first {first.storage_path}: {problem}"
            deep = any(problem == BYTES_CHANGED for _, problem in found)
            remedy = accepting("file-lost", node_id, "they stay lost, what was read from them stays", deep=deep)
            lost = tuple(file.file_id for file, _ in found)
            yield Finding("error", "objects", f"node {first.schema_name}", seen, remedy, "file-lost", node_id, lost)

    async def _problem(self, file: _File, stored: Mapping[UUID, int]) -> str:
        size = stored.get(file.file_id)
        if size is None:
            return "it is missing"
        if size != file.stored_bytes:
            return f"it has {size} bytes instead of {file.stored_bytes}"
        if not self._reads:
            return ""
        if self._left <= 0:
            self.passed_over += 1
            return ""
        self._left -= 1
        self._progress.advance(FILES, 1)
        target = cast(IO[bytes], _Nowhere())
        try:
            await restore(self._objects, file.storage_path, target, packed=file.packed, sha256=file.sha256)
        except DamagedFile:
            return BYTES_CHANGED
        return ""
