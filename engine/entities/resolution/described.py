"""People who are named by what they are to another one, or by ordinary words: `my sister`, `the woman upstairs`. Pure."""

from __future__ import annotations

from engine.entities.resolution.clues import child_told
from engine.entities.resolution.compared import NameDecision, NamedThing, gender_of_person, words_of_names
from engine.entities.resolution.contexts import evidence
from engine.entities.resolution.kin import Kin, relation_of, side_told, uncertain
from engine.entities.resolution.name_likeness import name_likeness
from engine.entities.resolution.name_parts import NameParts, parts_of
from engine.entities.resolution.word_lists import word_set


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
