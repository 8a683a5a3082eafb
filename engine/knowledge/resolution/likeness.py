"""Whether two names are one entity: by the names themselves, then by the texts around them. Pure.

A wrong merge costs more than a missed one: what only may be the same is `review`, and counts as apart until someone agrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.domain.entity import UNKNOWN_KIND
from engine.knowledge.resolution.contexts import Evidence, child_told, evidence, gender_told, slavic
from engine.knowledge.resolution.kin import Kin, kin_of, relation_of, side_told, uncertain
from engine.knowledge.resolution.name_likeness import NameLikeness, gender_of, name_likeness
from engine.knowledge.resolution.name_parts import Parts, parts_of
from engine.knowledge.resolution.romanized import romanized
from engine.knowledge.resolution.word_lists import word_set

Verdict = Literal["same", "review", "apart"]


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name with what is known around it: its kind, other names, texts that mention it, who spoke."""

    name: str
    kind: str = UNKNOWN_KIND
    aliases: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    speaker: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class Decision:
    """`score` 0 to 1 orders decisions of one verdict; `reason` is for people."""

    verdict: Verdict
    score: float
    reason: str


_NEEDED = {"equal": 2.0, "variant": 0.7, "extends": 1.7, "acronym": 0.8, "renamed": 1.7, "surname": 0.8, "place": 0.0}
"""How much the texts must share for a merge, by what the names are to each other."""
_ONE_WORD = 1.7
_UNRELATED = 1.2
"""What more is needed of one word where each text has names, and none is in both."""
_GROWN = frozenset("mother father grandmother grandfather uncle aunt husband wife".split())
_FOREIGN = 0.8
"""Texts of two languages share names and numbers alone."""


def decide(a: NamedThing, b: NamedThing) -> Decision:
    """Symmetric, deterministic, and total: no name makes it raise."""
    one, other = sorted((a, b), key=lambda thing: (thing.name, thing.kind, thing.texts, thing.aliases, thing.speaker))
    if clash := _kinds(one, other):
        return Decision("apart", 0.0, clash)
    left, right = kin_of(one.name), kin_of(other.name)
    if left and right:
        return _two_kin(one, left, other, right)
    if left:
        return _described(one, other, left)
    if right:
        return _described(other, one, right)
    parts = parts_of(one.name), parts_of(other.name)
    if parts[0].common or parts[1].common:
        return _common(one, other, parts)
    return _named(one, other)


def decide_names(a: NamedThing, b: NamedThing) -> Decision | None:
    """What the names and kinds alone rule out; None where the texts may decide."""
    if clash := _kinds(a, b) or _marks(parts_of(a.name), parts_of(b.name)):
        return Decision("apart", 0.0, clash)
    return None


def _kinds(a: NamedThing, b: NamedThing) -> str:
    if a.kind != b.kind and UNKNOWN_KIND not in (a.kind, b.kind):
        return f"one is a {min(a.kind, b.kind)}, the other a {max(a.kind, b.kind)}"
    return ""


# names ------------------------------------------------------------------------------------------------------


def _named(a: NamedThing, b: NamedThing) -> Decision:
    inflected = slavic((*a.texts, *b.texts), (a.name, b.name))
    like = max(
        (name_likeness(x, y, inflected) for x in _telling(a) for y in _telling(b)),
        key=lambda one: (one.score, one.relation, one.reason),
    )
    if like.relation == "apart":
        return Decision("apart", like.score, like.reason)
    left, right = parts_of(a.name), parts_of(b.name)
    if clash := _marks(left, right) or _told(a, b, left, right):
        return Decision("apart", min(like.score, 0.4), clash)
    found = evidence(a.texts, b.texts, _name_words(a, b))
    if found.against and like.relation in ("equal", "extends", "acronym", "renamed"):
        return Decision("apart", 0.3, found.against[0])
    return _weighed(like, found, a, b)


def _telling(thing: NamedThing) -> tuple[str, ...]:
    """The names that tell most: who has a full name is not known by the first name alone."""
    full = len(parts_of(thing.name).words) > 1
    return (
        thing.name,
        *(one for one in thing.aliases if not full or len(parts_of(one).words) > 1 or parts_of(one).acronym),
    )


