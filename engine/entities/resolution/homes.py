"""In which town somebody lives, where a text says it beside the name: "Tom lives in Leeds", "Tom, who lives in Porto,". Pure; in
English, German, Spanish, Portuguese and French, of the towns that are listed.

Two of one first name have two homes at one time, and so are two people, where

one speaker says both in one record   "Tom lives in Leeds and paints. Tom lives in Porto and sings."
one is said in passing                "Tom lives in Leeds.", and within a month "Tom, who lives in Porto, called.": words that
                                      say which Tom is meant take his home for known

Else they may be one who moved: "Tom lives in Leeds.", another day "Tom lives in Porto."; then facts replace or contradict each
other. So may those who share a town, or whose towns are near, and those of whom a text at that time has a word of change or
doubt: moved, now, also, at weekends, sorry.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.language.tables import alternatives, each, one_of, table
from engine.naming.words import Places, far_apart, towns

MONTH = timedelta(days=31)
"""Within which a home that is said in passing would hardly be a new one."""
_BEFORE, _BEHIND = 60, 140
"""Characters around a name in which the home and words of change stand."""
_LIVES, _WHO, _IN = (f"(?:{alternatives('homes', key)})" for key in ("lives", "who", "in"))
_STILL = rf"(?: (?:{alternatives('homes', 'still')}))?"
_PLACE = rf"[A-ZÀ-Þ][\w'’-]*(?:[ -](?:[A-ZÀ-Þ][\w'’-]*|{one_of('written_names', 'town_particles')})){{0,3}}"
_ASIDE = r"(?:,? \(|, )"
_SAID = re.compile(rf",? {_LIVES}{_STILL} {_IN} (?P<town>{_PLACE})")
_IN_PASSING = re.compile(
    "|".join(
        (
            rf"{_ASIDE}(?:{_WHO} {_LIVES}{_STILL}|{alternatives('homes', 'living')}) {_IN} (?P<town>{_PLACE})",
            *(
                rf"{_ASIDE}(?:{table(code, 'homes')['who']}) (?:{table(code, 'homes')['in']}) (?P<{code}>{_PLACE}) (?:{last})\b"
                for code, last in each("homes", "lives_last")
            ),
        )
    )
)
_MOVED = re.compile("|".join(f"{said}(?P<{code}>{_PLACE})" for code, said in each("homes", "moved")))
_MOVE = re.compile(rf"\b(?:{alternatives('homes', 'move')})", re.I)
_CHANGE = re.compile(rf"\b(?:{alternatives('homes', 'change')})\b|{alternatives('homes', 'denied')}|\?", re.I)
_END = re.compile(r"[.!?;\n](?=\s|$)|[.!?;\n]$")


@dataclass(frozen=True, slots=True)
class StatedHome:
    """A town that a text says somebody lives in. `places`: where it is; nowhere where it is not known. `firm`: it may tell two
    apart; `in_passing`: it is taken for known; `said_by`: the record and who speaks there, empty for what is stored."""

    town: str
    places: Places
    firm: bool
    in_passing: bool = False
    said_by: str = ""
    at: datetime | None = None


def home_of(text: str, start: int, end: int, said_by: str = "", at: datetime | None = None) -> StatedHome | None:
    """The home that a text tells beside the name that stands there. A move to an unknown place is a home that is nowhere."""
    before, behind = text[max(0, start - _BEFORE) : start], text[end : end + _BEHIND]
    if said := (passing := _IN_PASSING.match(behind)) or _SAID.match(behind):
        stop = _END.search(behind, said.end())
        sentence = f"{before}|{behind[: stop.end() if stop else None]}"
        firm = not _CHANGE.search(sentence) and not _MOVE.search(before + behind)
        return _home(said, firm, passing is not None, said_by, at)
    if moved := _MOVED.match(behind):
        return _home(moved, False, False, said_by, at)
    return StatedHome("", (), False, False, said_by, at) if _MOVE.search(before + behind) else None


def _home(said: re.Match[str], firm: bool, in_passing: bool, said_by: str, at: datetime | None) -> StatedHome:
    words = re.split(r"(?<=[ -])", next(town for town in said.groupdict().values() if town))
    named = ("".join(words[:count]).strip(" -") for count in range(len(words), 0, -1))
    town = next((name for name in named if towns().get(name)), "")
    return StatedHome(town, towns().get(town, ()), firm and bool(town), in_passing, said_by, at)


def different_homes(ours: Collection[StatedHome], theirs: Collection[StatedHome]) -> str:
    """Why two with these homes are two people, in plain words; empty where they may be one."""
    pairs = [(one, other) for one in ours for other in theirs]
    if not all(far_apart(one.places, other.places) for one, other in pairs):
        return ""
    if any(not (one.firm and other.firm) and _within_a_month(one, other) is not False for one, other in pairs):
        return ""
    found = sorted(
        (one.town, other.town) for one, other in pairs if one.firm and other.firm and _at_one_time(one, other)
    )
    return f"one lives in {found[0][0]}, the other in {found[0][1]}" if found else ""


def _at_one_time(one: StatedHome, other: StatedHome) -> bool:
    if one.said_by and one.said_by == other.said_by:
        return True
    return (one.in_passing or other.in_passing) and _within_a_month(one, other) is True


def _within_a_month(one: StatedHome, other: StatedHome) -> bool | None:
    """None where it is not known when they were said."""
    return None if one.at is None or other.at is None else abs(one.at - other.at) <= MONTH
