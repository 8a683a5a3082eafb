"""The step `assign` of the write path: the node of each turn and passage, with confidence and reasons; and the decisions that
placed the records of a graph, written with the records, read by the user of the graph.

An `Assigner` decides: here rules do, by names, aliases, keywords and meaning of nodes (`evidence`), with a node for a topic that
none covers (`topic_nodes`); in `model` a language model does.

How alike content and nodes are in meaning is told by vectors of what is about to be stored against those of what nodes are
about. A turn's vector is mostly what all turns of its writer have in common. So the mean of the writer's turns is subtracted
from it, the mean of the nodes from theirs, and each node's usual cosine from the result, which is given in spreads (standard
deviations). The usual values come from the turns of this ingest, from those stored last, and from some plain sentences while
there are few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from engine.domain.assignment import BY_HAND, Assignment, AssignmentFilter, Decision
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.domain.record import AssignableNode, RecordDraft
from engine.errors import InvalidInput, ProviderUnavailable, WrongDimension
from engine.ingest.allowance import Allowance
from engine.ingest.assignment.evidence import Likeness, NodeEvidence, NodeVocabulary, Scores, fullness, gathered
from engine.ingest.assignment.topic_nodes import Topic, TopicNodes, missing_topic, node_of
from engine.ingest.sources import Placed, Unplaced
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Vectors
from engine.stores.postgres import Connection, Jsonb, Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

FEWEST_NODES = 3
"""The least number of nodes below the root for which likeness to one of them is evidence."""
MOST_NODES = 1000
"""Nodes that are compared by meaning, those nearest to the root; the others are found by their words."""
MOST_KEPT = 4096
"""Vectors of nodes that are kept at hand."""
MOST_REMEMBERED = 512
"""Turns that give the usual values; stored ones are read where an ingest has fewer than `ENOUGH`."""
ENOUGH = 128
PLAIN_WEIGHT = 20.0
"""How many turns the plain sentences count for together."""
POOLED = 0.5
"""How much of the spread of all nodes is added to a node's own."""

PLAIN = (
    "Good morning, how are you today?", "Thanks, that sounds good.", "I will do that tomorrow after work.",
    "What do you think about it?", "It was a long day and I am tired.", "Yes, I think so too.", "Could you remind me on Friday?",
    "We had lunch together and talked for a while.", "It costs forty euros.", "She said that she would call back next week.",
    "Danke, das mache ich morgen.", "Wie war dein Tag?", "Wir haben gestern lange darüber gesprochen.",
    "Gracias, lo haré mañana.", "¿Qué te parece?", "Merci, je m'en occupe demain.", "Obrigado, até amanhã.",
    "No, that is not what I meant.", "I bought a new one and sold the old one.", "He is moving to another city in spring.",
)  # fmt: skip
"""Sentences that belong to no node."""

MOST_PHRASES = 8
"""Words listed as reasons of a decision."""


