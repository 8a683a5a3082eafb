"""The cost of the past: searches of past states compared with current ones, and a record with a thousand deltas."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.delta import Change
from engine.domain.search import SearchRequest
from engine.history.reading import Past
from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, at_most, percentiles
from engine.lab.benchmarks.retrieval import HITS, asked, asked_in, filled
from engine.memory import Memory
from engine.progress import Progress
from engine.settings import Settings

CHANGED = 500
"""Items that were reworded: a tenth of those searched."""
DELTAS = 1000
READS = 50
_TASK = "changes"


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """A user with 50 nodes and 5,000 items, every tenth reworded; the same questions now and in the past."""
    base = await base_history(data, settings.max_text_bytes, progress)
    questions = asked_in(base)
    async with empty_ground(settings, progress) as ground:
        memory, before = await filled(ground, base, progress), ground.meter.read()
        written = datetime.now(UTC)
        changed = await _reworded(memory, questions, progress)

        def asking(moment: Moment) -> object:
            async def ask(question: str) -> object:
                return await memory.search(SearchRequest(question, limit=HITS, moment=moment, widen="always"))

            return ask

        ways = {
            "now": asking(Moment()),
            "as_of": asking(Moment(as_of=written)),
            "known_at": asking(Moment(known_at=written)),
        }
        timed = await asked(ground, ways, questions, progress)  # type: ignore[arg-type]
        figures = [figure for name in ways for figure in percentiles(f"search, {name}", timed[name].seconds)]
        for name in ("as_of", "known_at"):
            figures.append(at_most(f"CPU, {name} against now", timed[name].cpu / timed["now"].cpu, "times", 1.5))
        figures += await _long_chain(ground, memory, progress)
        whole = ground.meter.read().since(before)
    details = {"reworded": changed, "questions": len(questions), "deltas": DELTAS}
    return Report("history", tuple(figures), whole.wall, dict(whole.cpu), details)


async def _reworded(memory: Memory, questions: list[str], progress: Progress) -> int:
    """Rewords the items that the questions find, until every tenth item is changed."""
    seen: set[UUID] = set()
    progress.start(_TASK, CHANGED, "items")
    for question in questions:
        for hit in (await memory.search(SearchRequest(question, limit=50, widen="always"))).hits:
            if hit.item_id not in seen and len(seen) < CHANGED:
                seen.add(hit.item_id)
                fields = {"content": f"{hit.content} (corrected)"}
                await memory.history.change(Change("item", hit.item_id, fields, hit.node_id))
                progress.advance(_TASK)
    progress.finish(_TASK)
    return len(seen)


async def _long_chain(ground: Ground, memory: Memory, progress: Progress) -> list[Figure]:
    """One record changed a thousand times: the cost of the last changes, and of reading it."""
    node = memory.principal.user_id
    report = await memory.records.remember_text("Long lived", "A record that changes all the time.", node_id=node)
    record = report.records[0].record_id
    writes: list[float] = []
    progress.start("long chain", DELTAS, "deltas")
    for number in range(DELTAS):
        started = perf_counter()
        await memory.history.change(Change("record", record, {"title": f"Title {number}"}, node))
        writes.append(perf_counter() - started)
        progress.advance("long chain")
    progress.finish("long chain")
    middle = (await memory.history.deltas("record", record, node_id=node, after=DELTAS // 2, limit=1))[0].known_at
    states, chains = [], []
    for _ in range(READS):
        started = perf_counter()
        state = await memory.history.state("record", record, node_id=node, moment=Moment(known_at=middle))
        states.append(perf_counter() - started)
        started = perf_counter()
        chain = await ground.engine.parts[Past].reconstructed(
            memory.principal, "record", node, record, Moment(known_at=middle)
        )
        chains.append(perf_counter() - started)
        assert state.fields is not None and chain == dict(state.fields)
    growth = statistics.median(writes[-100:]) / statistics.median(writes[:100])
    return [
        *percentiles("state of 1,000 deltas, from slices", states),
        *percentiles("state of 1,000 deltas, from the chain", chains),
        *percentiles("a change, all of them", writes),
        Figure("a change after 1,000 against the first 100", round(growth, 2), "times"),
    ]
