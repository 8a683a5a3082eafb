"""The states of files and of nodes; the bytes of a file from its object, unpacked in constant memory and compared with their
hash before they are returned; and putting files to sleep.

Every transition of a file's state is one statement, which also writes the log. The statements check the principal's rights;
only the service notes the end of a restoration.
A restored copy lies beside the object, in a folder of its own, under the claim of the restoration that made it:
`…/<file>/<name>.gz` is the file, `…/<file>/warm/<claim>` the copy. A copy may vanish at any time; the object stays. Where a file
is put to sleep, the row is changed first, then the copy is deleted; the compressed object is never touched.

States of nodes are derived from their files in Postgres and applied in the graph. Those that are not applied after a crash or
an outage follow with the next sweep or start; a late update changes nothing (see lifecycle/states.cypher).
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Any, Literal
from uuid import UUID, uuid4

from engine.commit.outbox import StepHook
from engine.domain.clock import Clock
from engine.domain.file_state import LONGEST_NOTE, FileStatus, StateEntry
from engine.domain.node import FileState
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.errors import DamagedFile, InvalidInput, NeurigraphError, NotFound, StoreFull
from engine.hierarchy.shells import Shells
from engine.stores.neo4j import Neo4j
from engine.stores.objects import COPIES, ObjectStore
from engine.stores.postgres import Parameters, Postgres
from engine.stores.statements import cypher, sql_text

STEP = 1 << 20
"""Bytes that are unpacked at once, so that a block that unpacks to much does not fill the memory."""

log = logging.getLogger(__name__)
PAGE = 500

BATCH = 100


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A file as its manifest describes it; `packed`: its object is compressed."""

    node_id: UUID
    file_id: UUID
    record_id: UUID
    name: str
    content_type: str
    size_bytes: int
    storage_path: str
    packed: bool
    sha256: bytes


def copy_key(storage_path: str, claim_id: UUID) -> str:
    """Where the restored copy of a claim lies."""
    return f"{storage_path.rpartition('/')[0]}/{COPIES}/{claim_id}"


async def restore(objects: ObjectStore, key: str, target: IO[bytes], *, packed: bool, sha256: bytes) -> None:
    """Writes the original bytes to `target`. Raises DamagedFile, where they are not those of the hash or missing, with
    `target` in any state; StoreFull, StoreUnavailable."""
    digest = hashlib.sha256()
    unpacker = zlib.decompressobj(wbits=31) if packed else None
    try:
        async for block in objects.read(key):
            await asyncio.to_thread(_write_block, block, unpacker, digest, target)
    except zlib.error as error:
        raise DamagedFile from error
    except NotFound as error:
        raise DamagedFile("The stored file is missing; nothing was served.") from error
    except OSError as error:  # of the target: what the object store raises is translated there
        raise StoreFull("temporary folder", "There is no room to restore the file.") from error
    if (unpacker is not None and not unpacker.eof) or digest.digest() != sha256:
        raise DamagedFile


def _write_block(block: bytes, unpacker: zlib._Decompress | None, digest: hashlib._Hash, target: IO[bytes]) -> None:
    while block:
        plain = unpacker.decompress(block, STEP) if unpacker else block
        block = unpacker.unconsumed_tail if unpacker else b""
        digest.update(plain)
        target.write(plain)


@dataclass(frozen=True, slots=True)
class FileTimes:
    """How long a file is awake after a retrieval, and unused after it was woken by hand; how long a restoration may be
    silent before another takes over; how long a reader waits by default."""

    after_retrieval: timedelta
    unused: timedelta
    lease: timedelta
    wait_s: float


@dataclass(frozen=True, slots=True)
class FileClaim:
    """The state of a file for a reader. `mine`: the caller restores it. `failed`: the restoration that the caller waited for
    found it damaged."""

    state: Literal["active", "rehydrating", "failed"]
    since: datetime
    due_at: datetime | None
    by_hand: bool
    claim_id: UUID
    mine: bool


@dataclass(frozen=True, slots=True)
class Asleep:
    """A file that has just fallen asleep: what to delete, and why it fell asleep."""

    node_id: UUID
    claim_id: UUID
    storage_path: str | None
    cause: Literal["ttl", "dormancy", "recovery", "manual"]


