"""Compares the nodes of a history's turns with the expected ones: access by unrelated grants, and recall.

The gold is a JSON file: `turns` by their id with `node` (the right one, as a path), `also` (others that are as good) and
`private_to` (null, or the path whose readers may know a confidence); `questions` (optional) as in
`engine.lab.evaluation.personal`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Literal

from engine.errors import UNREADABLE, InvalidInput, unreadable
from engine.lab.evaluation.metrics import mean
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import sql_in

Path = tuple[str, ...]
Verdict = Literal["exact", "acceptable", "ancestor", "wrong"]
STEPS = 5


@dataclass(frozen=True, slots=True)
class Right:
    """The expected place of a turn: its node, others as good, whose readers may know it (None: it is no confidence)."""

    node: Path
    also: tuple[Path, ...] = ()
    private_to: Path | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a turn: its node, the confidence of the decision, and whether any grant opens it."""

    node: Path
    confidence: float
    open: bool = True


def gold_of(path: FilePath) -> dict[str, Right]:
    """The right place of each turn in a file. Raises InvalidInput."""
    try:
        return {
            str(ref): Right(
                tuple(one["node"]),
                tuple(tuple(other) for other in one.get("also", ())),
                None if one.get("private_to") is None else tuple(one["private_to"]),
            )
            for ref, one in json.loads(path.read_text("utf-8"))["turns"].items()
        }
    except UNREADABLE as error:
        raise unreadable(path, "the gold of a history", error) from error


@dataclass(frozen=True, slots=True)
class _PlacedTurn:
    source_ref: str
    privacy: str
    confidence: float


async def places_of(engine: Engine, memory: Memory) -> dict[str, Place]:
    """The place of every turn that is stored in a memory."""
    places: dict[str, Place] = {}
    for node in await memory.nodes.writable():
        for turn in await engine.postgres.fetch(
            memory.principal, sql_in("eval/places", node.schema_name), {}, row=_PlacedTurn
        ):
            places[turn.source_ref] = Place(node.path[1:], turn.confidence, turn.privacy == "org")
    return places


# pure -----------------------------------------------------------------------------------------------------


def judged(place: Path, right: Right) -> Verdict:
    """How good a place is. A node above the right one is not wrong: its readers may read the right one, too."""
    if place == right.node:
        return "exact"
    if place in right.also:
        return "acceptable"
    return "ancestor" if any(one[: len(place)] == place for one in (right.node, *right.also)) else "wrong"


def leaks(place: Place, right: Right) -> bool:
    """Whether a grant on an unrelated node opens a turn."""
    return place.open and judged(place.node, right) == "wrong" and not any(
        one and place.node[: len(one)] == one for one in (right.node, *right.also)
    )  # fmt: skip


def betrayed(place: Place, right: Right) -> bool:
    """Whether a confidence is opened by a grant on a node whose readers should not know it."""
    allowed = right.private_to
    if allowed is None or not place.open or not place.node:
        return False
    return allowed[: len(place.node)] != place.node and place.node[: len(allowed)] != allowed


def measured(places: Mapping[str, Place], gold: Mapping[str, Right]) -> dict[str, Any]:
    """The table: all figures are fractions. Raises InvalidInput if no turn of the gold was stored."""
    both = [(places[ref], right) for ref, right in gold.items() if ref in places]
    if not both:
        raise InvalidInput("The gold names no turn of this history.")
    verdicts = [judged(place.node, right) for place, right in both]
    private = [(place, right) for place, right in both if right.private_to is not None]
    chat = [place for place, right in both if not right.node]
    kinds: tuple[Verdict, ...] = ("exact", "acceptable", "ancestor", "wrong")
    return {
        "turns": len(both),
        **{kind: mean([float(verdict == kind) for verdict in verdicts]) for kind in kinds},
        "readable_by_an_unrelated_grant": mean([float(leaks(place, right)) for place, right in both]),
        "confidences": {"turns": len(private), "readable": sum(betrayed(*one) for one in private)},
        "small_talk": {"turns": len(chat), "at_the_root": sum(not place.node for place in chat)},
        "calibration": _calibration([place.confidence for place, _ in both], verdicts),
    }


def _calibration(confidences: Sequence[float], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """How often decisions with a confidence are right (exact or acceptable), turn by turn."""
    right = [float(verdict in ("exact", "acceptable")) for verdict in verdicts]
    steps: list[dict[str, Any]] = []
    for step in range(STEPS):
        own = [number for number, sure in enumerate(confidences) if min(int(sure * STEPS), STEPS - 1) == step]
        if own:
            low, high = step / STEPS, (step + 1) / STEPS
            stated, right_here = mean([confidences[number] for number in own]), mean([right[number] for number in own])
            steps.append({"from": low, "to": high, "turns": len(own), "told": stated, "right": right_here})
    apart = sum(step["turns"] * abs(step["told"] - step["right"]) for step in steps) / len(confidences)
    return {"steps": steps, "mean_distance": round(apart, 4)}
