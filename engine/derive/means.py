"""What derived things are made with."""

from __future__ import annotations

from dataclasses import dataclass

from engine.communities.builds import CommunityBuilds
from engine.derive.reading import Readings
from engine.domain.clock import Clock
from engine.ingest.pipeline import Ingest
from engine.knowledge.unread_records import UnreadRecords
from engine.lifecycle.embedding_versions import EmbeddingVersions
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres


@dataclass(frozen=True, slots=True)
class Means:
    """Stores, models, and the parts of other packages that derived things are made with."""

    postgres: Postgres
    neo4j: Neo4j
    active: ActiveModel
    clock: Clock
    ingest: Ingest
    unread: UnreadRecords
    readings: Readings
    communities: CommunityBuilds
    embeddings: EmbeddingVersions
    fact_stale_days: int
