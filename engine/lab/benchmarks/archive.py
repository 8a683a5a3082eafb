"""Archives: how fast one is written, checked and imported into an empty home, and what it takes of memory."""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path
from time import perf_counter

from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import empty_ground
from engine.lab.benchmarks.report import Figure, Report
from engine.lab.benchmarks.retrieval import filled
from engine.progress import Progress
from engine.settings import Settings

ITEMS, NODES = 5000, 50
MIB = 1 << 20


async def measure(settings: Settings, data: Path | None, progress: Progress, items: int = ITEMS) -> Report:
    """A user with so many items at 50 nodes. `unpacked`: bytes of all members. Memory: how much the peak of this process rose."""
    base = await base_history(data, settings.max_text_bytes, progress)
    began, seconds, risen = perf_counter(), dict[str, float](), dict[str, float]()
    with tempfile.TemporaryDirectory(prefix="neurigraph-archive-") as folder:
        path = Path(folder) / "bench.zip"
        async with empty_ground(settings, progress) as ground:
            before = ground.meter.read()
            memory = await filled(ground, base, progress, items, NODES)
            archives = ground.engine.archives
            for name, work in (
                ("export", lambda: archives.export(memory.principal.user_id, path, progress)),
                ("check", lambda: archives.check(path, progress)),
            ):
                started, peak = perf_counter(), _peak()
                await work()
                seconds[name], risen[name] = perf_counter() - started, _peak() - peak
            members = (await archives.check(path)).members
            spent = ground.meter.read().since(before)
        async with empty_ground(settings, progress) as other:
            started, peak = perf_counter(), _peak()
            report = await other.engine.archives.restore(path, progress)
            seconds["import"], risen["import"] = perf_counter() - started, _peak() - peak
    unpacked = sum(one.size for one in members.values()) / MIB
    figures = [Figure("size of the archive", report.size_bytes / MIB, "MiB"), Figure("unpacked", unpacked, "MiB")]
    for name, taken in seconds.items():
        figures += [
            Figure(name, taken, "s"),
            Figure(f"{name}, unpacked", unpacked / taken, "MiB/s"),
            Figure(f"{name}, peak memory more than before", risen[name], "MiB"),
        ]
    details = {"items": items, "nodes": NODES, "lines": sum(one.lines for one in members.values())}
    return Report("archive", tuple(figures), perf_counter() - began, dict(spent.cpu), details)


def _peak() -> float:
    """The largest memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
