"""The expected answers about entities, from the model."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.entity import (
    Entity,
    EntityFact,
    EntityFilter,
    EntityPage,
    EntitySummary,
    Profile,
)
from engine.domain.names import name_key
from engine.lab.leaks.expected import denied, differing, is_owner, outside, short
from engine.lab.leaks.expected_relations import related
from engine.lab.leaks.grouped import Group, alone, best_name, found_entity, groups, kind_of, names_of
from engine.lab.leaks.model import World
from engine.lab.leaks.things import Asker

MOST_LATEST = 50
"""Nodes and mentions of one entity that are shown."""


def listed(world: World, asker: Asker, moment: Moment, wanted: EntityFilter, outcome: object) -> Iterator[str]:
    """All pages: each entity with the names and counts that readable records support, but for those that one passage alone
    mentions, which are counted; `as_of` another time at most these."""
    if outside(world, asker):
        yield from denied(outcome)
        return
    if not isinstance(outcome, EntityPage):
        yield f"not given: {short(outcome)}"
        return
    found = groups(world, asker, moment)
    if wanted.kinds:
        found = {
            one: group for one, group in found.items() if _kinds(world, asker, group, moment) & frozenset(wanted.kinds)
        }
    if wanted.name:
        start = name_key(wanted.name)
        found = {
            one: group
            for one, group in found.items()
            if any(key.startswith(start) or f" {start}" in key for key in group.keys)
        }
    passed_over: set[UUID] = set()
    if not wanted.everything and not wanted.name and moment.as_of is None:
        passed_over = {one for one, group in found.items() if alone(world, asker, group, moment)}
    expected = {
        group.seen_as: _line(world, asker, group, moment) for one, group in found.items() if one not in passed_over
    }
    rows = outcome
    given = {one.entity_id: (one.name, one.kind, frozenset(one.names), one.mentions, one.nodes) for one in rows}
    yield from differing("repeated", len(given), len(rows))
    for row in rows:
        yield from _derived(world, asker, row, moment)
    if moment.as_of is not None:
        yield from differing("entities too many", set(), given.keys() - expected.keys())
        return
    yield from differing("entities too many", [], sorted(given.items() - expected.items(), key=str)[:3])
    yield from differing("entities missing", [], sorted(expected.items() - given.items(), key=str)[:3])
    yield from differing("entities left out", len(passed_over), outcome.left_out)
    if moment == NOW and wanted == EntityFilter(everything=True):
        names = {name_key(one) for row in rows for one in row.names}
        yield from differing("names missing", set(), {name_key(one) for one in _written(world, asker)} - names)


def _kinds(world: World, asker: Asker, group: Group, moment: Moment) -> frozenset[str]:
    """The kind of an entity that an asker reads; `as_of` another time fewer mentions may hold, which may tell another one."""
    kind = kind_of(world, asker, group.whole, group.lines, moment)
    fewer = () if moment.as_of is None or is_owner(asker) else (one.told for one in group.lines)
    return frozenset((kind, *fewer))


def _derived(world: World, asker: Asker, one: EntitySummary | Entity, moment: Moment) -> Iterator[str]:
    """Counts of facts that the asker may read; what a job derived of the whole graph is the user's alone."""
    if not is_owner(asker):
        yield from differing("importance and summary", (None, None), (one.importance, one.summary))
    if moment == NOW:
        expected = world.spoken.counted_facts(world, asker, world.spoken.whole_of(one.entity_id, moment))
        yield from differing("count of facts", expected, one.fact_count)


def _written(world: World, asker: Asker) -> set[str]:
    """The names in the texts that an asker may read, as the fuzzer wrote them."""
    mine = (one for one in world.written.values() if world.places[one.node_id].user_id == asker.graph)
    return {name for one in mine if world.sees(asker, one) for name in one.named}


def _line(world: World, asker: Asker, group: Group, moment: Moment) -> tuple[str, str, frozenset[str], int, int]:
    nodes = {world.written[one].node_id for one in group.records}
    name = best_name(world, asker, group.whole, group.lines, moment)
    names = frozenset(names_of(world, asker, group.keys))
    return name, kind_of(world, asker, group.whole, group.lines, moment), names, len(group.records), len(nodes)


