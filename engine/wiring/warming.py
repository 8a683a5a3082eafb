"""Makes the first search, the first shell and the first write as quick as the others: a graph server that has just started plans
their statements for seconds.

Each has one plan for every principal and moment, with a vector and without, so one question plans it for all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from uuid import uuid4

from engine.commit import graph
from engine.commit.changes import EntitiesMentioned, FactsStated, RecordsEntered, RelationsStated, to_json
from engine.domain.clock import NOW
from engine.domain.entity import Piece
from engine.domain.node import MAX_LAYER
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import NeurigraphError, NotFound, StoreTimeout
from engine.knowledge.mentions import Text
from engine.neurigraph import Engine

ATTEMPTS = 4


async def warm(engine: Engine) -> None:
    """One search and one shell of an unknown user. Raises StoreUnavailable."""
    parts, unknown = engine.parts, Principal.user(uuid4())  # not the operations: an unknown user is NotFound to them
    await parts.search.search(unknown, SearchRequest("warm"))
    with suppress(NotFound):
        await parts.shells.shell(unknown, unknown.user_id)


async def warm_patiently(engine: Engine) -> None:
    """`warm`, repeated where a statement's limit was too short: a slow machine plans for longer. Raises StoreUnavailable."""
    await _patiently(partial(warm, engine))


async def _patiently(step: Callable[[], Awaitable[None]]) -> None:
    for _ in range(ATTEMPTS - 1):
        with suppress(StoreTimeout):
            return await step()
    await step()


async def warm_writes(engine: Engine) -> None:
    """The statements of a record's commit: nodes to choose from, search of its entities, what enters it. Nothing is written."""
    text = Text(uuid4(), Piece("We met Ellen Harlan at the lake.", "Ann"))
    unknown, extraction = Principal.user(uuid4()), engine.parts.ingest.extraction
    with suppress(NotFound):
        await engine.parts.ingest.nodes(unknown)
    await engine.parts.ingest.entities.spoken(unknown, [[text]])
    if extraction.asks and extraction.context is not None:
        await extraction.context.of_entities(unknown, ["person:ellen-harlan"])
    nothing = (RecordsEntered([]), EntitiesMentioned([]), RelationsStated([]), FactsStated([]))
    await graph.apply(engine.neo4j, [to_json(change) for change in nothing])


async def warm_commands(engine: Engine) -> None:
    """What `ask`, `context` and `tree` ask, in this order, then writes. Raises NeurigraphError where a store does not answer."""
    unknown = Principal.user(uuid4())

    async def tree() -> None:
        with suppress(NotFound):
            await engine.parts.shells.tree(unknown, NOW, MAX_LAYER)

    for step in (
        partial(warm, engine),
        partial(engine.parts.contexts.warm, unknown),
        tree,
        partial(warm_writes, engine),
    ):
        await _patiently(step)


async def warm_quietly(engine: Engine) -> None:
    """The same in the background, then writes and contexts; a store that is away is met again by the first question."""
    with suppress(NeurigraphError):
        await warm(engine)
        await warm_writes(engine)
        await engine.parts.contexts.warm(Principal.user(uuid4()))
