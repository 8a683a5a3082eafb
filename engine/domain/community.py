"""Communities of entities, clusters of facts, and insights over both: a job derives them, for the user of the graph alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

CommunityOf = Literal["entities", "facts"]
InsightKind = Literal["insight", "pattern", "contradiction", "trend", "community"]


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that belong together by relations and common records, or facts (a cluster) by their meaning.

    `name`, `size` and `summary` (at most 100 tokens) say what holds now; who belongs to it was decided at `built_at`, and last
    changed at `changed_at`.
    """

    community_id: UUID
    of: CommunityOf
    name: str
    size: int
    summary: str
    built_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Member:
    """An entity or a fact of a community: its name, or its text. `importance`: from 0 to 1; `records`: that mention the
    entity, or state the fact."""

    member_id: UUID
    text: str
    kind: str
    importance: float
    records: int


@dataclass(frozen=True, slots=True)
class CommunityRelation:
    """A relation between two members of a community."""

    relation_id: UUID
    source_id: UUID
    reads: str
    target_id: UUID
    strength: int


@dataclass(frozen=True, slots=True)
class CommunityView:
    """A community with its members and the relations between them, the strongest first, up to 100 of each."""

    community: Community
    members: tuple[Member, ...]
    relations: tuple[CommunityRelation, ...]


@dataclass(frozen=True, slots=True)
class Insight:
    """Something that is seen over many facts, relations and records, with those that support it.

    `known_from`: when a build found it first; `known_to`: when a build found it no more; `built_at`: when it was found last.
    """

    insight_id: UUID
    kind: InsightKind
    text: str
    facts: tuple[UUID, ...]
    relations: tuple[UUID, ...]
    entities: tuple[UUID, ...]
    records: tuple[UUID, ...]
    known_from: datetime
    known_to: datetime | None
    built_at: datetime


@dataclass(frozen=True, slots=True)
class NearEntity:
    """An entity whose texts mean nearly the same; `similarity`: cosine of the centroids, around the mean of all of
    them."""

    entity_id: UUID
    name: str
    similarity: float


@dataclass(frozen=True, slots=True)
class EntityMeaning:
    """What the texts that mention an entity mean, by one embedding version: `descriptors` are the words that set them apart,
    `drift` the cosine distance between the centroids of their older and newer half (None: too few). Of `items` texts. `near`: the
    entities whose texts mean most nearly the same, the nearest first."""

    entity_id: UUID
    embedding_version: str
    descriptors: tuple[str, ...]
    drift: float | None
    items: int
    rebuilt_at: datetime
    near: tuple[NearEntity, ...]
