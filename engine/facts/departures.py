"""Whether somebody who left or gave up something still has it: left for the day, gave up a part of it, or began again. Pure."""

from __future__ import annotations

from collections.abc import Set

from engine.statements.claim import Claim
from engine.statements.event_words import event_words_of
from engine.statements.parts import Part
from engine.statements.rules import rules_of
from engine.statements.statement import Statement
from engine.statements.tokens import tokens_of


def resumed(newer: Statement) -> bool:
    """ "gave up coffee last year but is back on it"."""
    return _says("resumed", newer)


def left_just_now(newer: Statement) -> bool:
    """ "has just left Acme", which may be for the day."""
    return _says("just", newer)


def still_there(older: Claim, newer: Claim, after: Statement) -> bool:
    """Whether what ends is no office and no work: "handed over the chair's report", "quit Acme's pension scheme"."""
    more = older.value < newer.value
    if newer.key == "role":
        return more and "'s" in newer.words
    return newer.key == "employer" and (more or f"{newer.shown}'s" in after.said or left_just_now(after))


def of_another_one(part: Part, known: Set[str], code: str) -> bool:
    """Whether a part speaks of another one than what is known: "sold his old scooter", "vendió la moto vieja", "sold one of his
    scooters"; where the older statement says "old", too, it is that one."""
    rules, words = rules_of(code), event_words_of(code)
    before = [part.tokens[place - 1] for place in part.topics if place]
    after = [one for place in part.topics for one in part.tokens[place + 1 : place + 2] if rules.noun_first]
    beside = {one.word for one in (*before, *after)}
    beside |= {word for one in before for word in one.text.casefold().split()}  # "a segunda mota" names no Monday
    one_of = any(True for _ in words.signs.longest(part.tokens, ("one_of",)))
    return one_of or any(words.has("another_one", one) for one in beside - known)


def _says(kind: str, newer: Statement) -> bool:
    tokens = tokens_of(newer.said, rules_of(newer.language).contractions)
    return any(True for _ in event_words_of(newer.language).signs.longest(tokens, (kind,)))
