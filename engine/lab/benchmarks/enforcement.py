"""The cost of access control in a search: compared with the same search without it, and for 10,000 grants.

Without it the statements run under the role that bypasses the policies, and the predicate is removed from the Cypher
statement. An integration with a grant on the whole graph is the most expensive reader: it owns no row.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID

from engine.domain.grant import NewGrant
from engine.domain.history import History, PlannedNode
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, at_most, percentiles
from engine.lab.benchmarks.retrieval import HITS, ITEMS, NODES, Timed, Way, asked, asked_in, filled
from engine.memory import Memory
from engine.operations.caller import Caller
from engine.progress import Progress
from engine.retrieval.pipeline import Search
from engine.retrieval.weights import load_weights
from engine.settings import Settings
from engine.stores.neo4j import Neo4j, Result
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

GRANTS = 10_000
OTHER_NODES = 50
_PREDICATE = re.compile(r"\(\$principal = \$user_id OR EXISTS \{.*?\} \}\)")


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """50 nodes with 5,000 items, searched by their user with and without access control, and by two integrations."""
    base = await base_history(data, settings.max_text_bytes, progress)
    questions = asked_in(base)
    async with empty_ground(settings, progress) as ground:
        memory, before = await filled(ground, base, progress), ground.meter.read()
        few, many = await _subject(ground, memory, "few"), await _subject(ground, memory, "many")
        await _more_grants(ground, many.principal.principal_id)
        async with _without_enforcement(ground) as free:
            ways = {
                "enforced": _way(memory),
                "free": _way(Memory(Caller(memory.principal, ground.engine.parts.replaced(free)))),
                "granted": _way(few),
                "granted_among_many": _way(many),
            }
            timed = await asked(ground, ways, questions, progress)
        whole = ground.meter.read().since(before)
    details = {"nodes": NODES, "items": ITEMS, "questions": len(questions), "grants": GRANTS}
    return Report("enforcement", tuple(_figures(timed)), whole.wall, dict(whole.cpu), details)


def _way(memory: Memory) -> Way:
    async def search(question: str) -> object:
        answer = await memory.search(SearchRequest(question, limit=HITS, widen="always"))
        assert answer.nodes_searched == NODES, f"{answer.nodes_searched} nodes were searched"
        return answer

    return search


@dataclass(frozen=True, slots=True)
class _Grant:
    grant_id: UUID
    node_id: UUID
    granted_at: datetime


class _UnfilteredGraph(Neo4j):
    """The graph store without the readers' predicate in its statements; shares the driver."""

    def __init__(self, graph: Neo4j) -> None:
        self.__dict__.update(graph.__dict__)

    async def _run(
        self, statement: LiteralString, parameters: dict[str, Any], access: str, limit: float | None = None
    ) -> Result:
        """The rows of the statement without its predicate."""
        unfiltered, filters = _PREDICATE.subn("true", statement)
        assert filters > 0
        return await super()._run(unfiltered, parameters, access, limit)


@asynccontextmanager
async def _without_enforcement(ground: Ground) -> AsyncIterator[Search]:
    """The search under the role that owns the tables and bypasses the policies."""
    engine, settings = ground.engine, ground.engine.settings
    owner = str(engine.postgres.service.conninfo)
    postgres = Postgres(
        owner,
        owner,
        size=settings.postgres_pool,
        statement_timeout=settings.statement_timeout_s,
        connect_timeout=settings.connect_timeout_s,
    )
    await postgres.open_request()
    try:
        yield Search(postgres, _UnfilteredGraph(engine.neo4j), engine.active, load_weights(settings.ranking))
    finally:
        await postgres.close()


async def _subject(ground: Ground, memory: Memory, name: str) -> Memory:
    """The memory for an integration with a grant on all of it."""
    integration = await ground.engine.workspace.integrations.create(name)
    whole = NewGrant(memory.principal.user_id, "third_party", integration.integration_id, depth=5)
    await memory.grants.give(whole)
    return ground.engine.memory_as(Principal("third_party", integration.integration_id, memory.principal.user_id))


async def _more_grants(ground: Ground, subject: UUID) -> None:
    """Grants to the subject on the nodes of another user, many on each."""
    other = await ground.memory()
    nodes = tuple(PlannedNode((f"Node {number}",)) for number in range(OTHER_NODES))
    await other.ingests.history(History("bench", "Bench", (), nodes=nodes))
    parameters = {"user_id": other.principal.user_id, "subject_id": subject, "many": GRANTS}
    grants = await ground.engine.postgres.fetch_as_service(sql_text("bench/grants"), parameters, row=_Grant)
    for start in range(0, len(grants), 1000):
        page = [
            {"grant_id": str(grant.grant_id), "node_id": str(grant.node_id), "granted_at": grant.granted_at.isoformat()}
            for grant in grants[start : start + 1000]
        ]
        given = {"subject_id": str(subject), "subject_kind": "third_party", "grants": page}
        await ground.engine.neo4j.write(cypher("access/granted_many"), **given)


def _figures(timed: dict[str, Timed]) -> Iterator[Figure]:
    titles = {
        "enforced": "search as the user",
        "free": "the same without enforcement",
        "granted": "as an integration that was granted all",
        "granted_among_many": f"the same with {GRANTS:,} other grants",
    }
    for name, title in titles.items():
        yield from percentiles(title, timed[name].seconds)
        yield Figure(f"{title}, CPU", round(timed[name].cpu, 2), "ms")
    yield at_most("CPU with enforcement against without", timed["enforced"].cpu / timed["free"].cpu, "times", 1.3)
    yield Figure("as an integration against without", round(timed["granted"].cpu / timed["free"].cpu, 2), "times")
    among = timed["granted_among_many"].cpu / timed["granted"].cpu
    yield at_most(f"{GRANTS:,} grants against one", among, "times", 1.2)
