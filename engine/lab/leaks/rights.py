"""Grants in a forest: made and revoked by the users themselves, and recorded in the model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

from engine.domain.grant import FIELDS, Field, GrantMode, NewGrant, SubjectKind
from engine.lab.leaks.model import World
from engine.lab.leaks.past import add_corrections, move
from engine.lab.leaks.stored import add_record, owner
from engine.lab.leaks.things import ALWAYS, Asker, Place, Right, marker

if TYPE_CHECKING:
    from engine.neurigraph import Engine

LAPSE = 1.5
"""Seconds after which grants with an expiry end."""
PARTS: tuple[tuple[Field, ...], ...] = (FIELDS, FIELDS, (), ("records",), ("records", "items"), ("records", "files"))


async def entitle(engine: Engine, world: World, user: UUID, rng: Random, grants: int) -> list[UUID]:
    """Makes grants of one user, some revoked at once; returns those with an expiry, which are still active."""
    lapsed, single, by_fields, deep = world.integrations
    mine = [place for place in world.places.values() if place.user_id == user]
    below = [place for place in mine if place.parent_id == user]
    inner = [place for place in mine if world.children[place.node_id]]
    personas = [place for place in mine if place.node_type == "persona"]
    lapsing: list[UUID] = []
    for place in below:
        brief = NewGrant(place.node_id, "third_party", lapsed, depth=4, expires_at=_soon())
        lapsing.append(await give(engine, world, brief))
        ended = NewGrant(place.node_id, "third_party", lapsed, depth=5)
        await revoke(engine, world, user, await give(engine, world, ended))
    once = NewGrant(rng.choice(inner).node_id, "third_party", single)
    await revoke(engine, world, user, await give(engine, world, once))  # a right that ended before gives no access
    await give(engine, world, once)
    await give(engine, world, NewGrant(rng.choice(inner).node_id, "third_party", single, depth=2, past=True))
    for parts in PARTS[2:]:
        await give(engine, world, NewGrant(rng.choice(inner).node_id, "third_party", by_fields, depth=1, fields=parts))
    await give(engine, world, NewGrant(rng.choice(inner).node_id, "third_party", deep, depth=rng.randint(1, 3)))
    for moved in [place for place in mine if place.placed_at != ALWAYS and place.parent_id]:
        assert moved.parent_id is not None
        await give(engine, world, NewGrant(moved.parent_id, "third_party", deep, depth=1, past=True))
    first, left = await _let_write(engine, world, user, personas, rng)
    for _ in range(grants):
        new = random_grant(world, user, rng, expires_at=_soon() if rng.random() < 0.2 else None)
        grant_id = await give(engine, world, new)
        if new.expires_at is not None:
            lapsing.append(grant_id)
        elif rng.random() < 0.3:
            await revoke(engine, world, user, grant_id)
    above = {one.node_id for one in world.way(left)}
    for right in [one for one in world.rights.values() if one.subject_id == first and not one.ended]:
        if right.grant_id not in lapsing and right.node_id in above:
            await revoke(engine, world, user, right.grant_id)
    await add_corrections(engine, world, user, rng)
    return lapsing


async def _let_write(engine: Engine, world: World, user: UUID, personas: list[Place], rng: Random) -> tuple[UUID, UUID]:
    """Two personas may read outside of their subtrees, and write at one node, to which a record is moved. The first one
    must not see its own records after its right has ended; the second one must not see who the first one is.
    Returns the first persona and that node: no other grant may open it to the first one."""
    mine = [place for place in world.places.values() if place.user_id == user]
    writers = personas[:2]
    outside = [place for place in mine if not any(persona in world.way(place.node_id) for persona in writers)]
    parts = [place for place in outside if any(one.part for one in world.held[place.node_id])]
    place, given = rng.choice(parts or outside), []
    for persona in writers:
        elsewhere = rng.choice(outside).node_id
        await give(engine, world, NewGrant(elsewhere, "persona", persona.node_id, "read", rng.choice((0, 1))))
        new = NewGrant(place.node_id, "persona", persona.node_id, "read_write", rng.choice((0, 1)))
        given.append(await give(engine, world, new))
    for persona in writers:
        for number in range(3):
            await add_record(engine, world, Asker("persona", persona.node_id, user), place, rng, document=number == 0)
    second = Asker("persona", writers[1].node_id, user)
    hidden = rng.choice([one for one in mine if not world.reads(second, one.node_id)])
    stored = (await add_record(engine, world, owner(user), hidden, rng)).records[0]
    # the second one must not see its origin and reason
    await move(engine, world, world.written[stored.record_id], place, rng)
    await revoke(engine, world, user, given[0])
    for part in [place for place in mine if any(one.part for one in world.held[place.node_id])]:
        single, by_fields = world.integrations[1:3]
        await give(engine, world, NewGrant(part.node_id, "third_party", single))
        await give(engine, world, NewGrant(part.node_id, "third_party", by_fields, fields=("records", "items")))
    return writers[0].node_id, place.node_id


def _soon() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=LAPSE)


def random_grant(world: World, user: UUID, rng: Random, expires_at: datetime | None = None) -> NewGrant:
    """Any grant on any node of the user."""
    mine = [place for place in world.places.values() if place.user_id == user]
    personas = [place.node_id for place in mine if place.node_type == "persona"]
    kind: SubjectKind = "persona" if rng.random() < 0.5 else "third_party"
    subject = rng.choice(personas if kind == "persona" else world.integrations[1:])
    mode: GrantMode = "read_write" if kind == "persona" and rng.random() < 0.4 else "read"
    fields = FIELDS if mode == "read_write" else rng.choice(PARTS)
    depth = rng.choice((0, 0, 0, 1, 2, 5))
    past = rng.random() < 0.25
    return NewGrant(rng.choice(mine).node_id, kind, subject, mode, depth, fields, marker(rng), expires_at, past)


async def give(engine: Engine, world: World, new: NewGrant) -> UUID:
    """Makes a grant as the node's owner, in the engine and in the model."""
    user = world.places[new.node_id].user_id
    given = await engine.memory(user).grants.give(new)
    right = Right(
        given.grant_id, new.node_id, new.subject_kind, new.subject_id, new.mode, new.depth, new.fields, given.granted_at,
        new.past,
    )  # fmt: skip
    world.add_right(right, (new.purpose,))
    world.mark(user)
    return given.grant_id


async def revoke(engine: Engine, world: World, user: UUID, grant_id: UUID) -> None:
    """Revokes a grant, in the engine and in the model."""
    await engine.memory(user).grants.revoke(grant_id)
    world.end_right(grant_id)
