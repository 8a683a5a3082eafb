"""The expected answers about entities, from the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.entity import (
    Entity,
    EntityFact,
    EntityFilter,
    EntityPage,
    EntitySummary,
    Relation,
    RelationBetween,
    Why,
)
from engine.domain.names import name_key
from engine.domain.profile import Profile
from engine.evaluation.leaks.expected import denied, differing, is_owner, outside, short
from engine.evaluation.leaks.grouped import Group, alone, best_name, groups, kind_of, names_of
from engine.evaluation.leaks.model import World
from engine.evaluation.leaks.spoken import Stated, supports
from engine.evaluation.leaks.things import Asker

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
    expected = {one: _line(world, asker, group, moment) for one, group in found.items() if one not in passed_over}
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
        expected = world.spoken.counted_facts(world, asker, one.entity_id)
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


def found_entity(world: World, asker: Asker, entity_id: UUID, moment: Moment) -> Group | None:
    """What an id leads to: an entity as a whole, or one that was merged into it and of which the asker may know itself."""
    whole = world.spoken.whole_of(entity_id, moment)
    group = groups(world, asker, moment).get(whole)
    return group if group and (entity_id == whole or entity_id in group.members) else None


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
    yield from differing("entity and key", (group.whole.entity_id, own), (outcome.entity_id, outcome.key))
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
    yield from differing("merged", group.members - {group.whole.entity_id}, set(outcome.merged))
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


def relations(
    world: World, asker: Asker, entity_id: UUID, moment: Moment, ended: bool, outcome: object
) -> Iterator[str]:
    """The relations of an entity that readable records state, as strong as these make them."""
    group = found_entity(world, asker, entity_id, moment)
    if group is None or not isinstance(outcome, tuple):
        if group is None or moment.as_of is None:
            yield from denied(outcome) if group is None else [f"not given: {short(outcome)}"]
        return
    rows: tuple[Relation, ...] = outcome
    given = {
        (one.relation_id, one.outgoing, one.other_id): (
            one.other_name,
            one.other_kind,
            one.strength,
            round(one.confidence, 6),
            one.until,
        )
        for one in rows
    }
    if not is_owner(asker):
        yield from differing("properties", [], [one.properties for one in rows if one.properties])
    expected = dict(_related(world, asker, group.whole.entity_id, moment, ended))
    if moment.as_of is not None:
        every = dict(_related(world, asker, group.whole.entity_id, moment, True))
        yield from differing("relations too many", set(), given.keys() - every.keys())
        return
    yield from differing("relations too many", [], sorted(given.items() - expected.items(), key=str)[:3])
    yield from differing("relations missing", [], sorted(expected.items() - given.items(), key=str)[:3])


def between(world: World, asker: Asker, entity_ids: Sequence[UUID], moment: Moment, outcome: object) -> Iterator[str]:
    """The relations between entities that readable records state, by what these are read as."""
    if outside(world, asker):
        yield from denied(outcome)
        return
    if not isinstance(outcome, tuple):
        yield f"not given: {short(outcome)}"
        return
    rows: tuple[RelationBetween, ...] = outcome
    found = (found_entity(world, asker, one, moment) for one in entity_ids)
    wholes = {group.whole.entity_id for group in found if group}
    given = {
        (one.relation_id, one.source_id, one.target_id): (one.strength, round(one.confidence, 6), one.until)
        for one in rows
    }
    expected, every = (dict(_between(world, asker, wholes, moment, ended)) for ended in (False, True))
    if moment.as_of is not None:
        yield from differing("relations between too many", set(), given.keys() - every.keys())
        return
    yield from differing("relations between too many", [], sorted(given.items() - expected.items(), key=str)[:3])
    yield from differing("relations between missing", [], sorted(expected.items() - given.items(), key=str)[:3])


def _between(
    world: World, asker: Asker, wholes: set[UUID], moment: Moment, ended: bool
) -> Iterator[tuple[tuple[UUID, UUID, UUID], tuple[int, float, str | None]]]:
    for source in wholes:
        for (relation_id, outgoing, other), (_, _, strength, confidence, until) in _related(
            world, asker, source, moment, ended
        ):
            target = world.spoken.whole_of(other, moment)
            if outgoing and target in wholes - {source}:
                yield (relation_id, source, target), (strength, confidence, until)


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
    related = {line[0][0] for line in _related(world, asker, group.whole.entity_id, NOW, True)}
    yield from differing("inferred facts", set(), inferred - (related if is_owner(asker) else set()))
    if not is_owner(asker):
        yield from differing("facts that are over", set(), {one.fact_id for one in rows if one.status != "live"})


def profile(world: World, asker: Asker, entity_id: UUID, outcome: object) -> Iterator[str]:
    """A profile where a readable record mentions the entity; what it names is compared with all that the asker may know."""
    if found_entity(world, asker, entity_id, NOW) is None:
        yield from denied(outcome)
    elif not isinstance(outcome, Profile):
        yield f"not given: {short(outcome)}"


_Line = tuple[tuple[UUID, bool, UUID], tuple[str, str, int, float, str | None]]


def _related(world: World, asker: Asker, whole: UUID, moment: Moment, ended: bool) -> Iterator[_Line]:
    spoken = world.spoken
    for relation_id in spoken.stated:
        lines = spoken.supporting(world, asker, relation_id, moment)
        if not lines:
            continue
        until = spoken.until(world, asker, lines, moment)
        if until is not None and not ended and until <= datetime.now(UTC).date().isoformat():
            continue
        doubt = 1.0
        for one in lines:
            doubt *= 1 - one.weight
        ends = ((lines[0].source_id, lines[0].target_id, True), (lines[0].target_id, lines[0].source_id, False))
        for mine, other, outgoing in ends:
            if spoken.whole_of(mine, moment) == whole:
                named = _called(world, asker, other, moment)
                yield (relation_id, outgoing, other), (*named, len(lines), round(1 - doubt, 6), until)


def _called(world: World, asker: Asker, entity_id: UUID, moment: Moment) -> tuple[str, str]:
    """The name and kind of an entity alone, not of what it was merged into."""
    lines = [one for one in world.spoken.said if one.entity_id == entity_id and supports(world, asker, one, moment)]
    entity = world.spoken.entities[entity_id]
    return best_name(world, asker, entity, lines, moment), kind_of(world, asker, entity, lines, moment)


def why(world: World, asker: Asker, relation_id: UUID, moment: Moment, outcome: object) -> Iterator[str]:
    """The readable records that state a relation."""
    lines: list[Stated] = []
    if _at_home(world, asker, relation_id):
        lines = world.spoken.supporting(world, asker, relation_id, moment)
    if not lines or not isinstance(outcome, Why):
        if not lines or moment.as_of is None:
            yield from [f"not given: {short(outcome)}"] if lines else denied(outcome)
        return
    expected = {
        (one.record_id, world.written[one.record_id].node_id, _items(world, asker, one, moment)) for one in lines
    }
    given = {(one.record_id, one.node_id, one.item_id is not None) for one in outcome.evidence}
    yield from differing("evidence too many", set(), given - expected)
    if not is_owner(asker):
        yield from differing("facts of evidence", {None}, {one.fact_id for one in outcome.evidence})
    if moment.as_of is not None:
        return
    yield from differing("evidence", expected, given)
    first = lines[0]
    names = [_called(world, asker, one, moment)[0] for one in (first.source_id, first.target_id)]
    ends = (outcome.source_id, outcome.target_id, [outcome.source_name, outcome.target_name])
    yield from differing("ends", (first.source_id, first.target_id, names), ends)


def _items(world: World, asker: Asker, one: Stated, moment: Moment) -> bool:
    return world.sees(asker, world.written[one.record_id], "items", moment.earliest)


def _at_home(world: World, asker: Asker, relation_id: UUID) -> bool:
    lines = world.spoken.stated.get(relation_id, [])
    return bool(lines) and world.spoken.entities[lines[0].source_id].user_id == asker.graph
