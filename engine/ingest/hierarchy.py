"""From what was said to a hierarchy: people below the group that they belong to, and matters. Pure; vectors are given.

A group (family, work, friends, people) becomes a node where at least two people belong to it; else its one person lies at
layer 1. The proposal errs on the side of few nodes: what it leaves out stays at the root, where only its user reads it.

people   with their relation to the speaker. A capital letter is no sign of a person in German, so a name counts only with other
         evidence: a word of kinship or role before or behind it, a verb of saying, a greeting. A name without such evidence is
         left out: a missing person does less harm than a node for a coffee
matters  clusters of the vectors of turns, named by the words that stand out in them. Turns are smoothed with their neighbours,
         since an answer says little by itself. Clusters are made by spherical k-means with fixed starts, so that the same turns
         give the same matters; small and scattered ones are left out
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.domain.history import Conversation
from engine.domain.proposal import MOST_NODES, Proposal, ProposedNode
from engine.domain.scope import INGESTED, Origin
from engine.language.detection import language_of, stop_words
from engine.language.tables import LANGUAGES, all_listed, alternatives, table
from engine.naming.words import FULL_NAME, GROUP_OF, MY, NAME, RELATIONS, SAYS, Group
from engine.progress import counted

_BEFORE = re.compile(
    rf"\b(?i:{MY}) (?:(?!(?i:{RELATIONS}))[\w-]+ )?(?i:(?P<relation>{RELATIONS})),? (?P<name>{FULL_NAME})"
)
_BEHIND = re.compile(
    rf"\b(?P<name>{FULL_NAME})(?:,| (?:{alternatives('verbs', 'is_mine')}))? (?i:{MY}) (?i:(?P<relation>{RELATIONS}))\b"
)
_SPEAKS = re.compile(rf"\b(?P<name>{NAME}) (?:{SAYS})\b")
_WITH = re.compile(rf"\b(?:{alternatives('prepositions', 'with')}) (?P<name>{NAME})\b")
_POSSESSIVE = re.compile(rf"\b(?P<name>{NAME})['’]s\b")
_ARTICLE = f"(?i:{alternatives('articles', 'of_words')})"
_TITLES = frozenset(all_listed("names", "titles"))
NO_PERSON = frozenset(all_listed("names", "no_person"))
"""Days, months, units, greetings, pronouns: written large often, names of nothing."""
LEAST_EVIDENCE, LEAST_SPEAKING, LEAST_NAMED = 2, 4, 2
Floats = NDArray[np.float32]

MOST_CLUSTERS = 16
TURNS_A_CLUSTER = 14
"""Turns that one cluster has about, which says how many are looked for."""
LEAST_OF_MATTER, LEAST_CONVERSATIONS, LEAST_KEYWORDS = 6, 2, 2
LEAST_COHESION = 0.4
"""The least mean cosine of a matter's turns to its centre, the mean of all turns taken away."""
ROUNDS = 40
ALIKE = 0.6
"""The least cosine of two centres that are one."""
COMMON = 0.05
"""A word in more than this share of the other turns says nothing of a matter."""
MOST_KEYWORDS = 8
_WORD = re.compile(r"[^\W\d_][\w'’-]{3,}")
NEIGHBOURS = 0.5
MOST_PEOPLE, MOST_OTHERS, MOST_MATTERS = 12, 6, 12
LEAST_OF_OTHERS = 6
"""Turns that speak of a person of whom nothing else is known."""


@dataclass(slots=True)
class Person:
    """A person that turns speak of."""

    name: str
    turns: set[int] = field(default_factory=set)
    relations: Counter[str] = field(default_factory=Counter)
    evidence: int = 0
    full: Counter[str] = field(default_factory=Counter)

    @property
    def relation(self) -> str:
        """The relation that the speaker names most often; empty where none is named."""
        return self.relations.most_common(1)[0][0] if self.relations else ""

    @property
    def group(self) -> Group:
        return GROUP_OF.get(self.relation, "others")


