"""Whether somebody who left or gave up something still has it: left for the day, gave up a part of it, or began again. Pure."""

from __future__ import annotations

from engine.statements.claim import Claim
from engine.statements.event_words import event_words_of
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


def _says(kind: str, newer: Statement) -> bool:
    tokens = tokens_of(newer.said, rules_of(newer.language).contractions)
    return any(True for _ in event_words_of(newer.language).signs.longest(tokens, (kind,)))
