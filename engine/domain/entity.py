"""Entities: who and what texts speak of; their mentions, as they are found in a record before it is committed; what the user
decides of an entity: its display name, its kind, its aliases; and profiles: in a few lines what is known of an entity, or of the
user by categories of facts, composed when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Literal, Self
from uuid import UUID

from engine.domain.fact import DoubtMark, ShownStatus
from engine.domain.forms import ItemSpan
from engine.domain.names import name_key

MentionRole = Literal["mention", "owner", "author", "assignee", "component"]
NameForm = Literal["name", "speaker", "kinship", "contact"]
"""How a mention was found: a name in the text, who said it, a word of kinship or role with "my", or an address in normal form."""
UNKNOWN_KIND = "thing"
"""The kind of an entity of which nothing tells what it is."""

AliasType = Literal["name", "email", "phone", "handle", "url", "id"]
"""What an alias is: a name, an address, or an id in another system."""
FEWEST_DIGITS, MOST_DIGITS = 6, 15
"""Digits of a phone number."""
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:www\.)?")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A text in which names are looked for: a turn with its speaker, or a passage with the title of its document."""

    text: str
    speaker: str = ""
    title: str = ""

    @property
    def spoken(self) -> bool:
        return bool(self.speaker)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at a place of a text. `start` and `end` count characters; both are 0 for a speaker, who stands outside of the text.

    `kind` is one of the domain's kinds of entities, or `thing` where nothing tells. `sure`: False for a name that may be an
    ordinary word; it counts where something else knows it. `ties`: what it is to whom, as the text says beside it: "my
    brother Tom"; `namesake`: what tells it from another of that name in its record.
    """

    name: str
    start: int
    end: int
    kind: str = UNKNOWN_KIND
    form: NameForm = "name"
    role: MentionRole = "mention"
    sure: bool = True
    ties: frozenset[str] = frozenset()
    namesake: str = ""


def entity_number(key: str) -> int:
    """The number of an entity in the rows of items, 1 to 2**31 - 1, from its key in the graph (`person:dave-kowalski`). It stays
    the same, so it is never looked up; two entities of a graph have one number by chance in one of 2**31 pairs."""
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return (int.from_bytes(digest, "big") & 0x7FFFFFFF) or 1


# what readers get --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """An entity in a list: what it is called, in how many records and at how many nodes it is mentioned, and when last;
    `fact_count`: live facts about it. `importance` (0 to 1) and `summary` (one line) are for the user alone, as a job derived
    them last; none of the past."""

    entity_id: UUID
    name: str
    kind: str
    names: tuple[str, ...]
    mentions: int
    nodes: int
    last_mentioned_at: datetime
    fact_count: int
    importance: float | None
    summary: str | None

    @property
    def place(self) -> EntityPlace:
        return self.mentions, self.entity_id


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """Which entities a list has: of these kinds (empty: of all), with a word in a name that begins so, and whether also those
    that a single passage mentions."""

    kinds: tuple[str, ...] = ()
    name: str = ""
    everything: bool = False


class EntityPage(tuple[EntitySummary, ...]):
    """Entities of a list, in its order. `left_out`: how many up to the last of them, or to the end of the list, are not among
    them since a single passage mentions them."""

    left_out: int

    def __new__(cls, entities: Iterable[EntitySummary], left_out: int = 0) -> Self:
        page = super().__new__(cls, entities)
        page.left_out = left_out
        return page


EntityPlace = tuple[int, UUID]
"""The place of an entity in the list: its mentions, its id."""


@dataclass(frozen=True, slots=True)
class EntityAnchor:
    """A node where an entity is mentioned, with the names on the way down, and in how many of its records. `about`: the name of
    the node means it, as a job found last; for the user alone."""

    node_id: UUID
    path: tuple[str, ...]
    mentions: int
    about: bool


@dataclass(frozen=True, slots=True)
class RecordMention:
    """A record that mentions an entity: how often, in which role, by which names (normal forms), and where: `item:start-end`,
    characters of an item's text. The speaker of a turn stands at 0-0. No places for those who may not read the items."""

    record_id: UUID
    node_id: UUID
    title: str
    at: datetime
    role: MentionRole
    names: tuple[str, ...]
    spans: tuple[ItemSpan, ...]
    count: int


@dataclass(frozen=True, slots=True)
class UserMention:
    """That the user mentions an entity: how often, since when and when last; of the last time some words around the name and the
    record, both None where no mention is left."""

    at: datetime
    first_at: datetime
    times: int
    context: str | None
    record_id: UUID | None


@dataclass(frozen=True, slots=True)
class Entity:
    """All about an entity. `key`, `importance` and `summary` (see `EntitySummary`), `mentioned`, `access_count` and
    `last_accessed_at` are for the user alone, all but the key as they are now. `merged`: entities that were found to be this one;
    `latest`: its newest mentions. `access_count`: how often it was read, by whomever, those that it took in included."""

    entity_id: UUID
    key: str | None
    name: str
    kind: str
    names: tuple[str, ...]
    merged: tuple[UUID, ...]
    mentions: int
    first_mentioned_at: datetime
    last_mentioned_at: datetime
    importance: float | None
    summary: str | None
    anchors: tuple[EntityAnchor, ...]
    latest: tuple[RecordMention, ...]
    mentioned: UserMention | None
    fact_count: int
    access_count: int | None
    last_accessed_at: datetime | None


