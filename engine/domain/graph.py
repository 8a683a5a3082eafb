"""What the graph keeps of nodes, records, edges, facts and merges of entities, as changes of the graph carry it.

Owners call an edge what they like; those types that are listed have a type of their own in Neo4j.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.delta import BEGINNING, Delta, NewSlice, Plan
from engine.domain.fact import DoubtKind
from engine.domain.intention import StatedIntention

EDGE_TYPES = tuple(
    """
    SAME_PERSON SAME_PLACE SAME_THING SIMILAR_TO BELONGS_TO DEPENDS_ON LEADS_TO COVERED_BY
    ANSWERED_BY FINANCED_BY SOLD_TO LOOKED_AFTER_BY INHERITED_FROM SHARED_WITH MANAGED_BY REPLACED_BY
    """.split()
)
"""As in the parts `edge` and `edge_type` of Cypher. All other edges are RELATED; each keeps its type as it was written, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewShell:
    """The shell of a new node; its layer and schema are known when it is registered."""

    node_id: UUID
    user_id: UUID
    user_key: str
    parent_id: UUID | None
    name: str
    name_key: str
    node_type: str
    label: str
    summary: str
    keywords: Sequence[str]
    aliases: Sequence[str]
    alias_keys: Sequence[str]
    created_at: datetime
    embedding: Sequence[float] | None = None
    embedding_version: str | None = None
    embedding_b: Sequence[float] | None = None
    embedding_b_version: str | None = None
    layer: int | None = None
    schema_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestLine:
    """A record in the manifest of its node."""

    record_id: UUID
    user_id: UUID
    node_id: UUID
    commit_id: UUID
    title: str
    content_type: str
    source_id: str
    file_id: UUID | None
    file_name: str | None
    occurred_at: datetime | None
    items: int
    privacy: str
    known_from: datetime
    valid_from: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slice:
    slice_id: UUID
    valid_from: datetime | None
    valid_to: datetime | None
    known_from: datetime
    known_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSlice(_Slice):
    """A state of a record's line."""

    title: str
    occurred_at: datetime | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeSlice(_Slice):
    """A state of an edge."""

    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSlice(_Slice):
    """A state of a shell."""

    name: str
    name_key: str
    summary: str
    keywords: Sequence[str]
    aliases: Sequence[str]
    parent_id: str | None
    archived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentShell(NodeSlice):
    """The present state of a shell, with the vector of its words."""

    alias_keys: Sequence[str]
    embedding: Sequence[float] | None = None
    embedding_version: str | None = None
    embedding_b: Sequence[float] | None = None
    embedding_b_version: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """The newest version of a document and its file."""

    version: int
    file_id: UUID
    file_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Revision:
    user_id: UUID
    revision: int
    closed: Sequence[UUID]
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRevision(_Revision):
    """A change of a node. `layers` and `archivings` of the nodes below it are known when it is registered."""

    node_id: UUID
    own: PresentShell
    added: Sequence[NodeSlice]
    layers: Sequence[Mapping[str, Any]] = ()
    archivings: Sequence[Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRevision(_Revision):
    """A change of a record; `own` None: nothing holds any more. `items` and `document`: of one that was read or stored again."""

    record_id: UUID
    node_id: UUID
    own: RecordSlice | None
    added: Sequence[RecordSlice]
    items: int | None = None
    document: DocumentFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeRevision(_Revision):
    """A change of an edge, or its first state."""

    edge_id: UUID
    edge_type: str
    source_id: str
    target_id: str
    own: EdgeSlice | None
    added: Sequence[EdgeSlice]


READER = 3
"""The version of the rules that find names and draw relations: records that an older one read are read again by a job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityName:
    """A name of an entity. `key` is its normal form; a name of a type belongs to the first entity that has it."""

    type: str
    key: str
    value: str
    verified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PossiblySame:
    """Another entity, by its key, that may be the same; for a person to decide."""

    key: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityMention:
    """An entity in a record: who it is, made where `key` is new in the graph, and how the record speaks of it.

    `names`: normal forms of the names used; `spans`: `item:start-end` in characters of items; `context`: some words around the
    first of them; `intentions`: what the record says that it intends.
    """

    key: str
    entity_id: UUID
    name: str
    name_key: str
    kind: str
    label: str
    role: str
    names: Sequence[str]
    spans: Sequence[str]
    count: int
    context: str
    aliases: Sequence[EntityName]
    reviews: Sequence[PossiblySame] = ()
    intentions: Sequence[StatedIntention] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What was found in a record. `revision`: of the record whose whole this is; None adds to what it says. `reader`: the version
    of what found it. `rewordings`: changes of its texts by hand that were known then; where the graph knows others, it is read
    again."""

    record_id: UUID
    user_id: UUID
    node_id: UUID
    commit_id: UUID
    revision: int | None
    known_from: datetime
    at: datetime
    reader: int = READER
    rewordings: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutEntity:
    """An entity, by its key, that a fact names; one of them, its subject, is `primary`."""

    key: str
    primary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RewordedFact:
    """Whom a fact is about now, of a record of which a text was changed by hand."""

    fact_id: UUID
    about: Sequence[AboutEntity]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordMentions(_Told):
    """What a record mentions; `facts`: of its facts whom they are about, where they may name others than before."""

    entities: Sequence[EntityMention]
    facts: Sequence[RewordedFact] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRelation:
    """A relation that a record states. `type`: of the relationship in the graph, `name`: of the relation, the same where it is
    listed. `functional`: one holds at a time, `symmetric`: for both ends. `source`, `target`: keys of entities; `fact_id`: a
    fact of the record that states it, too."""

    relation_id: UUID
    type: str
    name: str
    functional: bool
    source: str
    target: str
    weight: float
    item_id: UUID
    span: str
    since: str | None
    until: str | None
    ended: bool
    fact_id: UUID | None = None
    symmetric: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRelations(_Told):
    """The relations that a record states."""

    stated: Sequence[StatedRelation]


@dataclass(frozen=True, slots=True, kw_only=True)
class RewordedRecord:
    """A record of which a text was changed by hand."""

    record_id: UUID
    user_id: UUID
    node_id: UUID


def times(new: NewSlice) -> dict[str, Any]:
    """The id and the times of a slice, as the graph keeps them."""
    one = new.slice
    begins = None if one.valid_from == BEGINNING else one.valid_from
    known = {"known_from": new.known_from, "known_to": new.known_to}
    return {"slice_id": new.row_id, "valid_from": begins, "valid_to": one.valid_to} | known


def own_slice(delta: Delta, plan: Plan) -> NewSlice | None:
    """What a subject's own row holds from now on."""
    return None if plan.own is None else NewSlice(delta.subject_id, plan.own, plan.own_known_from)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactState:
    """What a fact is now. `known_to`: from when on it was never so; what was so until another time has `valid_to`.
    `holds_until`: the end of the day of the plan that it states."""

    status: str
    privacy: str
    scope: str
    fact_type: str
    category: str
    confirmations: int
    stale: bool
    valid_from: datetime | None
    valid_to: datetime | None
    holds_until: datetime | None
    said_at: datetime | None
    known_from: datetime
    known_to: datetime | None
    invalidated_at: datetime | None
    last_confirmed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDoubt:
    """An older fact that a fact may replace, or contradicts, which nobody decided."""

    older: UUID
    kind: DoubtKind


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact at a revision of it. `item` False: it only confirms another one. `caption`: the beginning of its text; `about`: the
    entities that it names; both None: as before. `copied`: a fact whose caption and entities it has, where it has none."""

    fact_id: UUID
    revision: int
    item: bool
    caption: str | None
    about: Sequence[AboutEntity] | None
    copied: UUID | None
    confirms: UUID | None
    supersedes: UUID | None
    doubts: Sequence[StatedDoubt]
    state: FactState


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFacts:
    """Facts of a record: new ones, or known ones that are others than before. `reader`: the version of what found the names."""

    record_id: UUID
    user_id: UUID
    node_id: UUID
    commit_id: UUID
    stated: Sequence[StatedFact]
    reader: int = READER


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMerge:
    """An entity becomes part of another."""

    merge_id: UUID
    user_id: UUID
    entity_id: UUID
    merged_id: UUID
    at: datetime
    reason: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneMerge:
    """The end of a merge."""

    merge_id: UUID
    user_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldApart:
    """Two entities of a pair that may be one are not."""

    pair_id: UUID
    user_id: UUID
    at: datetime
