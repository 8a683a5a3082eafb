"""What a scrape of the metrics says of the stores and of what they hold. Never fails or hangs: what is unknown is left out.

Asked for at most every few seconds, however many scrape.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.lifecycle.figures import KNOWN, Figure
from engine.neurigraph import CHECK_TIMEOUT, Degraded, Engine, StoreHealth
from engine.telemetry.metrics import REGISTRY
from engine.wiring.opening import Opening

T = TypeVar("T")

FRESH = 10.0
"""Seconds for which the answers of the stores are shown again."""
SINCE_THE_BEGINNING = ("job_runs", "job_failures")
"""Figures that only grow."""


class Scraping:
    """The metrics as text, of one process and of what it knows of the stores."""

    def __init__(self, opening: Opening) -> None:
        self._opening, self._lock = opening, asyncio.Lock()
        self._live: list[Metric] = []
        self._asked = -FRESH

    async def text(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        async with self._lock:
            if monotonic() - self._asked >= FRESH:
                self._live, self._asked = await self._now(), monotonic()
        return await asyncio.to_thread(self._text, self._live)

    @staticmethod
    def _text(live: Sequence[Metric]) -> bytes:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Given(live))
        return generate_latest(REGISTRY) + generate_latest(registry)

    async def _now(self) -> list[Metric]:
        opening, engine = self._opening, self._opening.engine
        ready = GaugeMetricFamily("neurigraph_ready", "Whether the engine is open and its search is prepared.")
        ready.add_metric([], float(engine is not None and not opening.reason))
        return [ready, *(await self._of(engine) if engine else ())]

    async def _of(self, engine: Engine) -> list[Metric]:
        health, degraded = asyncio.create_task(engine.health()), asyncio.create_task(engine.degraded())
        figures = asyncio.create_task(engine.figures())
        await asyncio.wait((health, degraded, figures), timeout=CHECK_TIMEOUT + 1)  # what lasts longer ends by itself
        stores = _result(health) or ()
        return [*_of_stores(stores, _result(degraded)), *_of_figures(_result(figures) or [])]


def _result(task: asyncio.Task[T]) -> T | None:
    return task.result() if task.done() and not task.cancelled() and not task.exception() else None


def _of_stores(stores: Sequence[StoreHealth], degraded: Degraded | None) -> Iterator[Metric]:
    up = GaugeMetricFamily("neurigraph_store_up", "Whether a store answers.", labels=("store",))
    for store in stores:
        up.add_metric([store.store], float(store.healthy))
    yield up
    damaged = GaugeMetricFamily("neurigraph_nodes_damaged", "Nodes that are known to be damaged.")
    if degraded is not None:
        damaged.add_metric([], degraded.damaged_nodes)
    yield damaged


def _of_figures(found: Sequence[Figure]) -> Iterator[Metric]:
    for name, (about, label) in KNOWN.items():
        unit = "_seconds" if "oldest" in name else ""
        kind = CounterMetricFamily if name in SINCE_THE_BEGINNING else GaugeMetricFamily
        family = kind(f"neurigraph_{name}{unit}", about, labels=(label,) if label else ())
        for one in found:
            if one.figure == name:
                family.add_metric([one.label] if label else [], one.value)
        yield family


class _Given(Collector):
    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Sequence[Metric]:
        return self._metrics