class FileStates:
    """States of files in Postgres."""

    def __init__(self, postgres: Postgres, clock: Clock, times: FileTimes) -> None:
        self._postgres, self._clock, self.times = postgres, clock, times

    # for a principal -------------------------------------------------------------------------------------

    async def claim(
        self, principal: Principal, file: ManifestFile, *, by_hand: bool, lost: UUID | None, waited: UUID | None
    ) -> FileClaim:
        """Claims the file as awake; see engine.claim_file. Raises NotFound, StoreUnavailable."""
        now = self._clock.now()
        parameters = {
            "node_id": file.node_id,
            "file_id": file.file_id,
            "claim_id": uuid4(),
            "by_hand": by_hand,
            "now": now,
            "lease": now + self.times.lease,
            "until": now + self.times.after_retrieval,
            "lost": lost,
            "waited": waited,
        }
        [claim] = await self._postgres.fetch(principal, sql_text("file/claim"), parameters, row=FileClaim, writes=True)
        return claim

    async def status(self, principal: Principal, node_id: UUID, file_id: UUID) -> FileStatus:
        """The state of a file; raises NotFound unless the principal may read it."""
        parameters = {"node_id": node_id, "file_id": file_id}
        [status] = await self._postgres.fetch(principal, sql_text("file/status"), parameters, row=FileStatus)
        return status

    async def sleep(self, principal: Principal, node_id: UUID, file_id: UUID) -> Asleep | None:
        """Puts a file to sleep; None where it slept. Raises NotFound unless the principal may write at the node, Conflict
        while it is being restored."""
        parameters = {"node_id": node_id, "file_id": file_id, "now": self._clock.now()}
        asleep = await self._postgres.fetch(principal, sql_text("file/sleep"), parameters, row=Asleep, writes=True)
        return asleep[0] if asleep else None

    # for the service -------------------------------------------------------------------------------------

    async def restored(self, file: ManifestFile, claim_id: UUID) -> bool:
        """Marks the file as active: the copy of this claim is there. False when another process took the file over."""
        now = self._clock.now()
        return await self._noted("file/restored", file, claim_id, now=now, until=now + self.times.after_retrieval)

    async def failed(self, file: ManifestFile, claim_id: UUID, detail: str, *, review: bool) -> bool:
        """Marks the file as dormant: the restoration of this claim failed. False when another process took the file over."""
        now = self._clock.now()
        return await self._noted("file/failed", file, claim_id, now=now, detail=detail, review=review)

    async def prolong(self, file: ManifestFile, claim_id: UUID) -> None:
        """Renews the claim of a restoration that is still running."""
        lease = self._clock.now() + self.times.lease
        parameters = {"node_id": file.node_id, "file_id": file.file_id, "claim_id": claim_id, "lease": lease}
        await self._postgres.change_as_service(sql_text("file/claim_prolong"), parameters)

    async def sweep(self, now: datetime, limit: int) -> list[Asleep]:
        """Puts the next files to sleep whose time was over at `now`; empty when there are no more."""
        parameters = {"now": now, "unused": now - self.times.unused, "limit": limit}
        return await self._postgres.fetch_as_service(sql_text("file/sweep"), parameters, row=Asleep)

    async def _noted(self, name: str, file: ManifestFile, claim_id: UUID, **more: Any) -> bool:
        parameters = {"node_id": file.node_id, "file_id": file.file_id, "claim_id": claim_id, **more}
        [done] = await self._postgres.fetch_as_service(sql_text(name), parameters, row=bool)
        return done


class FileLog:
    """The log of files of a graph, and the entries to review."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def page(
        self, principal: Principal, *, node_id: UUID | None = None, file_id: UUID | None = None, to_review: bool = False,
        before: int | None = None, limit: int = 100,
    ) -> tuple[StateEntry, ...]:  # fmt: skip
        """Entries about the principal's own graph, newest first; `before` is the last entry_id of the page before.

        With `to_review` only failures that were not reviewed yet.
        """
        check_page(limit)
        parameters = {"node_id": node_id, "file_id": file_id, "to_review": to_review, "before": before, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("node/state_log_page"), parameters, row=StateEntry))

    async def review(self, principal: Principal, entry_id: int, note: str = "") -> int:
        """Marks an entry as reviewed; returns the new entry's id, the same when repeated. Raises NotFound, InvalidInput."""
        if len(note) > LONGEST_NOTE or not note.isprintable():
            raise InvalidInput(f"A note is one line of at most {LONGEST_NOTE} characters.")
        parameters = {"entry_id": entry_id, "note": note, "now": self._clock.now()}
        review = sql_text("node/state_log_review")
        [noted] = await self._postgres.fetch(principal, review, parameters, row=int, writes=True)
        return noted


