"""How alike content and nodes are in meaning: vectors of what is about to be stored against those of what nodes are about.

A turn's vector is mostly what all turns of its writer have in common. So the mean of the writer's turns is subtracted from it,
the mean of the nodes from theirs, and each node's usual cosine from the result, which is given in spreads (standard deviations).
The usual values come from the turns of this ingest, from those stored last, and from some plain sentences while there are few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.errors import ProviderUnavailable, WrongDimension
from engine.ingest.allowance import Allowance
from engine.ingest.assignment.evidence import Likeness, NodeVocabulary, fullness
from engine.ingest.sources import Unplaced
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Vectors
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

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
