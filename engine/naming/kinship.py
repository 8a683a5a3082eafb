"""Words of kinship and role, and who "my sister" is. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from engine.language.tables import all_listed, alternatives, one_of

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


def relations_with_my(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a text speaks of people as "my sister" or "Mom", with the word of relation."""
    if not _OWN.isdisjoint(text.casefold().split()):
        for match in _MINE.finditer(text):
            yield match.start(), match.end(), match["relation"].casefold()
    for match in _CALLED.finditer(text):
        if _OF_OTHERS.search(text[max(0, match.start() - 8) : match.start()]):
            continue
        yield match.start(), match.end(), match[0].casefold()
