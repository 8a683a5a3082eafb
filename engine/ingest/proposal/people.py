"""People that turns speak of, with their relation to the speaker. Pure, for English, German, Spanish, Portuguese, French.

A capital letter is no sign of a person in German, so a name counts only with other evidence: a word of kinship or role before
or behind it, a verb of saying, a greeting. A name without such evidence is left out: a missing person does less harm
than a node for a coffee.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.domain.languages import LANGUAGES, stop_words
from engine.knowledge.naming.kinship import FULL_NAME, GROUP_OF, MY, NAME, RELATIONS, SAYS, Group

_BEFORE = re.compile(
    rf"\b(?i:{MY}) (?:(?!(?i:{RELATIONS}))[\w-]+ )?(?i:(?P<relation>{RELATIONS})),? (?P<name>{FULL_NAME})"
)
_BEHIND = re.compile(
    rf"\b(?P<name>{FULL_NAME})(?:,| is| ist| es| é| est| was| war)? (?i:{MY}) (?i:(?P<relation>{RELATIONS}))\b"
)
_SPEAKS = re.compile(rf"\b(?P<name>{NAME}) (?:{SAYS})\b")
_WITH = re.compile(rf"\b(?:with|mit|con|com|avec|bei|für|for|from|von|para|visited|besuchen) (?P<name>{NAME})\b")
_POSSESSIVE = re.compile(rf"\b(?P<name>{NAME})['’]s\b")
_ARTICLE = (
    r"(?i:the|a|an|der|die|das|den|dem|des|ein|eine|einen|einem|einer|im|am|zum|zur|beim|vom|ins|kein\w{0,2}|"
    r"el|la|los|las|un|una|o|os|um|uma|le|les|une)"
)
_TITLES = frozenset(
    "dr prof mr mrs ms miss sir herr frau doktor señor señora senhor senhora don doña dona monsieur madame".split()
)
CALENDAR = frozenset(
    """
    i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december montag dienstag mittwoch donnerstag freitag samstag sonntag januar
    februar märz april mai juni juli oktober dezember god gott dios deus ich und aber wenn dann das der die es
    er sie wir ihr sie he she it they we you what who when where how why and but so then that this there here
    yes no okay hi hello thanks danke hallo ja nein gut euro euros dollar dollars pounds franken jahr jahre
    woche wochen monat monate tag tage stunde stunden uhr week weeks month months year years semana semanas mes
    meses mês ano anos año años heute morgen gestern today tomorrow yesterday night nights hour hours
    """.split()
)
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
    barred = {part.casefold() for speaker in speakers for part in speaker.split()} | CALENDAR | _TITLES | set(GROUP_OF)
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
