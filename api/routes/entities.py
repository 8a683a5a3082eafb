"""Entities: people, places and things that records mention; relations, merges, profiles; communities of entities, clusters of
facts, insights over both; intentions: what people say that they want or plan to do; experimental.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import Field

from api.bodies import JsonRoute
from api.context import AtMoment, OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, identity, number
from api.models import PropertyName, PropertyText
from api.problems import WRITES, documented, replayable
from engine.domain.community import Community, CommunityOf, CommunityView, EntityMeaning, Insight, InsightKind
from engine.domain.entity import (
    Alias,
    AliasType,
    Entity,
    EntityFact,
    EntityFilter,
    EntityPlace,
    EntitySummary,
    FactGroup,
    Merge,
    Pair,
    Profile,
    Relation,
    RelationBetween,
    Why,
)
from engine.domain.file_state import LONGEST_NOTE
from engine.domain.intention import Intention, IntentionState
from engine.domain.names import MOST_CHARACTERS as LONGEST_NAME
from engine.domain.relation import MOST_ENTITIES, MOST_PROPERTIES, MentionedTogether
from engine.domain.written import Body

of_entities = APIRouter(prefix="/v1/users/{user_id}", tags=["entities"], route_class=JsonRoute)
of_communities = APIRouter(prefix="/v1/users/{user_id}", tags=["entities"])
of_intentions = APIRouter(prefix="/v1/users/{user_id}/intentions", tags=["intentions"], route_class=JsonRoute)


class MergeBody(Body):
    """Two entities that are one."""

    merged_id: UUID = Field(description="The entity that becomes part of this one.")
    reason: str = Field(default="", max_length=LONGEST_NOTE)


class ReasonBody(Body):
    """Why."""

    reason: str = Field(default="", max_length=LONGEST_NOTE, examples=["another Ellen"])


class CorrectionBody(Body):
    """What is right of an entity; what is left out stays."""

    name: str | None = Field(default=None, max_length=LONGEST_NAME, examples=["Dave Kowalski"])
    kind: str | None = Field(default=None, max_length=63, examples=["person"])
    reason: str = Field(default="", max_length=LONGEST_NOTE)


class AliasBody(Body):
    """An alias of an entity."""

    type: AliasType = Field(description="What it is: a name, an address, or an id in another system.")
    value: str = Field(min_length=1, max_length=LONGEST_NAME, examples=["dave@example.org"])


class PropertiesBody(Body):
    """Properties of a relation."""

    properties: dict[PropertyName, PropertyText] = Field(
        max_length=MOST_PROPERTIES, examples=[{"since_when": "school"}]
    )


def _wanted(
    kind: Annotated[list[str] | None, Query(max_length=20, description="Only of these kinds.")] = None,
    name: Annotated[str, Query(max_length=200, description="The beginning of a word in a name.")] = "",
    everything: Annotated[bool, Query(alias="all", description="Also what a single passage mentions.")] = False,
) -> EntityFilter:
    return EntityFilter(tuple(kind or ()), name, everything)


_LEFT_OUT = {"description": "How many entities of this page are not in it; see `all`.", "schema": {"type": "integer"}}


@of_entities.get(
    "/entities",
    operation_id="listEntities",
    responses={200: {"headers": {**PAGE_HEADERS[200]["headers"], "Left-Out": _LEFT_OUT}}},
)
async def entities(
    memory: UserMemory,
    moment: AtMoment,
    page: APage,
    wanted: Annotated[EntityFilter, Depends(_wanted)],
    response: Response,
) -> Sequence[EntitySummary]:
    """Entities, those with most mentions first, one page; without `all` or `name` none that a single passage mentions."""
    start = page.start(_entity, None)
    found = await memory.entities.list(
        moment,
        kinds=wanted.kinds,
        name=wanted.name,
        after=start,
        limit=page.limit,
        everything=wanted.everything,
    )
    response.headers["Left-Out"] = str(found.left_out)
    return page.of(found, lambda entity: entity.place)


def _entity(parts: Any) -> EntityPlace:
    mentions, entity_id = parts
    return number(mentions), identity(entity_id)


@of_entities.get("/entities/{entity_id}", operation_id="getEntity")
async def entity(entity_id: UUID, memory: UserMemory, moment: AtMoment) -> Entity:
    """One entity: names, nodes, latest mentions. Of a merged one, that which it is part of."""
    return await memory.entities.get(entity_id, moment)


@of_entities.post("/entities/{entity_id}/correct", operation_id="correctEntity", responses=WRITES)
async def correct(entity_id: UUID, body: CorrectionBody, memory: OnceMemory) -> Entity:
    """Corrects the display name of an entity, its kind, or both, for good; the old name stays one of its names."""
    return await memory.entities.correct(entity_id, name=body.name, kind=body.kind, reason=body.reason)


@of_entities.get("/entities/{entity_id}/aliases", operation_id="listAliases", responses=PAGE_HEADERS)
async def aliases(entity_id: UUID, memory: UserMemory, page: APage) -> Sequence[Alias]:
    """Names and addresses that lead to an entity, one page; for the user alone."""
    return page.window(await memory.entities.aliases(entity_id))


@of_entities.post(
    "/entities/{entity_id}/aliases", operation_id="addAlias", status_code=201, responses=replayable() | WRITES
)
async def add_alias(entity_id: UUID, body: AliasBody, memory: OnceMemory) -> Alias:
    """Gives an entity an alias, verified: where a text has it, that entity is meant."""
    return await memory.entities.add_alias(entity_id, body.type, body.value)


@of_entities.post("/entities/{entity_id}/aliases/verify", operation_id="verifyAlias", responses=WRITES)
async def verify_alias(entity_id: UUID, body: AliasBody, memory: OnceMemory) -> Alias:
    """Vouches for an alias that the entity has."""
    return await memory.entities.verify_alias(entity_id, body.type, body.value)


@of_entities.post("/entities/{entity_id}/aliases/remove", operation_id="removeAlias", responses=WRITES)
async def remove_alias(entity_id: UUID, body: AliasBody, memory: OnceMemory) -> Alias:
    """Takes an alias from an entity: it is free for another one."""
    return await memory.entities.remove_alias(entity_id, body.type, body.value)


@of_entities.get("/entities/{entity_id}/relations", operation_id="listRelations", responses=PAGE_HEADERS)
async def relations(
    entity_id: UUID,
    memory: UserMemory,
    moment: AtMoment,
    page: APage,
    ended: Annotated[bool, Query(description="Also those that are over.")] = False,
) -> Sequence[Relation]:
    """The strongest 1,000 relations of an entity, in both directions, one page."""
    return page.window(await memory.entities.relations(entity_id, moment, ended=ended, limit=1000))


@of_entities.get("/entities/{entity_id}/facts", operation_id="listEntityFacts", responses=PAGE_HEADERS)
async def facts(
    entity_id: UUID,
    memory: UserMemory,
    page: APage,
    ended: Annotated[bool, Query(description="For the user also those that are over.")] = False,
) -> Sequence[EntityFact]:
    """The strongest 1,000 live facts about an entity, those that it is the subject of first, one page."""
    return page.window(await memory.entities.facts(entity_id, ended=ended, limit=1000))


@of_entities.get("/entities/{entity_id}/profile", operation_id="getEntityProfile")
async def profile(entity_id: UUID, memory: UserMemory) -> Profile:
    """What is known of an entity now, in at most 300 tokens, composed of what the caller may read."""
    return await memory.profiles.entity(entity_id)


@of_entities.get("/profile", operation_id="getUserProfile", responses=PAGE_HEADERS)
async def user_profile(
    memory: UserMemory,
    page: APage,
    by: Annotated[Literal["type", "category"], Query(description="What the groups are.")] = "type",
) -> Sequence[FactGroup]:
    """The live facts of the user's memory in groups, with the ten strongest of each, one page; for the user alone."""
    return page.window(await memory.profiles.user(by))


