"""Whether a statement says that somebody gave up a habit or a wish, sold a thing, left a group, or finished a work. Pure."""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise

from engine.facts.departures import of_another_one
from engine.language.detection import stem
from engine.statements.parts import parts_of
from engine.statements.rules import rules_of
from engine.statements.statement import Statement

_SAYS_ONE_HAS = {"sold": "owning", "left_group": "belonging", "handed": "leading", "completed": "making"}
"""The words of having what is given up, by the words of giving it up."""


def no_longer_wished(older: Statement, newer: Statement) -> bool:
    """ "wants to buy a flat", "no longer wants to buy a flat"."""
    wished = older.wished and newer.wished and older.positive and not newer.positive
    plain = [[one for one in each.frame if one != "1"] for each in (older, newer)]  # "un appartement", "d'appartement"
    return wished and plain[0] == plain[1] and not newer.times


def parted(older: Statement, newer: Statement) -> bool:
    """ "plays the cello", "gave up the cello"; "owns a van", "sold her van"; "is on the board", "left the board";
    "is writing her thesis", "finished her thesis"; "works in a bakery", "no longer works there"."""
    said = older.mood == newer.mood == "said" and older.positive and not (older.past or older.cancelled)
    if not said or older.times or newer.past or newer.beside or newer.temporary or narrow(newer):
        return False
    if any(one.key != "role" for one in older.claims) or any(
        one.key != "role" and one.positive for one in newer.claims
    ):
        return False
    by_words = any(
        _parted_from(older, kind, left, newer.language)
        and (kind != "sold" or (_in_order(older, newer) and not _has_another(older, newer)))
        for kind, left in newer.parted.items()
    )
    return by_words or _left_work(older, newer)


def _in_order(older: Statement, newer: Statement) -> bool:
    """Whether the words of both stand in one order: not "vendió una bici de la tienda", of "tiene una tienda de bicis"."""
    places = [
        place
        for one in newer.frame
        for place, other in enumerate(older.frame)
        if other == one or (len(one) > 3 and other.startswith(one))
    ]
    return all(one < other for one, other in pairwise(places))


def _has_another(older: Statement, newer: Statement) -> bool:
    """ "sold her second van", "sold one of her vans", "sold her van and bought it back"."""
    code = newer.language
    known = parts_of(older.said, older.subject, code).words
    parts = parts_of(newer.said, newer.subject, code).parts
    sold = [one for one in parts if any(True for _ in rules_of(code).signs.longest(one.tokens, ("sold",)))]
    regained = any("regained" in one.events and not one.negations for one in parts)
    return regained or any(of_another_one(one, known, code) for one in sold)


def elsewhere(older: Statement, newer: Statement) -> bool:
    """Whether they speak of two employers: "is head chef at the Lantern", "is no longer head chef at the Crown"."""
    places = [{word for one in each.claims if one.key == "employer" for word in one.value} for each in (older, newer)]
    return all(places) and not places[0] & places[1]


def _left_work(older: Statement, newer: Statement) -> bool:
    """ "works in a bakery", "no longer works there"; not "works on a novel"."""
    left = any(one.key == "employer" and one.over and not (one.value or one.bearer) for one in newer.claims)
    shop = len(older.frame) == 2 and rules_of(older.language).has("group_noun", older.plain[-1])
    return left and shop and not older.claims and older.frame[0] in newer.frame


def _parted_from(older: Statement, kind: str, parted_with: Set[str], language: str) -> bool:
    """Whether what is left of the older statement says just that one has it, does it, or belongs to it."""
    rules = rules_of(language)
    office = {stem(word, language) for word in rules.words.get("office", ())} & parted_with
    left = parted_with - office if kind == "handed" else parted_with
    there = {
        word: {one for one in older.frame if one == word or (len(word) > 3 and one.startswith(word))} for word in left
    }
    if not left or not all(there.values()):  # "raucht", "Rauchen"
        return False
    rest = [one for one in older.frame if one != "1" and not any(one in found for found in there.values())]
    if kind == "given_up":
        return not rest or (older.habit and rest == [*older.frame[:1]])
    if (kind == "handed" and not office) or any(rules.has("no_organization", word) for word in left):
        return False  # "left home"
    words = rules.words.get(_SAYS_ONE_HAS[kind], frozenset[str]())
    plain = [word for word, one in zip(older.plain, older.frame, strict=True) if one in rest]
    return all(word in words for word in plain) and (
        bool(rest) or older.habit or kind == "left_group" or older.counting
    )


def narrow(newer: Statement) -> bool:
    """Whether it speaks of a day or an hour: "left the club at five"."""
    dates = rules_of(newer.language).dates
    narrow = dates.get("weekday", frozenset[str]()) | dates.get("day", frozenset[str]())
    said = {word for one in newer.times for word in one.split()}
    return bool(said & narrow) or any(":" in word for word in said)