def people(texts: Sequence[str], speakers: frozenset[str]) -> list[Person]:
    """People that enough turns speak of, those with most turns first. `speakers` are no subjects of their own."""
    barred = {part.casefold() for speaker in speakers for part in speaker.split()} | NO_PERSON | _TITLES | set(GROUP_OF)
    for language in LANGUAGES:
        barred |= stop_words(language)
    found: dict[str, Person] = {}
    for number, text in enumerate(texts):
        _named(number, text, found)
    for person in found.values():
        pattern = re.compile(rf"\b{re.escape(person.name)}\b")
        person.turns = {number for number, text in enumerate(texts) if pattern.search(text)}
    bare = _with_article(texts, found)
    kept = [
        person
        for person in found.values()
        if person.name.casefold() not in barred
        and not bare[person.name]
        and (len(person.turns) >= LEAST_NAMED if person.relations else _known(person))
    ]
    return sorted(kept, key=lambda person: (-len(person.turns), person.name))


def _known(person: Person) -> bool:
    return person.evidence >= LEAST_EVIDENCE and len(person.turns) >= LEAST_SPEAKING


def _named(number: int, text: str, found: dict[str, Person]) -> None:
    for pattern in (_BEFORE, _BEHIND):
        for match in pattern.finditer(text):
            name = match["name"].split()[0].removesuffix("'s").removesuffix("’s")
            person = found.setdefault(name, Person(name))
            person.relations[match["relation"].casefold()] += 1
            person.full[match["name"]] += 1
    for pattern, weight in ((_SPEAKS, 2), (_POSSESSIVE, 1), (_WITH, 1)):
        for match in pattern.finditer(text):
            found.setdefault(match["name"], Person(match["name"])).evidence += weight


def _with_article(texts: Sequence[str], found: Mapping[str, Person]) -> Mapping[str, bool]:
    """Names that an article stands before, or that are written small: they are words."""
    word = re.compile(rf"(?:\b(?P<article>{_ARTICLE}) )?\b(?P<word>[^\W\d_][\w'’-]+)")
    all_of, articles, small = Counter[str](), Counter[str](), Counter[str]()
    wanted = {name.casefold(): name for name in found}
    for text in texts:
        for match in word.finditer(text):
            name = wanted.get(match["word"].casefold())
            if name is not None:
                all_of[name] += 1
                articles[name] += match["article"] is not None
                small[name] += match["word"][0].islower()
    return defaultdict(
        bool, {name: 5 * (articles[name] + 2 * small[name]) >= all_of[name] for name in found if all_of[name]}
    )


@dataclass(frozen=True, slots=True)
class Matter:
    """What some turns are about: a name, words that stand out, the turns."""

    name: str
    keywords: tuple[str, ...]
    turns: tuple[int, ...]
    cohesion: float


def matters(texts: Sequence[str], vectors: Floats, conversations: Sequence[int], taken: frozenset[str]) -> list[Matter]:
    """The matters of these turns, largest first; `taken`: words that name something else already, folded."""
    if len(texts) < 2 * LEAST_OF_MATTER:
        return []
    units = smoothed(vectors, conversations)
    amount = max(2, min(MOST_CLUSTERS, round(len(texts) / TURNS_A_CLUSTER)))
    labels, cohesion = clusters(units, amount)
    usual = _document_shares(texts)
    found = []
    for label in range(amount):
        turns = tuple(int(turn) for turn in np.flatnonzero(labels == label))
        spread = len({conversations[turn] for turn in turns})
        if len(turns) < LEAST_OF_MATTER or spread < LEAST_CONVERSATIONS or cohesion[label] < LEAST_COHESION:
            continue
        words = standing_out([texts[turn] for turn in turns], usual, len(texts), taken)
        if len(words) >= LEAST_KEYWORDS:
            found.append(Matter(_title(words, texts), tuple(words), turns, round(float(cohesion[label]), 3)))
    return _merged(sorted(found, key=lambda matter: -len(matter.turns)))


