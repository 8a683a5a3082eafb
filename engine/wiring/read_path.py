"""The wiring of the read path."""

from __future__ import annotations

from engine.domain.clock import Clock
from engine.retrieval.asked_relations import AskedRelations
from engine.retrieval.budgets import LimitedSearch
from engine.retrieval.context.about import Knowledge as KnownInGraph
from engine.retrieval.context.answering import Answers
from engine.retrieval.context.assembling import Contexts
from engine.retrieval.decayed import DecayedSearch
from engine.retrieval.narrowing import Narrowing
from engine.retrieval.pipeline import Search
from engine.retrieval.quotes import Quotes
from engine.retrieval.scoped_search import ScopedSearch
from engine.retrieval.weights import load_weights
from engine.settings import Settings
from engine.wiring.knowledge import KnowledgeParts
from engine.wiring.write_path import Stores


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
