"""The lists that names are told by, read once, at import: given names, places, adjectives of nationality, signs of kinds; words
of kinship and role, and who "my sister" is; towns, and how far they are from each other, as
`engine/language/data/names/towns.txt` has them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import cos, hypot, radians
from typing import Literal, get_args

from engine.language.detection import stop_words
from engine.language.tables import FOLDER, all_listed, alternatives, codes, keys, listed, one_of, table

_LISTS = FOLDER / "names"
_TABLE = "name_signs"
Places = tuple[tuple[float, float], ...]
"""Latitudes and longitudes of the towns of one name: Boston is in Massachusetts and in Lincolnshire."""
KM_OF_DEGREE = 111.2
FAR_KM = 30.0
"""Nearer ones may be one place, told more and less exactly: Brooklyn and New York, Potsdam and Berlin."""
Group = Literal["family", "work", "friends", "others"]

GROUP_OF: Mapping[str, Group] = {
    word: group for group in get_args(Group) if group != "others" for word in all_listed("relatives", group)
}

RELATIONS = "|".join(sorted(map(re.escape, GROUP_OF), key=len, reverse=True))
NAME = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ'’]+(?:-[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)?"
FULL_NAME = rf"{NAME}(?: (?:(?:{one_of('written_names', 'family_particles')}) )?{NAME})?"
MY = f"(?:{alternatives('pronouns', 'my')})"
SAYS = alternatives("verbs", "says")
_CALLED = re.compile(rf"\b(?:{'|'.join(all_listed('relatives', 'called'))})\b(?![’'-]?[A-Za-z]{{2}}| [A-Z])")
_OF_OTHERS = re.compile(rf"(?:['’-]|\b(?:{alternatives('pronouns', 'of_others')}) )$", re.IGNORECASE)
_OWN = frozenset(all_listed("pronouns", "own"))
_MINE = re.compile(
    rf"\b(?i:{MY}) (?:(?i:{alternatives('relatives', 'described')}) )?(?i:(?P<relation>{RELATIONS}))\b(?!-)"
)


def listed_lines(name: str) -> list[str]:
    """The lines of a list but for its comments."""
    text = (_LISTS / name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _by_word(place: str) -> dict[str, str]:
    """The kind that each word shows in a place, in any language; a word of two kinds belongs to the first."""
    found: dict[str, str] = {}
    for key in keys(_TABLE):
        if key.startswith(f"{place}_"):
            found |= {word: key.removeprefix(f"{place}_") for word in all_listed(_TABLE, key) if word not in found}
    return found


_GIVEN = listed_lines("given_names.txt")
_SURE, _UNSURE = (
    " ".join(part).split() for part in (_GIVEN[: _GIVEN.index("ambiguous")], _GIVEN[_GIVEN.index("ambiguous") + 1 :])
)
AMBIGUOUS_NAMES = frozenset(_UNSURE)
"""Given names that are also words or places, folded."""
GIVEN_NAMES = frozenset(_SURE) - AMBIGUOUS_NAMES
PLACES = frozenset(" ".join(listed_lines("places.txt")).split("; "))
"""Countries, regions and large cities, as they are written."""
NATIONALITIES = frozenset(" ".join(listed_lines("adjectives.txt")).split())
ENDINGS, BEGINNINGS, NOUNS = (_by_word(place) for place in ("endings", "beginnings", "nouns"))
TITLES, NOBLE, OPENERS, ACRONYMS, CALENDAR, IDENTITIES = (
    frozenset(all_listed(_TABLE, key)) for key in ("titles", "noble", "openers", "acronyms", "calendar", "identities")
)
_TELLING = {code: frozenset(listed(code, _TABLE, "tells")) for code in codes()}
_GERMAN, _OTHERS = (
    frozenset().union(
        *(words for code, words in _TELLING.items() if bool(table(code, "spelling").get("large_nouns")) is large)
    )
    for large in (True, False)
)
GERMAN, NOT_GERMAN = _GERMAN - _OTHERS, _OTHERS - _GERMAN
"""Words that tell a text in which every noun has a capital, and one in which none has."""
STOP_WORDS = frozenset().union(*(stop_words(code) for code in codes())) | OPENERS
"""Words that a sentence may begin with and that name nothing."""
_ROLES = frozenset("user assistant system tool function human ai bot model agent".split())
"""What a conversation's format calls its speakers."""
SPEAKERS_WITHOUT_NAME = _ROLES | {word.casefold() for word in all_listed("written_names", "no_speaker")}


@lru_cache(maxsize=1)
def towns() -> Mapping[str, Places]:
    """Where the towns of each name are, as it is written; nowhere for one that is also a region."""
    found: dict[str, Places] = defaultdict(tuple)
    for line in listed_lines("towns.txt"):
        at, _, names = line.partition(": ")
        latitude, _, longitude = at.partition(" ")
        place: Places = () if at == "-" else ((float(latitude), float(longitude)),)
        for name in names.split("; "):
            found[name] += place
    return dict(found)


def far_apart(one: Places, other: Places) -> bool:
    """Whether all towns of two names are far from each other."""
    return bool(one and other) and all(_km(*pair) >= FAR_KM for pair in product(one, other))


def _km(one: tuple[float, float], other: tuple[float, float]) -> float:
    east = abs(one[1] - other[1])
    east = min(east, 360 - east) * cos(radians((one[0] + other[0]) / 2))
    return hypot(one[0] - other[0], east) * KM_OF_DEGREE


def relations_with_my(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a text speaks of people as "my sister" or "Mom", with the word of relation."""
    if not _OWN.isdisjoint(text.casefold().split()):
        for match in _MINE.finditer(text):
            yield match.start(), match.end(), match["relation"].casefold()
    for match in _CALLED.finditer(text):
        if _OF_OTHERS.search(text[max(0, match.start() - 8) : match.start()]):
            continue
        yield match.start(), match.end(), match[0].casefold()