@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of a node that follows from its files; a later one has a higher `seq`."""

    node_id: UUID
    state: FileState
    seq: int
    changed_at: datetime

    @property
    def graph(self) -> dict[str, str | int]:
        """As the graph takes it."""
        changed_at = self.changed_at.isoformat()
        return {"node_id": str(self.node_id), "state": self.state, "seq": self.seq, "changed_at": changed_at}


class NodeStates:
    """Applies the states of nodes in the graph."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def apply(self, nodes: Sequence[UUID] | None = None) -> int:
        """Applies the states of these nodes, or of all whose states are not applied yet; returns how many.

        Raises StoreUnavailable; nothing is lost then.
        """
        applied = 0
        while True:
            parameters: Parameters = {"nodes": list(nodes) if nodes is not None else None, "limit": PAGE}
            states = await self._postgres.fetch_as_service(sql_text("node/states_unapplied"), parameters, row=NodeState)
            if not states:
                return applied
            await self._neo4j.write(cypher("lifecycle/states"), states=[state.graph for state in states])
            parameters = {"nodes": [state.node_id for state in states], "seqs": [state.seq for state in states]}
            await self._postgres.change_as_service(sql_text("node/states_applied"), parameters)
            applied += len(states)
            if nodes is not None:
                return applied

    async def apply_quietly(self, nodes: Sequence[UUID] | None = None) -> None:
        """The same without errors: where the graph does not answer, the states are applied later."""
        try:
            await self.apply(nodes)
        except NeurigraphError as error:
            log.warning("states of nodes will be applied in the graph later: %s", error.detail)


@dataclass(frozen=True, slots=True)
class DormancyReport:
    """What a sweep put to sleep: files past their time after a retrieval, files woken by hand and unused, files whose
    restoration had stopped; and how many states of nodes from before were applied in the graph."""

    expired: int
    unused: int
    recovered: int
    mended: int

    @property
    def asleep(self) -> int:
        """All files that were put to sleep."""
        return self.expired + self.unused + self.recovered


class Dormancy:
    """Puts files to sleep. Safe to run twice at once, and to interrupt at any time: the next run does the rest."""

    def __init__(
        self,
        states: FileStates,
        nodes: NodeStates,
        objects: ObjectStore,
        shells: Shells,
        clock: Clock,
        reached: StepHook,
    ) -> None:
        self._states, self._nodes, self._objects, self._shells = states, nodes, objects, shells
        self._clock, self._reached = clock, reached

    async def run(self) -> DormancyReport:
        """One sweep in batches of 100; raises StoreUnavailable."""
        mended = await self._nodes.apply()
        now, causes = self._clock.now(), Counter[str]()
        while batch := await self._states.sweep(now, BATCH):
            causes.update(file.cause for file in batch)
            await self._forget(batch)
        return DormancyReport(causes["ttl"], causes["dormancy"], causes["recovery"], mended)

    async def sleep(self, principal: Principal, node_id: UUID, file_id: UUID) -> FileStatus:
        """Puts one file to sleep now; its state then. Raises NotFound unless the principal may write at the node, Conflict
        while the file is being restored."""
        await self._shells.schema_of(principal, node_id)
        asleep = await self._states.sleep(principal, node_id, file_id)
        if asleep is not None:
            await self._forget([asleep])
        return await self._states.status(principal, node_id, file_id)

    async def _forget(self, batch: Sequence[Asleep]) -> None:
        """Deletes the copies and updates the graph. Both are idempotent; if interrupted, later runs repeat them."""
        self._reached("files_asleep")
        keys = [copy_key(file.storage_path, file.claim_id) for file in batch if file.storage_path is not None]
        await asyncio.gather(*(self._objects.delete(key) for key in keys))
        self._reached("copies_deleted")
        await self._nodes.apply_quietly(list({file.node_id for file in batch}))
        self._reached("states_applied")