def smoothed(vectors: Floats, conversations: Sequence[int]) -> Floats:
    """Unit vectors with half of each neighbour in the same conversation, less the mean of all."""
    mixed = vectors.copy()
    for place in range(1, len(vectors)):
        if conversations[place] == conversations[place - 1]:
            mixed[place] += NEIGHBOURS * vectors[place - 1]
            mixed[place - 1] += NEIGHBOURS * vectors[place]
    mixed = mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9)
    mixed -= mixed.mean(axis=0)
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def clusters(units: Floats, amount: int) -> tuple[NDArray[np.int64], Floats]:
    """The cluster of each vector, and how near the vectors of each are to its centre. Starts: the farthest from those before."""
    centres = [units[int(np.argmax(units @ units.mean(axis=0)))]]
    nearest = units @ centres[0]
    for _ in range(1, amount):
        centres.append(units[int(np.argmin(nearest))])
        nearest = np.maximum(nearest, units @ centres[-1])
    middle = np.stack(centres)
    labels = np.argmax(units @ middle.T, axis=1)
    for _ in range(ROUNDS):
        owned = [labels == label for label in range(amount)]
        sums = np.stack([units[own].sum(axis=0) if own.any() else old for own, old in zip(owned, middle, strict=True)])
        middle = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        fresh = np.argmax(units @ middle.T, axis=1)
        if (fresh == labels).all():
            break
        labels = fresh
    alike = middle @ middle.T >= ALIKE
    labels = np.argmax(alike, axis=1)[labels]  # centres that point the same way are one cluster, the first of them
    scores = units @ middle.T
    owned = [labels == label for label in range(amount)]
    cohesion = np.array([scores[own, label].mean() if own.any() else 0.0 for label, own in enumerate(owned)])
    return labels, cohesion.astype(np.float32)


def standing_out(texts: Sequence[str], usual: Mapping[str, int], total: int, taken: frozenset[str]) -> list[str]:
    """Words that stand in these turns far more often than in all, by how many turns have them and how rare they are elsewhere."""
    inside = Counter(word for text in texts for word in _meaningful(text))
    scored = {
        word: count * count / usual[word] * math.log(total / usual[word])
        for word, count in inside.items()
        if count >= 2 and usual[word] - count <= max(2, COMMON * (total - len(texts))) and word not in taken
    }
    return [word for word, _ in sorted(scored.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_KEYWORDS]]


def _meaningful(text: str) -> set[str]:
    """Folded words that may tell what a text is about: no stop words; in German, which writes them large, only nouns."""
    language = language_of([text])
    common = stop_words(language) | stop_words("en")
    return {
        word.casefold().removesuffix("'s").removesuffix("’s")
        for word in _WORD.findall(text)
        if word.casefold() not in common | NO_PERSON and (language != "de" or word[0].isupper())
    }


def _document_shares(texts: Sequence[str]) -> Counter[str]:
    return Counter(word for text in texts for word in _meaningful(text))


def _title(words: Sequence[str], texts: Sequence[str]) -> str:
    """The first word as it is mostly written, and the second where both stand out together."""
    return " & ".join(_written(word, texts) for word in words[:2])


def _written(word: str, texts: Sequence[str]) -> str:
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    forms = Counter(match.group() for text in texts for match in pattern.finditer(text))
    form = forms.most_common(1)[0][0] if forms else word
    return form[0].upper() + form[1:]


def _merged(found: Sequence[Matter]) -> list[Matter]:
    """Matters that share two of their first four words are one."""
    kept: list[Matter] = []
    for matter in found:
        twin = next((one for one in kept if len(set(one.keywords[:4]) & set(matter.keywords[:4])) >= 2), None)
        if twin is None:
            kept.append(matter)
            continue
        words = tuple(dict.fromkeys((*twin.keywords[:5], *matter.keywords)))[:MOST_KEYWORDS]
        joined = Matter(twin.name, words, tuple(sorted({*twin.turns, *matter.turns})), twin.cohesion)
        kept[kept.index(twin)] = joined
    return kept


