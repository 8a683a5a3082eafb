"""What speaks for which node: words and meaning (`placing`) of each text, and of its neighbours.

Words are names and aliases, keywords, and words for relations between people. Where several phrases begin at one word the longest
counts, so a full name speaks for its bearer alone and not for a namesake. A phrase that n nodes claim speaks for each of them by
one part in the root of n. A name that is denied ("not the cat") speaks for no node.

In a conversation neighbours speak for one another, and every change of place has its price. The chain of texts is the one of a
Viterbi search; instead of its one best path the probability of every place is kept (forward-backward), so that doubt is seen, and
a text of which only the subtree is sure can stay above.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.domain.record import AssignableNode
from engine.domain.terms import folded, words, words_at
from engine.domain.utterance import has_question
from engine.ingest.sources import Unplaced
from engine.language.tables import all_listed, alternatives, keys
from engine.providers.embedder import Vectors

NAME_HIT = 2.0
KEYWORD_HIT = 1.0
RELATION_HIT = 0.5
PART_HIT = 0.5
"""What one word of a longer name counts: "Luna" may be the cat Luna, or Luna Solar."""
LEAST_COMPOUND = 5
"""Characters of a word that is also found where a longer one begins or ends with it, as compounds do."""
ANCESTOR_SHARE = 0.4
"""How much of an ancestor's evidence a node inherits, where it is asked whether any node covers a text."""
LONGEST_PHRASE = 4
MOST_KEPT = 512
"""Texts whose phrases are kept at hand: a decision and its reasons ask for the same ones."""

LEAST_PART = 3

Phrase = tuple[str, ...]
Owners = dict[int, float]
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


class NodeVocabulary:
    """Which phrases speak for which nodes, and how strongly."""

    def __init__(self, nodes: Sequence[AssignableNode]) -> None:
        self.nodes = tuple(nodes)
        self.turns: dict[str, Vectors] = {}
        """Vectors of turns from which it is known what is usual, by embedding version; see `placing`."""
        self._written: dict[Phrase, str] = {}
        self._names: set[Phrase] = set()
        self._claims: dict[str, list[tuple[Phrase, Owners]]] = defaultdict(list)  # by first word, longest first
        for phrase, owners in sorted(self._claimed().items(), key=lambda entry: -len(entry[0])):
            self._claims[phrase[0]].append((phrase, _shared(owners)))
        self._compounds: dict[str, list[tuple[Phrase, Owners]]] = defaultdict(list)  # by the letters at either end
        for word, [*_, (phrase, owners)] in self._claims.items():
            if len(phrase) == 1 and len(word) >= LEAST_COMPOUND:
                for end in {word[:LEAST_COMPOUND], word[-LEAST_COMPOUND:]}:
                    self._compounds[end].append((phrase, owners))
        self._relations = {relation: _shared(owners) for relation, owners in self._related().items()}
        index = {node.path: number for number, node in enumerate(nodes)}
        self._found_in = lru_cache(maxsize=MOST_KEPT)(lambda text: tuple(self._found(text)))
        self._ancestors = [
            [index[node.path[:depth]] for depth in range(2, len(node.path)) if node.path[:depth] in index]
            for node in nodes
        ]

    def _claimed(self) -> dict[Phrase, Owners]:
        claims: dict[Phrase, Owners] = defaultdict(dict)
        for number, node in enumerate(self.nodes):
            for weight, texts in ((KEYWORD_HIT, node.keywords), (NAME_HIT, _named(node))):
                for text in texts:
                    phrase = tuple(word for word, _ in words_at(bare(folded(text))))[:LONGEST_PHRASE]
                    parts = [(word,) for word in phrase if len(word) >= LEAST_PART] if weight == NAME_HIT else []
                    for claim, hit in ((phrase, weight), *((part, PART_HIT) for part in parts)):
                        if claim:
                            self._written.setdefault(claim, text)
                            claims[claim][number] = max(hit, claims[claim].get(number, 0.0))
                            self._names |= {claim} if weight == NAME_HIT else set()
        return claims

    def _related(self) -> dict[str, Owners]:
        """The nodes that are called a relation: by name, alias or keyword, or by the only one in the summary."""
        found: dict[str, Owners] = defaultdict(dict)
        for number, node in enumerate(self.nodes):
            called = {relation for text in (*_named(node), *node.keywords) for relation in relations(folded(text))}
            described = relations(folded(node.summary)) if node.layer else {}
            for relation in called or (described if len(described) == 1 else ()):
                found[relation][number] = RELATION_HIT
        return found

    def grown(self, nodes: Sequence[AssignableNode]) -> NodeVocabulary:
        grown = NodeVocabulary([*self.nodes, *nodes])
        grown.turns = self.turns
        return grown

    def evidence(self, text: str) -> dict[int, float]:
        """How strongly a text speaks for each node, by number; a phrase counts once however often it stands there."""
        hits: dict[int, float] = defaultdict(float)
        for _, owners in self._found_in(text):
            for number, weight in owners.items():
                hits[number] += weight
        return hits

    def phrases(self, text: str, number: int) -> list[str]:
        """The phrases by which a text speaks for a node, as they are written there; of a relation the word in the text."""
        return [written for written, owners in self._found_in(text) if number in owners]

    def _found(self, text: str) -> Iterator[tuple[str, Owners]]:
        whole = folded(text)
        found = list(words_at(whole))
        plain = [word for word, _ in found]
        seen: set[Phrase] = set()
        place = 0
        while place < len(found):
            phrase, owners = self._beginning(plain, place)
            if phrase and phrase not in seen and not (phrase in self._names and negated(whole, found[place][1])):
                seen.add(phrase)
                yield self._written[phrase], owners
            place += max(1, len(phrase))
        if self._relations:
            yield from ((word, self._relations.get(relation, {})) for relation, word in relations(whole).items())

    def _beginning(self, plain: Sequence[str], place: int) -> tuple[Phrase, Owners]:
        """The longest phrase that begins at a word, or the one that the word is a compound of, with what it speaks for."""
        for phrase, owners in self._claims.get(plain[place], ()):
            if tuple(plain[place : place + len(phrase)]) == phrase:
                return phrase, owners
        word = plain[place]
        for end in (word[:LEAST_COMPOUND], word[-LEAST_COMPOUND:]):
            for phrase, owners in self._compounds.get(end, ()):
                if word.startswith(phrase[0]) or word.endswith(phrase[0]):
                    return phrase, owners
        return (), {}

    def inherited(self, hits: dict[int, float], number: int) -> float:
        """A node's evidence, its ancestors' share included; nothing where nothing speaks for the node itself."""
        if number not in hits:
            return 0.0
        return hits[number] + ANCESTOR_SHARE * sum(hits.get(above, 0.0) for above in self._ancestors[number])


