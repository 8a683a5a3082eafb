"""The past of a forest: records and nodes that were renamed and moved, documents at two nodes with an older version."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.lab.leaks.model import World
from engine.lab.leaks.stored import add_edge
from engine.lab.leaks.things import Asker, Former, Place, Written, marker, person, tokens

if TYPE_CHECKING:
    from engine.neurigraph import Engine


def some_moment(world: World, asker: Asker, rng: Random) -> Moment:
    """The present, or a time between two changes of the graph on one clock, or on both."""
    draw, marks = rng.random(), world.marks[asker.graph]
    if draw < 0.5 or not marks:
        return NOW
    time = rng.choice(marks)
    if draw < 0.75:
        return Moment(known_at=time)
    return Moment(as_of=time, known_at=rng.choice(marks) if draw > 0.9 else None)


async def rename(engine: Engine, world: World, record: Written, rng: Random, *, correction: bool = False) -> Written:
    """Sets another title; as a correction it replaces the title before the last one."""
    title, user = marker(rng), world.places[record.node_id].user_id
    change = Change("record", record.record_id, {"title": title}, record.node_id, correction=correction)
    await engine.memory(user).history.change(change)
    now = datetime.now(UTC)
    if correction and record.titles:  # a later change of the title still holds
        world.change_written(record, record)
        world.former[title] = ("record", record.record_id, record.titles[0][0])
        changed = record
    else:
        changed = replace(record, title=title, titles=(*record.titles, (now, record.title)))
        world.change_written(record, changed, (record.title,))
    world.mark(user)
    return changed


async def move(engine: Engine, world: World, record: Written, target: Place, rng: Random) -> Written:
    """Moves it to another node, with a reason."""
    reason = marker(rng)
    memory = engine.memory(target.user_id)
    await memory.records.move(record.record_id, record.node_id, target.node_id, reason=reason)
    world.add_reason(reason, record.node_id)
    changed = replace(record, node_id=target.node_id, moved_at=datetime.now(UTC))
    world.change_written(record, changed)
    world.mark(target.user_id)
    return changed


async def rename_node(engine: Engine, world: World, place: Place, rng: Random) -> Place:
    """Sets another name and summary."""
    name, word = marker(rng), marker(rng)
    change = Change("node", place.node_id, {"name": name, "summary": f"All of {word}."})
    await engine.memory(place.user_id).history.change(change)
    changed = replace(place, name=name)
    world.change_place(place, changed, (place.name,), (word,))
    world.mark(place.user_id)
    return changed


async def move_node(engine: Engine, world: World, place: Place, above: Place) -> Place:
    """Moves it to another parent."""
    change = Change("node", place.node_id, {"parent_id": str(above.node_id)})
    await engine.memory(place.user_id).history.change(change)
    changed = replace(place, parent_id=above.node_id, layer=above.layer + 1, placed_at=datetime.now(UTC))
    world.change_place(place, changed)
    world.mark(place.user_id)
    return changed


async def add_document(engine: Engine, world: World, ends: tuple[Place, Place], rng: Random) -> None:
    """A document in two versions at two nodes; its passages contain the keywords of the nodes."""
    memory, source = engine.memory(ends[0].user_id), marker(rng)
    kinds = [("walleye", "lake", "boat"), ("payroll", "invoice", "library")]
    for place, keywords in zip(ends, kinds, strict=True):
        await memory.history.change(Change("node", place.node_id, {"keywords": list(keywords)}))
    # of each end: the word of the kept text, that of the first version, that of the second
    words = [[marker(rng) for _ in range(3)] for _ in ends]
    for version in (1, 2):
        sections = (
            f"# {kind[1]}\n\n{_passage(kind, own[0])}\n\n{_passage(kind, own[version])}"
            for kind, own in zip(kinds, words, strict=True)
        )
        report = await memory.records.remember_text("A week", "\n\n".join(sections), source_id=source)
        for stored in report.records:
            own = words[[place.node_id for place in ends].index(stored.node_id)]
            known = world.written.get(stored.record_id)
            if known is None:
                made = Written(
                    stored.record_id, stored.node_id, stored.file_id, "A week", own[0], private=False, items=stored.items,
                    part=len(report.records) > 1, document=True, made_at=datetime.now(UTC),
                )  # fmt: skip
                world.add_written(made, (own[1],))
            else:
                newer = replace(known, file_id=stored.file_id, items=known.items + stored.items)
                world.change_written(known, newer, (), (own[2],))
                world.add_former(Former(stored.record_id, known.file_id, own[1], datetime.now(UTC)))
        world.mark(ends[0].user_id)


async def add_versions(engine: Engine, world: World, place: Place, rng: Random) -> None:
    """A document at one node, in two versions."""
    memory, source, words = engine.memory(place.user_id), marker(rng), [marker(rng), marker(rng)]
    names = [person(rng), person(rng)]
    texts = [f"The {word}. {name} was there." for word, name in zip(words, names, strict=True)]
    first = await memory.records.remember_text("Notes", texts[0], source_id=source, node_id=place.node_id)
    second = await memory.records.remember_text("Notes", texts[1], source_id=source, node_id=place.node_id)
    old, new = first.records[0], second.records[0]
    made = Written(
        new.record_id, place.node_id, new.file_id, "Notes", words[1], private=False, items=old.items + new.items,
        document=True, made_at=datetime.now(UTC), named=(names[1],),
    )  # fmt: skip
    world.add_written(made, (names[1],))
    world.add_former(Former(new.record_id, old.file_id, words[0], datetime.now(UTC)), *tokens(names[0]))
    world.mark(place.user_id)


def _passage(kind: tuple[str, ...], word: str) -> str:
    return f"The {kind[0]} and the {kind[1]} with the {kind[2]} of {word}. " * 16


async def add_past(engine: Engine, world: World, user: UUID, rng: Random) -> None:
    """Records and nodes with a past, inside and outside of later grants."""
    mine = [place for place in world.places.values() if place.user_id == user]
    world.mark(user)
    held = [one for place in mine for one in world.held[place.node_id]]
    movable = [one for one in held if one.scope == "user" and not one.private]
    for record in rng.sample(movable, min(8, len(movable))):
        renamed = await rename(engine, world, record, rng)
        elsewhere = rng.choice([place for place in mine if place.node_id != renamed.node_id])
        await move(engine, world, renamed, elsewhere, rng)
    leaves = [place for place in mine if place.parent_id and not world.children[place.node_id]]
    for number, place in enumerate(rng.sample(leaves, min(2, len(leaves)))):
        if world.children[place.node_id]:  # the other one was moved below it
            continue
        renamed_node = await rename_node(engine, world, place, rng)
        present = [world.places[one.node_id] for one in mine]  # one of them was moved before
        above = [one for one in present if one.layer < 4 and one.node_id not in (place.node_id, place.parent_id)]
        personas = [one for one in above if one.node_type == "persona"]
        chosen = rng.choice(personas if personas and number == 0 else above)  # below a persona one at least
        moved = await move_node(engine, world, renamed_node, world.places[chosen.node_id])
        await add_edge(engine, world, rng, [world.places[chosen.node_id], moved])
    concepts = [place for place in world.places.values() if place.user_id == user and place.node_type == "concept"]
    first, second = rng.sample(concepts, 2)
    await add_document(engine, world, (first, second), rng)
    for place in rng.sample(mine, 2):
        await add_versions(engine, world, world.places[place.node_id], rng)


async def add_corrections(engine: Engine, world: World, user: UUID, rng: Random) -> None:
    """Titles corrected after grants were made: the delta holds the former value."""
    renamed = [one for one in world.written.values() if one.titles and world.places[one.node_id].user_id == user]
    for record in rng.sample(renamed, min(3, len(renamed))):
        await rename(engine, world, record, rng, correction=True)
