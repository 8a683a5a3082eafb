"""Several people of one name in one record, told by what is said beside each: "my brother Tom", "my boss Tom"; "Tom lives in
Leeds", "Tom lives in Porto"; "Tom, 7,", "Tom, 41,". Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.domain.entity import Mention
from engine.domain.names import name_key
from engine.entities.resolution.homes import different_homes
from engine.entities.resolution.namesake_clues import Clues, clues_at
from engine.entities.resolution.ties import (
    NAMESAKE,
    different_ages,
    different_ties,
    of_another,
    of_namesake,
    of_other_namesake,
    ties_of,
)
from engine.naming.mentions import SourceText
from engine.naming.words import SPEAKERS_WITHOUT_NAME

Labels = Mapping[tuple[int, int], str]
"""What tells a mention from others of its name, by the number of its text and its place there."""


@dataclass(frozen=True, slots=True)
class _Place:
    text: int
    start: int
    ties: frozenset[str]
    clues: Clues
    derived: bool


def with_namesakes(texts: Sequence[SourceText], mentions: Sequence[Sequence[Mention]]) -> list[list[Mention]]:
    """The mentions with their ties, and of a first name that several people have with what tells which one is meant.

    One without clues is whom the same text named last: "My brother Tom has a dog. Tom walks it." Else it stays open.
    """
    speakers = {text.piece.speaker for text in texts if text.fact is None and text.piece.speaker}
    tied = [
        [replace(one, ties=_ties(text, one, speakers)) if one.form == "name" and one.end else one for one in found]
        for text, found in zip(texts, mentions, strict=True)
    ]
    places: dict[str, list[_Place]] = defaultdict(list)
    for number, (text, found) in enumerate(zip(texts, tied, strict=True)):
        for one in found:
            if one.form == "name" and one.end:
                clues = clues_beside(one, text, "")
                places[name_key(one.name)].append(_Place(number, one.start, one.ties, clues, text.fact is not None))
    labels = {name: labelled for name, of in places.items() if (labelled := _labels(name, of))}
    if not labels:
        return tied
    return [
        [
            replace(one, namesake=labels.get(name_key(one.name), {}).get((number, one.start), ""))
            if one.form == "name"
            else one
            for one in found
        ]
        for number, found in enumerate(tied)
    ]


def clues_beside(mention: Mention, text: SourceText, record: str) -> Clues:
    """What a text tells beside a mention. `record`: where it stands, for homes that one speaker tells there."""
    said_by = f"{record}|{text.piece.speaker}"
    return clues_at(text.piece.text, mention.start, mention.end, mention.ties, said_by, text.at)


def _ties(text: SourceText, one: Mention, speakers: Collection[str]) -> frozenset[str]:
    # a fact names the one who said it, as of somebody else
    speaker = "" if text.fact is not None else text.piece.speaker
    place = (text.piece.text, one.start, one.end)
    own = ties_of(*place, speaker)
    if not speaker or speaker.casefold() in SPEAKERS_WITHOUT_NAME:
        return own
    ties = own or of_namesake(*place, speaker)
    for other in speakers:
        if other != speaker:
            ties |= of_other_namesake(*place, other)
    return ties


def _labels(name: str, places: Sequence[_Place]) -> Labels:
    """What tells the mentions of one name apart; empty where they may be of one."""
    own = [one.clues for one in places if not one.derived]  # a fact may be read without the word that takes it back
    ties = {one.ties for one in places if one.ties}
    another = any(of_another(name, tie) for of in ties for tie in of)
    if " " in name and not another:
        return {}  # a full name is of one
    homes = {home for clues in own for home in clues.homes}
    ages = {age for clues in own for age in clues.ages}
    if another or any(different_ties(a, b) for a in ties for b in ties):
        spoken_of = {of for of in ties if not _only_namesake(of) and any(of_another(name, one) for one in of)}
        role = spoken_of.pop() if len(spoken_of) == 1 else frozenset()  # "Tom came by, my friend Tom", says Tom
        labels = _grouped([Clues((role or one.ties) if _only_namesake(one.ties) else one.ties) for one in places])
    elif all(one.firm for one in homes) and any(different_homes([a], [b]) for a in homes for b in homes):
        labels = _grouped([Clues(homes=one.clues.homes) for one in places])
    elif any(different_ages([a], [b]) for a in ages for b in ages):
        labels = _grouped([Clues(ages=one.clues.ages) for one in places])
    else:
        return {}
    last, found = ("", -1), {}
    for one, label in zip(places, labels, strict=True):
        last = (label, one.text) if label or one.text != last[1] else last
        found[one.text, one.start] = last[0]
    return found


def _only_namesake(ties: frozenset[str]) -> bool:
    return bool(ties) and all(one.endswith(NAMESAKE) for one in ties)


def _grouped(clues: Iterable[Clues]) -> list[str]:
    """A label for each that is one with an earlier one or the first of its own; empty where there are no clues."""
    firsts: list[Clues] = []
    labels = []
    for one in clues:
        number = next((number for number, first in enumerate(firsts) if one.fits(first)), len(firsts))
        if one and number == len(firsts):
            firsts.append(one)
        labels.append(f"|{number}" if one else "")
    return labels
