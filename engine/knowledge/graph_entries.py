"""What records speak of, as changes of the graph. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.commit.changes import EntitiesMentioned, RelationsStated
from engine.domain.graph import EntityMention, RecordMentions, RecordRelations, RewordedFact, StatedRelation
from engine.domain.record import RecordDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSpoken:
    """What a record speaks of at a revision of it. `at`: when it was said; `rewordings`: changes of its texts that were known."""

    record_id: UUID
    user_id: UUID
    node_id: UUID
    commit_id: UUID
    revision: int
    known_from: datetime
    at: datetime
    entities: Sequence[EntityMention]
    relations: Sequence[StatedRelation]
    rewordings: int = 0
    facts: Sequence[RewordedFact] = ()


def spoken_of(
    draft: RecordDraft, *, user_id: UUID, commit_id: UUID, revision: int, known_from: datetime
) -> RecordSpoken:
    """The same of a draft."""
    return RecordSpoken(
        record_id=draft.record_id,
        user_id=user_id,
        node_id=draft.node.node_id,
        commit_id=commit_id,
        revision=revision,
        known_from=known_from,
        at=draft.occurred_at or known_from,
        entities=draft.entities,
        relations=draft.relations,
    )


def entered(records: Sequence[RecordSpoken]) -> tuple[EntitiesMentioned, RelationsStated]:
    """The changes that enter all of it: first the entities, then what holds between them."""
    return EntitiesMentioned([_mentions(one) for one in records]), RelationsStated([_relations(one) for one in records])


def _mentions(one: RecordSpoken) -> RecordMentions:
    return RecordMentions(
        record_id=one.record_id,
        user_id=one.user_id,
        node_id=one.node_id,
        commit_id=one.commit_id,
        revision=one.revision,
        known_from=one.known_from,
        at=one.at,
        entities=one.entities,
        rewordings=one.rewordings,
        facts=one.facts,
    )


def _relations(one: RecordSpoken) -> RecordRelations:
    return RecordRelations(
        record_id=one.record_id,
        user_id=one.user_id,
        node_id=one.node_id,
        commit_id=one.commit_id,
        revision=one.revision,
        known_from=one.known_from,
        at=one.at,
        stated=one.relations,
        rewordings=one.rewordings,
    )
