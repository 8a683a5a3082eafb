"""Entities with what was merged into them, as an asker may know them, in the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.entity import UNKNOWN_KIND
from engine.lab.leaks.spoken import Said, holds, supports
from engine.lab.leaks.things import Asker

if TYPE_CHECKING:
    from engine.lab.leaks.model import World


@dataclass(slots=True)
class Group:
    """An entity with those that were merged into it, as an asker may know it."""

    whole: Said
    seen_as: UUID
    """The id under which the asker meets it: where it may read nothing of the entity itself, that of the nearest which was
    merged into it and of which it may."""
    records: set[UUID] = field(default_factory=set)
    members: set[UUID] = field(default_factory=set)
    lines: list[Said] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    """Names that the user gave, for the user alone."""

    @property
    def keys(self) -> set[str]:
        return {key for one in self.lines for key in one.names} | self.given


def groups(world: World, asker: Asker, moment: Moment) -> dict[UUID, Group]:
    """The entities of a graph that an asker may know of, by the ids that they are read as."""
    spoken, found = world.spoken, dict[UUID, Group]()
    for one in spoken.said:
        if one.user_id != asker.graph or not supports(world, asker, one, moment):
            continue
        whole = spoken.way_up(one.entity_id, moment)[-1]
        group = found.setdefault(whole, Group(spoken.entities[whole], whole))
        group.records.add(one.record_id)
        group.members.add(one.entity_id)
        group.lines.append(one)
        if world.owns(asker, asker.graph) and one.corrected(moment):
            group.given |= set(one.given)
    for whole, group in found.items():
        if not world.owns(asker, asker.graph) and whole not in group.members:
            steps = {one: len(spoken.way_up(one, moment)) for one in group.members}
            group.seen_as = min(steps, key=lambda one: (steps[one], str(one)))
    return found


def alone(world: World, asker: Asker, group: Group, moment: Moment) -> bool:
    """Whether, of what an asker may know, one passage of a document mentions an entity and nothing else speaks of it."""
    first, spoken, whole = group.lines[0], world.spoken, group.whole
    if len(group.records) > 1 or not first.document:
        return False
    items = {item for one in group.lines for item in one.items}
    if len(items) > 1 and world.sees(asker, world.written[first.record_id], "items", moment.earliest):
        return False
    lines = [one for stated in spoken.stated.values() for one in stated if one.record_id == first.record_id]
    ends = {end for one in lines if supports(world, asker, one, moment) for end in (one.source_id, one.target_id)}
    if whole.entity_id in {spoken.whole_of(end, moment) for end in ends}:
        return False
    if world.owns(asker, asker.graph):
        merged = any(one.entity_id == whole.entity_id and holds(one, moment) for one in spoken.joined)
        if whole.decided or whole.corrected(moment) or merged:
            return False
    return not spoken.counted_facts(world, asker, whole.entity_id, moment)


def best_name(world: World, asker: Asker, whole: Said, lines: Sequence[Said], moment: Moment) -> str:
    """What an asker calls an entity of which these mentions are read."""
    if world.owns(asker, asker.graph):
        return whole.called(moment)
    keys = {key for one in lines for key in one.names}
    names = sorted(names_of(world, asker, keys), key=lambda name: (-len(name), name))
    return (names or [kind_of(world, asker, whole, lines, moment)])[0]


def kind_of(world: World, asker: Asker, whole: Said, lines: Sequence[Said], moment: Moment) -> str:
    """The kind of an entity that an asker reads: the one that most of these mentions tell."""
    if world.owns(asker, asker.graph):
        return whole.kind_then(moment)
    told = Counter(one.told for one in lines if one.told != UNKNOWN_KIND)
    return min(told, key=lambda kind: (-told[kind], kind), default=UNKNOWN_KIND)


def names_of(world: World, asker: Asker, keys: Iterable[str]) -> set[str]:
    """Names as they are written."""
    return {world.spoken.values[asker.graph, key] for key in keys if (asker.graph, key) in world.spoken.values}


def found_entity(world: World, asker: Asker, entity_id: UUID, moment: Moment) -> Group | None:
    """What an id leads to: an entity as a whole, or one that was merged into it and of which the asker may know itself."""
    whole = world.spoken.whole_of(entity_id, moment)
    group = groups(world, asker, moment).get(whole)
    return group if group and entity_id in {group.seen_as, *group.members} else None
