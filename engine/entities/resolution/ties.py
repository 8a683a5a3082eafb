"""What somebody is to whom, and how old, where a text says it beside the name: "my brother Tom", "Ana's boss Tom", "Tom (my
dentist)", "mein Chef Tom", "Tom, 8,". Pure; roles by likeness/kin.toml.

My brother Tom and my boss Tom are two people as long as nobody says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from engine.domain.names import name_key
from engine.entities.resolution.kin import role_of
from engine.language.tables import alternatives, keys
from engine.naming.kinship import MY, NAME

WITHIN = 60
"""Characters before and behind a name that are looked at."""
GENERATION, YEARS_APART = 15, 5
"""Years by which two ages cannot be of one person in the memory of one user; and where it is known when each was said."""
_SAID = {key: alternatives("ties", key) for key in keys("ties")}
_BEFORE = re.compile(
    rf"(?:\b(?i:{MY})|(?P<owner>{NAME})['’]s) (?:[\w-]+ )??(?P<role>[\w-]+)(?P<called>{_SAID['called']})?[,:]? $"
)
_BEHIND = re.compile(rf"(?:,? \(|, |,? – )(?:(?i:{MY})|(?P<owner>{NAME})['’]s) (?:[\w-]+ )??(?P<role>[\w-]+)")
_OWNS = re.compile(r"['’]s\b")
_AGE_BEFORE = re.compile(rf"\b(\d{{1,2}})[- ](?:{_SAID['age_before']}) $")
_AGE_BEHIND = re.compile(
    rf"(?:, (?:{_SAID['age_aside']})?| \(| (?:{_SAID['age_turned']}) )(\d{{1,2}})(?:\)|,|\.|!|$| (?:{_SAID['age_end']})\b)"
    rf"|(?:,? (?:{_SAID['age_has']}) |, (?:{_SAID['age_of']})?| \()(\d{{1,2}})"
    rf" (?:{_SAID['age_unit']})\b(?! (?:{_SAID['no_age']}))"
)


@dataclass(frozen=True, slots=True)
class Age:
    """How many years old somebody was, and when that was said."""

    years: int
    at: datetime | None = None


NAMESAKE = "namesake"
"""Who is told apart from the speaker alone."""
_DOES = re.compile(rf" (?:{_SAID['does']})\b")
_NAMES_SELF = re.compile(rf"(?:[\"“”„«'’‘:,–-] ?|\b(?:{_SAID['names_self']}) )$")


def tie_of(text: str, start: int, end: int, speaker: str = "") -> str:
    """What the one named there is to whom, as `marit|brother`; before the bar nobody where the speaker has no name."""
    before = _BEFORE.search(text[max(0, start - WITHIN) : start])
    if before and before["called"] and _OWNS.match(text, end):
        before = None  # "my boss is Tom's cousin"
    for found in (before, _BEHIND.match(text[end : end + WITHIN])):
        if found and (role := role_of(found["role"])):
            return f"{name_key(found['owner'] or speaker)}|{role}"
    return ""


def of_namesake(text: str, start: int, end: int, speaker: str) -> str:
    """The tie of one who has the speaker's own first name, and of whom the speaker speaks: "Tom lives in York", says Tom."""
    own = speaker.split()
    if (
        not own
        or text[start:end].casefold() != own[0].casefold()
        or _NAMES_SELF.search(text[max(0, start - WITHIN) : start])
    ):
        return ""
    return f"{name_key(speaker)}|{NAMESAKE}" if _DOES.match(text[end : end + WITHIN]) else ""


def of_another(name: str, tie: str) -> bool:
    """Whether a tie is to one of the same first name: "my friend Tom", says Tom. Nobody is a friend of himself."""
    owner = tie.partition("|")[0]
    return bool(owner) and owner.split()[0] == name_key(name)


def age_of(text: str, start: int, end: int) -> int | None:
    """How many years old the one named there is."""
    found = _AGE_BEFORE.search(text[max(0, start - WITHIN) : start]) or _AGE_BEHIND.match(text[end : end + WITHIN])
    return int(next(group for group in found.groups() if group)) if found else None


def different_ties(ours: Collection[str], theirs: Collection[str]) -> str:
    """What the one is and the other is not to the same person, in plain words; empty where they may be one."""
    for one in sorted(ours):
        owner, _, role = one.partition("|")
        of_owner = {tie.partition("|")[2] for tie in theirs if not owner or tie.partition("|")[0] in ("", owner)}
        if of_owner and role not in of_owner:
            return f"one is a {role.replace('_', ' ')}, the other a {min(of_owner).replace('_', ' ')}"
    return ""


def different_ages(ours: Collection[Age], theirs: Collection[Age]) -> str:
    """Why two ages are of two people: 7 and 34 in one year, not 15 in 2010 and 33 in 2028."""
    pairs = [(one, other) for one in ours for other in theirs]
    if not pairs or not all(_generations(one, other) for one, other in pairs):
        return ""
    one, other = min(pairs, key=lambda pair: (pair[0].years, pair[1].years))
    return f"one is {one.years} years old, the other {other.years}"


def _generations(one: Age, other: Age) -> bool:
    if one.at is None or other.at is None:
        return abs(one.years - other.years) >= GENERATION
    since = (other.at - one.at).days / 365.25
    return abs(one.years + since - other.years) >= YEARS_APART
