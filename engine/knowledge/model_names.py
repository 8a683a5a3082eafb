"""What a language model says of names and relations, put beside what the rules find. Pure.

known_names   names that a model gives, for the rules to find in the texts: what stands in none of them is left out
marked        mentions with the kinds and roles that the model gives
same_names    names that are one entity's
stated        relations between two entities of the record, of a type and between kinds that the domain allows
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.domain.entity import Mention
from engine.domain.extraction import ModelReading, NamedByModel, StatedByModel
from engine.domain.names import name_key
from engine.entities.resolution.likeness import decide_names
from engine.entities.resolution.name_likeness import NamedThing
from engine.entities.resolution.resolution import FoundName
from engine.errors import InvalidInput
from engine.naming.configuration import Domain
from engine.naming.mentions import SourceText, UsedName, used_name
from engine.naming.words import SPEAKERS_WITHOUT_NAME, STOP_WORDS

WEIGHT = 0.8
"""Of a relation that a model states."""
LONGEST_PLACE = 1000
"""Characters of an item that are the place of a relation whose names do not stand in it."""


@dataclass(frozen=True, slots=True)
class ModelRelation:
    """A relation of a model with the keys of the names between which it holds, and where it stands."""

    source: UsedName
    type: str
    target: UsedName
    text: SourceText
    span: str
    one: StatedByModel


def known_names(readings: Sequence[ModelReading], domain: Domain) -> dict[str, str]:
    """The names that models give in these records, with their kinds; of a name with two kinds the first."""
    kinds: dict[str, str] = {}
    for reading in readings:
        for one in reading.entities:
            for key in _keys(one):
                kinds.setdefault(key, domain.kind_of(one.kind))
    return kinds


def marked(mentions: Sequence[Mention], reading: ModelReading, domain: Domain) -> list[Mention]:
    """The mentions of a text, with what the model says of each name: that it is one, its kind, its role."""
    named = {key: one for one in reversed(reading.entities) for key in _keys(one)}
    return [
        replace(one, kind=domain.kind_of(told.kind), role=told.role, sure=True)
        if one.form == "name" and (told := named.get(name_key(one.name)))
        else one
        for one in mentions
    ]


def same_names(names: Mapping[UsedName, FoundName], reading: ModelReading) -> dict[UsedName, FoundName]:
    """The names of a record, where those of one entity are decided as one: as the speaker among them, else as the fullest."""
    joined = dict(names)
    for one in reading.entities:
        there = [key for name in _keys(one) if (key := (name, "")) in names]
        speakers = [key for key in there if names[key].form == "speaker"]
        if len(there) < 2 or len(speakers) > 1:
            continue
        first = names[max(speakers or there, key=lambda key: len(key[0].split()))]
        for key in there:
            other = names[key]
            if decide_names(NamedThing(first.name, first.kind), NamedThing(other.name, other.kind)) is None:
                joined[key] = first
    return joined


def stated(
    texts: Sequence[SourceText], mentions: Sequence[Sequence[Mention]], reading: ModelReading, domain: Domain
) -> Iterator[ModelRelation]:
    """The relations that a model draws between names of the record, with a type that the domain has."""
    places = {text.item_id: number for number, text in enumerate(texts)}
    for one in reading.relations:
        try:
            kind = domain.type_of(one.type)
        except InvalidInput:
            continue
        number = places.get(one.item_id)
        if number is not None:
            ends = (name_key(one.source), ""), (name_key(one.target), "")
            span = _span(texts[number], mentions[number], ends)
            yield ModelRelation(ends[0], kind, ends[1], texts[number], span, one)


def over(one: StatedByModel, text: SourceText, *, lasting: bool) -> bool:
    """Whether a relation had ended when it was said."""
    if lasting:
        return False
    said = text.at.date().isoformat() if text.at else ""
    return one.ended or (one.until is not None and (not said or one.until <= said[: len(one.until)]))


def times(one: StatedByModel) -> tuple[str | None, str | None]:
    """Since and until; neither where they are in no order."""
    if one.since and one.until and one.until < one.since[: len(one.until)]:
        return None, None
    return one.since, one.until


def _keys(one: NamedByModel) -> list[str]:
    """Normal forms of its names that may be names: no pronouns, and no words for who is not named."""
    keys = dict.fromkeys(name_key(name) for name in (one.name, *one.also))
    return [key for key in keys if key and key not in STOP_WORDS and key not in SPEAKERS_WITHOUT_NAME]


def _span(text: SourceText, mentions: Sequence[Mention], ends: Sequence[UsedName]) -> str:
    """From the first of both names to the last; the whole item where one does not stand in it."""
    found = [[one for one in mentions if one.end and used_name(one, text.piece) == end] for end in ends]
    if all(found):
        first, last = sorted((found[0][0], found[1][0]), key=lambda one: one.start)
        return f"{first.start}-{last.end}"
    return f"0-{min(len(text.piece.text), LONGEST_PLACE)}"
