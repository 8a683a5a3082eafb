"""The expected answers about relations, from the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import combinations
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.entity import Relation, RelationBetween, Why
from engine.domain.relation import MentionedTogether
from engine.lab.leaks.expected import denied, differing, is_owner, outside, short
from engine.lab.leaks.grouped import best_name, found_entity, kind_of
from engine.lab.leaks.model import World
from engine.lab.leaks.spoken import Stated, supports
from engine.lab.leaks.things import Asker


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
    expected = dict(related(world, asker, group.whole.entity_id, moment, ended))
    if moment.as_of is not None:
        every = dict(related(world, asker, group.whole.entity_id, moment, True))
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
    wholes = {group.whole.entity_id: group.seen_as for group in found if group}
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


def together(world: World, asker: Asker, entity_ids: Sequence[UUID], outcome: object) -> Iterator[str]:
    """How many records mention two of these entities, for the user alone."""
    if not is_owner(asker):
        yield from denied(outcome)
        return
    if not isinstance(outcome, tuple):
        yield f"not given: {short(outcome)}"
        return
    rows: tuple[MentionedTogether, ...] = outcome
    found = (found_entity(world, asker, one, NOW) for one in entity_ids)
    mentioning = {group.whole.entity_id: group.records for group in found if group}
    counted = {
        (first, other): len(mentioning[first] & mentioning[other])
        for first, other in combinations(sorted(mentioning, key=str), 2)
    }
    expected = {pair: records for pair, records in counted.items() if records}
    yield from differing("together", expected, {(one.first_id, one.other_id): one.records for one in rows})


def _between(
    world: World, asker: Asker, wholes: dict[UUID, UUID], moment: Moment, ended: bool
) -> Iterator[tuple[tuple[UUID, UUID, UUID], tuple[int, float, str | None]]]:
    for source in wholes:
        for (relation_id, outgoing, other), (_, _, strength, confidence, until) in related(
            world, asker, source, moment, ended
        ):
            target = world.spoken.whole_of(other, moment)
            if outgoing and target in wholes.keys() - {source}:
                yield (relation_id, wholes[source], wholes[target]), (strength, confidence, until)


_Line = tuple[tuple[UUID, bool, UUID], tuple[str, str, int, float, str | None]]


def related(world: World, asker: Asker, whole: UUID, moment: Moment, ended: bool) -> Iterator[_Line]:
    """The relations of an entity that readable records state: id, direction and other end; what is told of each."""
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
