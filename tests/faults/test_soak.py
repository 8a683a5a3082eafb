"""Some seconds of the soak: it reads every process, and nothing fails. Its figures are a benchmark's, and decide nothing here."""

from __future__ import annotations

from datetime import timedelta

from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground
from engine.lab.benchmarks.meter import Meter
from engine.lab.benchmarks.soak import Sample, Soak, growth
from engine.neurigraph import Engine
from engine.progress import Silent


async def test_mixed_work_fails_nowhere_and_everything_is_read(engine: Engine) -> None:
    ground = Ground(engine, Meter(engine.settings.home))
    history = await base_history(None, engine.settings.max_text_bytes, Silent())
    memories = [engine.memory((await ground.user()).user_id) for _ in range(2)]
    soaked = await Soak(ground, memories, history.conversations, seed=3).run(6, Silent())
    assert soaked.failed.total() == 0, soaked.failed
    assert soaked.done["search"] and soaked.done["write"]
    last = soaked.samples[-1]
    assert {"engine", "neo4j", "postgres"} <= last.memory.keys() and min(last.memory.values()) > 0
    assert last.memory["supervisor"] < last.memory["neo4j"], (
        "its children are the servers, which are counted by themselves"
    )
    assert last.connections > 0 and last.postgres_bytes > 0 and last.graph_entities > 0 and last.descriptors > 0
    await engine.sweep.run(grace=timedelta(hours=1))


def test_growth_compares_the_last_quarter_with_the_second() -> None:
    def sample(size: int) -> Sample:
        return Sample(0, 0, {"engine": size}, 0, 0, 0, 0, 0, 0, 0)

    sizes = [100, 100, 50, 50, 60, 60, 100, 100]
    assert growth([sample(size) for size in sizes], lambda one: one.memory["engine"]) == 2
    assert growth([], lambda one: 1) == 1
