"""From names in texts to what records mention, as the graph takes it; and which names a fact uses: those in its text, and its
subjects. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from engine.domain.entity import Mention, MentionRole, TextPiece
from engine.domain.graph import EntityMention, EntityName, PossiblySame
from engine.domain.names import name_key
from engine.domain.record import RecordDraft
from engine.domain.shown import beginning
from engine.language.tables import all_listed, alternatives, each, keys, one_of
from engine.naming.configuration import Domain
from engine.naming.names import MOST_CHARACTERS, names_in
from engine.naming.words import AMBIGUOUS_NAMES, CALENDAR, GIVEN_NAMES, SPEAKERS_WITHOUT_NAME, STOP_WORDS

LONGEST_TEXT = 100_000
"""Characters of one item that are looked through."""
MOST_ENTITIES, MOST_SPANS, LONGEST_CONTEXT = 500, 50, 120
"""Entities of a record, places of an entity in it, characters around a name: more are counted, not kept."""

USER_WORD = "user"
LONGEST_THING = 120
"""Characters of a statement in which the thing that it is about is looked for."""
_SAID = {key: alternatives("openings", key) for key in keys("openings")}
_DOES = re.compile(
    rf"\A([^\W\d_]+(?:[-’'][^\W\d_]+)*) (?:(?:{_SAID['between']}) ){{0,2}}(?:{_SAID['between_elided']})?"
    rf"(?:({_SAID['does']})|{_SAID['is']})\b"
)
"""A word, and what a person does, does not or is ("Tine no longer plays"); in the languages of which names are read."""
_WHAT = r"[^\W\d_][\w’'-]*(?: [^\W_][\w’'-]*){0,4}?"
_THING = re.compile(
    rf"\A(?:(?:{_SAID['the_own']})(?P<what_own>{_WHAT}) (?:{_SAID['thing_is_own']})"
    rf"|(?:{_SAID['the']})?(?P<what>{_WHAT}) (?:{_SAID['thing_is']}))\b"
)
"""What a statement about no person begins with: "the trip to Iceland is …", without its article. *A* is an article like *the* in
Portuguese alone: "a dog is …" may be about any dog."""
_DEFINITE = dict(each("articles", "definite"))
_OCCASIONS = tuple(
    re.compile(rf"\A(?:{_DEFINITE[code]})({_WHAT}) (?:{occurs})\b")
    for code, occurs in each("verbs", "occurs")
    if code in _DEFINITE
)
"""By language what takes place or is called off, behind an article: "das Fest wurde", "la boda se canceló"; not "gestern
wurde"."""
_OUR = re.compile(rf"\A(?:{one_of('openings', 'our')}) ", re.IGNORECASE)
_OF_SPEAKER = frozenset(all_listed("openings", "speaker"))
_OF_USER = frozenset(map(name_key, all_listed("openings", "user")))


@dataclass(frozen=True, slots=True)
class ReadFact:
    """What is known of a text that is a fact. `private`: it is for fewer readers than its record."""

    subjects: tuple[str, ...] = ()
    private: bool = False


@dataclass(frozen=True, slots=True)
class SourceText:
    """An item of a record's source, as a piece in which names are looked for; or a fact that was read out of it."""

    item_id: UUID
    piece: TextPiece
    at: datetime | None = None
    fact: ReadFact | None = None


UsedName = tuple[str, str]
"""A name as a record uses it: its normal form; and for words of kinship the speaker, of whom they tell somebody else each; of a
name that several people of the record have what tells this one from the others."""


@dataclass(frozen=True, slots=True)
class NamedMention:
    """The entity that a name belongs to. `reviews`: keys of others that it may be, with score and reason."""

    key: str
    name: str
    kind: str
    reviews: tuple[tuple[str, float, str], ...] = ()


