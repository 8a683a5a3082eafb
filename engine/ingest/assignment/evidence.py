"""What speaks for which node: words (`vocabulary`) and meaning (`likeness`) of each text, and of its neighbours.

In a conversation neighbours speak for one another, and every change of place has its price. The chain of texts is the one of a
Viterbi search; instead of its one best path the probability of every place is kept (forward-backward), so that doubt is seen, and
a text of which only the subtree is sure can stay above.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.domain.record import AssignableNode
from engine.domain.terms import words
from engine.domain.utterance import has_question
from engine.ingest.assignment.vocabulary import NodeVocabulary, denies
from engine.ingest.sources import Unplaced

Scores = NDArray[np.float64]
Likeness = NDArray[np.float32]
"""How much more alike each text (a row) is to each node (a column, in their order) than usual, in spreads; 0 where unknown."""

TITLE_SHARE = 0.45
"""How much the words of a title speak for each of its texts: enough to decide where the text itself leans there, too."""
FULL_WORDS = 6
"""Words from which on a text counts in full: what a shorter one is like is mostly chance, and small talk is short."""
BY_WORDS = 1.5
"""The evidence, in plain keyword hits, that "no node in particular" has where words alone are known."""
WORDS_ALONE = 2.0
"""How much surer a keyword hit is where it does not stand beside the chance of meaning."""
BY_MEANING, CHANCE = 0.4, 1.27
"""The same where meaning is known: so much more than the most alike of n nodes has by chance, `CHANCE` (the spread of a text and
its neighbours together) times the root of 2 ln n. Chosen on invented histories; see docs/assignment.md."""
MOST_CANDIDATES = 32
"""Nodes that are weighed for one content, those for which most speaks; in a big graph the others are left out at once."""


@dataclass(frozen=True)
class NodeEvidence:
    """What speaks for which node, text by text. `rows` holds a score for each of the `candidates` (numbers of nodes; the root
    is the first), `spoken` what the words of that text alone give, `probable` what follows for the whole content."""

    vocabulary: NodeVocabulary
    candidates: Sequence[int]
    rows: Scores
    spoken: Scores
    probable: Scores

    def node(self, place: int) -> AssignableNode:
        return self.vocabulary.nodes[self.candidates[place]]

    @cached_property
    def _paths(self) -> list[tuple[str, ...]]:
        return [self.vocabulary.nodes[number].path for number in self.candidates]

    def best(self) -> list[int]:
        """The column of each text: the deepest node whose subtree is sure, else the root."""
        return deepest_sure(self.probable, self._paths) if len(self.rows) else []

    def phrases(self, node: AssignableNode, texts: Iterable[str]) -> list[tuple[str, int]]:
        """The names and keywords by which these texts speak for a node, the most frequent first."""
        number = self.vocabulary.nodes.index(node)
        found = Counter(phrase for text in texts for phrase in self.vocabulary.phrases(text, number))
        return found.most_common()


def gathered(content: Unplaced, vocabulary: NodeVocabulary, likeness: Likeness | None = None) -> NodeEvidence:
    """The evidence of one content's texts, in order. The first node must be the root; the last ones may be newer than the
    likeness, which then has no values for them."""
    texts = content.texts
    spoken = _spoken(texts, vocabulary)
    own = spoken + TITLE_SHARE * np.outer(fullness(texts), _spoken([content.title], vocabulary)[0])
    if likeness is not None:
        own = own + np.pad(likeness, ((0, 0), (0, len(vocabulary.nodes) - likeness.shape[1])))
    said = own[:, 1:] if content.whole else in_context(own[:, 1:])  # a passage is long enough to speak for itself
    if likeness is None:
        nowhere, said = WORDS_ALONE * BY_WORDS, WORDS_ALONE * said
    else:  # what a text has in common with all nodes says nothing
        nowhere, said = _by_chance(said.shape[1], content), said - np.median(said, axis=1, keepdims=True)
    candidates = _candidates(said, vocabulary)
    rows = np.hstack([np.full((len(texts), 1), nowhere), said[:, [number - 1 for number in candidates[1:]]]])
    probable = probabilities(rows, prices(texts, content.speakers)) if len(texts) else rows
    return NodeEvidence(vocabulary, candidates, rows, spoken[:, candidates], probable)


def _by_chance(nodes: int, content: Unplaced) -> float:
    """The evidence that "no node in particular" has beside so many nodes."""
    spread = 1.0 if content.whole else CHANCE
    return BY_MEANING + spread * math.sqrt(2 * math.log(max(2, nodes)))


def fullness(texts: Sequence[str]) -> Scores:
    """How much the meaning of each text counts, 0 to 1."""
    lengths = np.array([len(words(text)) for text in texts], dtype=np.float64)
    full: Scores = np.sqrt(np.minimum(1.0, lengths / FULL_WORDS))
    return full


def _spoken(texts: Sequence[str], vocabulary: NodeVocabulary) -> Scores:
    """What the words of each text say of each node; those of a question whose answer denies them say nothing."""
    spoken = np.zeros((len(texts), len(vocabulary.nodes)))
    for row, text in enumerate(texts):
        if has_question(text[-3:]) and row + 1 < len(texts) and denies(texts[row + 1]):
            continue  # "Karsten, your brother-in-law?" "No, my boss."
        for number, weight in vocabulary.evidence(text).items():
            spoken[row, number] = weight
    return spoken


def _candidates(said: Scores, vocabulary: NodeVocabulary) -> list[int]:
    """The root, the nodes for which anything speaks most, and what lies above them."""
    highest = said.max(axis=0) if len(said) else np.zeros(said.shape[1])
    order = np.argsort(-highest, kind="stable")[:MOST_CANDIDATES]
    chosen = [int(number) + 1 for number in order if highest[number] > 0]
    index = {node.path: number for number, node in enumerate(vocabulary.nodes)}
    paths = [vocabulary.nodes[number].path for number in chosen]
    above = {index[path[:depth]] for path in paths for depth in range(1, len(path)) if path[:depth] in index}
    return [0, *sorted({*chosen, *above} - {0})]


# from scores to probabilities: arithmetic on arrays, a row a text, a column a place, the first one "nowhere in particular" -----

BEFORE = (0.6, 0.36)
"""What the texts one and two before say, beside what a text says itself; those after it count by half of that."""
AFTER = 0.5
CHANGE_COST = 1.0
REPLY_COST = 1.0
"""What a change costs more after a question, where few words are said, and where another speaks than who opened the conversation:
an answer is about what was asked, and who opened it brings up what is new."""
FEW_WORDS = 5
SURE = 0.75
"""The probability of a subtree from which on a text leaves what lies above it."""


def in_context(scores: Scores) -> Scores:
    """What each text and its neighbours say of each place."""
    said = scores.copy()
    for distance, share in enumerate(BEFORE, 1):
        said[distance:] += share * scores[:-distance]
        said[:-distance] += share * AFTER * scores[distance:]
    return said


def prices(texts: Sequence[str], speakers: Sequence[str] = ()) -> Scores:
    """What a change of place costs at each text; `speakers`: of each text, where they are known."""
    asked = np.array([False, *(has_question(text[-3:]) for text in texts[:-1])])
    short = np.array([len(words(text)) < FEW_WORDS for text in texts])
    other = np.array([speaker != speakers[0] for speaker in speakers]) if speakers else np.zeros(len(texts))
    price: Scores = CHANGE_COST + REPLY_COST * (asked * 1.0 + short + other)
    return price


def probabilities(scores: Scores, price: Scores) -> Scores:
    """How probable each place is for each text, given all of them. Linear in texts times places."""
    forward, backward = np.zeros_like(scores), np.zeros_like(scores)
    forward[0] = scores[0]
    for at in range(1, len(scores)):
        forward[at] = scores[at] + np.logaddexp(forward[at - 1], _total(forward[at - 1]) - price[at])
    for at in range(len(scores) - 2, -1, -1):
        ahead = scores[at + 1] + backward[at + 1]
        backward[at] = np.logaddexp(ahead, _total(ahead) - price[at + 1])
    both = forward + backward
    shifted = np.exp(both - both.max(axis=1, keepdims=True))
    probable: Scores = shifted / shifted.sum(axis=1, keepdims=True)
    return probable


def deepest_sure(probable: Scores, paths: Sequence[tuple[str, ...]]) -> list[int]:
    """For each text the deepest place whose subtree is sure; the first place, the root, where none is."""
    below = np.array([[other[: len(path)] == path for other in paths] for path in paths], dtype=np.float64)
    subtree = probable @ below.T
    depth = np.array([len(path) for path in paths], dtype=np.float64)
    rank = np.where(subtree >= SURE, depth + subtree / 2, -1.0)
    rank[:, 0] = 0.0
    return [int(place) for place in rank.argmax(axis=1)]


def _total(row: Scores) -> float:
    highest = float(row.max())
    return highest + float(np.log(np.exp(row - highest).sum()))
