"""The files of nodes beside their manifests: there, of the right size, and, where they are read, of the right bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, cast
from uuid import UUID

from engine.errors import DamagedFile
from engine.lifecycle.finding import Finding, accepting
from engine.lifecycle.restoration import restore
from engine.progress import Progress, counted
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

TASK = "files"
CHANGED = "its bytes are not those that were stored"


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
            progress.start(TASK, None, "files")

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
            deep = any(problem == CHANGED for _, problem in found)
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
        self._progress.advance(TASK, 1)
        target = cast(IO[bytes], _Nowhere())
        try:
            await restore(self._objects, file.storage_path, target, packed=file.packed, sha256=file.sha256)
        except DamagedFile:
            return CHANGED
        return ""