@of_entities.get("/relations", operation_id="listRelationsBetween", responses=PAGE_HEADERS)
async def relations_between(
    memory: UserMemory,
    moment: AtMoment,
    page: APage,
    entity_id: Annotated[list[UUID], Query(max_length=MOST_ENTITIES, description="The entities.")],
) -> Sequence[RelationBetween]:
    """The strongest 1,000 relations between these entities that hold, one page. An entity that may not be read has none."""
    return page.window(await memory.entities.relations_between(entity_id, moment, limit=1000))


@of_entities.get("/entities-together", operation_id="listMentionedTogether", responses=PAGE_HEADERS)
async def mentioned_together(
    memory: UserMemory,
    page: APage,
    entity_id: Annotated[list[UUID], Query(max_length=MOST_ENTITIES, description="The entities.")],
) -> Sequence[MentionedTogether]:
    """The 1,000 pairs of these entities that most records mention together, one page; for the user alone."""
    return page.window(await memory.entities.mentioned_together(entity_id, limit=1000))


@of_entities.get("/relations/{relation_id}/why", operation_id="whyRelation")
async def why(relation_id: UUID, memory: UserMemory, moment: AtMoment) -> Why:
    """The records that state a relation, and where."""
    return await memory.entities.why(relation_id, moment)


@of_entities.post("/relations/{relation_id}/archive", operation_id="archiveRelation", responses=WRITES)
async def archive_relation(relation_id: UUID, body: ReasonBody, memory: OnceMemory) -> Relation:
    """Sets a relation aside that the user finds wrong, whatever states it from then on."""
    return await memory.entities.archive_relation(relation_id, body.reason)


