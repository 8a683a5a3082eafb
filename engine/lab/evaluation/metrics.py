"""Metrics of rankings: recall, strict recall and nDCG at several depths, averaged over questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def unique(refs: Sequence[str | None]) -> list[str]:
    """The references in order, each once: a long turn has several items, but is one unit."""
    return list(dict.fromkeys(ref for ref in refs if ref is not None))


def recall(found: Sequence[str], evidence: frozenset[str], depth: int) -> float:
    """The fraction of the evidence among the first `depth` found."""
    return len(evidence.intersection(found[:depth])) / len(evidence)


def ndcg(found: Sequence[str], evidence: frozenset[str], depth: int) -> float:
    """Binary normalised discounted cumulative gain of the first `depth` found."""
    gain = sum(1 / math.log2(place + 2) for place, ref in enumerate(found[:depth]) if ref in evidence)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(depth, len(evidence))))
    return gain / ideal


def mean(values: Sequence[float]) -> float:
    """The average, to four places; 0 of nothing."""
    return round(sum(values) / len(values), 4) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the values lie, the nearest one; 0 of nothing."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3) if ordered else 0.0


def stage_times(timings: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of every stage, in milliseconds."""
    stages = dict.fromkeys(stage for entry in timings for stage in entry)
    by_stage = {stage: [entry[stage] for entry in timings if stage in entry] for stage in stages}
    return {stage: {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)} for stage, times in by_stage.items()}