def _weighed(like: NameLikeness, found: Evidence, a: NamedThing, b: NamedThing) -> Decision:
    if like.relation == "surname" and not _married(a, b):
        return Decision("apart", like.score, like.reason)
    if not found.texts:
        sure = (like.words > 1 and like.relation in ("equal", "variant")) or like.relation == "place"
        return Decision("same" if sure else "review", like.score, like.reason)
    score = min(1.0, 0.5 * like.score + 0.15 * found.support)
    needed = _needed(like, parts_of(a.name), parts_of(b.name))
    if like.relation == "equal" and like.words == 1 and found.unrelated:
        needed += _UNRELATED
    if found.support >= needed:
        told = f"; both texts have {', '.join(found.shared[:3])}" if found.shared else ""
        return Decision("same", max(score, 0.8), like.reason + told)
    return Decision("review", min(score, 0.75), f"{like.reason}, but the texts share too little")


def _needed(like: NameLikeness, left: Parts, right: Parts) -> float:
    if left.capital != right.capital:
        return 3.0
    if left.roles and right.roles and left.roles != right.roles:
        return 2.5
    if like.foreign and like.words > 1 and like.relation in ("equal", "variant"):
        return 0.0
    if like.relation == "equal":
        return _FOREIGN if left.company != right.company or like.foreign else _equal_needed(left, right)
    if like.relation == "extends":
        return (
            1.4 if left.titles != right.titles else _FOREIGN if like.words > 1 or like.foreign else _NEEDED["extends"]
        )
    if like.relation == "variant" and like.words == 1 and not like.foreign:
        return _ONE_WORD
    return _NEEDED[like.relation]


def _equal_needed(left: Parts, right: Parts) -> float:
    return _ONE_WORD if bool(left.titles) != bool(right.titles) else _NEEDED["equal"]


def _marks(left: Parts, right: Parts) -> str:
    """What titles and marks of generation rule out."""
    if left.generation != right.generation and left.generation and right.generation:
        return "the marks of generation differ"
    if left.gender and right.gender and left.gender != right.gender:
        return "the titles are of a woman and a man"
    return ""


def _told(a: NamedThing, b: NamedThing, left: Parts, right: Parts) -> str:
    one, other = _gender(a, left), _gender(b, right)
    if one and other and one != other:
        return "one is a woman, the other a man"
    young, old = child_told(a.texts), child_told(b.texts)
    if (young and not old and right.adult) or (old and not young and left.adult):
        return "one is a child, the other an adult"
    return ""


def _gender(thing: NamedThing, parts: Parts) -> str:
    listed = gender_of(parts.words[0]) if len(parts.words) > 1 else ""
    return parts.gender or gender_told(thing.texts, thing.name) or listed


def _name_words(a: NamedThing, b: NamedThing) -> frozenset[str]:
    named = [parts_of(name) for thing in (a, b) for name in thing.names]
    words = {word for parts in named for word in (*parts.words, *parts.written)}
    return frozenset(words | {romanized(part) for thing in (a, b) for name in thing.names for part in name.split()})


def _married(a: NamedThing, b: NamedThing) -> bool:
    words = {romanized(word.strip('.,;:!?()«»"')) for thing in (a, b) for text in thing.texts for word in text.split()}
    return bool(words & {romanized(word) for word in word_set("clues", "marriage")})


# kinship and descriptions -----------------------------------------------------------------------------------


def _two_kin(a: NamedThing, left: Kin, b: NamedThing, right: Kin) -> Decision:
    if clash := _kin_clash(a, left, b, right):
        return Decision("apart", 0.2, clash)
    found = evidence(a.texts, b.texts, _name_words(a, b))
    if found.against:
        return Decision("apart", 0.3, found.against[0])
    named = left.name and right.name
    introduced = _introduced(left.name, b) or _introduced(right.name, a)
    needed = 0.0 if named else 0.8 if introduced or left.single else 2.0
    if (found.support >= needed and found.texts) or (left.single and not found.texts and left.owner == right.owner):
        return Decision("same", 0.85, f"both are the same relation ({left.relation.replace('_', ' ')})")
    return Decision("review", 0.5, "the same relation, of which there can be several")


