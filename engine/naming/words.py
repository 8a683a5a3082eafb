"""The lists that names are told by: given names, places, adjectives of nationality, signs of kinds. Read once, at import."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from engine.language.detection import stop_words
from engine.language.tables import FOLDER, all_listed, codes

_LISTS = FOLDER / "names"
_SIGNS = tomllib.loads((_LISTS / "signs.toml").read_text("utf-8"))


def listed_lines(name: str) -> list[str]:
    """The lines of a list but for its comments."""
    text = (_LISTS / name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _by_word(table: Mapping[str, str]) -> dict[str, str]:
    """The kind of every word; a word of two kinds belongs to the first."""
    found: dict[str, str] = {}
    for kind, words in table.items():
        for word in words.split():
            found.setdefault(word, kind)
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
ENDINGS: Mapping[str, str] = _by_word(_SIGNS["endings"])
BEGINNINGS: Mapping[str, str] = _by_word(_SIGNS["beginnings"])
NOUNS: Mapping[str, str] = _by_word(_SIGNS["nouns"])
TITLES = frozenset(_SIGNS["outside"]["titles"].split())
NOBLE = frozenset(_SIGNS["outside"]["noble"].split())
OPENERS = frozenset(_SIGNS["outside"]["openers"].split())
ACRONYMS = frozenset(_SIGNS["outside"]["acronyms"].split())
CALENDAR = frozenset(_SIGNS["outside"]["calendar"].split())
IDENTITIES = frozenset(_SIGNS["outside"]["identities"].split())
_SPOKEN = {language: frozenset(words.split()) for language, words in _SIGNS["languages"].items()}
GERMAN = _SPOKEN["german"] - _SPOKEN["others"]
NOT_GERMAN = _SPOKEN["others"] - _SPOKEN["german"]
STOP_WORDS = frozenset().union(*(stop_words(code) for code in codes())) | OPENERS
"""Words that a sentence may begin with and that name nothing."""
_ROLES = frozenset("user assistant system tool function human ai bot model agent".split())
"""What a conversation's format calls its speakers."""
SPEAKERS_WITHOUT_NAME = _ROLES | {word.casefold() for word in all_listed("written_names", "no_speaker")}