def shown(world: World, asker: Asker, entity_id: UUID, moment: Moment, outcome: object) -> Iterator[str]:
    """One entity with all that is told of it."""
    group = found_entity(world, asker, entity_id, moment)
    if group is None or not isinstance(outcome, Entity):
        if group is None or moment.as_of is None:
            yield from denied(outcome) if group is None else [f"not given: {short(outcome)}"]
        return
    latest = {(one.record_id, one.role, frozenset(one.names)) for one in outcome.latest}
    lines = {(one.record_id, one.role, frozenset(one.names)) for one in group.lines}
    yield from differing("mentions too many", set(), latest - lines)
    places = {one.record_id: one.node_id for one in outcome.latest}
    yield from differing("nodes of mentions", {one: world.written[one].node_id for one in places}, places)
    with_places = {one.record_id for one in outcome.latest if one.spans}
    for record in {one.record_id for one in outcome.latest}:
        seen = world.sees(asker, world.written[record], "items", moment.earliest)
        yield from differing("places in items", seen, record in with_places)
    own = group.whole.key if is_owner(asker) else None
    yield from differing("entity and key", (group.seen_as, own), (outcome.entity_id, outcome.key))
    yield from _derived(world, asker, outcome, moment)
    if not is_owner(asker):
        about = {one.node_id for one in outcome.anchors if one.about}
        told = (about, outcome.mentioned, outcome.access_count, outcome.last_accessed_at)
        yield from differing("what is the user's alone", (set(), None, None, None), told)
    if moment.as_of is not None:
        return
    name, kind, names, mentions, nodes = _line(world, asker, group, moment)
    given = (outcome.name, outcome.kind, frozenset(outcome.names), outcome.mentions, len(outcome.anchors))
    yield from differing("entity", (name, kind, names, mentions, min(nodes, MOST_LATEST)), given)
    yield from differing("merged", group.members - {group.seen_as}, set(outcome.merged))
    if mentions <= MOST_LATEST:
        yield from differing("mentions", lines, latest)
        times = [one.at for one in outcome.latest]
        between = (min(times), max(times))
        yield from differing("first and last", between, (outcome.first_mentioned_at, outcome.last_mentioned_at))
    if moment == NOW:
        for anchor in outcome.anchors:
            yield from differing("path", world.path(asker, anchor.node_id), anchor.path)
        titles = {one.record_id: one.title for one in outcome.latest}
        yield from differing("titles", {one: world.written[one].title for one in titles}, titles)


def facts(world: World, asker: Asker, entity_id: UUID, ended: bool, outcome: object) -> Iterator[str]:
    """At most the live facts about an entity that it may read: drawn ones have no texts. For the user what relations state."""
    group = found_entity(world, asker, entity_id, NOW)
    if group is None or not isinstance(outcome, tuple):
        yield from denied(outcome) if group is None else [f"not given: {short(outcome)}"]
        return
    rows: tuple[EntityFact, ...] = outcome
    stored = {one.fact_id for one in rows if one.fact_id is not None and (not ended or one.status == "live")}
    yield from differing(
        "facts too many", set(), stored - world.spoken.facts_about(world, asker, group.whole.entity_id)
    )
    inferred = {one.relation_id for one in rows if one.relation_id is not None}
    known = {line[0][0] for line in related(world, asker, group.whole.entity_id, NOW, True)}
    yield from differing("inferred facts", set(), inferred - (known if is_owner(asker) else set()))
    if not is_owner(asker):
        yield from differing("facts that are over", set(), {one.fact_id for one in rows if one.status != "live"})


def profile(world: World, asker: Asker, entity_id: UUID, outcome: object) -> Iterator[str]:
    """A profile where a readable record mentions the entity; what it names is compared with all that the asker may know."""
    if found_entity(world, asker, entity_id, NOW) is None:
        yield from denied(outcome)
    elif not isinstance(outcome, Profile):
        yield f"not given: {short(outcome)}"
