"""What tells two of one name apart although nothing in the names does: what they are to somebody, their towns, their ages, the
forms of their companies. Pure. It never says that they are one: what it finds stays two, as a pair for the user.

What somebody is to whom, and how old, where a text says it beside the name; roles by likeness/kin.toml:

before      "my brother Tom", "Ana's boss Tom", "my boss is Tom", "I have a dentist called Tom", "a friend of mine, Tom,"
aside       "Tom (my dentist)", "Tom, my new landlord,"
said of it  "Tom is my brother", "Tom, who was my boss,", "Tom lives in York. He is my uncle."
age         "Tom, 8,"

My brother Tom and my boss Tom are two people as long as nobody says otherwise: "My brother Tom is also my boss."

In which town somebody lives: "Tom lives in Leeds", "Tom, who lives in Porto,"; in English, German, Spanish, Portuguese and
French, of the towns that are listed. Two of one first name have two homes at one time, and so are two people, where

one speaker says both in one record   "Tom lives in Leeds and paints. Tom lives in Porto and sings."
one is said in passing                "Tom lives in Leeds.", and within a month "Tom, who lives in Porto, called.": words that
                                      say which Tom is meant take his home for known

Else they may be one who moved: "Tom lives in Leeds.", another day "Tom lives in Porto."; then facts replace or contradict each
other. So may those who share a town, or whose towns are near, and those of whom a text at that time has a word of change or
doubt: moved, now, also, at weekends, sorry.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.domain.names import name_key
from engine.entities.resolution.kin import role_of
from engine.entities.resolution.name_parts import parts_of
from engine.language.tables import alternatives, each, keys, one_of, table
from engine.naming.words import MY, NAME, Places, far_apart, towns

MONTH = timedelta(days=31)
"""Within which a home that is said in passing would hardly be a new one."""
HOME_BEFORE, HOME_BEHIND = 60, 140
"""Characters around a name in which the home and words of change stand."""
_LIVES, _LIVES_WHO, _IN = (f"(?:{alternatives('homes', key)})" for key in ("lives", "who", "in"))
_STILL = rf"(?: (?:{alternatives('homes', 'still')}))?"
_PLACE = rf"[A-ZÀ-Þ][\w'’-]*(?:[ -](?:[A-ZÀ-Þ][\w'’-]*|{one_of('written_names', 'town_particles')})){{0,3}}"
_OPENS = r"(?:,? \(|, )"
_HOME_SAID = re.compile(rf",? {_LIVES}{_STILL} {_IN} (?P<town>{_PLACE})")
_IN_PASSING = re.compile(
    "|".join(
        (
            rf"{_OPENS}(?:{_LIVES_WHO} {_LIVES}{_STILL}|{alternatives('homes', 'living')}) {_IN} (?P<town>{_PLACE})",
            *(
                rf"{_OPENS}(?:{table(code, 'homes')['who']}) (?:{table(code, 'homes')['in']}) (?P<{code}>{_PLACE}) (?:{last})\b"
                for code, last in each("homes", "lives_last")
            ),
        )
    )
)
_MOVED = re.compile("|".join(f"{said}(?P<{code}>{_PLACE})" for code, said in each("homes", "moved")))
_MOVE = re.compile(rf"\b(?:{alternatives('homes', 'move')})", re.I)
_CHANGE = re.compile(rf"\b(?:{alternatives('homes', 'change')})\b|{alternatives('homes', 'denied')}|\?", re.I)
_END = re.compile(r"[.!?;\n](?=\s|$)|[.!?;\n]$")
WITHIN = 60
"""Characters before and behind a name that are looked at."""
GENERATION, YEARS_APART = 15, 5
"""Years by which two ages cannot be of one person in the memory of one user; and where it is known when each was said."""
_SAID = {key: alternatives("ties", key) for key in keys("ties")}
_OWNER = rf"(?:\b(?i:{MY})|(?P<owner>{NAME})['’]s)"
_CALLED = rf"(?P<called>,?(?:{_SAID['called']}))?[,:]? (?:{_SAID['article']})?$"
_BEFORE = re.compile(
    rf"(?:(?:{_OWNER}|\b(?:{_SAID['have']})) (?:[\w-]+ )??(?P<role>[\w-]+)"
    rf"|\b(?i:{_SAID['one']}) (?P<mine>[\w-]+) (?:{_SAID['mine']})){_CALLED}"
)
# "my new boss", "a boss of mine"; not "my boss's wife", "my boss Ana's wife" nor "Tom, my boss is ill."
_ROLE = (
    rf"(?:{_OWNER} (?P<role>[\w-]+)(?:(?! (?:{_SAID['and']}|{_SAID['does']})\b) (?P<next>[\w-]+))?"
    rf"|(?i:{_SAID['one']}) (?P<mine>[\w-]+) (?:{_SAID['mine']}))"
    rf"(?!['’\w-]| [\w-]+['’]s\b| (?:{_SAID['does']})\b)"
)
_ASIDE = re.compile(rf"(?:,? \(|, |,? [–—-] )(?:{_SAID['article']})?{_ROLE}")
_ALSO = rf"(?P<also> (?:{_SAID['also']}))?"
_TOO = rf"(?P<too>,? (?:{_SAID['too']})\b)?"
_WHO = alternatives("homes", "who")
_IS = re.compile(
    rf"(?:,? (?:{_WHO}))?(?P<first> (?:{_SAID['also']}))?(?:{_SAID['is']}){_ALSO} {_ROLE}{_TOO}"
    rf"(?: (?:{_SAID['and']}) (?:(?i:{MY}) (?:[\w-]+ )??)?(?P<second>[\w-]+)(?=[.,;:!?)]|$))?"
    rf"|, (?:{_WHO}) (?i:{MY}) (?P<last>[\w-]+) (?:{_SAID['is_last']})\b"
)
# not "Ana has a boss. He is my uncle." nor "Ana met Tom. He is my uncle."
_HE_IS = re.compile(
    rf"(?:(?!\b(?i:{_SAID['one']})\b)[^.,;!?\nA-ZÀ-Þ]){{0,30}}(?:\b(?:{alternatives('homes', 'in')}) {NAME})?"
    rf"(?:[.,;!?] | [–—-] | \()(?i:{_SAID['he_is']}){_ALSO} {_ROLE}{_TOO}"
)
_NO_SUBJECT = re.compile(rf"\b(?i:{_SAID['no_subject']}) $")
_OWNS = re.compile(r"['’]s\b")
_AGE_BEFORE = re.compile(rf"\b(\d{{1,2}})[- ](?:{_SAID['age_before']}) $")
_AGE_BEHIND = re.compile(
    rf"(?:, (?:{_SAID['age_aside']})?| \(| (?:{_SAID['age_turned']}) )(\d{{1,2}})(?:\)|,|\.|!|$| (?:{_SAID['age_end']})\b)"
    rf"|(?:,? (?:{_SAID['age_has']}) |, (?:{_SAID['age_of']})?| \()(\d{{1,2}})"
    rf" (?:{_SAID['age_unit']})\b(?! (?:{_SAID['no_age']}))"
)


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
    before, behind = text[max(0, start - HOME_BEFORE) : start], text[end : end + HOME_BEHIND]
    if said := (passing := _IN_PASSING.match(behind)) or _HOME_SAID.match(behind):
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


@dataclass(frozen=True, slots=True)
class Age:
    """How many years old somebody was, and when that was said."""

    years: int
    at: datetime | None = None


NAMESAKE = "namesake"
"""Who is told apart from the speaker alone."""
_BESIDE = ("first", "also", "too")
"""Where a word says that somebody is something beside: "Tom is also my boss", "Tom is my boss, too"."""
_NO_ROLES = ("owner", "called", *_BESIDE)
_DOES = re.compile(rf" (?:{_SAID['does']})\b")
_HE_DOES = re.compile(rf"(?:{_SAID['he_does']}|,? (?:{_WHO}) (?:{_SAID['does']}))\b", re.I)
_CALLS = re.compile(r"[,!] ?$")
_SPEAKS_OF = re.compile(rf"\b(?i:{_SAID['speaks_of']}) $")
_NAMES_SELF = re.compile(rf"(?:[\"“”„«'’‘:,–-] ?|\b(?:{_SAID['names_self']}) )$")


def ties_of(text: str, start: int, end: int, speaker: str = "") -> frozenset[str]:
    """What the one named there is to whom, as `marit|brother`; before the bar nobody where the speaker has no name."""
    front, behind = text[max(0, start - WITHIN) : start], text[end : end + WITHIN]
    before = _BEFORE.search(front)
    if before and before["called"] and _OWNS.match(text, end):
        before = None  # "my boss is Tom's cousin"
    ties = _ties(before, speaker) or _ties(_ASIDE.match(behind), speaker)
    said = _HE_IS.match(behind)
    if not said and not _NO_SUBJECT.search(front):  # "the dog of Tom is my friend"
        said = _IS.match(behind)
    if said and not ties and any(said.groupdict().get(key) for key in _BESIDE):
        return frozenset()  # "Tom is also my boss" does not tell him from my brother Tom
    return ties | _ties(said, speaker)


def _ties(found: re.Match[str] | None, speaker: str) -> frozenset[str]:
    """By the words that a pattern found. "Younger" of "my younger brother" is no role, so the next word is looked at."""
    words = found.groupdict() if found else {}
    named = {key: role for key, word in words.items() if key not in _NO_ROLES and word and (role := role_of(word))}
    if "role" in named:
        named.pop("next", None)
    owner = name_key(words.get("owner") or speaker)
    return frozenset(f"{owner}|{role}" for role in named.values())


def of_namesake(text: str, start: int, end: int, speaker: str) -> frozenset[str]:
    """The tie of one who has the speaker's own first name, and of whom the speaker speaks: "Tom lives in York", says Tom."""
    if not _may_be_called(text[start:end], speaker) or _NAMES_SELF.search(text[max(0, start - WITHIN) : start]):
        return frozenset()
    return frozenset([f"{name_key(speaker)}|{NAMESAKE}"] if _DOES.match(text[end : end + WITHIN]) else ())