class Assignments:
    """Assignment decisions: why each record is at its node. The table is append-only."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def page(self, principal: Principal, wanted: AssignmentFilter) -> tuple[Assignment, ...]:
        """The decisions in force, newest first, one page. Empty for all but the user. Raises InvalidInput."""
        check_page(wanted.limit)
        if wanted.below is not None and not 0 <= wanted.below <= 1:
            raise InvalidInput("A confidence lies between 0 and 1.")
        parameters = {"user_id": principal.user_id, **asdict(wanted)}
        return tuple(await self._postgres.fetch(principal, sql_text("assignment/page"), parameters, row=Assignment))


async def keep_decisions(
    connection: Connection, principal: Principal, now: datetime, drafts: Sequence[RecordDraft]
) -> None:
    """Stores the decision of each record, in the transaction that writes the records."""
    lines = [
        {"record_id": str(draft.record_id), "node_id": str(draft.node.node_id), "title": draft.title}
        | asdict(draft.decision)
        for draft in drafts
    ]
    parameters = {"user_id": principal.user_id, "author": principal.name, "now": now, "lines": Jsonb(lines)}
    await connection.execute(sql_text("assignment/insert"), parameters)


@dataclass(frozen=True, slots=True)
class _Sampled:
    embedding: Any


class NodeLikeness:
    """Compares content with the nodes of a graph."""

    def __init__(self, postgres: Postgres, active: ActiveModel) -> None:
        self._postgres, self._active = postgres, active
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    async def of(
        self, principal: Principal, contents: Sequence[Unplaced], vocabulary: NodeVocabulary, allowance: Allowance
    ) -> list[Likeness | None]:
        """For each content its likeness, or None where it is not needed or cannot be computed. Raises StoreUnavailable."""
        nothing: list[Likeness | None] = [None] * len(contents)
        texts = [content.embedded if content.node is None else () for content in contents]
        if len(vocabulary.nodes) <= FEWEST_NODES or not any(texts):
            return nothing
        model = self._active.current
        made = await allowance.ahead(model, [text for own in texts for text in own])
        nodes = None if made is None else await self._vectors(model, [node_text(n) for n in compared(vocabulary)])
        plain = None if nodes is None else await self._vectors(model, PLAIN)
        if made is None or nodes is None or plain is None:
            return nothing
        vectors = np.array([one.vector for one in made])
        usual = await self._usual(principal, vectors, vocabulary, model)
        scores = iter(standard_scores(vectors, nodes, usual, plain))
        return [
            _likeness(content, [next(scores) for _ in own], vocabulary) if own else None
            for content, own in zip(contents, texts, strict=True)
        ]

    async def _vectors(self, model: Model, texts: Sequence[str]) -> Vectors | None:
        """Cached vectors of texts that are needed repeatedly; None while the embedding service does not answer."""
        missing = list(dict.fromkeys(text for text in texts if (model.name, text) not in self._kept))
        try:
            made = await self._active.patience.asked(lambda: model.vectors(missing)) if missing else ()
        except (ProviderUnavailable, WrongDimension):
            return None
        known = dict(zip(missing, made, strict=True))
        known |= {text: self._kept[model.name, text] for text in texts if text not in known}
        for text, vector in known.items():
            self._kept[model.name, text] = vector
            self._kept.move_to_end((model.name, text))
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return np.array([known[text] for text in texts])

    async def _usual(self, principal: Principal, new: Vectors, vocabulary: NodeVocabulary, model: Model) -> Vectors:
        """Turns that give the usual values, these included; kept for the next batch of the same ingest."""
        seen = vocabulary.turns.get(model.name)
        if seen is None:
            seen = new[:0]
            if len(new) < ENOUGH:
                asked = {"user_id": principal.user_id, "version": model.name, "limit": MOST_REMEMBERED}
                stored = await self._postgres.fetch(principal, sql_text("item/turns_sampled"), asked, row=_Sampled)
                if stored:
                    seen = np.array([turn.embedding.to_numpy() for turn in stored], dtype=np.float32)
        vocabulary.turns[model.name] = np.concatenate([seen, new])[-MOST_REMEMBERED:]
        return vocabulary.turns[model.name]


def compared(vocabulary: NodeVocabulary) -> Sequence[AssignableNode]:
    """The nodes below the root that are compared by meaning."""
    return vocabulary.nodes[1 : MOST_NODES + 1]


def node_text(node: AssignableNode) -> str:
    """What a node is about, as it is embedded for assignment: its way, its names, its keywords, its summary."""
    parts = (" / ".join(node.path[1:]), ", ".join(node.aliases), ", ".join(node.keywords), node.summary)
    return ". ".join(part for part in parts if part)


def standard_scores(texts: Vectors, nodes: Vectors, usual: Vectors, plain: Vectors) -> Likeness:
    """How alike each text is to each node, less what is usual for that node, in spreads. Pure; vectors are unit vectors."""
    mean = (PLAIN_WEIGHT * plain.mean(axis=0) + usual.sum(axis=0)) / (PLAIN_WEIGHT + len(usual))
    towards = _unit(nodes - nodes.mean(axis=0)).T
    known, chat = _unit(usual - mean) @ towards, _unit(plain - mean) @ towards
    weight = len(known) + PLAIN_WEIGHT
    middle = (known.sum(axis=0) + PLAIN_WEIGHT * chat.mean(axis=0)) / weight
    squares = ((known - middle) ** 2).sum(axis=0) + PLAIN_WEIGHT * ((chat - middle) ** 2).mean(axis=0)
    spread = np.sqrt(squares / weight)
    pooled = float(np.sqrt((squares / weight).mean()))
    scale = (spread + POOLED * pooled) / (1 + POOLED)
    scores: Likeness = ((_unit(texts - mean) @ towards - middle) / np.maximum(scale, 1e-6)).astype(np.float32)
    return scores


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit


def _likeness(content: Unplaced, scores: Sequence[Likeness], vocabulary: NodeVocabulary) -> Likeness:
    likeness = np.zeros((len(content.texts), len(vocabulary.nodes)), dtype=np.float32)
    full = fullness(content.texts[content.start :])[:, None]
    likeness[content.start :, 1 : scores[0].shape[0] + 1] = full * np.array(scores)
    return likeness


class Assigner(Protocol):
    """Decides where content goes: by rules, or by a language model."""

    async def place(
        self, principal: Principal, contents: Sequence[Unplaced], vocabulary: NodeVocabulary, allowance: Allowance
    ) -> tuple[list[Placed], NodeVocabulary]:
        """The nodes of each content, and the nodes that there are now; model calls count against the allowance.

        Raises StoreUnavailable where a node had to be created; a second call finds what there is."""


class OfflineAssigner:
    """Decides by rules; creates a node for a topic that none covers, where that is sure."""

    def __init__(self, likeness: NodeLikeness, topic_nodes: TopicNodes) -> None:
        self._likeness, self._topic_nodes = likeness, topic_nodes

    async def place(
        self, principal: Principal, contents: Sequence[Unplaced], vocabulary: NodeVocabulary, allowance: Allowance
    ) -> tuple[list[Placed], NodeVocabulary]:
        """The nodes of each content, in order; what was created for one is there for the next."""
        likeness = await self._likeness.of(principal, contents, vocabulary, allowance)
        placed = []
        for content, alike in zip(contents, likeness, strict=True):
            one, vocabulary = await self._one(principal, content, vocabulary, alike)
            placed.append(one)
        return placed, vocabulary

    async def _one(
        self, principal: Principal, content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None
    ) -> tuple[Placed, NodeVocabulary]:
        if content.node is not None:
            return given(content, content.node), vocabulary
        placed, topic = await computed(_examined, content, vocabulary, likeness)
        made = None
        if topic is not None and self._topic_nodes.wanted(principal, topic):
            made = await self._topic_nodes.made(principal, topic)
        if topic is None or made is None:
            return placed, vocabulary
        node, fresh = made
        grown = vocabulary.grown([node])
        placed = await computed(placed_among, content, grown, likeness)
        if node.node_id in placed.decisions:
            decision = Decision(topic.confidence, dict(topic.reasons), "engine", created_node=fresh)
            placed = replace(placed, decisions={**placed.decisions, node.node_id: decision})
        return placed, grown


def _examined(content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None) -> tuple[Placed, Topic | None]:
    """Where the texts go among the nodes that there are, and the topic that none of these covers, if one is clear."""
    placed = placed_among(content, vocabulary, likeness)
    if not content.may_create:
        return placed, None
    topic = missing_topic(content.title, content.texts, frozenset(content.speakers), placed.nodes, vocabulary)
    return placed, topic if topic and _would_take(content, topic, vocabulary, likeness) else None


def _would_take(content: Unplaced, topic: Topic, vocabulary: NodeVocabulary, likeness: Likeness | None) -> bool:
    """Whether any of the new content would go to the node: an empty node is not created."""
    node = node_of(topic, UUID(int=0), "")
    return node.node_id in placed_among(content, vocabulary.grown([node]), likeness).decisions


def given(content: Unplaced, node: AssignableNode) -> Placed:
    """All at the node that was named by hand."""
    return Placed([node] * len(content.texts), {node.node_id: BY_HAND})


def placed_among(content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None = None) -> Placed:
    """The best cut of the texts among the nodes that there are, with its decisions. Pure; `content.node` is not looked at."""
    evidence = gathered(content, vocabulary, likeness)
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


def parted(evidence: NodeEvidence, places: Sequence[int]) -> list[int]:
    """The places of a document's passages: its main node's, but for those of nodes for which enough speaks by itself. Where less
    than half of it belongs anywhere, all of it stays at the root."""
    if 2 * places.count(0) > len(places):
        return [0] * len(places)
    totals: dict[int, float] = dict.fromkeys(places, 0.0)
    for unit, place in enumerate(places):
        totals[place] += evidence.spoken[unit, place]
    found = {place: total for place, total in totals.items() if place != 0}
    if not found:
        return list(places)
    main = max(found, key=lambda place: (places.count(place), found[place]))
    strong = {place for place, total in found.items() if total >= LEAST_PART} | {main}
    return [place if place in strong else main for place in places]


# how sure -----------------------------------------------------------------------------------------------

NOWHERE = 0.15
"""How often content that stays at the root because nothing is sure belongs there: doubt is no decision."""
MIDDLE, STEEPNESS = 0.0, 0.8
"""From the chain's probability to how often that is right, on the scale of log odds; see docs/assignment.md."""