def _named(node: AssignableNode) -> list[str]:
    return [] if node.layer == 0 else [node.path[-1], *node.aliases]


def _shared(owners: Owners) -> Owners:
    return {number: weight / math.sqrt(len(owners)) for number, weight in owners.items()}


# relations between people --------------------------------------------------------------------------------

# They distinguish namesakes, and find a person who is not named. "My brother" speaks for the node whose aliases, name or summary
# call it a brother, in whatever language. A word that is also a title or an everyday word (German "Frau", French "son") counts
# only after a possessive.

_POSSESSIVE, _ARTICLE = alternatives("pronouns", "possessive"), alternatives("articles", "leading")
_KIN = {word: relation for relation in keys("kin") for word in all_listed("kin", relation)}
_AMBIGUOUS = frozenset(all_listed("relatives", "ambiguous"))
_CHOICES = "|".join(re.escape(word) for word in sorted(_KIN, key=len, reverse=True))
_FOUND = re.compile(rf"(?P<whose>\b(?:{_POSSESSIVE})\s+)?(?<![\w-])(?P<word>{_CHOICES})(?![\w-])")
_LEADING = re.compile(rf"^(?:(?:{_POSSESSIVE}|{_ARTICLE})(?:\s+|['’]))+(?=\S)")
_NEGATED = re.compile(
    rf"\b(?:{alternatives('negation', 'before_name')})\s+"
    rf"(?:(?:{_POSSESSIVE}|{_ARTICLE}|{alternatives('negation', 'between')})(?:\s+|['’]))*$"
)
_DENIAL = re.compile(rf"\A\W*(?:{alternatives('negation', 'denial')})\b", re.IGNORECASE)
_LOOKED_BACK = 40
"""Characters before a name in which it can be negated."""


def relations(folded_text: str) -> dict[str, str]:
    """The relations that a folded text speaks of, with the word for each; one that is negated is left out."""
    return {
        _KIN[match["word"]]: match["word"]
        for match in _FOUND.finditer(folded_text)
        if (match["whose"] or match["word"] not in _AMBIGUOUS) and not negated(folded_text, match.start())
    }


def bare(folded_name: str) -> str:
    """A name without the possessives and articles before it: "meine Mutter" is also called "deine Mutter". Where only a word with
    other meanings would be left ("meine Frau", which is also a title), nothing: the relation speaks for it."""
    left = _LEADING.sub("", folded_name)
    return "" if left != folded_name and left in _AMBIGUOUS else left


def denies(text: str) -> bool:
    """Whether a reply begins by denying what was asked."""
    return _DENIAL.match(text) is not None


def negated(folded_text: str, start: int) -> bool:
    """Whether what begins there is denied: "not the cat". A comma or a full stop between ends a negation."""
    return _NEGATED.search(folded_text, max(0, start - _LOOKED_BACK), start) is not None


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