def of_other_namesake(text: str, start: int, end: int, spoken_to: str) -> frozenset[str]:
    """The tie of one whose name is longer than that of somebody who speaks in the same record, and of whom another one speaks
    there as of a third person: "Do you know Sam Bell?", "Sam Bell lives in York." The bare name may be the speaker's own: "My
    sister Ellen called.", and Ellen joins later.
    """
    if " " not in text[start:end] or not _may_be_called(text[start:end], spoken_to):
        return frozenset()
    front, behind = text[max(0, start - WITHIN) : start], text[end : end + WITHIN]
    third = bool(_SPEAKS_OF.search(front) or _DOES.match(behind) or _ties(_BEFORE.search(front), ""))
    if not third and not _CALLS.search(front):  # "I agree, Sam Bell. He is right." calls the one who listens
        third = bool(_HE_DOES.match(behind))
    return frozenset([f"{name_key(spoken_to)}|{NAMESAKE}"] if third else ())


def _may_be_called(name: str, speaker: str) -> bool:
    """By the first name, or where that is all that is known of the speaker by a longer one: Sam may be Sam Bell."""
    called, own = name.casefold().split(), speaker.casefold().split()
    return bool(called and own) and called[0] == own[0] and 1 in (len(called), len(own))


def of_another(name: str, tie: str) -> bool:
    """Whether a tie is to one of the same name: "my friend Tom", says Tom. Nobody is a friend of himself."""
    owner = tie.partition("|")[0]
    return bool(owner) and (owner == name_key(name) or _may_be_called(name_key(name), owner))


