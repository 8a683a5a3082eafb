"""Files of a user on an engine whose clock the test moves."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

from engine.lifecycle.rehydrate import Rehydration
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.objects import copy_of

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TEXT = "The walleye of Loon Lake rise at dusk. " * 40


@dataclass
class MovedClock:
    """A clock that stands until it is moved."""

    present: datetime = START

    def now(self) -> datetime:
        return self.present

    def move(self, **length: float) -> None:
        self.present += timedelta(**length)


@dataclass
class Library:
    """A user with a node and one text in it, on an engine whose clock the test moves."""

    engine: Engine
    clock: MovedClock
    memory: Memory
    node: UUID
    file: UUID

    async def state(self) -> str:
        return (await self.memory.files.state(self.node, self.file)).state

    async def log(self) -> list[tuple[str, str, str]]:
        """From, to and trigger of the file's entries, oldest first."""
        entries = await self.memory.files.log(node_id=self.node, file_id=self.file)
        return [(entry.from_state, entry.to_state, entry.trigger) for entry in reversed(entries)]

    async def problems(self) -> list[str]:
        """What the doctor finds at the library's node."""
        subject = f"node {(await self.memory.nodes.shell(self.node)).schema_name}"
        return [finding.problem for finding in await self.engine.doctor.examine() if finding.subject == subject]

    def objects(self) -> tuple[Path, list[Path]]:
        """The file's object and its restored copies."""
        folder = self.engine.settings.home / "objects"
        found = [path for path in folder.rglob("*") if path.is_file() and str(self.file) in str(path)]
        copies = [path for path in found if copy_of(path.relative_to(folder).as_posix())]
        [stored] = [path for path in found if path not in copies]
        return stored, copies


async def stored_by_hand(library: Library, content: bytes, content_type: str) -> UUID:
    """A file more in the library's record, put there past the ingest."""
    file = uuid4()
    record = (await library.memory.nodes.metadata(library.node)).records[0]
    shell = await library.memory.nodes.shell(library.node)
    native = content_type.startswith("image/")
    key = f"{(await library.memory.nodes.shell(library.memory.principal.user_id)).schema_name}/fishing/{file}/file"
    packed = content if native else gzip.compress(content)
    await library.engine.objects.put(key, BytesIO(packed))
    async with library.engine.postgres.as_service() as connection:
        await connection.execute(
            f'INSERT INTO "{shell.schema_name}".file_manifest (file_id, record_id, file_name, file_type, content_type, storage_path,'
            " compression_format, size_bytes, stored_bytes, sha256) VALUES (%s, %s, 'file', 'other', %s, %s, %s, %s, %s, %s)",
            [file, record.record_id, content_type, key, "native" if native else "gzip", len(content), len(packed),
             hashlib.sha256(content).digest()],
        )  # fmt: skip
    return file


async def leave_a_claim(library: Library) -> None:
    """As a process leaves it that died right after its claim."""
    rehydration = library.engine.parts[Rehydration]
    file = await rehydration._located(library.memory.principal, library.node, library.file)
    claim = await library.engine.states.claim(library.memory.principal, file, by_hand=False, lost=None, waited=None)
    assert claim.mine
    await library.engine.nodes.apply()
