"""Whether two names are one entity: by the names themselves, then by the texts around them; and whether people who are named by
what they are to another one, or by ordinary words, are one: `my sister`, `the woman upstairs`. Pure.

A wrong merge costs more than a missed one: what only may be the same is `review`, and counts as apart until someone agrees.
"""

from __future__ import annotations

from functools import cache, lru_cache

from engine.domain.entity import UNKNOWN_KIND
from engine.entities.resolution.contexts import SharedContext, evidence
from engine.entities.resolution.kin import Kin, child_told, kin_of, relation_of, side_told, slavic, uncertain
from engine.entities.resolution.name_likeness import (
    NameDecision,
    NamedThing,
    NameLikeness,
    gender_of_person,
    name_likeness,
    words_of_names,
)
from engine.entities.resolution.name_parts import NameParts, parts_of
from engine.entities.resolution.namesakes import different_forms
from engine.entities.resolution.romanized import romanized, word_set

_NEEDED = {"equal": 2.0, "variant": 0.7, "extends": 1.7, "acronym": 0.8, "renamed": 1.7, "surname": 0.8, "place": 0.0}
"""How much the texts must share for a merge, by what the names are to each other."""
_ONE_WORD = 1.7
_UNRELATED = 1.2
"""What more is needed of one word where each text has names, and none is in both."""
_FOREIGN = 0.8
"""Texts of two languages share names and numbers alone."""


def two_kin(a: NamedThing, left: Kin, b: NamedThing, right: Kin) -> NameDecision:
    """Two relatives: `my sister` and `Tom's sister`."""
    if clash := kin_clash(a, left, b, right):
        return NameDecision("apart", 0.2, clash)
    found = evidence(a.texts, b.texts, words_of_names(a, b))
    if found.against:
        return NameDecision("apart", 0.3, found.against[0])
    named = left.name and right.name
    introduced = _introduced(left.name, b) or _introduced(right.name, a)
    needed = 0.0 if named else 0.8 if introduced or left.single else 2.0
    if (found.support >= needed and found.texts) or (left.single and not found.texts and left.owner == right.owner):
        return NameDecision("same", 0.85, f"both are the same relation ({left.relation.replace('_', ' ')})")
    return NameDecision("review", 0.5, "the same relation, of which there can be several")


def kin_clash(a: NamedThing, left: Kin, b: NamedThing, right: Kin) -> str:
    """Why two relatives are two, in plain words; empty where they may be one."""
    if left.relation != right.relation and not {left.relation, right.relation} <= word_set("kin", "spouses"):
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


def described_as(described: NamedThing, named: NamedThing, kin: Kin | None) -> NameDecision:
    """`My sister`, `the woman upstairs` and a name: one where the first text gives the name and both agree."""
    parts = parts_of(named.name)
    if kin and kin.gender and (gender := gender_of_person(named, parts)) and gender != kin.gender:
        return NameDecision("apart", 0.1, "one is a woman, the other a man")
    if kin and child_told(named.texts) and kin.relation.split("_")[0] in word_set("kin", "grown"):
        return NameDecision("apart", 0.1, "one is a child, the other an adult")
    same_name = bool(kin and kin.name) and name_likeness(kin.name if kin else "", named.name).relation not in (
        "apart",
        "surname",
    )
    if kin and kin.name and not same_name:
        return NameDecision("apart", 0.1, "the names differ")
    if not same_name and not _introduced(named.name, described):
        return NameDecision("review", 0.2, "nothing says that the description is of that name")
    found = evidence(described.texts, named.texts, words_of_names(described, named))
    if found.against:
        return NameDecision("apart", 0.3, found.against[0])
    if found.support >= 0.7 or _kin_shared(described, named):
        return NameDecision(
            "same", 0.85, f"the text of {described.name} gives the name {named.name}, and the texts agree"
        )
    return NameDecision("review", 0.5, "the text gives the name, but the texts share too little")


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
                    and relation_of(tokens[place - 1]) not in word_set("kin", "named_behind")
                )
            ):
                return True
    return False


def common_words(a: NamedThing, b: NamedThing, parts: tuple[NameParts, NameParts]) -> NameDecision:
    """An ordinary word or a title alone names different people at different times: only a text that gives the name helps."""
    if parts[0].common and parts[1].common:
        return NameDecision("review", 0.4, "ordinary words name different things in different texts")
    described, named = (a, b) if parts[0].common else (b, a)
    words = parts_of(described.name).words
    if words and set(words) & set(parts_of(named.name).words):
        return NameDecision("review", 0.3, "one is an ordinary word")
    ruler = bool(parts_of(described.name).gender) and parts_of(named.name).generation not in ("", "elder", "younger")
    if ruler:
        found = evidence(described.texts, named.texts, words_of_names(a, b))
        if found.support >= 2.5 and not found.against:
            return NameDecision("same", 0.8, "a ruler's title and name, and the texts agree")
    return described_as(described, named, None)


def decide(a: NamedThing, b: NamedThing) -> NameDecision:
    """Symmetric, deterministic, and total: no name makes it raise."""
    one, other = _ordered(a, b)
    first = _by_names(one, other)
    if first.verdict == "apart":
        return first
    left, right = kin_of(one.name), kin_of(other.name)
    if left and right:
        return two_kin(one, left, other, right)
    if left:
        return described_as(one, other, left)
    if right:
        return described_as(other, one, right)
    parts = parts_of(one.name), parts_of(other.name)
    if parts[0].common or parts[1].common:
        return common_words(one, other, parts)
    return _named(one, other)


def by_names(a: NamedThing, b: NamedThing) -> NameDecision:
    """What can be said before the texts are compared, which costs much more: `apart`, or `review` with how alike the names are.

    Symmetric; what is apart here is so for `decide`.
    """
    return _by_names(*_ordered(a, b))