def _kin_clash(a: NamedThing, left: Kin, b: NamedThing, right: Kin) -> str:
    if left.relation != right.relation and not {left.relation, right.relation} <= {"wife", "husband", "partner"}:
        return "the relations differ"
    if left.former != right.former or (left.order != right.order):
        return "one is a former one"
    for one, other, what in (
        (left.side, right.side, "sides of the family"),
        (left.age, right.age, "ages"),
        (left.owner, right.owner, "persons"),
    ):
        if one and other and one != other:
            return f"they are related by different {what}"
    if left.name and right.name and name_likeness(left.name, right.name).relation in ("apart", "surname"):
        return "the names differ"
    if uncertain(left.relation):
        one, other = left.side or side_told(a.texts, a.name), right.side or side_told(b.texts, b.name)
        if one and other and one != other:
            return "they are related through different people"
    return ""


def _described(described: NamedThing, named: NamedThing, kin: Kin | None) -> Decision:
    """`My sister`, `the woman upstairs` and a name: one where the first text gives the name and both agree."""
    parts = parts_of(named.name)
    if kin and kin.gender and (gender := _gender(named, parts)) and gender != kin.gender:
        return Decision("apart", 0.1, "one is a woman, the other a man")
    if kin and child_told(named.texts) and kin.relation.split("_")[0] in _GROWN:
        return Decision("apart", 0.1, "one is a child, the other an adult")
    same_name = bool(kin and kin.name) and name_likeness(kin.name if kin else "", named.name).relation not in (
        "apart",
        "surname",
    )
    if kin and kin.name and not same_name:
        return Decision("apart", 0.1, "the names differ")
    if not same_name and not _introduced(named.name, described):
        return Decision("review", 0.2, "nothing says that the description is of that name")
    found = evidence(described.texts, named.texts, _name_words(described, named))
    if found.against:
        return Decision("apart", 0.3, found.against[0])
    if found.support >= 0.7 or _kin_shared(described, named):
        return Decision("same", 0.85, f"the text of {described.name} gives the name {named.name}, and the texts agree")
    return Decision("review", 0.5, "the text gives the name, but the texts share too little")


def _kin_shared(a: NamedThing, b: NamedThing) -> bool:
    """Whether both texts speak of the same relative beside: my wife, her father."""
    told = [
        {relation_of(word.strip(".,;:!?()")) for text in thing.texts for word in text.split()} - {""}
        for thing in (a, b)
    ]
    return len(told[0] & told[1]) >= 2


def _introduced(name: str, described: NamedThing) -> bool:
    """Whether a text holds the name outside of the description, not behind a word of kinship of someone else."""
    if not name:
        return False
    wanted = parts_of(name).words
    for text in described.texts:
        tokens = [token.strip(".,;:!?()«»\"'") for token in text.replace(described.name, " . ", 1).split()]
        for place, token in enumerate(tokens):
            if (
                token[:1].isupper()
                and parts_of(token).words[:1]
                and parts_of(token).words[0] in wanted
                and not (
                    place
                    and relation_of(tokens[place - 1])
                    and len(wanted) == 1
                    and relation_of(tokens[place - 1]) not in ("uncle", "aunt")
                )
            ):
                return True
    return False


def _common(a: NamedThing, b: NamedThing, parts: tuple[Parts, Parts]) -> Decision:
    """An ordinary word or a title alone names different people at different times: only a text that gives the name helps."""
    if parts[0].common and parts[1].common:
        return Decision("review", 0.4, "ordinary words name different things in different texts")
    described, named = (a, b) if parts[0].common else (b, a)
    words = parts_of(described.name).words
    if words and set(words) & set(parts_of(named.name).words):
        return Decision("review", 0.3, "one is an ordinary word")
    ruler = bool(parts_of(described.name).gender) and parts_of(named.name).generation not in ("", "elder", "younger")
    if ruler:
        found = evidence(described.texts, named.texts, _name_words(a, b))
        if found.support >= 2.5 and not found.against:
            return Decision("same", 0.8, "a ruler's title and name, and the texts agree")
    return _described(described, named, None)
