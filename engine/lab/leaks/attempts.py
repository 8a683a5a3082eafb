"""Attempts through the public API that must be refused: to store, shape, grant where the asker may not."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from random import Random
from typing import TYPE_CHECKING
from uuid import uuid4

from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.errors import InvalidInput
from engine.lab.leaks import expected
from engine.lab.leaks.asking import Draws, Operation, any_principal, question, some_node
from engine.lab.leaks.model import World
from engine.lab.leaks.rights import random_grant
from engine.lab.leaks.stored import some_scope
from engine.lab.leaks.things import marker

if TYPE_CHECKING:
    from engine.memory import Memory


draws = Draws()


@draws.of("store refused", 3)
def store_refused(world: World, rng: Random) -> Operation:
    """Storing where the asker may not write, or as private, or in a thread, or without a node."""
    asker = any_principal(world, rng)
    node = some_node(world, asker, rng)
    if world.writes(asker, node) and world.places[node].user_id == asker.graph:
        node = uuid4()
    draw = rng.random()
    text, private = f"Intruding {marker(rng)}.", draw < 0.1 and asker.kind != "user"
    where = None if draw > 0.9 and asker.kind != "user" else node

    scoped = 0.1 <= draw < 0.2 and asker.kind != "user"
    scope = some_scope(world, rng.choice(world.users), rng).scope

    async def ask(memory: Memory) -> object:
        place = memory.within(scope) if scoped else memory
        return await place.records.remember_text("x", text, node_id=where, privacy="private" if private else "org")

    def judge(outcome: object) -> Iterator[str]:
        outside = asker.kind == "third_party" or expected.outside(world, asker)
        if scoped or (not outside and (where is None or private)):
            yield from expected.differing("refused as", InvalidInput, type(outcome))
        else:
            yield from expected.denied(outcome)

    return question(world, asker, str(where), ask, judge)


@draws.of("provision refused", 2)
def provision_refused(world: World, rng: Random) -> Operation:
    """A child below a node that is not the asker's own."""
    asker = any_principal(world, rng)
    node = some_node(world, asker, rng)
    node = uuid4() if world.owns(asker, node) and asker.graph == asker.principal_id else node
    new = NewNode(node, marker(rng))
    return question(world, asker, str(node), lambda memory: memory.nodes.provision(new), expected.denied)


@draws.of("relate refused", 3)
def relate_refused(world: World, rng: Random) -> Operation:
    """An edge of which one end is not the asker's own."""
    asker = any_principal(world, rng)
    ends = [some_node(world, asker, rng), some_node(world, asker, rng)]
    if asker.kind == "user" and all(world.owns(asker, end) for end in ends):
        ends[rng.randrange(2)] = uuid4()
    if ends[0] == ends[1]:
        ends[1] = uuid4()
    kind = marker(rng)
    return question(world, asker, str(ends), lambda memory: memory.edges.make(ends[0], ends[1], kind), expected.denied)


@draws.of("give refused", 3)
def give_refused(world: World, rng: Random) -> Operation:
    """A grant on a node that is not the asker's own, or to a subject outside the asker's graph and workspace."""
    asker = any_principal(world, rng)
    new = random_grant(world, rng.choice(world.users), rng)
    mine = [place for place in world.places.values() if place.user_id == asker.principal_id]
    if world.owns(asker, new.node_id):
        concepts = [place for place in mine if place.node_type == "concept"]
        others = [place for place in world.places.values() if place not in mine]
        new = NewGrant(new.node_id, "persona", rng.choice(rng.choice((concepts, others))).node_id)
        if rng.random() < 0.3:
            new = NewGrant(new.node_id, "third_party", world.stranger)
    elif asker.kind == "user":
        new = NewGrant(new.node_id, "persona", rng.choice([p for p in mine if p.node_type == "persona"]).node_id)
    return question(world, asker, str(new), lambda memory: memory.grants.give(new), expected.denied)


@draws.of("revoke refused", 2)
def revoke_refused(world: World, rng: Random) -> Operation:
    """Revoking a grant of another user."""
    asker = any_principal(world, rng)
    others = [right.grant_id for right in world.rights.values() if not world.owns(asker, right.node_id)]
    grant = rng.choice([*others, uuid4()])
    return question(world, asker, str(grant), lambda memory: memory.grants.revoke(grant), expected.denied)


@draws.of("change refused", 4)
def change_refused(world: World, rng: Random) -> Operation:
    """Changing something, or reading its history, without the right to change it."""
    asker = any_principal(world, rng)
    kind = rng.choice(("node", "node", "edge", "edge", "record"))
    node, subject = some_node(world, asker, rng), uuid4()
    if kind == "edge":
        link = rng.choice(list(world.links.values()))
        subject = uuid4() if world.owns(asker, link.source) else link.edge_id
    elif kind == "node":
        subject = uuid4() if world.owns(asker, node) else node
    else:
        record = rng.choice(list(world.written.values()))
        node = record.node_id
        at_home = world.places[node].user_id == asker.graph
        subject = uuid4() if at_home and world.writes(asker, node) and world.sees(asker, record) else record.record_id
    fields: dict[str, object] = {"ended": rng.random() < 0.5} if kind == "edge" else {"summary": marker(rng)}
    change = Change(kind, subject, fields, node if kind == "record" else None)  # type: ignore[arg-type]
    looking = kind != "record" and rng.random() < 0.5
    if looking and subject in world.links and world.may_know(asker, "edge", subject):
        looking = False  # readers of both ends see the edge

    def ask(memory: Memory) -> Awaitable[object]:
        if looking:
            return memory.history.state(change.subject_kind, subject)
        return memory.history.change(change)

    return question(world, asker, f"{change} {looking}", ask, expected.denied)