def decided(content: Unplaced, evidence: NodeEvidence, place: int, units: Sequence[int]) -> Decision:
    """How sure it is that these units belong to that place, and why."""
    if len(evidence.vocabulary.nodes) == 1:
        return Decision(NOWHERE, {"rule": "there is only this node"}, "engine")
    sums = evidence.rows[units].sum(axis=0)
    order = [int(column) for column in np.argsort(-sums, kind="stable") if column not in (0, place)]
    reasons: dict[str, Any] = {"units": len(units), "evidence": round(float(sums[place]), 2)}
    if order and sums[order[0]] > 0:
        path = "/".join(evidence.node(order[0]).path[1:])
        reasons |= {"runner_up": path, "runner_up_evidence": round(float(sums[order[0]]), 2)}
    sure = confidence(evidence.probable[units, place], root=place == 0)
    if place == 0:
        return Decision(sure, {"rule": "nothing speaks for another node surely enough"} | reasons, "engine")
    phrases = evidence.phrases(evidence.node(place), [content.texts[unit] for unit in units])
    reasons["words"] = dict(phrases[:MOST_PHRASES])
    spoken = float(evidence.spoken[units, place].sum())
    rule = "names, aliases and keywords" if 2 * spoken >= sums[place] else "alike in meaning"
    return Decision(sure, {"rule": rule} | reasons, "engine")


def confidence(probable: Scores, *, root: bool) -> float:
    """How often texts that the chain gives these probabilities are at the right node, on average."""
    if root:
        return round(float(NOWHERE * probable.mean()), 3)
    odds = np.log(np.clip(probable, 1e-6, 1 - 1e-6) / np.clip(1 - probable, 1e-6, 1))
    return round(float((1 / (1 + np.exp(-(MIDDLE + STEEPNESS * odds)))).mean()), 3)