@dataclass(slots=True)
class _Spoken:
    """One entity in one record, as it is collected."""

    entity: NamedMention
    role: MentionRole
    names: dict[str, str] = field(default_factory=dict)
    spans: list[str] = field(default_factory=list)
    count: int = 0
    context: str = ""
    tied: bool = False


def texts_of(draft: RecordDraft) -> list[SourceText]:
    """The texts of a record's source, then its facts; what else was derived from it has none of its own."""
    title = "" if any(item.speaker for item in draft.items) else draft.title
    own = [item for item in draft.items if item.derived is None]
    speakers = {item.position: item.speaker for item in own}
    texts = [text_of(item.item_id, item.content, item.speaker, title, item.occurred_at) for item in own]
    for item in draft.items:
        if item.kind == "fact" and item.derived is not None and not item.whole:
            fact = ReadFact(item.derived.subjects, item.derived.private and draft.privacy != "private")
            speaker = speakers.get(item.position, "")
            texts.append(fact_text(item.item_id, item.content, speaker, fact, item.occurred_at))
    return texts


def text_of(item_id: UUID, content: str, speaker: str, title: str, at: datetime | None) -> SourceText:
    """An item as a text. `title`: of its document, empty for a turn. One that is the whole text, as of a note without a title, or
    its first words ("Yuki met Omar at the harbor. They"), names nothing beside it."""
    title = "" if title.split() in (content.split(), beginning(content).split()) else title
    return SourceText(item_id, TextPiece(content[:LONGEST_TEXT], speaker, title), at)


def fact_text(item_id: UUID, content: str, speaker: str, fact: ReadFact, at: datetime | None = None) -> SourceText:
    """A fact as a text. `speaker`: of the turn that it was read out of."""
    return SourceText(item_id, TextPiece(content[:LONGEST_TEXT], speaker), at, fact)


def used_name(mention: Mention, piece: TextPiece) -> UsedName:
    """By which name a mention in a piece is looked up."""
    return name_key(mention.name), piece.speaker if mention.form == "kinship" else mention.namesake


def entity_mentions(
    found: Sequence[tuple[SourceText, Sequence[Mention]]], entities: Mapping[UsedName, NamedMention], domain: Domain
) -> tuple[EntityMention, ...]:
    """The entities that a record mentions, each once for each of its roles, in the order of their keys.

    `entities`: by each name that belongs to one; other names are left out.
    """
    spoken: dict[tuple[str, MentionRole], _Spoken] = {}
    for text, mentions in found:
        for mention in mentions:
            entity = entities.get(used_name(mention, text.piece))
            if entity is None:
                continue
            role: MentionRole = "author" if mention.form == "speaker" else mention.role
            one = spoken.setdefault((entity.key, role), _Spoken(entity, role))
            if mention.form not in ("kinship", "contact") and mention.name:
                one.names.setdefault(name_key(mention.name), mention.name)
            one.count += 1
            if len(one.spans) < MOST_SPANS:
                one.spans.append(f"{text.item_id}:{mention.start}-{mention.end}")
            if not one.context or (
                mention.ties and not one.tied
            ):  # what says who is meant tells more than what came first
                one.context, one.tied = context_of(text.piece.text, mention), bool(mention.ties)
    most = sorted(spoken.values(), key=lambda one: (-one.count, one.entity.key, one.role))[:MOST_ENTITIES]
    return tuple(_entered(one, domain) for one in sorted(most, key=lambda one: (one.entity.key, one.role)))


def _entered(one: _Spoken, domain: Domain) -> EntityMention:
    entity, kind = one.entity, domain.kind_of(one.entity.kind)
    return EntityMention(
        key=entity.key,
        entity_id=uuid4(),
        name=entity.name,
        name_key=name_key(entity.name),
        kind=kind,
        label=domain.labels[kind],
        role=one.role,
        names=list(one.names),  # none where it only speaks of `my sister`
        spans=one.spans,
        count=one.count,
        context=one.context,
        aliases=[EntityName(type="name", key=key, value=name) for key, name in one.names.items()],
        reviews=[PossiblySame(key=key, score=score, reason=reason) for key, score, reason in entity.reviews],
    )


