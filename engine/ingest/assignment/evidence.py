"""Which node does each turn belong to? Offline, by the names, aliases and keywords of the user's nodes, and by meaning.

A conversation is cut into runs of turns, each run going to one node: the cut with the most evidence, where every
change of node costs as much as two plain keyword hits (a Viterbi search). A word that several nodes claim counts
for each the less; what the conversation as a whole is about decides between nodes of the same name; what
nothing speaks for stays at the root. Where vectors are there, a turn that is more like a node's shell than like the others speaks
for it, too, and it takes more to leave the root.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.domain.record import AssignableNode
from engine.domain.terms import words

NAME_HIT = 2.0
KEYWORD_HIT = 1.0
ANCESTOR_SHARE = 0.4
"""How much of an ancestor's evidence a node inherits."""
CONTEXT_SHARE = 0.15
"""How much the whole conversation's evidence for a node adds to each of its turns."""
ROOT_EVIDENCE = 0.05
LIKENESS_WEIGHT, UNLIKE_ALL = 10.0, 0.07
"""What a likeness of one counts, in keyword hits, and what more the root has where likeness is known: together with its own
evidence more than small talk reaches. Chosen on the bundled history without most of its keywords, and on mixed conversations;
see docs/assignment.md."""
CHANGE_COST = 2.0
LONGEST_PHRASE = 4

Phrase = tuple[str, ...]
Likeness = NDArray[np.float32]
"""How much more alike each text (a row) is to each node (a column, in their order) than by chance; 0 where that is not known."""


