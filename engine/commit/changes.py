"""Changes of the graph as commits carry them: each value knows the statement that applies it; here is their one form in JSON.

    to add one   a class below, in the union; its statement in `cypher/engine`. Who may write its rows may commit it (see
                 `engine.may_accept`): each row names its `user_id`, of whose graph all is that the statement changes, and, for
                 writers beside the owner, its `node_id`

The row of a commit holds {"changes": [{"kind": …, and the parameter of the statement}, …]}, which are applied in this order in
one transaction. Its column `kind` is the kind of the first, as which it is listed, `kinds` has all: a statement that looks for
changes of a kind reads that, and then all changes of the row (`engine.graph_changes`). Rows of older releases hold the parameter
of one statement, and its kind beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, get_args

import orjson

from engine.domain.commit import CommitKind
from engine.domain.entity import AliasDecision, EntityCorrection
from engine.domain.graph import (
    EdgeRevision,
    ManifestLine,
    NewMerge,
    NewShell,
    NodeRevision,
    RecordFacts,
    RecordMentions,
    RecordRelations,
    RecordRevision,
    RewordedRecord,
    ToldApart,
    UndoneMerge,
)
from engine.domain.intention import IntentionDecision
from engine.domain.relation import RelationDecision
from engine.domain.retraction import RecordRetraction
from engine.stores.rows import json_text

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _GraphPart:
    """`withdrawn`: the statement that takes a change away again where its commit is discarded, if there is one. `of_records`: it
    needs records and their nodes alone, and is applied together with others of this sort in one statement."""

    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False


# the one field of each is the parameter of its statement ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntitiesMerged(_GraphPart):
    """An entity that became part of another."""

    kind: ClassVar[CommitKind] = "entities_merged"
    statement: ClassVar[str] = "entity/merged"
    merge: NewMerge


@dataclass(frozen=True, slots=True)
class MergeUndone(_GraphPart):
    """The end of a merge."""

    kind: ClassVar[CommitKind] = "merge_undone"
    statement: ClassVar[str] = "entity/merge_undone"
    undone: UndoneMerge


@dataclass(frozen=True, slots=True)
class EntitiesApart(_GraphPart):
    """Two entities that may be one were told apart."""

    kind: ClassVar[CommitKind] = "told_apart"
    statement: ClassVar[str] = "entity/apart"
    apart: ToldApart


@dataclass(frozen=True, slots=True)
class RelationDecided(_GraphPart):
    """The user archived a relation, or lets it count again, or gave it properties."""

    kind: ClassVar[CommitKind] = "relation_decided"
    statement: ClassVar[str] = "entity/decided"
    decision: RelationDecision


@dataclass(frozen=True, slots=True)
class EntityCorrected(_GraphPart):
    """The user corrected the name or the kind of an entity."""

    kind: ClassVar[CommitKind] = "entity_corrected"
    statement: ClassVar[str] = "entity/corrected"
    correction: EntityCorrection


@dataclass(frozen=True, slots=True)
class AliasDecided(_GraphPart):
    """The user gave an entity an alias, or took it away."""

    kind: ClassVar[CommitKind] = "alias_decided"
    statement: ClassVar[str] = "entity/alias_decided"
    decision: AliasDecision


@dataclass(frozen=True, slots=True)
class IntentionDecided(_GraphPart):
    """The user said what became of an intention."""

    kind: ClassVar[CommitKind] = "intention_decided"
    statement: ClassVar[str] = "entity/intention_decided"
    decision: IntentionDecision


@dataclass(frozen=True, slots=True)
class NodeProvisioned(_GraphPart):
    """A new node."""

    kind: ClassVar[CommitKind] = "node"
    statement: ClassVar[str] = "node/provision"
    withdrawn: ClassVar[str] = "lifecycle/node_withdrawn"
    node: NewShell


@dataclass(frozen=True, slots=True)
class RecordsEntered(_GraphPart):
    """New records."""

    kind: ClassVar[CommitKind] = "records"
    statement: ClassVar[str] = "record/apply"
    withdrawn: ClassVar[str] = "lifecycle/records_withdrawn"
    of_records: ClassVar[bool] = True
    records: Sequence[ManifestLine]


@dataclass(frozen=True, slots=True)
class Granted(_GraphPart):
    """A grant, as the function of the database that checks it says it."""

    kind: ClassVar[CommitKind] = "granted"
    statement: ClassVar[str] = "access/granted"
    withdrawn: ClassVar[str] = "access/revoked"
    grant: Json


@dataclass(frozen=True, slots=True)
class Revoked(_GraphPart):
    """The end of a grant, said by the database, too."""

    kind: ClassVar[CommitKind] = "revoked"
    statement: ClassVar[str] = "access/revoked"
    grant: Json


@dataclass(frozen=True, slots=True)
class NodeRevised(_GraphPart):
    """A node that was changed or moved."""

    kind: ClassVar[CommitKind] = "node_revised"
    statement: ClassVar[str] = "node/revised"
    revision: NodeRevision


@dataclass(frozen=True, slots=True)
class RecordRevised(_GraphPart):
    """A record that was changed, moved, or made again."""

    kind: ClassVar[CommitKind] = "record_revised"
    statement: ClassVar[str] = "record/revised"
    revision: RecordRevision


@dataclass(frozen=True, slots=True)
class EdgeRevised(_GraphPart):
    """An edge that was made or changed."""

    kind: ClassVar[CommitKind] = "edge_revised"
    statement: ClassVar[str] = "edge/revised"
    revision: EdgeRevision


@dataclass(frozen=True, slots=True)
class EntitiesMentioned(_GraphPart):
    """What records mention; they are there, or entered before it in the same commit."""

    kind: ClassVar[CommitKind] = "mentions"
    statement: ClassVar[str] = "entity/mentioned"
    withdrawn: ClassVar[str] = "lifecycle/mentions_withdrawn"
    of_records: ClassVar[bool] = True
    mentions: Sequence[RecordMentions]


@dataclass(frozen=True, slots=True)
class RelationsStated(_GraphPart):
    """Relations that records state, between entities that are there, or entered before in the same commit."""

    kind: ClassVar[CommitKind] = "relations"
    statement: ClassVar[str] = "entity/related"
    withdrawn: ClassVar[str] = "lifecycle/relations_withdrawn"
    of_records: ClassVar[bool] = True
    relations: Sequence[RecordRelations]


@dataclass(frozen=True, slots=True)
class FactsStated(_GraphPart):
    """Facts that records state, and known ones that are others than before; their entities are there, or entered before in the
    same commit."""

    kind: ClassVar[CommitKind] = "facts"
    statement: ClassVar[str] = "fact/stated"
    withdrawn: ClassVar[str] = "lifecycle/facts_withdrawn"
    of_records: ClassVar[bool] = True
    facts: Sequence[RecordFacts]


@dataclass(frozen=True, slots=True)
class RecordRetracted(_GraphPart):
    """What a record speaks of was withdrawn, or came back; it follows the change of the record."""

    kind: ClassVar[CommitKind] = "record_retracted"
    statement: ClassVar[str] = "entity/retracted"
    retraction: RecordRetraction


@dataclass(frozen=True, slots=True)
class RecordReworded(_GraphPart):
    """A text of a record was changed by hand: it is read for names again."""

    kind: ClassVar[CommitKind] = "record_reworded"
    statement: ClassVar[str] = "entity/reworded"
    reworded: RewordedRecord


GraphChange = (
    NodeProvisioned
    | RecordsEntered
    | Granted
    | Revoked
    | NodeRevised
    | RecordRevised
    | EdgeRevised
    | EntitiesMentioned
    | RelationsStated
    | FactsStated
    | EntitiesMerged
    | MergeUndone
    | EntitiesApart
    | RelationDecided
    | EntityCorrected
    | AliasDecided
    | IntentionDecided
    | RecordRetracted
    | RecordReworded
)
OF_KIND: Mapping[str, type[GraphChange]] = {change.kind: change for change in get_args(GraphChange)}

# their form in JSON ------------------------------------------------------------------------------------------


def to_json(change: GraphChange) -> Json:
    """A change as the row of its commit holds it. Raises InvalidInput."""
    return {"kind": change.kind, **orjson.loads(json_text(change))}


def from_row(kind: str, payload: object) -> tuple[Json, ...]:
    """The changes of a commit's row, also of one that an older release wrote; none of a damaged row."""
    if not isinstance(payload, dict):
        return ()
    changes = payload.get("changes", [{"kind": kind, **payload}])
    return tuple(changes) if isinstance(changes, list) and all(map(is_change, changes)) else ()


def is_change(value: object) -> bool:
    """Whether a stored value is a change of a kind that is known, with the parameter of its statement."""
    kind = value.get("kind") if isinstance(value, dict) else None
    known = OF_KIND.get(kind) if isinstance(kind, str) else None
    return known is not None and isinstance(value, dict) and value.keys() == {"kind", fields(known)[0].name}


def parameters(change: Json) -> dict[str, Any]:
    """The parameters of the statement that applies a stored change."""
    return {name: value for name, value in change.items() if name != "kind"}
