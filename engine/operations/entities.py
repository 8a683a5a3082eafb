"""People, places and things that the records of a graph mention; profiles of them, and of the user by facts; communities of them,
clusters of facts, and insights over both; and what people say that they want or plan to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal
from uuid import UUID

from engine.communities.reads import CommunityReads
from engine.domain.clock import NOW, Moment
from engine.domain.community import Community, CommunityOf, CommunityView, EntityMeaning, Insight, InsightKind
from engine.domain.entity import (
    Alias,
    AliasType,
    Entity,
    EntityFact,
    EntityFilter,
    EntityPage,
    EntityPlace,
    FactGroup,
    Merge,
    Pair,
    Profile,
    Relation,
    RelationBetween,
    Why,
)
from engine.domain.intention import Intention, IntentionState
from engine.domain.read_limits import check_page
from engine.domain.relation import MentionedTogether
from engine.entities.decisions import EntityAliases, EntityDecisions, Merges
from engine.entities.reads import EntityReads
from engine.facts.about import EntityFacts
from engine.facts.profiles import ProfileComposer
from engine.knowledge.intentions import IntentionLists
from engine.operations import redactions
from engine.operations.caller import Part, owner, readers
from engine.operations.declaring import OfGraph, Redaction, reads, writes
from engine.relations.decisions import RelationDecisions
from engine.retrieval.asked_relations import Quotes
from engine.retrieval.touches import Touches

_REASON: Mapping[str, Redaction] = {"reason": redactions.note}
_ALIAS: Mapping[str, Redaction] = {"alias_type": redactions.without_text, "value": redactions.name}


class Entities(OfGraph, name="entities"):
    """Entities, their names and mentions. Readers other than the user get what records support that they may read."""

    _communities = Part(CommunityReads)
    _entities = Part(EntityReads)
    _entity_aliases = Part(EntityAliases)
    _entity_decisions = Part(EntityDecisions)
    _entity_facts = Part(EntityFacts)
    _merges = Part(Merges)
    _quotes = Part(Quotes)
    _relation_decisions = Part(RelationDecisions)
    _touches = Part(Touches)

    @reads(readers)
    async def list(
        self,
        moment: Moment = NOW,
        *,
        kinds: Sequence[str] = (),
        name: str = "",
        after: EntityPlace | None = None,
        limit: int = 100,
        everything: bool = False,
    ) -> EntityPage:
        """Entities, those with most mentions first, one page; `kinds`: only of these; `name`: only those of which a name has a
        word that begins so; `after` is the `place` of the last one of the page before.

        Left out, without `everything` or a `name`, is what a single passage of a document mentions, of those that the caller may
        read, where no fact, relation, correction, verified alias, merge or node is about it; `left_out` says how many."""
        wanted = EntityFilter(tuple(kinds), name, everything)
        return await self._entities.page(self._principal, moment, wanted, after=after, limit=limit)

    @reads(readers)
    async def get(self, entity_id: UUID, moment: Moment = NOW) -> Entity:
        """One entity: names, where it is mentioned, the latest mentions. Of one that was merged, that which it is part of.
        Counts as a read of it. Raises NotFound."""
        entity = await self._entities.entity(self._principal, entity_id, moment)
        self._touches.note_entities([entity.entity_id])
        return entity

    @reads(readers)
    async def relations(
        self, entity_id: UUID, moment: Moment = NOW, *, ended: bool = False, limit: int = 100
    ) -> tuple[Relation, ...]:
        """The relations of an entity, in both directions, the strongest first; `ended`: also those that are over. Raises
        NotFound."""
        return await self._entities.relations(self._principal, entity_id, moment, ended=ended, limit=limit)

    @reads(readers)
    async def relations_between(
        self, entity_ids: Sequence[UUID], moment: Moment = NOW, *, limit: int = 100
    ) -> tuple[RelationBetween, ...]:
        """The relations between these entities, at most 100, that hold, the strongest first. What may not be read has none.
        Raises InvalidInput."""
        return await self._entities.relations_between(self._principal, entity_ids, moment, limit=limit)

    @reads(owner)
    async def mentioned_together(
        self, entity_ids: Sequence[UUID], *, limit: int = 100
    ) -> tuple[MentionedTogether, ...]:
        """Pairs of these entities, at most 100, that records mention together now, those with most records first. Raises
        InvalidInput."""
        return await self._entities.mentioned_together(self._principal, entity_ids, limit=limit)

    @reads(readers)
    async def facts(self, entity_id: UUID, *, ended: bool = False, limit: int = 100) -> tuple[EntityFact, ...]:
        """Live facts about an entity, those that it is the subject of first; `ended`: for the user also those that are over.
        Raises NotFound."""
        return await self._entity_facts.page(self._principal, entity_id, ended=ended, limit=limit)

    @reads(readers)
    async def why(self, relation_id: UUID, moment: Moment = NOW, *, limit: int = 100) -> Why:
        """The records that state a relation, and in which words, the weightiest first; of the past without words, as items may
        read otherwise now. Raises NotFound where none may be read."""
        why = await self._entities.why(self._principal, relation_id, moment, limit=limit)
        return await self._quotes.quoted(self._principal, why) if moment == NOW else why

    @writes(owner, redacts={"name": redactions.name_if_any, "kind": redactions.without_text, **_REASON}, once=True)
    async def correct(
        self, entity_id: UUID, *, name: str | None = None, kind: str | None = None, reason: str = ""
    ) -> Entity:
        """Corrects the display name of an entity, its kind, or both; what it is mentioned as later changes neither. The old name
        stays one of its names, its key stays. Returns it. Raises NotFound, InvalidInput, InvalidName."""
        decisions = self._entity_decisions
        return await decisions.correct(self._principal, entity_id, name=name, kind=kind, reason=reason)

    @reads(owner)
    async def aliases(self, entity_id: UUID) -> tuple[Alias, ...]:
        """The aliases of an entity, and of what was merged into it: names that lead to it, and what the user gave. Raises
        NotFound."""
        return await self._entity_aliases.of(self._principal, entity_id)

    @writes(owner, redacts=_ALIAS, once=True)
    async def add_alias(self, entity_id: UUID, alias_type: AliasType, value: str) -> Alias:
        """Gives an entity an alias, verified: where a text has it, that entity is meant. Repeating it changes nothing. Raises
        NotFound, InvalidInput, InvalidName, AliasTaken where another entity has it."""
        return await self._entity_aliases.give(self._principal, entity_id, alias_type, value)

    @writes(owner, redacts=_ALIAS, once=True)
    async def verify_alias(self, entity_id: UUID, alias_type: AliasType, value: str) -> Alias:
        """Vouches for an alias that an entity has, as a name that was found in texts. Raises NotFound, InvalidInput, InvalidName,
        AliasTaken."""
        return await self._entity_aliases.give(self._principal, entity_id, alias_type, value, new=False)

    @writes(owner, redacts=_ALIAS, once=True)
    async def remove_alias(self, entity_id: UUID, alias_type: AliasType, value: str) -> Alias:
        """Takes an alias from an entity: it is free for another one. Texts keep it. Raises NotFound, InvalidInput, InvalidName,
        Conflict for the display name."""
        own_id = self.caller.own_id("remove_alias", entity_id, alias_type, value)
        return await self._entity_aliases.take(self._principal, entity_id, alias_type, value, own_id)

    @writes(owner, redacts=_REASON, once=True)
    async def archive_relation(self, relation_id: UUID, reason: str = "") -> Relation:
        """Sets a relation aside that the user finds wrong: it is listed with those that are over alone, whatever states it from
        then on. Returns it, read from its source. Raises NotFound."""
        decisions = self._relation_decisions
        return await decisions.archive(self._principal, relation_id, archived=True, reason=reason)

    @writes(owner, redacts=_REASON, once=True)
    async def restore_relation(self, relation_id: UUID, reason: str = "") -> Relation:
        """Lets an archived relation count again; repeating it changes nothing. Raises NotFound."""
        decisions = self._relation_decisions
        return await decisions.archive(self._principal, relation_id, archived=False, reason=reason)

    @writes(owner, redacts={"properties": redactions.properties}, once=True)
    async def describe_relation(self, relation_id: UUID, properties: Mapping[str, str]) -> Relation:
        """Gives a relation properties of the user's own, in place of those that it has: at most 20 texts. Raises NotFound,
        InvalidInput, InvalidName."""
        return await self._relation_decisions.describe(self._principal, relation_id, properties)

    @reads(owner)
    async def meaning(self, entity_id: UUID) -> EntityMeaning:
        """What the texts that mention an entity mean, as a job found it. Raises NotFound, also where too few texts mention it."""
        return await self._communities.meaning(self._principal, entity_id)

    @reads(owner)
    async def review(self, *, limit: int = 100) -> tuple[Pair, ...]:
        """Pairs of entities that may be one, the likeliest first: `merge` them, or tell them `apart`."""
        return await self._entities.pairs(self._principal, limit=limit)

    @writes(owner, once=True)
    async def tell_apart(self, pair_id: UUID) -> Pair:
        """Decides that the entities of a pair are two; repeating it changes nothing. Raises NotFound."""
        return await self._merges.tell_apart(self._principal, pair_id)

    @writes(owner, redacts=_REASON, once=True)
    async def merge(self, entity_id: UUID, merged_id: UUID, reason: str = "") -> Merge:
        """Takes the second entity as part of the first: both are read as one. Nothing is rewritten, and it can be undone.
        Raises NotFound, Conflict where one of them is part of the other, or the second one of a third."""
        own_id = self.caller.own_id("merge", entity_id, merged_id)
        return await self._merges.merge(self._principal, entity_id, merged_id, reason, own_id)

    @writes(owner, once=True)
    async def undo_merge(self, merge_id: UUID) -> Merge:
        """Ends a merge: its entities are what they were before. Repeating it changes nothing. Raises NotFound."""
        return await self._merges.undo(self._principal, merge_id)

    @reads(owner)
    async def merges(self, moment: Moment = NOW, *, limit: int = 100) -> tuple[Merge, ...]:
        """The merges that hold, newest first."""
        return await self._merges.page(self._principal, moment, limit=limit)


class Profiles(OfGraph, name="profiles"):
    """What is known, in a few lines; composed at each call of what the caller may read."""

    _profiles = Part(ProfileComposer)
    _touches = Part(Touches)

    @reads(readers)
    async def entity(self, entity_id: UUID) -> Profile:
        """The profile of an entity as of now: who it is, relations, facts, what was said of it last. Counts as a read
        of it. Raises NotFound."""
        profile = await self._profiles.entity(self._principal, entity_id)
        self._touches.note_entities([profile.entity_id])
        return profile

    @reads(owner)
    async def user(self, by: Literal["type", "category"] = "type", *, limit: int = 10) -> tuple[FactGroup, ...]:
        """The live facts of the user's memory by type or category, with the strongest `limit` of each; those within threads and
        workflows are left out. Nothing where no model has read facts."""
        check_page(limit, 50)
        return await self._profiles.groups(self._principal, by, limit=limit)


class Communities(OfGraph, name="communities"):
    """What belongs together, as a job found it; for the user of the graph alone."""

    _communities = Part(CommunityReads)

    @reads(owner)
    async def list(self, of: CommunityOf = "entities", *, limit: int = 100) -> tuple[Community, ...]:
        """The largest communities of entities, or clusters of facts, as they hold now."""
        return await self._communities.page(self._principal, of, limit=limit)

    @reads(owner)
    async def get(self, community_id: UUID) -> CommunityView:
        """A community or a cluster with its members. Raises NotFound."""
        return await self._communities.view(self._principal, community_id)


class Insights(OfGraph, name="insights"):
    """What is seen over many facts, relations and records; for the user of the graph alone."""

    _communities = Part(CommunityReads)

    @reads(owner)
    async def list(
        self, kind: InsightKind | None = None, *, ended: bool = False, limit: int = 100
    ) -> tuple[Insight, ...]:
        """Insights, those found last first; `ended`: also those that a build found no more. One whose support has gone is left
        out."""
        return await self._communities.insights(self._principal, kind, ended=ended, limit=limit)


class Intentions(OfGraph, name="intentions"):
    """Intentions that records state; for the user of the graph alone."""

    _intentions = Part(IntentionLists)

    @reads(owner)
    async def list(
        self, *, state: IntentionState | None = None, entity_id: UUID | None = None, limit: int = 100
    ) -> tuple[Intention, ...]:
        """Intentions in any state, or in one, those that are due first, then the newest; of one entity, or of all."""
        return await self._intentions.page(self._principal, state=state, entity_id=entity_id, limit=limit)

    @writes(owner, redacts={"state": redactions.without_text, "reason": redactions.note}, once=True)
    async def decide(self, intention_id: UUID, state: IntentionState, reason: str = "") -> Intention:
        """Says that an intention is done or dropped, or open again. Raises NotFound."""
        own_id = self.caller.own_id("decide", intention_id, state, reason)
        return await self._intentions.decide(self._principal, intention_id, state, reason, own_id)
