"""Compares the nodes of a history's turns with the expected ones: access by unrelated grants, and recall.

The gold is a JSON file: `turns` by their id with `node` (the right one, as a path), `also` (others that are as good) and
`private_to` (null, or the path whose readers may know a confidence); `questions` (optional) with `q`, `evidence` and
`stale` turns. A turn without an id is named "CONVERSATION:NUMBER", counted from 0.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any, Literal

from engine.domain.history import Conversation, History
from engine.domain.search import SearchAnswer, SearchRequest
from engine.errors import InvalidInput
from engine.evaluation.metrics import mean, unique
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import sql_in

Path = tuple[str, ...]
Ask = Callable[[SearchRequest], Awaitable[SearchAnswer]]
Verdict = Literal["exact", "acceptable", "ancestor", "wrong"]
DEPTHS = (1, 3, 10)
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


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns that contain its answer, and those with an outdated answer."""

    text: str
    evidence: frozenset[str]
    stale: frozenset[str]


@dataclass(frozen=True, slots=True)
class Gold:
    """The expected places and answers of a history."""

    turns: Mapping[str, Right]
    questions: tuple[Question, ...]


def gold_of(path: FilePath) -> Gold:
    """The gold of a file. Raises InvalidInput."""
    try:
        raw = json.loads(path.read_text("utf-8"))
        turns = {
            str(ref): Right(
                tuple(one["node"]),
                tuple(tuple(other) for other in one.get("also", ())),
                None if one.get("private_to") is None else tuple(one["private_to"]),
            )
            for ref, one in raw["turns"].items()
        }
        asked = tuple(
            Question(str(one["q"]), frozenset(one["evidence"]), frozenset(one.get("stale", ())))
            for one in raw.get("questions", ())
            if one["evidence"]
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path} cannot be read as the gold of a history: {error!r}") from error
    return Gold(turns, asked)


def referred(history: History) -> History:
    """The history with an id for every turn."""
    return replace(history, conversations=tuple(map(_referred, history.conversations)))


def _referred(talk: Conversation) -> Conversation:
    turns = (replace(turn, ref=turn.ref or f"{talk.source_id}:{number}") for number, turn in enumerate(talk.turns))
    return replace(talk, turns=tuple(turns))


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


def measured(places: Mapping[str, Place], gold: Gold) -> dict[str, Any]:
    """The table: all figures are fractions. Raises InvalidInput if no turn of the gold was stored."""
    both = [(places[ref], right) for ref, right in gold.turns.items() if ref in places]
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


async def answers(gold: Gold, ask: Ask, widen: Literal["auto", "always"]) -> dict[str, Any]:
    """How many questions find evidence among the first 1, 3, 10; how often a current answer ranks above an outdated one."""
    found: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    current: list[float] = []
    for question in gold.questions:
        answer = await ask(SearchRequest(question.text, limit=2 * DEPTHS[-1], widen=widen))
        refs = unique([hit.source_ref for hit in answer.hits])
        for depth in DEPTHS:
            found[depth].append(float(bool(question.evidence.intersection(refs[:depth]))))
        if question.stale:
            ranks = {ref: rank for rank, ref in enumerate(refs)}
            best = min((ranks[ref] for ref in question.evidence if ref in ranks), default=None)
            current.append(float(best is not None and all(ranks.get(ref, best + 1) > best for ref in question.stale)))
    return {
        "questions": len(gold.questions),
        **{f"found@{depth}": mean(values) for depth, values in found.items()},
        "current_first": {"questions": len(current), "right": int(sum(current))},
    }
