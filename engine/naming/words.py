"""The lists that names are told by: given names, places, adjectives of nationality, signs of kinds. Read once, at import."""

from __future__ import annotations

from engine.language.detection import stop_words
from engine.language.tables import FOLDER, all_listed, codes, keys, listed, table

_LISTS = FOLDER / "names"
_TABLE = "name_signs"


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
