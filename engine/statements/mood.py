"""How a statement is said: as holding, supposed, heard from others, planned or denied, by its words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from engine.statements.rules import LanguageRules
from engine.statements.tokens import PUNCTUATION, Match, WordToken

Mood = Literal["said", "supposed", "reported", "planned", "denied"]
_MOODS = ("denied", "taken_back", "supposed", "wished", "hearsay", "reported", "planned")
_KINDS = (
    "hearsay", "past", "beside", "temporary", "change", "cancelled", "correction",
    "supposed", "wished", "reported", "confirmed", "planned", "done", "returned", "rate",
)  # fmt: skip


def signs_in(every: Sequence[WordToken], rules: LanguageRules) -> dict[str, bool]:
    """Which signs stand in a statement; "as I said" is no report."""
    plain = {
        place
        for one in rules.signs.longest(every, ("filler", "correction", "unplanned"))
        for place in range(one.start, one.end)
    }
    off = {place for one in rules.signs.longest(every, ("cancelled", "done")) for place in range(one.start, one.end)}
    return {
        kind: any(
            not (kind == "planned" and one.start in off)
            and not (kind in _MOODS and is_large_name(every, one, rules))
            and (kind in ("correction", "cancelled", "done") or one.start not in plain)
            for one in rules.signs.longest(every, (kind,))
        )
        for kind in _KINDS
    }


def is_large_name(tokens: Sequence[WordToken], match: Match, rules: LanguageRules) -> bool:
    """Whether a sign is a name in the middle of a sentence: "May", "Will". Where nouns begin with capitals, nobody knows."""
    if rules.large_nouns or match.start == 0 or match.end - match.start > 1:
        return False
    text = tokens[match.start].text
    return len(text) > 1 and text[0].isupper() and tokens[match.start - 1].word not in (".", "!", ",", ":")


def mood_of(every: Sequence[WordToken], rules: LanguageRules, has: dict[str, bool]) -> Mood:
    """How it is said, by its signs."""
    for kind in ("taken_back", "denied"):
        for one in rules.signs.longest(every, (kind,)):
            stands_alone = one.start > 0 and (one.end == len(every) or every[one.end].word in PUNCTUATION)
            opens = every[one.start - 1].word in PUNCTUATION or rules.has("but", every[one.start - 1].word)
            if kind == "denied" or (stands_alone and opens):
                return "denied"
    if any(one.word in ("?", "¿") for one in every) or has["supposed"] or has["wished"]:
        return "supposed"
    if has["reported"] or has["hearsay"] or has["confirmed"]:
        return "reported"
    return "planned" if has["planned"] else "said"
