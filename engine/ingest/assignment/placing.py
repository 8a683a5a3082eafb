"""The step `assign` of the write path: which turns and passages go where, how sure that is, and why.

Whoever decides is an `Assigner`: `offline` by names, aliases, keywords and meaning, `model` by a language model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from engine.domain.assignment import BY_HAND, Decision
from engine.domain.extraction import NOTHING, ExtractionReport
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.ingest.allowance import Allowance
from engine.ingest.assignment.evidence import Evidence, Likeness, NodeVocabulary, gathered

MOST_PHRASES = 8
"""Words told as reasons for a decision."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Content of which it is to be said where it goes: turns or passages in order. What lies before `start` is stored already
    and only context. `node` was given by hand; `may_create` says whether nodes may be created for it."""

    title: str
    texts: Sequence[str]
    speakers: frozenset[str] = frozenset()
    start: int = 0
    node: AssignableNode | None = None
    may_create: bool = False
    whole: bool = False
    """A document, whose passages belong together unless much speaks for parting them."""
    embedded: Sequence[str] = ()
    """What each text from `start` on is embedded as; nothing is asked of it where the node was given."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A node for each text, a decision for each of these nodes (by id), and what a model took for it."""

    nodes: Sequence[AssignableNode]
    decisions: Mapping[UUID, Decision]
    spent: ExtractionReport = NOTHING


class Assigner(Protocol):
    """Decides where content goes: by rules, or by a language model."""

    async def place(
        self, principal: Principal, contents: Sequence[Unplaced], vocabulary: NodeVocabulary, allowance: Allowance
    ) -> tuple[list[Placed], NodeVocabulary]:
        """The nodes of each content, and the nodes that there are now; a model takes from the allowance.

        Raises StoreUnavailable where a node had to be created; a second call finds what there is."""


def given(content: Unplaced, node: AssignableNode) -> Placed:
    """All at the node that was named by hand."""
    return Placed([node] * len(content.texts), {node.node_id: BY_HAND})


def placed_among(content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None = None) -> Placed:
    """The best cut of the texts among the nodes that there are, with its decisions. Pure; `content.node` is not looked at."""
    evidence = gathered(content.texts, vocabulary, likeness)
    places = evidence.best()
    if content.whole:
        places = parted(evidence, places)
    nodes = [evidence.node(place) for place in places]
    decisions = {}
    for place in dict.fromkeys(places[content.start :]):
        units = [unit for unit in range(content.start, len(places)) if places[unit] == place]
        decisions[evidence.node(place).node_id] = decided(content, evidence, place, units)
    return Placed(nodes, decisions)


LEAST_PART = 4.0
"""The evidence, in plain keyword hits, from which on a document's part gets a record of its own at another node."""


def parted(evidence: Evidence, places: Sequence[int]) -> list[int]:
    """The places of a document's passages: its main node's, but for those of nodes for which enough speaks by itself."""
    totals: dict[int, float] = dict.fromkeys(places, 0.0)
    for unit, place in enumerate(places):
        totals[place] += evidence.spoken[unit][place]
    spoken = {place: total for place, total in totals.items() if place != 0}
    if not spoken:
        return list(places)
    main = max(spoken, key=lambda place: (places.count(place), spoken[place]))
    strong = {place for place, total in spoken.items() if total >= LEAST_PART} | {main}
    return [place if place in strong else main for place in places]


# how sure -----------------------------------------------------------------------------------------------

BIAS, MARGIN, DENSITY = -1.59, 0.88, 3.03
"""Fitted on mixed conversations whose right nodes are known; see docs/assignment.md."""
NOTHING_SPEAKS = 0.3
"""The confidence that content belongs at the root when no node claims any of it."""


def decided(content: Unplaced, evidence: Evidence, place: int, units: Sequence[int]) -> Decision:
    """How sure it is that these units belong to that place, and why."""
    node = evidence.node(place)
    if len(evidence.vocabulary.nodes) == 1:
        return Decision(1.0, {"rule": "there is only this node"}, "engine")
    sums = [sum(evidence.rows[unit][column] for unit in units) for column in range(len(evidence.candidates))]
    rivals = [(total, column) for column, total in enumerate(sums) if column != place]
    best, rival = max(rivals, default=(0.0, place))
    reasons: dict[str, Any] = {"units": len(units), "evidence": round(sums[place], 2)}
    if rival != place and best > 0:
        path = "/".join(evidence.node(rival).path[1:]) or "the root"
        reasons |= {"runner_up": path, "runner_up_evidence": round(best, 2)}
    if place == 0:
        sure = NOTHING_SPEAKS / (1 + best)
        return Decision(round(sure, 3), {"rule": "nothing speaks for another node"} | reasons, "engine")
    phrases = evidence.phrases(node, [content.texts[unit] for unit in units])
    reasons["words"] = dict(phrases[:MOST_PHRASES])
    spoken = sum(evidence.spoken[unit][place] for unit in units)
    rule = "names, aliases and keywords" if 2 * spoken >= sums[place] else "alike in meaning"
    return Decision(round(confidence(sums[place], best, len(units)), 3), {"rule": rule} | reasons, "engine")


def confidence(chosen: float, rival: float, units: int) -> float:
    """How often a node with this evidence is the right one for so many texts, when the next best has that of `rival`."""
    margin = (chosen - rival) / max(chosen + rival, 1e-9)
    return 1 / (1 + math.exp(-(BIAS + MARGIN * margin + DENSITY * math.log1p(max(0.0, chosen) / units))))
