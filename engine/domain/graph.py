"""What the graph keeps of nodes, records and edges, as changes of the graph carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.delta import BEGINNING, Delta, NewSlice, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
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


def times(new: NewSlice) -> dict[str, Any]:
    """The id and the times of a slice, as the graph keeps them."""
    one = new.slice
    begins = None if one.valid_from == BEGINNING else one.valid_from
    known = {"known_from": new.known_from, "known_to": new.known_to}
    return {"slice_id": new.row_id, "valid_from": begins, "valid_to": one.valid_to} | known


def own_slice(delta: Delta, plan: Plan) -> NewSlice | None:
    """What a subject's own row holds from now on."""
    return None if plan.own is None else NewSlice(delta.subject_id, plan.own, plan.own_known_from)
