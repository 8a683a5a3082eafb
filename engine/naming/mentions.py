"""From names in texts to what records mention, as the graph takes it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from engine.domain.entity import Mention, MentionRole, TextPiece
from engine.domain.graph import EntityMention, EntityName, PossiblySame
from engine.domain.names import name_key
from engine.domain.record import RecordDraft
from engine.domain.shown import beginning
from engine.naming.configuration import Domain

LONGEST_TEXT = 100_000
"""Characters of one item that are looked through."""
MOST_ENTITIES, MOST_SPANS, LONGEST_CONTEXT = 500, 50, 120
"""Entities of a record, places of an entity in it, characters around a name: more are counted, not kept."""


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
