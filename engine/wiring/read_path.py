"""The wiring of the read path, and of the knowledge graph."""

from __future__ import annotations

from typing import TypedDict

from engine.communities.builds import CommunityBuilds, MeaningReads
from engine.communities.clustering import Clusters
from engine.communities.graph_read import GraphReads
from engine.communities.insights import ModelInsights
from engine.communities.reads import CommunityReads
from engine.domain.clock import Clock
from engine.entities.decisions import EntityAliases, EntityDecisions, Merges
from engine.entities.reads import EntityReads
from engine.facts.about import EntityFacts
from engine.facts.decisions import FactDecisions
from engine.facts.items import FactItems
from engine.facts.profiles import ProfileComposer
from engine.facts.retraction import RetractedFacts, RetractedRecords
from engine.history.retractions import SourceRetractions
from engine.ingest.commit import RecordCommit
from engine.ingest.extraction.model_calls import AskedInsights
from engine.ingest.pipeline import Ingest
from engine.knowledge.intentions import IntentionLists
from engine.knowledge.unread_records import UnreadRecords
from engine.relations.decisions import RelationDecisions
from engine.retrieval.asked_relations import AskedRelations, Quotes
from engine.retrieval.context.about import Knowledge as KnownInGraph
from engine.retrieval.context.assembling import Answers, Contexts
from engine.retrieval.decayed import DecayedSearch
from engine.retrieval.pipeline import LimitedSearch, Search
from engine.retrieval.query import Narrowing
from engine.retrieval.scoped_search import ScopedSearch
from engine.retrieval.weights import load_weights
from engine.settings import Settings
from engine.wiring.write_path import Stores, asked


class KnowledgeParts(TypedDict):
    """What operations and jobs on the knowledge graph use."""

    entities: EntityReads
    entity_facts: EntityFacts
    merges: Merges
    relation_decisions: RelationDecisions
    entity_decisions: EntityDecisions
    entity_aliases: EntityAliases
    intentions: IntentionLists
    profiles: ProfileComposer
    fact_decisions: FactDecisions
    retractions: SourceRetractions
    unread_records: UnreadRecords
    communities: CommunityReads


def knowledge(settings: Settings, stores: Stores, ingest: Ingest, clock: Clock) -> KnowledgeParts:
    """Reads of entities, and what changes them."""
    entities, units = EntityReads(stores.neo4j, clock, stores.domain), ingest.commit.units
    facts = EntityFacts(stores.postgres, entities)
    items = FactItems(ingest.commit.writer.slices)
    unread = UnreadRecords(stores.postgres, stores.neo4j, units, ingest.entities, clock)
    return {
        "entities": entities,
        "entity_facts": facts,
        "merges": Merges(entities, units, clock),
        "relation_decisions": RelationDecisions(entities, units, clock),
        "entity_decisions": EntityDecisions(entities, units, clock, stores.domain),
        "entity_aliases": EntityAliases(entities, units, clock),
        "intentions": IntentionLists(entities, units, clock),
        "profiles": ProfileComposer(stores.postgres, entities, facts, stores.active),
        "fact_decisions": FactDecisions(stores.postgres, units, items, stores.active, clock),
        "retractions": _retractions(stores, ingest.commit, entities, clock),
        "unread_records": unread,
        "communities": CommunityReads(stores.postgres, stores.neo4j, clock, stores.domain, stores.active),
    }


def community_builds(settings: Settings, stores: Stores, clock: Clock) -> CommunityBuilds:
    """What finds communities."""
    postgres, model = stores.postgres, asked(settings, stores.postgres, stores.language, clock)
    reads = GraphReads(stores.neo4j, clock), Clusters(postgres), MeaningReads(postgres)
    modelled = ModelInsights(AskedInsights(model, stores.active).ask) if model else None
    return CommunityBuilds(postgres, stores.neo4j, reads, stores.active, stores.domain, modelled)


def _retractions(stores: Stores, commit: RecordCommit, entities: EntityReads, clock: Clock) -> SourceRetractions:
    records = RetractedRecords(commit.writer)
    facts = RetractedFacts(records, FactItems(commit.writer.slices))
    return SourceRetractions(stores.postgres, commit.units, entities, records, facts, stores.active, clock)


def read_path(settings: Settings, stores: Stores, known: KnowledgeParts, clock: Clock) -> tuple[object, ...]:
    """Searches, and what is made of them."""
    postgres, active, weights = stores.postgres, stores.active, load_weights(settings.ranking)
    quotes = Quotes(postgres, clock)
    relations = AskedRelations(postgres, known["entities"], stores.domain, quotes)
    search = Search(postgres, stores.neo4j, active, weights, clock, relations)
    limited = LimitedSearch(search, postgres, active)
    graph = KnownInGraph(postgres, known["entities"], known["entity_facts"])
    contexts = Contexts(limited, graph, postgres, active, weights.limits, clock)
    return (
        search,
        search.damage,
        limited,
        DecayedSearch(
            postgres,
            active,
            ScopedSearch(postgres, weights, search.damage),
            Narrowing(postgres, stores.neo4j),
            weights.limits,
            clock,
            settings.decay_days,
        ),
        contexts,
        Answers(contexts, stores.language, active),
        quotes,
    )