def age_of(text: str, start: int, end: int) -> int | None:
    """How many years old the one named there is."""
    found = _AGE_BEFORE.search(text[max(0, start - WITHIN) : start]) or _AGE_BEHIND.match(text[end : end + WITHIN])
    return int(next(group for group in found.groups() if group)) if found else None


def different_ties(ours: Collection[str], theirs: Collection[str]) -> str:
    """What the one is and the other is not to the same person, in plain words; empty where they may be one: who is my brother and
    my boss is my boss."""
    roles = [{(owner, role) for owner, _, role in (one.partition("|") for one in of)} for of in (ours, theirs)]
    for owner in sorted({owner for owner, role in roles[0] if role != NAMESAKE}):
        mine = {role for whose, role in roles[0] if whose == owner and role != NAMESAKE}
        its = {role for whose, role in roles[1] if (not owner or whose in ("", owner)) and role != NAMESAKE}
        if its and mine.isdisjoint(its):
            return f"one is a {min(mine).replace('_', ' ')}, the other a {min(its).replace('_', ' ')}"
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


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some words around a name in a record, and when that happened."""

    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Clues:
    """Of one person."""

    ties: frozenset[str] = frozenset()
    homes: frozenset[StatedHome] = frozenset()
    ages: frozenset[Age] = frozenset()

    def __or__(self, other: Clues) -> Clues:
        return Clues(self.ties | other.ties, self.homes | other.homes, self.ages | other.ages)

    def __bool__(self) -> bool:
        return bool(self.ties or self.homes or self.ages)

    @property
    def order(self) -> tuple[str, ...]:
        """The same for the same, whatever the order of its sets."""
        return tuple(sorted(map(repr, (*self.ties, *self.homes, *self.ages))))

    def differs(self, other: Clues) -> str:
        """Why these are of two people, in plain words; empty where they may be of one."""
        return (
            different_ties(self.ties, other.ties)
            or different_homes(self.homes, other.homes)
            or different_ages(self.ages, other.ages)
        )

    def fits(self, other: Clues) -> bool:
        """Whether some clue is one of the other, too. Of what is stored it is not known who spoke."""
        anybodys = self.ties | {f"|{tie.partition('|')[2]}" for tie in self.ties}
        return (
            not anybodys.isdisjoint(other.ties)
            or any(
                one.places and his.places and not far_apart(one.places, his.places)
                for one in self.homes
                for his in other.homes
            )
            or any(not different_ages([one], [his]) for one in self.ages for his in other.ages)
        )


NO_CLUES = Clues()


def clues_at(
    text: str, start: int, end: int, ties: frozenset[str], said_by: str = "", at: datetime | None = None
) -> Clues:
    """What a text tells beside the name that stands there."""
    home, years = home_of(text, start, end, said_by, at), age_of(text, start, end)
    return Clues(
        ties,
        frozenset([home] if home else ()),
        frozenset([Age(years, at)] if years is not None else ()),
    )


def clues_in(names: Iterable[str], said: Iterable[Excerpt]) -> Clues:
    """What stored words tell of one with these names; it is not known who spoke."""
    clues = NO_CLUES
    for name in names:
        for one in said:
            for place in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", one.text):
                ties = ties_of(one.text, place.start(), place.end())
                clues |= clues_at(one.text, place.start(), place.end(), ties, "", one.at)
    return clues


def why_apart(name: str, names: Collection[str], ours: Clues, theirs: Clues, others: Clues = NO_CLUES) -> str:
    """Why the one that a text calls `name` is not the one with these names, in plain words; empty where it may be.

    `ours`, `theirs`: the clues of both; `others`: those of the others that its record calls so. It tells only of those who have a
    first name alone.
    """
    if reason := different_forms([name], names):
        return reason
    if any(tie.partition("|")[0] in map(name_key, names) for tie in ours.ties) and not ours.fits(theirs):
        return "who speaks speaks of somebody else"
    if len(name.split()) > 1 and all(len(one.split()) > 1 for one in names):
        return ""
    if others.fits(theirs) and not ours.fits(theirs):
        return "its record speaks of another of that name"
    return ours.differs(theirs)


def different_forms(names: Iterable[str], others: Iterable[str]) -> str:
    """`Bauer GmbH` is not `Bauer AG`, `Bauer` may be either. A part of a form may be all of it: GmbH & Co. KG."""
    ours, theirs = ([legal for name in of if (legal := parts_of(name).legal)] for of in (names, others))
    if not ours or not theirs or any(one <= other or other <= one for one in ours for other in theirs):
        return ""
    return f"the forms of the companies differ: {' '.join(sorted(ours[0]))}, {' '.join(sorted(theirs[0]))}"
