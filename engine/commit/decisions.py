"""What the user decides of entities, relations and intentions, as changes of the graph; see `engine.commit.changes`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.domain.commit import CommitKind
from engine.domain.entity_decision import AliasDecision, EntityCorrection
from engine.domain.intention import IntentionDecision
from engine.domain.merging import NewMerge, ToldApart, UndoneMerge
from engine.domain.relation import RelationDecision


@dataclass(frozen=True, slots=True)
class EntitiesMerged:
    """An entity that became part of another."""

    kind: ClassVar[CommitKind] = "entities_merged"
    statement: ClassVar[str] = "entity/merged"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    merge: NewMerge


@dataclass(frozen=True, slots=True)
class MergeUndone:
    """The end of a merge."""

    kind: ClassVar[CommitKind] = "merge_undone"
    statement: ClassVar[str] = "entity/merge_undone"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    undone: UndoneMerge


@dataclass(frozen=True, slots=True)
class EntitiesApart:
    """Two entities that may be one were told apart."""

    kind: ClassVar[CommitKind] = "told_apart"
    statement: ClassVar[str] = "entity/apart"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    apart: ToldApart


@dataclass(frozen=True, slots=True)
class RelationDecided:
    """The user archived a relation, or lets it count again, or gave it properties."""

    kind: ClassVar[CommitKind] = "relation_decided"
    statement: ClassVar[str] = "entity/decided"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    decision: RelationDecision


@dataclass(frozen=True, slots=True)
class EntityCorrected:
    """The user corrected the name or the kind of an entity."""

    kind: ClassVar[CommitKind] = "entity_corrected"
    statement: ClassVar[str] = "entity/corrected"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    correction: EntityCorrection


@dataclass(frozen=True, slots=True)
class AliasDecided:
    """The user gave an entity an alias, or took it away."""

    kind: ClassVar[CommitKind] = "alias_decided"
    statement: ClassVar[str] = "entity/alias_decided"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    decision: AliasDecision


@dataclass(frozen=True, slots=True)
class IntentionDecided:
    """The user said what became of an intention."""

    kind: ClassVar[CommitKind] = "intention_decided"
    statement: ClassVar[str] = "entity/intention_decided"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    decision: IntentionDecision