@of_entities.post("/relations/{relation_id}/restore", operation_id="restoreRelation", responses=WRITES)
async def restore_relation(relation_id: UUID, body: ReasonBody, memory: OnceMemory) -> Relation:
    """Lets an archived relation count again. Repeating it changes nothing."""
    return await memory.entities.restore_relation(relation_id, body.reason)


@of_entities.put("/relations/{relation_id}/properties", operation_id="describeRelation", responses=WRITES)
async def describe_relation(relation_id: UUID, body: PropertiesBody, memory: OnceMemory) -> Relation:
    """Gives a relation properties of the user's own, in place of those that it has."""
    return await memory.entities.describe_relation(relation_id, body.properties)


@of_entities.get("/entity-pairs", operation_id="reviewEntities", responses=PAGE_HEADERS)
async def review(memory: UserMemory, page: APage) -> Sequence[Pair]:
    """Pairs of entities that may be one, the likeliest first; merge them, or tell them apart."""
    return page.window(await memory.entities.review(limit=500))


@of_entities.post(
    "/entity-pairs/{pair_id}/apart", operation_id="tellEntitiesApart", responses=documented(400, 413, 415)
)
async def apart(pair_id: UUID, memory: OnceMemory) -> Pair:
    """Decides that the entities of a pair are two."""
    return await memory.entities.tell_apart(pair_id)


@of_entities.post(
    "/entities/{entity_id}/merges", operation_id="mergeEntities", status_code=201, responses=replayable() | WRITES
)
async def merge(entity_id: UUID, body: MergeBody, memory: OnceMemory) -> Merge:
    """Takes another entity as part of this one: both are read as one from now on."""
    return await memory.entities.merge(entity_id, body.merged_id, body.reason)


@of_entities.get("/entity-merges", operation_id="listEntityMerges", responses=PAGE_HEADERS)
async def merges(memory: UserMemory, moment: AtMoment, page: APage) -> Sequence[Merge]:
    """The merges that hold, newest first."""
    return page.window(await memory.entities.merges(moment, limit=500))


@of_entities.post("/entity-merges/{merge_id}/undo", operation_id="undoEntityMerge", responses=documented(400, 413, 415))
async def undo(merge_id: UUID, memory: OnceMemory) -> Merge:
    """Ends a merge; its entities are read apart again. Repeating it changes nothing."""
    return await memory.entities.undo_merge(merge_id)


@of_communities.get("/communities", operation_id="listCommunities", responses=PAGE_HEADERS)
async def communities(
    memory: UserMemory,
    page: APage,
    of: Annotated[CommunityOf, Query(description="Communities of entities, or clusters of facts.")] = "entities",
) -> Sequence[Community]:
    """The largest 500 communities or clusters, as they hold now, one page; for the user alone."""
    return page.window(await memory.communities.list(of, limit=500))


@of_communities.get("/communities/{community_id}", operation_id="getCommunity")
async def community(community_id: UUID, memory: UserMemory) -> CommunityView:
    """A community or a cluster with its members and the relations between them."""
    return await memory.communities.get(community_id)


@of_communities.get("/insights", operation_id="listInsights", responses=PAGE_HEADERS)
async def insights(
    memory: UserMemory,
    page: APage,
    kind: Annotated[InsightKind | None, Query(description="Only of this kind.")] = None,
    ended: Annotated[bool, Query(description="Also those that were found no more.")] = False,
) -> Sequence[Insight]:
    """The newest 500 insights, one page; for the user alone."""
    return page.window(await memory.insights.list(kind, ended=ended, limit=500))


@of_communities.get("/entities/{entity_id}/meaning", operation_id="getEntityMeaning")
async def meaning(entity_id: UUID, memory: UserMemory) -> EntityMeaning:
    """What the texts that mention an entity mean: words that set them apart, drift; for the user alone."""
    return await memory.entities.meaning(entity_id)


class StateBody(Body):
    """What became of an intention."""

    state: IntentionState
    reason: str = Field(default="", max_length=LONGEST_NOTE)


@of_intentions.get("", operation_id="listIntentions", responses=PAGE_HEADERS)
async def intentions(
    memory: UserMemory,
    page: APage,
    state: Annotated[IntentionState | None, Query(description="Only in this state.")] = None,
    entity_id: Annotated[UUID | None, Query(description="Only of this entity.")] = None,
) -> Sequence[Intention]:
    """Intentions that records state, those that are due first, then the newest, one page; for the user alone."""
    return page.window(await memory.intentions.list(state=state, entity_id=entity_id, limit=500))


@of_intentions.put("/{intention_id}/state", operation_id="decideIntention", responses=WRITES)
async def decide(intention_id: UUID, body: StateBody, memory: OnceMemory) -> Intention:
    """Says that an intention is done or dropped, or open again."""
    return await memory.intentions.decide(intention_id, body.state, body.reason)
