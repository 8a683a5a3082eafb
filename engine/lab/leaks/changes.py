"""Changes of the world between two batches of questions: grants, records, edges, nodes; no questions run meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

from engine.domain.node import MAX_LAYER
from engine.domain.scope import Origin
from engine.lab.leaks.expected import differing
from engine.lab.leaks.forest import survey
from engine.lab.leaks.model import World
from engine.lab.leaks.past import move, rename
from engine.lab.leaks.rights import give, random_grant, revoke
from engine.lab.leaks.spoken import Spoken, betrayed, met
from engine.lab.leaks.stored import add_edge, add_node, add_record, owner, some_scope, some_source
from engine.lab.leaks.things import Asker, Place

if TYPE_CHECKING:
    from engine.neurigraph import Engine

MOST_RECORDS = 40
"""Records at a node: the manifest of a shell shows the newest fifty."""
MOST_NODES = 25
"""Nodes of a user."""


async def change(engine: Engine, world: World, rng: Random) -> AsyncIterator[tuple[str, Asker, list[str]]]:
    """Makes some changes; yields for each its kind, its author and what was wrong with the answer."""
    user = rng.choice(world.users)
    mine = [place for place in world.places.values() if place.user_id == user]
    for _ in range(2):
        await give(engine, world, random_grant(world, user, rng))
        yield "give", owner(user), []
    running = [r.grant_id for r in world.rights.values() if not r.ended and world.places[r.node_id].user_id == user]
    for grant_id in rng.sample(running, min(2, len(running))):
        await revoke(engine, world, user, grant_id)
        yield "revoke", owner(user), []
    touched: set[UUID] = set()
    if len(world.links) < 60:
        link = await add_edge(engine, world, rng, rng.sample(mine, 2))
        touched.add(link.source)  # its log keeps the delta
        yield "relate", owner(user), []
    if len(mine) < MOST_NODES and rng.random() < 0.2:
        above = rng.choice([place for place in mine if place.layer < MAX_LAYER])
        touched.add((await add_node(engine, world, above, rng, persona=rng.random() < 0.3)).node_id)
        yield "provision", owner(user), []
    stored: list[tuple[Asker, set[UUID], Spoken, UUID]] = []
    for asker, place in _writers(world, user, mine, rng):
        private = asker.kind == "user" and rng.random() < 0.4
        scoped = asker.kind == "user" and rng.random() < 0.3
        origin = some_scope(world, user, rng) if scoped else Origin(source=some_source(rng))
        known = met(world, asker)
        report = await add_record(engine, world, asker, place, rng, private=private, origin=origin)
        stored += [(asker, known, world.spoken, record.record_id) for record in report.records]
        touched.add(place.node_id)
        wrong = [
            text
            for stored in report.records
            for text in differing("path", world.path(asker, place.node_id), stored.path)
        ]
        yield "store", asker, [*wrong, *world.foreign(asker, report)]
    await _move_on(engine, world, user, rng, touched)
    yield "rename and move", owner(user), []
    await survey(engine, world, touched)
    for asker, known, before, record_id in stored:
        if asker.kind == "persona":
            yield "resolve", asker, list(betrayed(world, before, known, record_id))


async def _move_on(engine: Engine, world: World, user: UUID, rng: Random, touched: set[UUID]) -> None:
    """Renames a record and moves it to another node."""
    records = [one for one in world.written.values() if world.places[one.node_id].user_id == user and not one.part]
    record = await rename(engine, world, rng.choice(records), rng)
    room = [place for place in world.places.values() if place.user_id == user and place.node_id != record.node_id]
    target = min(room, key=lambda place: len(world.held[place.node_id]) + rng.random())
    await move(engine, world, record, target, rng)
    touched.update((record.node_id, target.node_id))


def _writers(world: World, user: UUID, mine: list[Place], rng: Random) -> list[tuple[Asker, Place]]:
    """The user at any node, and up to two personas at nodes where they may write."""
    room = [place for place in mine if len(world.held[place.node_id]) < MOST_RECORDS]
    personas = [Asker("persona", place.node_id, user) for place in mine if place.node_type == "persona"]
    writable = [(asker, place) for asker in personas for place in room if world.writes(asker, place.node_id)]
    chosen = rng.sample(writable, min(2, len(writable)))
    return [(owner(user), rng.choice(room)), *chosen] if room else chosen
