"""Makes the first search, the first shell and the first write as quick as the others: a graph server that has just started plans
their statements for seconds.

Each has one plan for every principal and moment, with a vector and without, so one question plans it for all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from uuid import uuid4

from engine.commit import graph
from engine.commit.changes import OF_KIND, FactsStated
from engine.domain.clock import NOW
from engine.domain.entity import EntityFilter, TextPiece
from engine.domain.node import MAX_LAYER
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.entities.decisions import Merges
from engine.entities.reads import EntityReads
from engine.errors import NeurigraphError, NotFound, StoreTimeout
from engine.hierarchy.shells import Shells
from engine.ingest.pipeline import Ingest
from engine.naming.mentions import SourceText
from engine.neurigraph import Engine
from engine.retrieval.context.assembling import Contexts
from engine.retrieval.pipeline import Search

ATTEMPTS = 4
MOST_AT_ONCE = 100
"""Entities of a page as it is usually asked for."""
LONGEST_PLANNING = 120.0
"""Seconds for a statement of a write: of a record's commit a busy machine that has just started Java plans for more than the
usual limit of a statement."""
ALONE = (FactsStated, *(kind for kind in OF_KIND.values() if not kind.of_records))
"""What a statement of its own changes."""


async def warm(engine: Engine) -> None:
    """One search and one shell of an unknown user. Raises StoreUnavailable."""
    parts, unknown = engine.parts, Principal.user(uuid4())  # not the operations: an unknown user is NotFound to them
    await parts[Search].search(unknown, SearchRequest("warm"))
    with suppress(NotFound):
        await parts[Shells].shell(unknown, unknown.user_id)


async def warm_patiently(engine: Engine) -> None:
    """`warm`, repeated where a statement's limit was too short: a slow machine plans for longer. Raises StoreUnavailable."""
    await _patiently(partial(warm, engine))


async def _patiently(step: Callable[[], Awaitable[object]]) -> None:
    for _ in range(ATTEMPTS - 1):
        with suppress(StoreTimeout):
            await step()
            return
    await step()


async def warm_writes(engine: Engine) -> None:
    """The statements of a record's commit: nodes to choose from, search of its entities, what enters it, which takes longest.
    Nothing is written."""
    unknown = Principal.user(uuid4())
    for failed in await asyncio.gather(
        graph.rehearse(engine.neo4j, graph.TOGETHER, LONGEST_PLANNING),
        _read_for_a_write(engine, unknown),
        return_exceptions=True,
    ):
        if failed is not None:
            raise failed


async def _read_for_a_write(engine: Engine, unknown: Principal) -> None:
    text = SourceText(uuid4(), TextPiece("We met Ellen Harlan at the lake.", "Ann"))
    extraction = engine.parts[Ingest].extraction
    with suppress(NotFound):
        await engine.parts[Ingest].nodes(unknown)
    await engine.parts[Ingest].entities.spoken(unknown, [[text]])
    if extraction.asks and extraction.context is not None:
        await extraction.context.of_entities(unknown, ["person:ellen-harlan"])


async def warm_others(engine: Engine) -> None:
    """What a service is asked after its first searches: writes, contexts, lists of entities (of a kind, by name, all), of pairs
    and merges, why a relation is believed, nodes by name, the timeline, every change that a statement of its own applies.
    Raises StoreUnavailable."""
    parts, unknown = engine.parts, Principal.user(uuid4())
    filters = (
        EntityFilter(),
        EntityFilter(kinds=("person",)),
        EntityFilter(name="warm"),
        EntityFilter(everything=True),
    )

    async def why() -> None:
        with suppress(NotFound):
            await parts[EntityReads].why(unknown, uuid4(), NOW, limit=1)

    await _each(
        partial(warm_writes, engine),
        partial(parts[Contexts].warm, unknown),
        *(partial(parts[EntityReads].page, unknown, NOW, wanted, after=None, limit=MOST_AT_ONCE) for wanted in filters),
        why,
        partial(parts[Shells].anchors, unknown, "warm", limit=1),
        partial(parts[EntityReads].pairs, unknown, limit=1),
        partial(parts[Merges].page, unknown, NOW, limit=1),
        partial(parts[Shells].timeline, unknown, skip=0, limit=1),
        *(partial(graph.rehearse, engine.neo4j, [kind], LONGEST_PLANNING) for kind in ALONE),
    )


async def _each(*steps: Callable[[], Awaitable[object]]) -> None:
    """All of them, patiently; one that takes too long even so does not keep the others from being planned."""
    late: StoreTimeout | None = None
    for step in steps:
        try:
            await _patiently(step)
        except StoreTimeout as error:
            late = error
    if late is not None:
        raise late


async def warm_commands(engine: Engine) -> None:
    """What `ask`, `context` and `tree` ask, in this order, then writes and the lists of `get_status`, an assistant's tool.
    Raises NeurigraphError where a store does not answer."""
    parts, unknown = engine.parts, Principal.user(uuid4())

    async def tree() -> None:
        with suppress(NotFound):
            await parts[Shells].tree(unknown, NOW, MAX_LAYER)

    for step in (
        partial(warm, engine),
        partial(parts[Contexts].warm, unknown),
        tree,
        partial(warm_writes, engine),
        partial(parts[EntityReads].page, unknown, NOW, EntityFilter(), after=None, limit=MOST_AT_ONCE),
        partial(parts[EntityReads].pairs, unknown, limit=1),
    ):
        await _patiently(step)


async def warm_quietly(engine: Engine) -> None:
    """The same in the background, then writes and contexts; a store that is away is met again by the first question."""
    with suppress(NeurigraphError):
        await warm(engine)
        await warm_writes(engine)
        await engine.parts[Contexts].warm(Principal.user(uuid4()))
