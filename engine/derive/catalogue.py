"""All that is derived later from what is stored, one declaration each. To add one: an entry here, and the module that makes it.

What a thing `needs` notes its nodes where that changes; of anything else that it is made from, the writer notes them
(`engine.commit.rows.due`). The first start with a new entry, or with a higher version, notes all nodes. What takes long, or
asks a service that may be silent, has a job of its own: nothing else waits for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from datetime import timedelta

from engine.commit.rows import due
from engine.derive.chains import UnchainedFacts
from engine.derive.derivations import ByItself, ByNode, Counts, Derivation, Means
from engine.derive.items import Centroids, ItemTokens, Stems, Vectors
from engine.derive.names import Entities, Names
from engine.domain.graph import READER
from engine.facts.graph_entries import CarriedFacts
from engine.lifecycle.finding import Finding
from engine.progress import counted
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

EVERY_MINUTE = "* * * * *"


async def _canary(means: Means) -> Counts:
    if not any(version.status == "canary" for version in await means.embeddings.list()):
        return {}
    built = await means.embeddings.build()
    return {"filled": built.filled, "remaining": built.remaining}


async def _facts(means: Means) -> Counts:
    since = {"since": means.clock.now() - timedelta(days=means.fact_stale_days)}
    await means.postgres.change_as_service(sql_text("fact/stale"), since)
    commit, entities = means.ingest.commit, means.ingest.entities
    return {"carried": await CarriedFacts(commit.postgres, commit.units, entities, means.clock).run()}


async def _communities(means: Means) -> Counts:
    return asdict(await means.communities.run())


def _chains(means: Means) -> UnchainedFacts:
    commit = means.ingest.commit
    return UnchainedFacts(commit.postgres, commit.units, commit.facts, means.active, means.clock)


CATALOGUE = (
    Derivation(
        "vectors",
        "vectors that writes left out",
        ByNode(lambda means: Vectors(means.postgres, means.neo4j, means.active)),
        job="pending-embeddings",
        schedule=EVERY_MINUTE,
        late=0,  # what has none is found by words alone
    ),
    Derivation(
        "tokens",
        "tokens of older items",
        ByNode(lambda means: ItemTokens(means.postgres, means.active), seconds=30, duty=0.5),
        job="pending-embeddings",
        schedule=EVERY_MINUTE,
        needs=("embeddings",),
    ),
    Derivation(
        "centroids",
        "centroids of nodes",
        ByNode(lambda means: Centroids(means.postgres, means.active), seconds=30, duty=0.5),
        job="pending-embeddings",
        schedule=EVERY_MINUTE,
        needs=("content", "embeddings", "vectors", "chains"),
    ),
    Derivation("canary", "vectors that a canary still lacks", ByItself(_canary), "embedding-build", "*/5 * * * *"),
    Derivation(
        "stems",
        "stems of older items",
        ByNode(lambda means: Stems(means.postgres)),
        job="node-upgrade",
        schedule="17 * * * *",
        late=2 * 3600,
    ),
    Derivation(
        "reading",
        "readings by the model of what it has not read yet",
        ByItself(lambda means: means.readings.run()),
        job="pending-readings",
        schedule=EVERY_MINUTE,
    ),
    Derivation(
        "entities",
        "entities of records that were stored without them, or changed by hand",
        ByNode(lambda means: Entities(means.postgres, means.unread)),
        job="entities",
        schedule="*/5 * * * *",
        version=READER,
    ),
    Derivation(
        "names",
        "names of entities in the rows of older items",
        ByNode(lambda means: Names(means.postgres, means.neo4j, means.ingest.entities)),
        job="entities",
        schedule="*/5 * * * *",
    ),
    Derivation("chains", "chains of facts", ByNode(_chains), "fact-chains", "*/10 * * * *"),
    Derivation("facts", "facts in the graph, and marks of stale ones", ByItself(_facts), "fact-chains", "*/10 * * * *"),
    Derivation(
        "communities",
        "communities, clusters and insights where data changed",
        ByItself(_communities),
        job="communities",
        schedule="7,37 * * * *",
    ),
)
DERIVATIONS: Mapping[str, Derivation] = {one.name: one for one in CATALOGUE}


async def late(postgres: Postgres) -> AsyncIterator[Finding]:
    """What is due for longer than it takes: since when, at which version, what makes it, and why it was not made. Raises
    StoreUnavailable."""
    for one in await due.waiting(postgres):
        derivation = DERIVATIONS.get(one.derivation)  # none of a newer release, which stays noted
        if derivation is None or one.age.total_seconds() < derivation.late:
            continue
        reason = f" ({one.reason})" if one.reason else ""
        problem = f"{derivation.about}: due since {one.oldest:%Y-%m-%d %H:%M}, version {one.version}{reason}"
        remedy = (
            f"nothing to do: the job {derivation.job} makes them; `neurigraph job log {derivation.job}` has its runs"
        )
        yield Finding("warning", "postgres", counted(one.waiting, "record" if one.records else "node"), problem, remedy)
