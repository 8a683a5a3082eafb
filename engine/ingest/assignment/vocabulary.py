"""Which words speak for which nodes: names and aliases, keywords, and words for relations between people.

Where several phrases begin at one word the longest counts, so a full name speaks for its bearer alone and not for a namesake.
A phrase that n nodes claim speaks for each of them by one part in the root of n. A name that is denied ("not the cat")
speaks for no node.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.domain.record import AssignableNode
from engine.domain.terms import folded, words_at
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


class NodeVocabulary:
    """Which phrases speak for which nodes, and how strongly."""

    def __init__(self, nodes: Sequence[AssignableNode]) -> None:
        self.nodes = tuple(nodes)
        self.turns: dict[str, Vectors] = {}
        """Vectors of turns from which it is known what is usual, by embedding version; see `likeness`."""
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
