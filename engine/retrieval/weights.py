"""The weights of the ranking, read from ranking.toml and a file that may replace some of them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import SettingsError

SHIPPED = Path(__file__).with_name("ranking.toml")

Family = Literal["turn", "passage", "fact"]
"""Turns of conversations; passages of documents; facts, observations and summaries."""

Weighed = Literal["turn", "turn_without_tokens", "passage", "fact", "without_vector"]
"""Sections of weights: of turns, where the encoder gives token vectors and where not; of passages of documents; of facts,
observations and summaries; of items that have no comparable vector."""

Section = Mapping[str, float]
_COUNTS = ("candidates", "rare", "named", "steps", "hop_from", "best", "few_items")
"""Whole numbers of the sections that are read whole."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How much is read and searched at most; the names are those of the file."""

    query_characters: int
    query_terms: int
    candidates: int
    nodes: int
    shrink: int


@dataclass(frozen=True, slots=True)
class WalkWeights:
    """The walk over entities; the names are those of the file."""

    candidates: int
    rare: int
    named: int
    steps: int
    restart: float
    temperature: float
    graph: float
    hop_from: int


@dataclass(frozen=True, slots=True)
class NewerWeights:
    """When a later turn is a newer state of a matter; the names are those of the file."""

    best: int
    alike: float
    share: float
    usual: float
    usual_spread: float


@dataclass(frozen=True, slots=True)
class ScaleWeights:
    """How families are placed beside each other; the names are those of the file."""

    best: int
    lowered: float
    facts_nearer: float
    few: int
    self_named: float


@dataclass(frozen=True, slots=True)
class WideningWeights:
    """When more is searched than the anchors lead to; the names are those of the file."""

    few_items: int
    rare_share: float
    weak_hit: float


@dataclass(frozen=True, slots=True)
class AnchorStrengths:
    """How strongly each way of finding a node makes it an anchor; the names are those of the file."""

    name: float
    alias: float
    text: float
    meaning: float
    edge: float
    strong: float
    weak: float
    most: int


@dataclass(frozen=True, slots=True)
class Weights:
    """Everything that a search weighs by. `sections`: by what is weighed, then by signal; `offset` is added as it is."""

    limits: SearchLimits
    anchors: AnchorStrengths
    walk: WalkWeights
    newer: NewerWeights
    scale: ScaleWeights
    widening: WideningWeights
    sections: Mapping[Weighed, Section]


def load_weights(path: Path | None = None) -> Weights:
    """The shipped ranking, with the values of the file at `path` in place of its own.

    Raises SettingsError for a file that cannot be read, an unknown key, or a value that is no number.
    """
    sections = _read(SHIPPED)
    if path is not None:
        sections = _replaced(sections, _read(path), path)
    limits = {key: _count(key, value) for key, value in sections["limits"].items()}
    anchors = sections["anchors"]
    most = _count("most", anchors["most"])
    strengths = {key: value for key, value in anchors.items() if key != "most"}
    walk, newer, scale, widening = (_with_counts(sections[name]) for name in ("walk", "newer", "scale", "widening"))
    return Weights(
        SearchLimits(**limits),
        AnchorStrengths(**strengths, most=most),
        WalkWeights(**walk),
        NewerWeights(**newer),
        ScaleWeights(**scale),
        WideningWeights(**widening),
        {name: sections[name] for name in get_args(Weighed)},
    )


def _read(path: Path) -> dict[str, Section]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"The ranking file {path} cannot be read: {error}") from error
    for name, section in content.items():
        if not isinstance(section, dict):
            raise SettingsError(f"{path}: {name!r} is not a section.")
        for key, value in section.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise SettingsError(f"{path}: {name}.{key} is not a number.")
    return content


def _replaced(shipped: dict[str, Section], own: dict[str, Section], path: Path) -> dict[str, Section]:
    for name, section in own.items():
        unknown = section.keys() - shipped.get(name, {}).keys()
        if name not in shipped or unknown:
            raise SettingsError(f"{path}: unknown key {name}{''.join(f'.{key}' for key in sorted(unknown)[:1])}.")
    return {name: {**section, **own.get(name, {})} for name, section in shipped.items()}


def _with_counts(section: Section) -> dict[str, Any]:
    return {key: _count(key, value) if key in _COUNTS else value for key, value in section.items()}


def _count(key: str, value: float) -> int:
    if value != int(value) or not 1 <= value <= 100_000:
        raise SettingsError(f"The ranking's {key} is a whole number from 1 to 100,000.")
    return int(value)
