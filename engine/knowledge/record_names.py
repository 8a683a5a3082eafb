"""Records as they are read for names: which names stand in their texts, and what each says of them; several people of one name
are told by what is said beside each: "my brother Tom", "my boss Tom"; "Tom lives in Leeds", "Tom lives in Porto"; "Tom, 7,",
"Tom, 41,". Pure.

What a language model says of names and relations is put beside what the rules find:

known_names   names that a model gives, for the rules to find in the texts: what stands in none of them is left out
marked        mentions with the kinds and roles that the model gives
same_names    names that are one entity's
stated        relations between two entities of the record, of a type and between kinds that the domain allows
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from uuid import UUID

from engine.domain.entity import Mention
from engine.domain.extraction import UNASKED, ModelReading, NamedByModel, StatedByModel
from engine.domain.names import name_key
from engine.entities.resolution.likeness import decide_names
from engine.entities.resolution.name_likeness import NamedThing
from engine.entities.resolution.namesakes import (
    NAMESAKE,
    NO_CLUES,
    Clues,
    clues_at,
    different_ages,
    different_homes,
    different_ties,
    of_another,
    of_namesake,
    of_other_namesake,
    ties_of,
)
from engine.entities.resolution.resolution import FoundName
from engine.errors import InvalidInput
from engine.naming.configuration import Domain
from engine.naming.mentions import USER, FactNames, SourceText, UsedName, named_by, used_name
from engine.naming.names import contacts_in, names_in
from engine.naming.words import SPEAKERS_WITHOUT_NAME, STOP_WORDS

WEIGHT = 0.8
"""Of a relation that a model states."""
LONGEST_PLACE = 1000
"""Characters of an item that are the place of a relation whose names do not stand in it."""
Labels = Mapping[tuple[int, int], str]
"""What tells a mention from others of its name, by the number of its text and its place there."""
_MAY_HOLD_ADDRESSES = re.compile(r"@|www\.|://|\d[\d ()/.\u00a0-]{4}")
_WITH = re.compile(r"\s?[(<\[]\s?(?:mailto:|tel:)?|\s[–-]\s")
"""What stands between a name and an address of it."""
_WORD = re.compile(r"[^\W_]+")
MOST_TEXTS = 3
"""Texts of a record that a name is decided by."""


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


@dataclass(slots=True)
class ReadRecord:
    """A record that was read: its texts, the mentions in each, and the name that each mention is decided as. `unsure`: names that
    may be ordinary words, and count where an entity is known by them. `facts`: what each fact among the texts names; `contacts`:
    addresses in each text; `reading`: what a model says of it."""

    number: str
    texts: Sequence[SourceText]
    mentions: list[list[Mention]]
    names: dict[UsedName, FoundName] = field(default_factory=dict)
    unsure: set[UsedName] = field(default_factory=set)
    facts: dict[UUID, FactNames] = field(default_factory=dict)
    contacts: list[list[Mention]] = field(default_factory=list)
    reading: ModelReading = UNASKED

    @property
    def of_user(self) -> bool:
        """Whether a fact is about the user of the graph."""
        return any(USER in fact.names for fact in self.facts.values())


def read_records(
    records: Sequence[Sequence[SourceText]], readings: Sequence[ModelReading], domain: Domain
) -> list[ReadRecord]:
    """The names in all texts of the records, and what each record says of them."""
    pieces = [text.piece for record in records for text in record]
    found = iter(names_in(pieces, known_names(readings, domain)))
    read = [
        ReadRecord(str(number), texts, [marked(next(found), reading, domain) for _ in texts], reading=reading)
        for number, (texts, reading) in enumerate(zip(records, readings, strict=True))
    ]
    for record in read:
        record.mentions = with_namesakes(record.texts, record.mentions)
        _doubt_facts(record)
    sure = {name_key(one.name) for record in read for mentions in record.mentions for one in mentions if one.sure}
    for record in read:
        _read_facts(record)
        texts = [text.piece.text for text in record.texts]
        record.contacts = [contacts_in(text) if _MAY_HOLD_ADDRESSES.search(text) else [] for text in texts]
        said: dict[UsedName, list[tuple[Mention, SourceText]]] = defaultdict(list)
        for text, mentions in zip(record.texts, record.mentions, strict=True):
            for mention in mentions:
                if mention.name:  # else of the user, whose name is not known here
                    said[used_name(mention, text.piece)].append((mention, text))
        names = _with_others({used: _found(record.number, places) for used, places in said.items()})
        record.names = same_names(names, record.reading)
        record.unsure = {used for used in said if used[0] not in sure}
    return read


def add_contacts(record: ReadRecord, owned: Mapping[str, str]) -> None:
    """Addresses of entities become mentions, and decide names that stand with them: `Dave <dave@example.org>`, `Dave (+49 …)`.

    `owned`: addresses by their normal form, with the kind of the entity.
    """
    for number, (text, found) in enumerate(zip(record.texts, record.contacts, strict=True)):
        for contact in (one for one in found if one.name in owned):
            mention = replace(contact, kind=owned[contact.name])
            inside = [one for one in record.mentions[number] if contact.start < one.end and one.start < contact.end]
            record.mentions[number] = [one for one in record.mentions[number] if one not in inside] + [mention]
            texts = (text.piece.text,)
            key = contact.name
            record.names[used_name(mention, text.piece)] = FoundName(
                key, record.number, mention.kind, "contact", texts, contact=key
            )
            for one in record.mentions[number]:
                used = used_name(one, text.piece)
                if (
                    one.form == "name"
                    and used in record.names
                    and _WITH.fullmatch(text.piece.text[one.end : contact.start])
                ):
                    record.names[used] = replace(record.names[used], contact=key)


def _read_facts(record: ReadRecord) -> None:
    """What each fact names; its subjects count as names in it, and who spoke does not."""
    for number, text in enumerate(record.texts):
        if text.fact is not None:
            names, mentions = named_by(text.piece, text.fact.subjects, record.mentions[number])
            record.facts[text.item_id], record.mentions[number] = names, mentions


def _doubt_facts(record: ReadRecord) -> None:
    """A name in a fact that stands nowhere in what the fact was read out of may be a translation: it counts where it is known."""
    own = [text.piece for text in record.texts if text.fact is None]
    if not own or len(own) == len(record.texts):
        return
    words = {
        word for one in own for field in (one.text, one.speaker, one.title) for word in _WORD.findall(field.casefold())
    }
    for number, text in enumerate(record.texts):
        if text.fact is not None:
            record.mentions[number] = [
                one if _stands(one.name, words) else replace(one, sure=False) for one in record.mentions[number]
            ]


def _stands(name: str, words: Collection[str]) -> bool:
    """Whether the words of a name are among these, or begin one: `Ellen` stands in `Ellens`."""
    return all(
        word in words or (len(word) > 2 and any(other.startswith(word) for other in words))
        for word in _WORD.findall(name.casefold())
    )


def _found(record: str, places: Sequence[tuple[Mention, SourceText]]) -> FoundName:
    first = next((one for one, _ in places if one.form == "speaker"), places[0][0])
    texts = tuple(dict.fromkeys(text.piece.text for one, text in places if one.form != "speaker"))[:MOST_TEXTS]
    clues = reduce(or_, (clues_beside(one, text, record) for one, text in places if _tells(one, text)), NO_CLUES)
    return FoundName(first.name, record, first.kind, first.form, texts, places[0][1].piece.speaker, clues=clues)


def _tells(mention: Mention, text: SourceText) -> bool:
    """Whether what stands beside a mention counts; a fact may be read without the word that takes it back."""
    return mention.form == "name" and mention.end > 0 and (text.fact is None or bool(mention.ties))


def _with_others(names: Mapping[UsedName, FoundName]) -> dict[UsedName, FoundName]:
    """The names with the clues of others whom the record calls so."""
    called: dict[str, list[UsedName]] = defaultdict(list)
    for used, found in names.items():
        if found.form == "name":
            called[used[0]].append(used)
    return {
        used: replace(
            one, others=reduce(or_, (names[other].clues for other in called[used[0]] if other != used), NO_CLUES)
        )
        if one.form == "name" and len(called[used[0]]) > 1
        else one
        for used, one in names.items()
    }
