"""Filters of searches: drawn at random, and what the model knows of what passes them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.search import ALL, Filters, SearchRequest
from engine.lab.leaks.asking import some_node
from engine.lab.leaks.expected import is_owner
from engine.lab.leaks.grouped import found_entity
from engine.lab.leaks.model import World
from engine.lab.leaks.things import Asker, Place, Written

FUTURE = datetime(2999, 1, 1, tzinfo=UTC)


def some_filters(world: World, asker: Asker, wanted: Written, moment: Moment, rng: Random) -> Filters:
    """Most often none; else one: subtrees, an entity, a time, the word of a record as a tag, or a category that no item has."""
    kind = rng.choice(("none",) * 5 + ("below", "below", "entities", "entities", "time", "tags", "categories"))
    if kind == "below":
        return Filters(below=tuple({some_node(world, asker, rng) for _ in range(2)}))
    if kind == "entities" and moment.as_of is None:
        mine = [one for one, said in world.spoken.entities.items() if said.user_id == asker.graph]
        every = mine if rng.random() < 0.8 else list(world.spoken.entities)
        return Filters(entities=(rng.choice(every),)) if every else ALL
    if kind == "time":
        marks = [*world.marks[asker.graph], FUTURE]
        time = rng.choice(marks)
        return Filters(since=time) if rng.random() < 0.7 else Filters(until=time)
    return {"tags": Filters(tags=(wanted.marker,)), "categories": Filters(categories=("none",))}.get(kind, ALL)


def searched_nodes(world: World, asker: Asker, request: SearchRequest) -> list[Place]:
    """The nodes that a search may look at: those that it names, and those below nodes that the asker may read."""
    every = world.readable(asker, asker.graph)
    roots = {root for root in request.filters.below if world.reads_here(asker, root)}
    if request.nodes is None and not request.filters.below:
        return every
    named = set(request.nodes or ())
    return [one for one in every if one.node_id in named or roots & {above.node_id for above in world.way(one.node_id)}]


def unknown_entity(world: World, asker: Asker, request: SearchRequest) -> bool:
    """Whether the request names an entity that is not there for the asker. All of a graph are there for its user, whenever they
    were mentioned; those of other graphs are not."""
    if is_owner(asker):
        return any(world.spoken.entities[one].user_id != asker.graph for one in request.filters.entities)
    return any(found_entity(world, asker, one, request.moment) is None for one in request.filters.entities)


def by_content(filters: Filters) -> bool:
    """Whether the content of items decides what passes."""
    return any((filters.categories, filters.tags, filters.entities, filters.since, filters.until))


def passes(
    world: World, asker: Asker, request: SearchRequest, record: Written, occurred_at: datetime | None
) -> Iterator[str]:
    """What is wrong with an item of a record that was found."""
    filters = request.filters
    if filters.categories:
        yield "an item of a category that no item has"
    if filters.tags and record.marker not in filters.tags:
        yield f"an item of {record.record_id} without the tag"
    if filters.since and (occurred_at is None or occurred_at < filters.since):
        yield f"an item from {occurred_at}, before {filters.since}"
    if filters.until and (occurred_at is None or occurred_at >= filters.until):
        yield f"an item from {occurred_at}, not before {filters.until}"
    if filters.entities and record.record_id not in _naming(world, asker, request):
        yield f"an item of {record.record_id}, which does not name the entity"


def _naming(world: World, asker: Asker, request: SearchRequest) -> set[UUID]:
    groups = [found_entity(world, asker, one, request.moment) for one in request.filters.entities]
    return {record for group in groups if group is not None for record in group.records}
