"""When two names can be taken for each other: handles of users, names of integrations.

Compared is a normal form in which case, width, invisible characters and letters of other scripts that look like
Latin ones make no difference (Unicode TS 39). Latin letters and digits of ASCII stay different: `l` and `1`, `o` and `0`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from engine.domain.names import name_key

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def look_alike_key(name: str) -> str:
    """What names are compared by: equal for names that look alike. At most 400 code points.

    A name that looks wholly like one of ASCII letters has the key of that one: the Greek capital in `Νina` looks like N, though
    its small form looks like v. In others case makes no difference, also where the two forms look different.
    """
    as_written = "".join(map(_as_written, filter(_is_seen, name)))
    if as_written.isascii():
        return name_key(as_written)
    shown = filter(_is_seen, unicodedata.normalize("NFKD", name))
    return name_key("".join(map(_prototype, shown)))


def _is_seen(character: str) -> bool:
    selects = 0xFE00 <= ord(character) <= 0xFE0F or 0xE0000 <= ord(character) <= 0xE0FFF
    return not selects and character not in _UNSEEN and unicodedata.category(character) != "Cf"


@cache
def _as_written(character: str) -> str:
    """What a character looks like in the case that it has; capitals that look like I and l are taken for I."""
    plain = unicodedata.normalize("NFKD", character)
    if plain.isascii():
        return plain.casefold()
    found = _looks_like(character).casefold()
    return "i" if found == "l" and character == character.upper() else found


@cache
def _prototype(character: str) -> str:
    """The letter that one stands for: an ASCII one where the small or the capital form looks like it."""
    if character.isascii():
        return character.casefold()
    small = character.casefold()
    for form in (small, character.upper()):
        if (found := _looks_like(form)).isascii():
            return found.casefold()
    return _looks_like(small)


def _looks_like(character: str) -> str:
    """The best known of the characters that look the same: the one that most others are compared with."""
    table = _table()
    candidates = [character, *table.get(character, ())]
    return min(candidates, key=lambda one: (-len(table.get(one, ())), one))


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    """The characters that look like one, both ways."""
    text = files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8")
    return {character: tuple(one["c"] for one in others) for character, others in json.loads(text).items()}
