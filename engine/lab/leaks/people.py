"""Questions about entities: whom and what records speak of; and decisions about them, which are the user's alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from engine.domain.clock import NOW
from engine.domain.entity import EntityFilter, EntityPage
from engine.domain.written import ExportPlace
from engine.lab.leaks import expected, expected_entities, expected_relations
from engine.lab.leaks.asking import Draws, Operation, any_principal, question
from engine.lab.leaks.model import World
from engine.lab.leaks.past import some_moment
from engine.lab.leaks.spoken import holds, met
from engine.lab.leaks.things import SHARED_GIVEN, Asker

if TYPE_CHECKING:
    from engine.memory import Memory

draws = Draws()


@draws.of("entities", 6)
def entities(world: World, rng: Random) -> Operation:
    """All entities, in pages; sometimes of a kind, or by a name, or also those that one passage alone mentions."""
    asker, limit = any_principal(world, rng), rng.choice((7, 500))
    moment = some_moment(world, asker, rng)
    kinds = ("person",) if rng.random() < 0.15 else ()
    name = rng.choice(SHARED_GIVEN) if rng.random() < 0.15 else ""
    everything = rng.random() < 0.4
    wanted = EntityFilter(kinds, name, everything)
    judge = partial(expected_entities.listed, world, asker, moment, wanted)

    async def ask(memory: Memory) -> object:
        found = EntityPage(())
        after = None
        while True:
            page = await memory.entities.list(
                moment, kinds=kinds, name=name, after=after, limit=limit, everything=everything
            )
            found = EntityPage((*found, *page), found.left_out + page.left_out)
            if len(page) < limit:
                return found
            after = page[-1].place

    return question(world, asker, f"{wanted} {limit}", ask, judge, moment)


def _entity(world: World, asker: Asker, rng: Random) -> UUID:
    """Any entity, most often of the graph, often one that was merged or that several records speak of."""
    spoken, draw = world.spoken, rng.random()
    mine = [one.entity_id for one in spoken.entities.values() if one.user_id == asker.graph]
    if draw < 0.1:
        return rng.choice([*spoken.entities, uuid4()])
    if draw < 0.25:
        merged = [end for one in spoken.joined if one.user_id == asker.graph for end in (one.entity_id, one.merged_id)]
        mine = merged or mine
    elif draw < 0.6:
        mine = [one for one in mine if len(world.speaking[one]) > 1] or mine
    elif draw < 0.75:
        mine = list(met(world, asker)) or mine
    return rng.choice(sorted(mine))


@draws.of("entity", 8)
def entity(world: World, rng: Random) -> Operation:
    """One entity."""
    asker = any_principal(world, rng)
    wanted, moment = _entity(world, asker, rng), some_moment(world, asker, rng)
    judge = partial(expected_entities.shown, world, asker, wanted, moment)
    return question(world, asker, str(wanted), lambda memory: memory.entities.get(wanted, moment), judge, moment)


@draws.of("relations", 6)
def relations(world: World, rng: Random) -> Operation:
    """The relations of an entity."""
    asker, ended = any_principal(world, rng), rng.random() < 0.6
    wanted, moment = _entity(world, asker, rng), some_moment(world, asker, rng)
    judge = partial(expected_relations.relations, world, asker, wanted, moment, ended)

    def ask(memory: Memory) -> Awaitable[object]:
        return memory.entities.relations(wanted, moment, ended=ended, limit=100)

    return question(world, asker, f"{wanted} {ended}", ask, judge, moment)


@draws.of("relations between", 6)
def relations_between(world: World, rng: Random) -> Operation:
    """The relations between some entities."""
    asker = any_principal(world, rng)
    wanted, moment = [_entity(world, asker, rng) for _ in range(12)], some_moment(world, asker, rng)
    judge = partial(expected_relations.between, world, asker, wanted, moment)

    def ask(memory: Memory) -> Awaitable[object]:
        return memory.entities.relations_between(wanted, moment, limit=1000)

    return question(world, asker, str(wanted), ask, judge, moment)


@draws.of("mentioned together", 3)
def mentioned_together(world: World, rng: Random) -> Operation:
    """How many records mention two of some entities."""
    asker = any_principal(world, rng)
    wanted = [_entity(world, asker, rng) for _ in range(12)]
    judge = partial(expected_relations.together, world, asker, wanted)

    def ask(memory: Memory) -> Awaitable[object]:
        return memory.entities.mentioned_together(wanted)

    return question(world, asker, str(wanted), ask, judge)


@draws.of("facts of an entity", 5)
def facts(world: World, rng: Random) -> Operation:
    """The facts about an entity."""
    asker, ended = any_principal(world, rng), rng.random() < 0.5
    wanted = _entity(world, asker, rng)
    judge = partial(expected_entities.facts, world, asker, wanted, ended)

    def ask(memory: Memory) -> Awaitable[object]:
        return memory.entities.facts(wanted, ended=ended, limit=1000)

    return question(world, asker, f"{wanted} {ended}", ask, judge)


@draws.of("derived", 5)
def derived(world: World, rng: Random) -> Operation:
    """What is derived of the whole graph: for the user alone."""
    asker = any_principal(world, rng)
    entity = _entity(world, asker, rng)
    asks: dict[str, Callable[[Memory], Awaitable[object]]] = {
        "communities": lambda memory: memory.communities.list(),
        "clusters": lambda memory: memory.communities.list(of="facts"),
        "insights": lambda memory: memory.insights.list(),
        "meaning": lambda memory: memory.entities.meaning(entity),
        "aliases": lambda memory: memory.entities.aliases(entity),
        "profile": lambda memory: memory.profiles.user("type"),
        "intentions": lambda memory: memory.intentions.list(state=None),
        "chains": lambda memory: memory.facts.list(),
        "doubts": lambda memory: memory.facts.doubts(),
        "attributes": lambda memory: memory.facts.attributes(),
        "commits": lambda memory: memory.commits.list(),
        "exports": lambda memory: memory.exports.page(),
        "left out": lambda memory: memory.exports.left_out(ExportPlace(datetime.now(UTC))),
        "failures": lambda memory: memory.failures.list(state=None),
        "ingests": lambda memory: memory.ingests.list(),
        "replays": lambda memory: memory.replays.list(),
        "retractions": lambda memory: memory.retractions.list(),
    }
    wanted = rng.choice(list(asks))

    def judge(outcome: object) -> Iterator[str]:
        if not expected.is_owner(asker):
            yield from expected.denied(outcome)

    return question(world, asker, f"{wanted} {entity}", asks[wanted], judge)


@draws.of("profile", 3)
def profile(world: World, rng: Random) -> Operation:
    """What is known of an entity, in short: it names nothing that the asker may not read."""
    asker = any_principal(world, rng)
    wanted = _entity(world, asker, rng)
    judge = partial(expected_entities.profile, world, asker, wanted)
    return question(world, asker, str(wanted), lambda memory: memory.profiles.entity(wanted), judge)


@draws.of("why", 6)
def why(world: World, rng: Random) -> Operation:
    """The records that state a relation."""
    asker = any_principal(world, rng)
    stated = world.spoken.stated
    mine = [one for one in stated if world.spoken.entities[stated[one][0].source_id].user_id == asker.graph]
    wanted = rng.choice(sorted(mine)) if mine and rng.random() < 0.9 else rng.choice([*stated, uuid4()])
    moment = some_moment(world, asker, rng)
    judge = partial(expected_relations.why, world, asker, wanted, moment)
    return question(world, asker, str(wanted), lambda memory: memory.entities.why(wanted, moment), judge, moment)


@draws.of("own entities", 3)
def own_entities(world: World, rng: Random) -> Operation:
    """The merges, and the pairs that may be one: for the user alone."""
    asker, spoken = any_principal(world, rng), world.spoken
    merges = rng.random() < 0.5
    moment = some_moment(world, asker, rng) if merges else NOW

    def ask(memory: Memory) -> Awaitable[object]:
        return memory.entities.merges(moment) if merges else memory.entities.review(limit=500)

    def judge(outcome: object) -> Iterator[str]:
        if not expected.is_owner(asker):
            yield from expected.denied(outcome)
        elif not isinstance(outcome, tuple):
            yield f"not given: {expected.short(outcome)}"
        elif merges:
            held = {one.merge_id for one in spoken.joined if one.user_id == asker.graph and holds(one, moment)}
            yield from expected.differing("merges", held, {one.merge_id for one in outcome})
        else:
            foreign = {one.pair_id for one in outcome if spoken.pairs.get(one.pair_id) != asker.graph}
            yield from expected.differing("pairs of others", set(), foreign)

    return question(world, asker, str(merges), ask, judge, moment)


@draws.of("decision refused", 3)
def decision_refused(world: World, rng: Random) -> Operation:
    """Merging, undoing a merge, telling apart, correcting and naming in a graph that is not the asker's own."""
    asker, spoken = any_principal(world, rng), world.spoken
    graph = asker.graph if expected.is_owner(asker) else None
    entities = [one.entity_id for one in spoken.entities.values() if one.user_id != graph]
    ends = [rng.choice([*entities, uuid4()]), _entity(world, asker, rng)]
    foreign = ends[0]
    ends = ends if ends[0] != ends[1] else [ends[0], uuid4()]
    rng.shuffle(ends)
    merge = rng.choice([*(one.merge_id for one in spoken.joined if one.user_id != graph), uuid4()])
    pair = rng.choice([*(one for one, user in spoken.pairs.items() if user != graph), uuid4()])
    asks: dict[str, Callable[[Memory], Awaitable[object]]] = {
        "merge": lambda memory: memory.entities.merge(ends[0], ends[1]),
        "undo": lambda memory: memory.entities.undo_merge(merge),
        "apart": lambda memory: memory.entities.tell_apart(pair),
        "correct": lambda memory: memory.entities.correct(foreign, name="Mine", kind="place"),
        "alias": lambda memory: memory.entities.add_alias(foreign, "name", "Mine"),
    }
    wanted = rng.choice(list(asks))
    return question(world, asker, f"{wanted} {foreign} {ends} {merge} {pair}", asks[wanted], expected.denied)