def _ordered(a: NamedThing, b: NamedThing) -> tuple[NamedThing, NamedThing]:
    one, other = sorted((a, b), key=lambda thing: (thing.name, thing.kind, thing.texts, thing.aliases, thing.speaker))
    return one, other


def _by_names(a: NamedThing, b: NamedThing) -> NameDecision:
    if clash := _kinds(a, b):
        return NameDecision("apart", 0.0, clash)
    left, right = kin_of(a.name), kin_of(b.name)
    if left and right:
        clash = kin_clash(a, left, b, right)
        return NameDecision("apart", 0.2, clash) if clash else NameDecision("review", 0.5, "the same relation")
    parts = parts_of(a.name), parts_of(b.name)
    if left or right or parts[0].common or parts[1].common:
        return NameDecision("review", 0.2, "one is a description")
    like = _likeness(a, b)
    if like.relation == "apart" or (like.relation == "surname" and not _married(a, b)):
        return NameDecision("apart", like.score, like.reason)
    if clash := _marks(*parts):
        return NameDecision("apart", min(like.score, 0.4), clash)
    return NameDecision("review", like.score, like.reason)


def decide_names(a: NamedThing, b: NamedThing) -> NameDecision | None:
    """What the names and kinds alone rule out; None where the texts may decide."""
    if clash := _kinds(a, b) or _marks(parts_of(a.name), parts_of(b.name)):
        return NameDecision("apart", 0.0, clash)
    return None


def _kinds(a: NamedThing, b: NamedThing) -> str:
    if a.kind != b.kind and UNKNOWN_KIND not in (a.kind, b.kind):
        return f"one is a {min(a.kind, b.kind)}, the other a {max(a.kind, b.kind)}"
    return ""


# names ------------------------------------------------------------------------------------------------------


def _likeness(a: NamedThing, b: NamedThing) -> NameLikeness:
    inflected = slavic(a.texts, (a.name,)) or slavic(b.texts, (b.name,))
    return max(
        (name_likeness(x, y, inflected) for x in _telling(a) for y in _telling(b)),
        key=lambda one: (one.score, one.relation, one.reason),
    )


def _named(a: NamedThing, b: NamedThing) -> NameDecision:
    like = _likeness(a, b)
    if clash := _told(a, b, parts_of(a.name), parts_of(b.name)):
        return NameDecision("apart", min(like.score, 0.4), clash)
    if doubt := different_forms(a.names, b.names):
        return NameDecision("review", min(like.score, 0.5), doubt)
    # That both are married is no sign that they are one.
    said = _of_marriage() if like.relation == "surname" else frozenset()
    found = evidence(a.texts, b.texts, words_of_names(a, b) | said)
    if found.against and like.relation in ("equal", "extends", "acronym", "renamed"):
        return NameDecision("apart", 0.3, found.against[0])
    return _weighed(like, found, a, b)


def _telling(thing: NamedThing) -> tuple[str, ...]:
    """The names that tell most: who has a full name is not known by the first name alone."""
    full = len(parts_of(thing.name).words) > 1
    return (
        thing.name,
        *(one for one in thing.aliases if not full or len(parts_of(one).words) > 1 or parts_of(one).acronym),
    )


def _weighed(like: NameLikeness, found: SharedContext, a: NamedThing, b: NamedThing) -> NameDecision:
    if not found.texts:
        sure = (like.words > 1 and like.relation in ("equal", "variant")) or like.relation == "place"
        return NameDecision("same" if sure else "review", like.score, like.reason)
    score = min(1.0, 0.5 * like.score + 0.15 * found.support)
    needed = _needed(like, parts_of(a.name), parts_of(b.name))
    if like.relation == "equal" and like.words == 1 and found.unrelated:
        needed += _UNRELATED
    if found.support >= needed:
        told = f"; both texts have {', '.join(found.shared[:3])}" if found.shared else ""
        return NameDecision("same", max(score, 0.8), like.reason + told)
    return NameDecision("review", min(score, 0.75), f"{like.reason}, but the texts share too little")


def _needed(like: NameLikeness, left: NameParts, right: NameParts) -> float:
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


def _equal_needed(left: NameParts, right: NameParts) -> float:
    return _ONE_WORD if bool(left.titles) != bool(right.titles) else _NEEDED["equal"]


def _marks(left: NameParts, right: NameParts) -> str:
    """What titles and marks of generation rule out."""
    if left.generation != right.generation and left.generation and right.generation:
        return "the marks of generation differ"
    if left.gender and right.gender and left.gender != right.gender:
        return "the titles are of a woman and a man"
    return ""


def _told(a: NamedThing, b: NamedThing, left: NameParts, right: NameParts) -> str:
    one, other = gender_of_person(a, left), gender_of_person(b, right)
    if one and other and one != other:
        return "one is a woman, the other a man"
    young, old = child_told(a.texts), child_told(b.texts)
    if (young and not old and right.adult) or (old and not young and left.adult):
        return "one is a child, the other an adult"
    return ""


def _married(a: NamedThing, b: NamedThing) -> bool:
    return _speaks_of_marriage(a.texts) or _speaks_of_marriage(b.texts)


@lru_cache(maxsize=1 << 10)
def _speaks_of_marriage(texts: tuple[str, ...]) -> bool:
    """Whether texts speak of a marriage or a maiden name."""
    return any(romanized(word.strip('.,;:!?()«»"')) in _of_marriage() for text in texts for word in text.split())


@cache
def _of_marriage() -> frozenset[str]:
    return frozenset(romanized(word) for word in word_set("clues", "marriage"))