def context_of(text: str, mention: Mention) -> str:
    """Some words of a text around a name; of a speaker how it begins."""
    room = (LONGEST_CONTEXT - (mention.end - mention.start)) // 2
    start, end = max(0, mention.start - room), min(len(text), mention.end + max(room, 0))
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"


USER: UsedName = ("", "")
"""The user of the graph, whom a fact names by no name."""


@dataclass(frozen=True, slots=True)
class FactNames:
    """The names that a fact uses, and which one is its subject; None where that is no name."""

    names: frozenset[UsedName]
    subject: UsedName | None


def named_by(piece: TextPiece, subjects: Sequence[str], found: Sequence[Mention]) -> tuple[FactNames, list[Mention]]:
    """The names of a fact, and its mentions: those found in its text, then subjects that do not stand there by name.

    `I` and `user` are the speaker of its turn where that one has a name, else the user.
    """
    mentions = [one for one in found if one.form != "speaker"]
    used = {used_name(one, piece) for one in mentions}
    subject: UsedName | None = None
    for number, given in enumerate(subjects or [_first(piece.text)]):
        key = name_key(given)
        person = key in _OF_USER or key in _OF_SPEAKER
        if person:
            given = _speaker(piece) if key in _OF_SPEAKER else ""
        elif not subjects or not _is_name(given):
            continue
        told = [
            other for other in used if other[0] == name_key(given)
        ]  # of several of the name the one that the text means
        one = USER if person and not given else told[0] if len(told) == 1 else (name_key(given), "")
        if one not in used:
            mentions.append(Mention(given, 0, 0, sure=False))
        used.add(one)
        subject = one if number == 0 else subject
    return FactNames(frozenset(used), subject), mentions


def leading_subject(text: str) -> str:
    """The name that a statement begins with, or in small letters the thing; `user` where it begins with I, my or our; empty
    where it begins with none of these."""
    if name_key(_first(text)) in _OF_SPEAKER | _OF_USER or _OUR.match(text):
        return USER_WORD
    [found] = names_in([TextPiece(text)], {})
    return next((one.name for one in found if one.start == 0), "") or _doing(text) or _thing(text)


def _doing(text: str) -> str:
    """The word that a statement begins with, where it does what persons do (`Zed lives`) or may be a name; without a capital a
    given name (`nadia plays`)."""
    begins = _DOES.match(text)
    if begins is None or name_key(begins[1]) in STOP_WORDS | CALENDAR:
        return ""
    if not begins[1][0].isupper() and begins[1] not in GIVEN_NAMES:
        return ""
    return begins[1] if begins[2] or begins[1].casefold() in GIVEN_NAMES | AMBIGUOUS_NAMES else ""


def _thing(text: str) -> str:
    said = f"{text[:1].lower()}{text[1:LONGEST_THING]}"
    begins = _THING.match(said)
    occasions = (found[1] for one in _OCCASIONS if (found := one.match(said)))
    what = (begins["what"] or begins["what_own"]) if begins else next(occasions, "")
    return what.casefold() if what and name_key(what.split()[0]) not in STOP_WORDS | CALENDAR else ""


def _first(text: str) -> str:
    """The words that a fact without a subject begins with, where they say whom it is about."""
    words = text.split()[:2]
    return " ".join(words) if name_key(" ".join(words)) in _OF_USER else words[0] if words else ""


def _speaker(piece: TextPiece) -> str:
    named = 1 < len(piece.speaker) <= MOST_CHARACTERS and piece.speaker.casefold() not in SPEAKERS_WITHOUT_NAME
    return piece.speaker if named else ""


def _is_name(subject: str) -> bool:
    return len(subject) <= MOST_CHARACTERS and any(letter.isupper() for letter in subject) and bool(name_key(subject))
