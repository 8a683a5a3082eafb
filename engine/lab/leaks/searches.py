"""Searches, contexts and answers: drawn at random, run, and judged by the model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from engine.domain.context import ContextRequest
from engine.domain.scope import MemoryScope, SourceKind
from engine.domain.search import DecayRequest, ItemKind, SearchRequest
from engine.errors import NoLanguageModel
from engine.lab.leaks import expected, expected_search
from engine.lab.leaks.asking import Draws, Operation, any_principal, outcome_of, some_node
from engine.lab.leaks.filtering import some_filters
from engine.lab.leaks.model import World
from engine.lab.leaks.past import some_moment
from engine.lab.leaks.stored import SHARED_ALIAS, some_scope, some_source
from engine.lab.leaks.things import Asker

if TYPE_CHECKING:
    from engine.neurigraph import Engine


draws = Draws()


@draws.of("search", 12)
def search(world: World, rng: Random) -> Operation:
    """A search for the unique word of a record, with or without names of nodes and of somebody in its graph, everywhere or in
    named nodes."""
    asker = any_principal(world, rng)
    wanted = rng.choice(list(world.written.values()))
    if rng.random() < 0.7:
        seen = [record for record in world.written.values() if world.places[record.node_id].user_id == asker.graph]
        wanted = rng.choice(seen)
    names = [rng.choice(list(world.places.values())).name for _ in range(rng.choice((0, 1, 2)))]
    here = [one for one in world.written.values() if world.places[one.node_id].user_id == asker.graph and one.named]
    somebody = [rng.choice(rng.choice(here).named)] if here and rng.random() < 0.4 else []
    query = " ".join([wanted.marker, *names, *somebody, *([SHARED_ALIAS] if rng.random() < 0.2 else [])])
    nodes = tuple({some_node(world, asker, rng) for _ in range(4)}) if rng.random() < 0.25 else None
    kinds: tuple[ItemKind, ...] | None = (rng.choice(("turn", "chunk")),) if rng.random() < 0.2 else None
    widen = "always" if rng.random() < 0.4 else "auto"
    scopes, sources = _narrowed(world, asker, rng)
    moment = some_moment(world, asker, rng)
    filters = some_filters(world, asker, wanted, moment, rng)
    request = SearchRequest(query, _some_limit(rng), kinds, nodes, widen, moment, scopes, sources, filters)  # type: ignore[arg-type]
    judge = partial(expected_search.search, world, asker, request, wanted)

    async def ask(engine: Engine) -> object:
        return await outcome_of(engine.memory_as(asker.principal).search(request))

    return Operation(asker, repr(request), ask, judge)


@draws.of("search with decay", 5)
def search_decayed(world: World, rng: Random) -> Operation:
    """A search with decay of all that may be read, or of some nodes."""
    asker = any_principal(world, rng)
    wanted = rng.choice(list(world.written.values()))
    nodes = tuple({some_node(world, asker, rng) for _ in range(4)}) if rng.random() < 0.25 else None
    kinds: tuple[ItemKind, ...] | None = (rng.choice(("turn", "chunk")),) if rng.random() < 0.2 else None
    scopes, sources = _narrowed(world, asker, rng)
    moment = some_moment(world, asker, rng)
    filters = some_filters(world, asker, wanted, moment, rng)
    request = DecayRequest(
        wanted.marker, 50, rng.choice((0.1, 30.0)), 0.0, kinds, nodes, moment, scopes, sources, filters
    )
    judge = partial(expected_search.search_decayed, world, asker, request.search)

    async def ask(engine: Engine) -> object:
        return await outcome_of(engine.memory_as(asker.principal).search_decayed(request))

    return Operation(asker, repr(request), ask, judge)


@draws.of("context", 8)
def context(world: World, rng: Random) -> Operation:
    """The context of a question that names a record's word, and most often an entity that a record names."""
    asker = any_principal(world, rng)
    seen = [record for record in world.written.values() if world.places[record.node_id].user_id == asker.graph]
    wanted = rng.choice(seen if rng.random() < 0.8 else list(world.written.values()))
    named = [name for record in rng.sample(seen, min(3, len(seen))) for name in record.named][:2]
    words = [wanted.marker, *named, *(["formerly"] if rng.random() < 0.3 else [])]
    nodes = tuple({some_node(world, asker, rng) for _ in range(4)}) if rng.random() < 0.15 else None
    scopes, sources = _narrowed(world, asker, rng)
    moment = some_moment(world, asker, rng)
    request = ContextRequest(
        " ".join(words), rng.choice((40, 400, 100_000)), _some_limit(rng), nodes, rng.choice(("auto", "always")),
        moment, scopes, sources, partial=rng.random() < 0.5, filters=some_filters(world, asker, wanted, moment, rng),
    )  # fmt: skip
    judge = partial(expected_search.context, world, asker, request, wanted)

    async def ask(engine: Engine) -> object:
        return await outcome_of(engine.memory_as(asker.principal).context(request))

    return Operation(asker, repr(request), ask, judge)


@draws.of("answer", 2)
def answer(world: World, rng: Random) -> Operation:
    """An answer where no language model is configured: every asker gets the same error. A model is not asked: that would cost."""
    asker = any_principal(world, rng)
    words = rng.choice(list(world.written.values())).marker

    async def ask(engine: Engine) -> object:
        memory = engine.memory_as(asker.principal)
        return NoLanguageModel() if engine.settings.language_model else await outcome_of(memory.answer(words))

    def judge(outcome: object) -> Iterator[str]:
        if not isinstance(outcome, NoLanguageModel):
            yield f"not refused as without a model: {expected.short(outcome)}"

    return Operation(asker, words, ask, judge)


def _some_limit(rng: Random) -> int:
    """A few hits, or so many that a small graph shows all of its own."""
    return rng.choice((10, 200))


def _narrowed(world: World, asker: Asker, rng: Random) -> tuple[tuple[MemoryScope, ...], tuple[SourceKind, ...] | None]:
    """Threads and workflows, most often of the graph; sometimes askers other than the user name some. And sources."""
    naming = rng.random() < (0.5 if asker.kind == "user" else 0.1)
    of = asker.graph if rng.random() < 0.9 else rng.choice(world.users)
    scopes = tuple({some_scope(world, of, rng).scope for _ in range(2)}) if naming else ()
    return scopes, tuple({some_source(rng) for _ in range(2)}) if rng.random() < 0.25 else None