@dataclass(frozen=True, slots=True)
class EntityFact:
    """A fact about an entity. `subject`: whether it is about this one first; `valid_from` None: from the beginning.

    Stored ones have `fact_id`, `node_id`, `record_id`; one that is inferred from a relation, which no listed fact states, has its
    `relation_id` instead, and as many confirmations as records state it beside the first.
    `doubt`: another live fact that may have replaced it, or contradicts it; `passed`: when the day was over for which it was
    planned: whether it happened is not known."""

    fact_id: UUID | None
    node_id: UUID | None
    record_id: UUID | None
    text: str
    status: ShownStatus
    subject: bool
    stale: bool
    valid_from: datetime | None
    valid_to: datetime | None
    confirmations: int
    relation_id: UUID | None = None
    doubt: DoubtMark | None = None
    passed: datetime | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """Two entities are one: `merged_id` is read as part of `entity_id` until the merge is undone."""

    merge_id: UUID
    entity_id: UUID
    entity_name: str
    merged_id: UUID
    merged_name: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of an entity, read from its side: `reads` are the words between it and the other one.

    `strength`: how many records state it; `confidence`: that at least one of them is right, by the weight of each; `since` and
    `until`: dates as exact as the texts. `archived`: the user set it aside; `properties`: the user's own, for the user alone.
    """

    relation_id: UUID
    relation_type: str
    reads: str
    outgoing: bool
    other_id: UUID
    other_name: str
    other_kind: str
    strength: int
    confidence: float
    since: str | None
    until: str | None
    archived: bool
    properties: Mapping[str, str]

    def statement(self, name: str) -> str:
        """It in words. `name`: of the entity from whose side it is read."""
        times = (("since", self.since), ("until", self.until))
        return " ".join((name, self.reads, self.other_name, *(f"{word} {time}" for word, time in times if time)))


@dataclass(frozen=True, slots=True)
class RelationBetween:
    """A relation from one entity to another one; see `Relation`. The ends are what these are read as: of merged ones that which
    they are part of."""

    relation_id: UUID
    relation_type: str
    reads: str
    source_id: UUID
    target_id: UUID
    strength: int
    confidence: float
    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A record that states a relation: in which item and where (`start-end`, characters; both for those who may read the items),
    with what weight below 1. `fact_id`: a fact of the record that states it, too; for the user alone. `text`: the sentence,
    at most 300 characters; None where it may not or cannot be read, and of the past."""

    record_id: UUID
    node_id: UUID
    title: str
    at: datetime
    item_id: UUID | None
    span: str | None
    weight: float
    since: str | None
    until: str | None
    ended: bool
    fact_id: UUID | None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Why:
    """Why a relation is believed: what states it, the weightiest first."""

    relation_id: UUID
    relation_type: str
    reads: str
    source_id: UUID
    source_name: str
    target_id: UUID
    target_name: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be one, for the user to decide: with `merge`, or that they are `apart`."""

    pair_id: UUID
    entity_id: UUID
    name: str
    other_id: UUID
    other_name: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Alias:
    """An alias of an entity. `verified`: the user gave it or vouched for it, so it decides whom a text means."""

    entity_id: UUID
    type: AliasType
    value: str
    verified: bool
    known_from: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCorrection:
    """What the user corrects of an entity: its display name, its kind with the label; None: as before."""

    entity_id: UUID
    user_id: UUID
    name: str | None
    name_key: str | None
    kind: str | None
    label: str | None
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasDecision:
    """The user gives an entity an alias, or takes it away; `key` is its normal form, `was` the alias that is taken away."""

    entity_id: UUID
    user_id: UUID
    type: AliasType
    key: str
    value: str
    given: bool
    at: datetime
    was: Alias | None = None


def alias_key(type_: AliasType, value: str) -> str:
    """The normal form of an alias, unique for a user and a type; empty where it is none of that type."""
    key = name_key(value)
    if type_ == "email":
        return key if re.fullmatch(r"[^@\s]+@[^@\s]+", key) else ""
    if type_ == "handle":
        word = key.lstrip("@")
        return f"@{word}" if word and " " not in word and "@" not in word else ""
    if type_ == "url":
        address = _SCHEME.sub("", key, count=1).rstrip("/")
        return address if address and " " not in address else ""
    if type_ == "phone":
        return _phone_key(key)
    return key


def _phone_key(written: str) -> str:
    """The digits of a number, with the plus of an international one, also where that is written 00."""
    if re.search(r"[^\d\s()/.+-]", written):
        return ""
    digits = "".join(one for one in written if one.isdigit())
    abroad = written.lstrip(" (").startswith("+") or digits.startswith("00")
    digits = digits.removeprefix("00")
    return f"{'+' * abroad}{digits}" if FEWEST_DIGITS <= len(digits) <= MOST_DIGITS else ""


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of an entity, at most 300 tokens of the embedding model, one statement a line: who it is, its strongest
    relations, facts, and what was said of it last. `facts`, `relations`, `records`: what the lines come from."""

    entity_id: UUID
    name: str
    kind: str
    text: str
    tokens: int
    facts: tuple[UUID, ...]
    relations: tuple[UUID, ...]
    records: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A live fact, as a profile shows it. `valid_from` None: from the beginning; `passed`: when the day was over for which it was
    planned."""

    fact_id: UUID
    record_id: UUID
    category: str
    text: str
    valid_from: datetime | None
    confirmations: int
    importance: float
    passed: datetime | None = None


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The live facts of one type or category: how many, when one was last added, and the strongest; `summary` is their texts, one
    a line, at most 100 tokens."""

    name: str
    facts: int
    changed_at: datetime
    summary: str
    strongest: tuple[KnownFact, ...]
