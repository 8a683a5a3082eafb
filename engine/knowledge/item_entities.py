"""The entities of each item of a record, as numbers: what a ranking walks over from one item to another. Pure.

An item has the entities that its own text names, by name, by an alias or by a word of kinship; who speaks is not among them. A
passage has those of its document's title, too, a fact its subject: these it is about.

What readers of a row may know: the names stand in its own text, but for two cases. The title is in the row of the record, and a
grant may give items without records: for such a reader a ranking must leave out what a passage is about. And that an alias or `my
sister` is a certain entity may be known from other records alone: a number says nothing of the entity, no operation returns it,
but a hit may say that its passage was reached over a name of the question. So a ranking looks up the names of a question among
those only that its reader may read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.commit.rows.records import NamedRow
from engine.domain.entity import UNKNOWN_KIND, TextPiece, entity_number
from engine.domain.names import name_key
from engine.entities.resolution.namesakes import Excerpt
from engine.entities.resolution.romanized import canonical_key
from engine.knowledge.record_names import ReadRecord
from engine.naming.mentions import LONGEST_TEXT, NamedMention, SourceText, UsedName, used_name
from engine.naming.names import names_in

MOST = 64
"""Entities of an item."""


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity of the graph; `key` None: the user whose graph it is."""

    key: str | None
    name: str
    kind: str
    names: tuple[str, ...]
    corrected: bool = False
    verified: tuple[str, ...] = ()
    said: tuple[Excerpt, ...] = ()
    """Some words around the name in each of some records."""


@dataclass(frozen=True, slots=True)
class ItemEntities:
    """Numbers of the entities of an item, the most frequent first; `about`: those of them that it is about."""

    entities: tuple[int, ...] = ()
    about: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordNames:
    """Keys of the entities of a record by the normal forms of their names."""

    keys: Mapping[str, str]

    def standing_in(self, text: str) -> ItemEntities:
        """The entities whose names stand in a text that was not looked through: an observation or a summary of the record."""
        return numbered(self.keys_in(text))

    def keys_in(self, text: str) -> list[str]:
        """Their keys, each as often as it is named."""
        normal = " ".join(text[:LONGEST_TEXT].casefold().split())
        return [
            key
            for name, key in self.keys.items()
            if name in normal
            for _ in re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", normal)
        ]


NO_NAMES = RecordNames({})


def numbered(keys: Iterable[str], about: Sequence[str] = ()) -> ItemEntities:
    """The numbers of these keys, each as often as it is named; those of `about` are among them in any case."""
    counts = Counter(entity_number(key) for key in [*keys, *about])
    first = {entity_number(key) for key in about}
    others = [number for number, _ in counts.most_common() if number not in first][: max(0, MOST - len(first))]
    kept = first | set(others)
    entities = [number for number, _ in counts.most_common() if number in kept][:MOST]
    return ItemEntities(tuple(entities), tuple(number for number in entities if number in first))


def items_of(
    record: ReadRecord, entities: Mapping[UsedName, NamedMention], title: Sequence[str]
) -> dict[UUID, ItemEntities]:
    """The entities of the texts of a record, by their items. `title`: keys of those that the title names."""
    found: dict[UUID, ItemEntities] = {}
    for text, mentions in zip(record.texts, record.mentions, strict=True):
        used = (used_name(one, text.piece) for one in mentions if one.form != "speaker")
        keys = [entities[one].key for one in used if one in entities]
        if text.fact is None:
            about: Sequence[str] = title if text.piece.title else ()
        else:
            subject = record.facts[text.item_id].subject
            about = [entities[subject].key] if subject is not None and subject in entities else []
        found[text.item_id] = numbered(keys, about)
    return found


def rows_named(texts: Iterable[SourceText], items: Mapping[UUID, ItemEntities]) -> list[NamedRow]:
    """What these texts name, for the rows of their items."""
    found = ((text, items[text.item_id]) for text in texts if text.item_id in items)
    return [NamedRow(text.item_id, text.piece.text, one.entities, one.about) for text, one in found]


def names_of_titles(titles: Iterable[str]) -> dict[str, dict[str, str]]:
    """The names in each of these titles: normal forms with their kinds. The title itself is one, where it may be one."""
    given = sorted({title for title in titles if title})
    # Once as a name of its own, once as a text: `History of Gdynia` names Gdynia, too.
    pieces = [TextPiece(title, title=title) for title in given] + [TextPiece(title) for title in given]
    mentions = names_in(pieces[: len(given)], {}) + names_in(pieces[len(given) :], {})
    names: dict[str, dict[str, str]] = {title: {} for title in given}
    for piece, found in zip(pieces, mentions, strict=True):
        for one in found:
            if one.form == "name" and one.sure:
                key = name_key(one.name)
                if names[piece.text].get(key, UNKNOWN_KIND) == UNKNOWN_KIND:
                    names[piece.text][key] = one.kind
    return names


class Titles:
    """The entities that titles name: of the record, else of another one that was read with it, else of the graph, by that name
    alone; else the one that would have the name, which nothing but titles mentions yet."""

    def __init__(
        self,
        titles: Mapping[str, Mapping[str, str]],
        found: Sequence[Mapping[UsedName, NamedMention]],
        known: Sequence[KnownEntity],
    ) -> None:
        """`titles`: the names in each; `found`: the entities of each record by their names."""
        self._titles = titles
        asked = {name for names in titles.values() for name in names}
        self._near: dict[str, set[str]] = {name: set() for name in asked}
        self._known: dict[str, set[str]] = {name: set() for name in asked}
        for entities in found:
            for (name, _), entity in entities.items():
                if name in asked:
                    self._near[name].add(entity.key)
        for one in known:
            for name in {name_key(name) for name in (one.name, *one.names)} & asked:
                if one.key is not None:
                    self._known[name].add(one.key)

    def keys(self, record: ReadRecord, entities: Mapping[UsedName, NamedMention]) -> list[str]:
        """The keys of those that the title of a record names."""
        title = next((text.piece.title for text in record.texts if text.piece.title), "")
        return self.named(title, {name: one.key for (name, speaker), one in entities.items() if not speaker})

    def named(self, title: str, own: Mapping[str, str]) -> list[str]:
        """The keys of those that a title names. `own`: keys of the entities of its record by their names."""
        found = [self._key(name, kind, own) for name, kind in self._titles.get(title, {}).items()]
        return list(dict.fromkeys([*found, *RecordNames(own).keys_in(title)]))

    def _key(self, name: str, kind: str, own: Mapping[str, str]) -> str:
        if name in own:
            return own[name]
        for keys in (self._near[name], self._known[name]):
            if len(keys) == 1:
                return next(iter(keys))
        return canonical_key(kind, name)
