"""The files of nodes beside their manifests: there, of the right size, and, where they are read, of the right bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import IO, Any, cast
from uuid import UUID

from engine.errors import DamagedFile
from engine.lifecycle.finding import Finding, accepting
from engine.lifecycle.restoration import restore
from engine.progress import Progress
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

TASK = "files"
CHANGED = "its bytes are not those that were stored"
Row = dict[str, Any]


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
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text("doctor/files"), {"nodes": list(nodes)})
            rows = await cursor.fetchall()
        wrong: dict[UUID, list[tuple[Row, str]]] = {}
        for row in rows:
            if problem := await self._problem(row, stored):
                wrong.setdefault(row["node_id"], []).append((row, problem))
        for node_id, found in wrong.items():
            first, problem = found[0]
            yield Finding(
                "error",
                "objects",
                f"node {first['schema_name']}",
                f"{len(found)} files are missing or damaged, first {first['storage_path']}: {problem}",
                accepting(
                    "file-lost",
                    node_id,
                    "they stay lost, what was read from them stays",
                    deep=any(problem == CHANGED for _, problem in found),
                ),
                "file-lost",
                node_id,
                tuple(row["file_id"] for row, _ in found),
            )

    async def _problem(self, row: Row, stored: Mapping[UUID, int]) -> str:
        size = stored.get(row["file_id"])
        if size is None:
            return "it is missing"
        if size != row["stored_bytes"]:
            return f"it has {size} bytes instead of {row['stored_bytes']}"
        if not self._reads:
            return ""
        if self._left <= 0:
            self.passed_over += 1
            return ""
        self._left -= 1
        self._progress.advance(TASK, 1)
        target = cast(IO[bytes], _Nowhere())
        try:
            await restore(self._objects, row["storage_path"], target, packed=row["packed"], sha256=row["sha256"])
        except DamagedFile:
            return CHANGED
        return ""
