"""People that turns speak of, with their relation to the speaker. Pure.

A capital letter is no sign of a person in German, so a name counts only with other evidence: a word of kinship or role before
or behind it, a verb of saying, a greeting. A name without such evidence is left out: a missing person does less harm
than a node for a coffee.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.language.detection import stop_words
from engine.language.tables import LANGUAGES, all_listed, alternatives
from engine.naming.words import FULL_NAME, GROUP_OF, MY, NAME, RELATIONS, SAYS, Group

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
LEAST_EVIDENCE, LEAST_TURNS, LEAST_NAMED = 2, 4, 2


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
    return person.evidence >= LEAST_EVIDENCE and len(person.turns) >= LEAST_TURNS


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
