"""Files: storage saved by compression, time of a restoration compared with a plain read of the object, speed of the
sweep."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from io import BytesIO
from itertools import cycle, islice
from pathlib import Path
from uuid import UUID, uuid4

from engine.commit.rows import sources
from engine.domain.clock import SystemClock
from engine.domain.history import History
from engine.domain.node import all_records
from engine.domain.record import FileDraft
from engine.hierarchy.shells import Shells
from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, percentiles
from engine.lifecycle.file_states import Dormancy
from engine.memory import Memory
from engine.progress import Progress
from engine.records.files import pack
from engine.settings import Settings

SIZES = {"10 kB": (10_000, 100), "1 MB": (1_000_000, 40), "16 MB": (16_000_000, 10)}
"""Original size in bytes, and how many files of that size are opened one after the other."""
SWEPT, SWEPT_BYTES, AT_ONCE = 2000, 1000, 8
_TASK = "files wake and fall asleep"


class _Later:
    """The time a day later than now."""

    def now(self) -> datetime:
        return SystemClock().now() + timedelta(days=1)


@dataclass(slots=True)
class _Times:
    """Seconds until a file was readable: asleep, awake, and by a plain read of its object."""

    asleep: list[float] = field(default_factory=list)
    awake: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """A node with one record, to which files are added without an ingest: big ones would take an hour to embed."""

    ground: Ground
    memory: Memory
    node_id: UUID
    record_id: UUID
    schema: str

    async def add(self, content: bytes) -> tuple[UUID, str]:
        """A file with its object; its id and key."""
        file = FileDraft(uuid4(), "bench.txt", "document", "text/plain", content)
        packed = BytesIO()
        size, digest = await pack(file, packed)
        key = f"{self.schema}/{file.file_id}/bench.txt.gz"
        stored = packed.tell()
        packed.seek(0)
        await self.ground.engine.objects.put(key, packed)
        row = {
            "file_id": file.file_id,
            "record_id": self.record_id,
            "file_name": file.name,
            "file_type": file.file_type,
            "file_content_type": file.content_type,
            "file_pointer": key,
            "compression_format": "gzip",
            "size_bytes": size,
            "stored_bytes": stored,
            "sha256": digest,
            "now": SystemClock().now(),
        }
        async with self.ground.engine.postgres.as_principal(self.memory.principal) as connection:
            await sources.enter_files(connection, self.schema, [row])
        return file.file_id, key

    async def opened(self, file_id: UUID) -> float:
        """Seconds until the whole verified file was readable."""
        started = time.perf_counter()
        async with self.memory.files.open(self.node_id, file_id):
            return time.perf_counter() - started

    async def read_plainly(self, key: str) -> float:
        """Seconds to read and decompress the object, without anything else."""
        started = time.perf_counter()
        packed = b"".join([block async for block in self.ground.engine.objects.read(key)])
        await asyncio.to_thread(gzip.decompress, packed)
        return time.perf_counter() - started


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """The bundled history, and the one of `data` beside it; then files of several sizes, then many small ones."""
    limit = settings.max_text_bytes
    histories = {"bundled": await base_history(None, limit, progress)}
    if data is not None:
        histories[data.stem] = await base_history(data, limit, progress)
    async with empty_ground(settings, progress) as ground:
        saved = {name: await _saved(ground, history, progress) for name, history in histories.items()}
        shelf, text = await _shelf(ground), _text(histories["bundled"])
        before = ground.meter.read()
        progress.start(_TASK, sum(amount for _, amount in SIZES.values()) + 2 * SWEPT, "files")
        times = {name: await _timed(shelf, text, *size, progress) for name, size in SIZES.items()}
        woken, swept = await _swept(shelf, text, progress)
        progress.finish(_TASK)
        whole = ground.meter.read().since(before)
    figures = [
        Figure(f"storage saved, {name}", round(100 * (1 - stored / size), 1), "%")
        for name, (size, stored) in saved.items()
    ]
    for name, timed in times.items():
        figures += percentiles(f"{name} asleep, until it can be read", timed.asleep)
        figures += percentiles(f"{name} awake", timed.awake)
        figures += percentiles(f"{name}, plain gzip read", timed.plain)
    figures.append(Figure(f"waking, {AT_ONCE} at once", round(SWEPT / woken, 1), "files/s"))
    figures.append(Figure("sweep", round(SWEPT / swept, 1), "files/s"))
    details = {
        "bytes": {name: {"original": size, "stored": stored} for name, (size, stored) in saved.items()},
        "samples": {name: amount for name, (_, amount) in SIZES.items()},
        "swept": SWEPT,
    }
    return Report("files", tuple(figures), whole.wall, dict(whole.cpu), details)


async def _saved(ground: Ground, history: History, progress: Progress) -> tuple[int, int]:
    """Ingests a history; returns the total bytes of its files, original and stored."""
    memory = await ground.memory()
    report = await memory.ingests.history(history, progress)
    size = stored = 0
    for node in {record.node_id for record in report.records}:
        for record in await all_records(partial(memory.nodes.metadata, node, limit=500)):
            size += record.size_bytes or 0
            stored += record.stored_bytes or 0
    return size, stored


async def _shelf(ground: Ground) -> _Shelf:
    memory = await ground.memory()
    root = memory.principal.user_id
    report = await memory.records.remember_text("Shelf", "Files that a benchmark opens.", node_id=root)
    schema = (await memory.nodes.shell(root)).schema_name or ""
    return _Shelf(ground, memory, root, report.records[0].record_id, schema)


def _text(history: History) -> Iterable[str]:
    """The turns of a history, again and again."""
    return cycle(f"{turn.speaker}: {turn.text}\n" for talk in history.conversations for turn in talk.turns)


def _content(text: Iterable[str], size: int) -> bytes:
    """So many bytes of the text, with a number in every part, so that it compresses no better than a long text."""
    parts, length = [], 0
    for number, part in enumerate(islice(text, size)):
        line = f"{number * 7919 % 1000003:x} {part}".encode()
        parts.append(line)
        length += len(line)
        if length >= size:
            break
    return b"".join(parts)[:size]


async def _timed(shelf: _Shelf, text: Iterable[str], size: int, amount: int, progress: Progress) -> _Times:
    """Opens files of one size, each asleep, then awake, then by a plain read, after two for warm-up."""
    times, content = _Times(), _content(text, size)
    for number in range(amount + 2):
        file_id, key = await shelf.add(content)
        taken = (await shelf.opened(file_id), await shelf.opened(file_id), await shelf.read_plainly(key))
        if number >= 2:
            times.asleep.append(taken[0])
            times.awake.append(taken[1])
            times.plain.append(taken[2])
            progress.advance(_TASK)
    return times


async def _swept(shelf: _Shelf, text: Iterable[str], progress: Progress) -> tuple[float, float]:
    """Wakes many small files, then sweeps them; the seconds of both."""
    content = _content(text, SWEPT_BYTES)
    limit = asyncio.Semaphore(AT_ONCE)
    files = [await shelf.add(content) for _ in range(SWEPT)]

    async def wake(file_id: UUID) -> None:
        async with limit:
            await shelf.opened(file_id)
            progress.advance(_TASK)

    started = time.perf_counter()
    await asyncio.gather(*(wake(file_id) for file_id, _ in files))
    woken = time.perf_counter() - started
    engine = shelf.ground.engine
    dormancy = Dormancy(engine.states, engine.nodes, engine.objects, engine.parts[Shells], _Later(), lambda _: None)
    started = time.perf_counter()
    report = await dormancy.run()
    swept = time.perf_counter() - started
    if report.asleep < SWEPT:
        raise AssertionError("Files stayed awake.")
    progress.advance(_TASK, SWEPT)
    return woken, swept
