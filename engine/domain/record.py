"""A record on its way in: what it says, what can be found of it, the file that holds it whole; and the layout
of a conversation: where its turns stand in its transcript, kept beside it, so that the turns can be made from it again exactly
as they came. Their numbers, ids, speakers and times do not all stand in the text.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from engine.domain.assignment import BY_HAND, Decision
from engine.domain.document import NewVersion
from engine.domain.embedding import Embedded
from engine.domain.extraction import UNASKED, WHOLE, Derived, ModelReading
from engine.domain.fact import FactRelation
from engine.domain.file_state import ResourceType
from engine.domain.graph import AboutEntity, EntityMention, StatedRelation
from engine.domain.node import ContentType, TriggerType
from engine.domain.scope import INGESTED, Origin, Privacy
from engine.domain.search import ItemKind
from engine.domain.terms import Unit
from engine.domain.utterance import Utterance


@dataclass(frozen=True, slots=True)
class LaidTurn:
    """One turn: its number in the conversation, its place in the transcript in characters. `asked`: whether the words before it
    ask something; None where none came before."""

    number: int
    ref: str | None
    speaker: str
    at: datetime | None
    start: int
    length: int
    asked: bool | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The turns of one record. `speakers` are all who spoke in what was stored together, also at other nodes."""

    started_at: datetime | None
    speakers: tuple[str, ...]
    turns: tuple[LaidTurn, ...]

    @property
    def compact(self) -> dict[str, Any]:
        """As it is kept: JSON, a short list for each turn."""
        number = {speaker: index for index, speaker in enumerate(self.speakers)}
        return {
            "started_at": _iso(self.started_at),
            "speakers": list(self.speakers),
            "turns": [
                [turn.number, turn.ref, number[turn.speaker], _iso(turn.at), turn.start, turn.length, turn.asked]
                for turn in self.turns
            ],
        }


def layout_of(compact: dict[str, Any]) -> Layout:
    """A layout from what is kept of it."""
    speakers = tuple(compact["speakers"])
    turns = (
        LaidTurn(number, ref, speakers[speaker], _moment(at), start, length, asked)
        for number, ref, speaker, at, start, length, asked in compact["turns"]
    )
    return Layout(_moment(compact["started_at"]), speakers, tuple(turns))


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@dataclass(frozen=True, slots=True)
class AssignableNode:
    """A node that content can go to, with the words that speak for it. `path` holds the names from the root down that the
    writer may read, `place` all of them (for file paths), `root_schema` is the schema of the root."""

    node_id: UUID
    schema_name: str
    path: tuple[str, ...]
    layer: int
    root_schema: str
    keywords: tuple[str, ...]
    aliases: tuple[str, ...]
    place: tuple[str, ...]
    summary: str = ""
    archived: bool = False
    """Takes no writes."""


@dataclass(frozen=True, slots=True)
class Keywords:
    """What a record is about, as columns that can be queried one by one."""

    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    relationships: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """One searchable piece. `embedded` is what the vector is made from (no names, no dates), `position` its place
    in the session (turns of a conversation, chunks of a file); `derived` is for what does not stand in the source."""

    item_id: UUID
    kind: ItemKind
    session: UUID
    position: int
    content: str
    embedded: str
    unit: Unit
    speaker: str = ""
    source_ref: str | None = None
    occurred_at: datetime | None = None
    dates: tuple[str, ...] = ()
    utterance: Utterance | None = None
    section: str = ""
    span: tuple[int, int] | None = None
    token_count: int = 0
    derived: Derived | None = None

    @property
    def whole(self) -> bool:
        """Whether it is a fact that holds a whole input."""
        return self.derived is not None and self.derived.category == WHOLE

    @property
    def extracted(self) -> bool:
        """Whether a model made it."""
        return self.derived is not None and not self.whole

    tags: tuple[str, ...] = ()
    entities: tuple[int, ...] = ()
    """Numbers of the entities that it names, the most frequent first."""
    about: tuple[int, ...] = ()
    """Those of them that it is about: the names in the title of its document, the subject of a fact."""


@dataclass(frozen=True, slots=True)
class FileDraft:
    """The file of a record, from memory or from a path that is read when it is stored."""

    file_id: UUID
    name: str
    file_type: str
    content_type: str
    content: bytes | Path


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """A record for one node. `items` are in the order of the source."""

    record_id: UUID
    node: AssignableNode
    title: str
    text: str
    content_type: ContentType
    trigger_type: TriggerType
    source_id: str
    occurred_at: datetime | None
    items: tuple[ItemDraft, ...]
    file: FileDraft
    summary: str = ""
    keywords: Keywords = Keywords()
    privacy: Privacy = "org"
    origin: Origin = INGESTED
    decision: Decision = BY_HAND
    extracted: bool = False
    """Whether a model has read all of it; summary and keywords are the model's then."""
    unread: str = ""
    """Why a configured model has not read it, where it was to."""
    layout: Layout | None = None
    """Of a conversation: where its turns stand in the file."""

    received_as: ResourceType | None = None
    entities: tuple[EntityMention, ...] = ()
    """Whom and what it mentions."""
    relations: tuple[StatedRelation, ...] = ()
    """What it states of these."""
    about: Mapping[UUID, tuple[AboutEntity, ...]] = field(default_factory=dict)
    """The entities that each of its facts names."""
    reading: ModelReading = UNASKED
    """The same as a model says it."""

    @property
    def counted(self) -> int:
        """Its items, without the fact that holds the whole input."""
        return sum(not item.whole for item in self.items)

    @property
    def derived_session(self) -> UUID:
        """The session of its derived items, which are in the order of their places in the source."""
        return uuid5(self.items[0].session, "derived")


@dataclass(frozen=True, slots=True)
class EmbeddedRecord:
    """A draft with its vectors: `vector` of the summary, one of `item_vectors` for each item; None where one is made later.
    `verdicts`: what a model says that the later fact of a pair (earlier, later) does to the earlier one."""

    draft: RecordDraft
    vector: NDArray[np.float32] | None
    item_vectors: tuple[Embedded | None, ...]
    verdicts: Mapping[tuple[UUID, UUID], FactRelation] = field(default_factory=dict)

    @property
    def pending(self) -> bool:
        """Whether one of its vectors is still to be made."""
        return self.vector is None or any(vector is None for vector in self.item_vectors)

    def without(self, items: Container[UUID]) -> EmbeddedRecord:
        """The record without these of its items."""
        kept = [place for place, item in enumerate(self.draft.items) if item.item_id not in items]
        draft = replace(self.draft, items=tuple(self.draft.items[place] for place in kept))
        return replace(self, draft=draft, item_vectors=tuple(self.item_vectors[place] for place in kept))


@dataclass(frozen=True, slots=True)
class SourceAdvance:
    """How far a source is stored with this commit: from `seen` units to `units`, with the hash of all of them. `again`: also
    where it was forgotten."""

    source_id: str
    seen: int
    units: int
    content_hash: bytes
    again: bool = False

    @classmethod
    def to_version(cls, version: NewVersion) -> SourceAdvance:
        """The source of a document, to that version of it."""
        return cls(version.source_id, version.version - 1, version.version, version.content_hash)