class NodeVocabulary:
    """Which phrases speak for which nodes, and how strongly."""

    def __init__(self, nodes: Sequence[AssignableNode]) -> None:
        self.nodes = tuple(nodes)
        self.shells: dict[tuple[str, UUID], Sequence[float]] = {}
        """What is known of the nodes' meaning, by embedding version and node; see `likeness`."""
        self._claims: dict[str, list[tuple[Phrase, dict[int, float]]]] = defaultdict(list)  # by first word
        self._written: dict[Phrase, str] = {}
        for phrase, owners in self._claimed(nodes).items():
            self._claims[phrase[0]].append((phrase, owners))
        index = {node.path: number for number, node in enumerate(nodes)}
        self._ancestors = [
            [index[node.path[:depth]] for depth in range(2, len(node.path)) if node.path[:depth] in index]
            for node in nodes
        ]

    def _claimed(self, nodes: Sequence[AssignableNode]) -> dict[Phrase, dict[int, float]]:
        claims: dict[Phrase, dict[int, float]] = defaultdict(dict)
        for number, node in enumerate(nodes):
            named = [] if node.layer == 0 else [node.path[-1], *node.aliases]
            for weight, texts in ((KEYWORD_HIT, node.keywords), (NAME_HIT, named)):
                for text in texts:
                    phrase = tuple(words(text))[:LONGEST_PHRASE]
                    if phrase:
                        self._written.setdefault(phrase, text)
                        claims[phrase][number] = max(weight, claims[phrase].get(number, 0.0))
        # A word that three nodes claim tells a third as much about each.
        return {phrase: {n: w / len(owners) for n, w in owners.items()} for phrase, owners in claims.items()}

    def grown(self, nodes: Sequence[AssignableNode]) -> NodeVocabulary:
        """With these nodes besides."""
        grown = NodeVocabulary([*self.nodes, *nodes])
        grown.shells = self.shells
        return grown

    def evidence(self, text: str) -> dict[int, float]:
        """How strongly a text speaks for each node, by number; a phrase counts once however often it stands there."""
        hits: dict[int, float] = defaultdict(float)
        for _, owners in self._found(text):
            for number, weight in owners.items():
                hits[number] += weight
        return hits

    def phrases(self, text: str, number: int) -> list[str]:
        """The phrases by which a text speaks for a node, as they are written there."""
        return [self._written[phrase] for phrase, owners in self._found(text) if number in owners]

    def _found(self, text: str) -> Iterator[tuple[Phrase, dict[int, float]]]:
        found = words(text)
        seen: set[Phrase] = set()
        for start, word in enumerate(found):
            for phrase, owners in self._claims.get(word, ()):
                if phrase not in seen and tuple(found[start : start + len(phrase)]) == phrase:
                    seen.add(phrase)
                    yield phrase, owners

    def inherited(self, hits: dict[int, float], number: int) -> float:
        """A node's evidence, its ancestors' share included; nothing where nothing speaks for the node itself."""
        if number not in hits:
            return 0.0
        return hits[number] + ANCESTOR_SHARE * sum(hits.get(above, 0.0) for above in self._ancestors[number])


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for which node, text by text: `rows` holds a score for each of the `candidates` (numbers of nodes; the root
    is the first), `spoken` the part of it that words give."""

    vocabulary: NodeVocabulary
    candidates: Sequence[int]
    rows: Sequence[Sequence[float]]
    spoken: Sequence[Sequence[float]]

    def node(self, place: int) -> AssignableNode:
        """The node of a column."""
        return self.vocabulary.nodes[self.candidates[place]]

    def best(self) -> list[int]:
        """The column of each text: the cut into runs with the most evidence."""
        return _best_run(self.rows) if self.rows else []

    def phrases(self, node: AssignableNode, texts: Iterable[str]) -> list[tuple[str, int]]:
        """The names and keywords by which these texts speak for a node, the most frequent first."""
        number = self.vocabulary.nodes.index(node)
        found = Counter(phrase for text in texts for phrase in self.vocabulary.phrases(text, number))
        return found.most_common()


def gathered(texts: Sequence[str], vocabulary: NodeVocabulary, likeness: Likeness | None = None) -> Evidence:
    """The evidence of one conversation's texts, in order. The first node must be the root; the last ones may be younger than the
    likeness, which then tells nothing of them."""
    if likeness is not None:
        likeness = np.pad(likeness, ((0, 0), (0, len(vocabulary.nodes) - likeness.shape[1])))
    hits = [vocabulary.evidence(text) for text in texts]
    whole = _added(hits)
    near = set() if likeness is None else set(np.flatnonzero(likeness.any(axis=0)).tolist())
    candidates = [0, *sorted({*whole, *near} - {0})]  # the others cannot win a turn
    context = [vocabulary.inherited(whole, number) for number in candidates]
    scale = CONTEXT_SHARE / max(1.0, *context)
    rows = []
    for hit in hits:
        own = [vocabulary.inherited(hit, number) for number in candidates]
        row = [score + scale * context[place] * (1 + score) for place, score in enumerate(own)]
        row[0] += ROOT_EVIDENCE
        rows.append(row)
    if likeness is None:
        return Evidence(vocabulary, candidates, rows, rows)
    alike = LIKENESS_WEIGHT * likeness[:, candidates]
    alike[:, 0] = UNLIKE_ALL
    return Evidence(vocabulary, candidates, (np.array(rows) + alike).tolist(), rows)


def _added(hits: Iterable[dict[int, float]]) -> dict[int, float]:
    total: dict[int, float] = defaultdict(float)
    for hit in hits:
        for number, weight in hit.items():
            total[number] += weight
    return total


def _best_run(scores: Sequence[Sequence[float]]) -> list[int]:
    """The sequence with the highest sum of scores less the cost of changes. Linear in texts times nodes."""
    totals = list(scores[0])
    came_from: list[list[int]] = []
    for row in scores[1:]:
        best = max(range(len(totals)), key=totals.__getitem__)
        jump = totals[best] - CHANGE_COST
        step = [number if totals[number] >= jump else best for number in range(len(row))]
        totals = [row[number] + (totals[number] if step[number] == number else jump) for number in range(len(row))]
        came_from.append(step)
    chosen = [max(range(len(totals)), key=totals.__getitem__)]
    for step in reversed(came_from):
        chosen.append(step[chosen[-1]])
    return chosen[::-1]