@dataclass(frozen=True, slots=True)
class SaidTurns:
    """The turns of some conversations in order, each with the number of its conversation."""

    texts: tuple[str, ...]
    conversations: tuple[int, ...]
    speakers: frozenset[str]

    @classmethod
    def of(cls, conversations: Sequence[Conversation], most: int, origin: Origin = INGESTED) -> SaidTurns:
        """The newest `most` turns of those that may name a node: others read names, so what is private, or belongs to a thread
        or workflow, is left out. `origin`: of conversations that bring none."""
        shared = [
            (turn, number)
            for number, one in enumerate(conversations)
            if one.privacy != "private" and not (one.origin or origin).scope.narrow
            for turn in one.turns
            if turn.privacy != "private"
        ]
        turns = shared[-most:]
        texts, speakers = tuple(turn.text for turn, _ in turns), frozenset(turn.speaker for turn, _ in turns)
        return cls(texts, tuple(number for _, number in turns), speakers)


def proposed(said: SaidTurns, vectors: Floats | None, existing: frozenset[str] = frozenset()) -> Proposal:
    """The hierarchy for what was said, `vectors` of its texts as unit rows, or None: then no matters; `existing` names (folded)
    are left out."""
    found = [one for one in _chosen(people(said.texts, said.speakers), said) if one.name.casefold() not in existing]
    taken = frozenset(one.name.casefold() for one in found) | existing | {name.casefold() for name in said.speakers}
    found_matters = [] if vectors is None else matters(said.texts, vectors, said.conversations, taken)
    subjects = found_matters[:MOST_MATTERS]
    names = table(language_of(said.texts), "groups") or table(LANGUAGES[0], "groups")
    nodes = [*_people_nodes(found, names, said), *(_matter_node(one, said) for one in subjects)][:MOST_NODES]
    covered = {turn for one in found for turn in one.turns} | {turn for one in subjects for turn in one.turns}
    return Proposal(tuple(nodes), len(said.texts), len(covered))


def _chosen(found: Sequence[Person], said: SaidTurns) -> list[Person]:
    """Those with a relation first; of the others few, and only such as come up in more than one conversation."""
    known = [one for one in found if one.relations][:MOST_PEOPLE]
    others = [
        one for one in found if not one.relations and len(one.turns) >= LEAST_OF_OTHERS and _spread(one.turns, said) > 1
    ]
    return known + others[:MOST_OTHERS]


def _people_nodes(found: Sequence[Person], names: Mapping[str, str], said: SaidTurns) -> list[ProposedNode]:
    nodes = []
    for group in names:
        members = [one for one in found if one.group == group]
        above: tuple[str, ...] = ()
        if len(members) > 1:
            above = (names[group],)
            turns = set().union(*(one.turns for one in members))
            summary = f"{names[group]}: {', '.join(one.name for one in members)}"
            relations = tuple(dict.fromkeys(one.relation for one in members if one.relation))
            spread = _spread(turns, said)
            nodes.append(ProposedNode(above, "concept", summary, relations, (), len(turns), spread, "people"))
        nodes += [_person_node(one, above, said) for one in members]
    return nodes


def _person_node(person: Person, above: tuple[str, ...], said: SaidTurns) -> ProposedNode:
    full = tuple(name for name, _ in person.full.most_common(2) if name != person.name)
    summary = f"{person.name}, {person.relation}" if person.relation else person.name
    reason = f"named in {counted(len(person.turns), 'turn')}" + (
        f", called {person.relation}" if person.relation else ""
    )
    size, spread = len(person.turns), _spread(person.turns, said)
    return ProposedNode((*above, person.name), "persona", summary, (), full, size, spread, reason)


def _matter_node(matter: Matter, said: SaidTurns) -> ProposedNode:
    words = ", ".join(matter.keywords[:4])
    size, spread, reason = len(matter.turns), _spread(matter.turns, said), f"turns alike in meaning: {words}"
    return ProposedNode((matter.name,), "concept", words, matter.keywords, (), size, spread, reason)


def _spread(turns: Sequence[int] | set[int], said: SaidTurns) -> int:
    return len({said.conversations[turn] for turn in turns})
