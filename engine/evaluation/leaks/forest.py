"""Random forests: made through the public API by the users themselves, and remembered in a model.

Every node, record and edge carries markers that stand nowhere else. Some shapes are always there: a subject whose
grants have all ended, one that was granted a single node, one by fields, one deep; personas in personas.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from engine.domain.delta import Change
from engine.domain.event import NewEvent
from engine.domain.grant import FIELDS, Field, GrantMode, NewGrant, SubjectKind
from engine.domain.history import Conversation, History, Turn
from engine.domain.node import MAX_LAYER, NewNode
from engine.domain.record import IngestReport
from engine.domain.scope import INGESTED, MemoryScope, Origin, Privacy, SourceKind
from engine.domain.stream import StreamedTurn
from engine.errors import DepthExceeded
from engine.evaluation.leaks.model import Asker, Link, Place, Right, Row, World, Written
from engine.stores.statements import sql_in, sql_text

if TYPE_CHECKING:
    from engine.neurigraph import Engine

SHARED_ALIAS = "Walleye"
"""An alias that many nodes of all graphs share, so that a name leads to several."""
LAPSE = 1.5
"""Seconds after which the grants are over that end by their time."""
PARTS: tuple[tuple[Field, ...], ...] = (FIELDS, FIELDS, (), ("records",), ("records", "items"), ("records", "files"))


@dataclass(frozen=True, slots=True)
class Size:
    """How much one user's graph holds."""

    users: int = 3
    nodes: int = 12
    edges: int = 10
    grants: int = 12


def marker(rng: Random) -> str:
    """A word that stands nowhere else."""
    return f"qz{rng.getrandbits(32):08x}q"


def owner(user_id: UUID) -> Asker:
    """The user of a graph."""
    return Asker("user", user_id, user_id)


async def grow(engine: Engine, rng: Random, size: Size | None = None) -> World:
    """A forest with all that is in it; returns when the grants that end by their time are over."""
    size = size or Size()
    world = World()
    for _ in range(size.users):
        name = marker(rng)
        user = await engine.create_user(f"leaks-{uuid4().hex[:12]}", name)
        root = await engine.memory(user.user_id).shell(user.user_id)
        world.users.append(user.user_id)
        world.add_place(Place(user.user_id, user.user_id, None, name, (), "user", 0, root.schema_name or ""))
    await _introduce(engine, world)
    plots = [Random(rng.getrandbits(64)) for _ in world.users]
    await asyncio.gather(
        *(_plant(engine, world, user, plot, size) for user, plot in zip(world.users, plots, strict=True))
    )
    entitled = (_entitle(engine, world, user, plot, size) for user, plot in zip(world.users, plots, strict=True))
    lapsing = await asyncio.gather(*entitled)
    await asyncio.sleep(LAPSE)
    for grant_id in (grant_id for grants in lapsing for grant_id in grants):
        world.end_right(grant_id)
    await _wake(engine, world)
    await survey(engine, world, world.places)
    return world


async def _introduce(engine: Engine, world: World) -> None:
    """Integrations of the users' workspace, and one of another."""
    world.integrations, world.stranger = [uuid4() for _ in range(4)], uuid4()
    async with engine.postgres.as_service() as connection:
        for integration_id in world.integrations:
            parameters = {
                "integration_id": integration_id,
                "user_id": world.users[0],
                "name": f"leaks {integration_id}",
            }
            await connection.execute(sql_text("leaks_integration"), parameters)
        stranger = {"integration_id": world.stranger, "name": f"leaks {world.stranger}"}
        await connection.execute(sql_text("leaks_stranger"), stranger)


async def _plant(engine: Engine, world: World, user: UUID, rng: Random, size: Size) -> None:
    memory = engine.memory(user)
    mine = [world.places[user]]
    first = await add_node(engine, world, mine[0], rng, persona=True)
    chain = [first]
    for persona in (False, True, False, False):  # down to the last layer, with a persona inside a persona's subtree
        chain.append(await add_node(engine, world, chain[-1], rng, persona=persona))
    beside = await add_node(engine, world, mine[0], rng, persona=False)
    mine += [*chain, beside, await add_node(engine, world, beside, rng, persona=True)]
    while len(mine) < size.nodes:
        above = rng.choice([place for place in mine if place.layer < MAX_LAYER])
        mine.append(await add_node(engine, world, above, rng, persona=rng.random() < 0.25))
    world.add_scopes(user, tuple((kind, marker(rng)) for kind in ("thread", "thread", "workflow")))
    for place in mine:
        await add_record(engine, world, owner(user), place, rng, origin=Origin(source=some_source(rng)))
        if rng.random() < 0.6:
            await add_record(engine, world, owner(user), place, rng, private=True)
        if rng.random() < 0.6:
            await add_record(engine, world, owner(user), place, rng, origin=some_scope(world, user, rng))
    for _ in range(size.edges):
        await add_edge(engine, world, rng, rng.sample(mine, 2))
    with suppress(DepthExceeded):  # which the log of the hierarchy keeps
        await memory.provision(NewNode(chain[-1].node_id, marker(rng)))
    async with engine.postgres.as_principal(memory.principal) as connection:
        kept = {"user_id": user, "key": rng.randbytes(32), "now": datetime.now(UTC)}
        await connection.execute(sql_text("model_answer_keep"), _KEPT | kept)
    unstorable = Conversation("unstorable", (Turn("Bob", "\x00"),))  # which the log of failures keeps
    await memory.ingest(History("leaks", "Leaks", (unstorable,)))
    await memory.write_event(NewEvent(marker(rng), marker(rng), node_id=first.node_id))
    key = f"key-{marker(rng)}"
    await memory.idempotency.once(memory.principal, key, b"", _answer)
    persona_memory = engine.memory_as(Asker("persona", first.node_id, user).principal)
    await persona_memory.idempotency.once(persona_memory.principal, key, b"", _answer)
    await memory.append(key, StreamedTurn("user", "This waits."))
    await memory.build_replay((await memory.begin_replay()).replay_id)


_KEPT = {"model": "a model", "prompt": "a prompt", "answer": Jsonb({}), "input_tokens": 1, "output_tokens": 1}


async def _answer() -> dict[str, object]:
    return {}


async def add_node(engine: Engine, world: World, above: Place, rng: Random, *, persona: bool) -> Place:
    """A child with a name, summary and keywords that are markers."""
    name, told, keyword = (marker(rng) for _ in range(3))
    aliases = (SHARED_ALIAS,) if rng.random() < 0.4 else ()
    new = NewNode(above.node_id, name, "persona" if persona else "concept", f"All of {told}.", (keyword,), aliases)
    made = await engine.memory(above.user_id).provision(new)
    own = Random(name)
    if own.random() < 0.4:  # it has a past, too
        later = Change("node", made.node_id, {"summary": f"All of {marker(own)}."})
        await engine.memory(above.user_id).change(later)
    place = Place(
        made.node_id, above.user_id, above.node_id, name, aliases, new.node_type, made.layer, made.schema_name
    )
    world.add_place(place, (told, keyword))
    return place


async def add_edge(engine: Engine, world: World, rng: Random, ends: list[Place]) -> Link:
    """An edge whose type and property are markers."""
    kind, note = marker(rng), marker(rng)
    source, target = ends
    edge_id, _ = await engine.memory(source.user_id).relate(source.node_id, target.node_id, kind, {"note": note})
    link = Link(edge_id, kind, source.node_id, target.node_id)
    world.add_link(link, (note,))
    return link


def some_source(rng: Random) -> SourceKind:
    """A way to come in, the usual one most often."""
    return rng.choice(("ingested", "ingested", "manual", "extracted"))


def some_scope(world: World, user: UUID, rng: Random) -> Origin:
    """One of the threads and workflows of a user."""
    kind, scope_id = rng.choice(world.scopes[user])
    return Origin(MemoryScope("workflow" if kind == "workflow" else "thread", scope_id), some_source(rng))


async def add_record(  # noqa: PLR0913 (what there is, who writes where, and as what)
    engine: Engine, world: World, asker: Asker, place: Place, rng: Random,
    *, private: bool = False, origin: Origin = INGESTED,
) -> IngestReport:  # fmt: skip
    """A short record at a node, a note or a conversation; the report that its writer was given."""
    title, text, source = marker(rng), marker(rng), marker(rng)
    memory = engine.memory_as(asker.principal).within(origin.scope, source=origin.source)
    privacy: Privacy = "private" if private else "org"
    if rng.random() < 0.5:
        report = await memory.remember_text(
            title, f"Caught {text}.", source_id=source, node_id=place.node_id, privacy=privacy
        )
    else:
        turns = (Turn("Bob", f"We caught {text}."), Turn("Iris", "When?"))
        conversation = Conversation(source, turns, title)
        report = await memory.remember(conversation, node_id=place.node_id, privacy=privacy)
    for record in report.records:
        made = Written(
            record.record_id, record.node_id, record.file_id, title, text, private, record.items,
            str(origin.scope), origin.source,
        )  # fmt: skip
        world.add_written(made, (source,))
    return report


async def _wake(engine: Engine, world: World) -> None:
    """One file of every user, so that there are lines in the log of states."""
    for user in world.users:
        record = next(one for one in world.written.values() if world.places[one.node_id].user_id == user)
        await engine.memory(user).wake(record.node_id, record.file_id)


async def _entitle(engine: Engine, world: World, user: UUID, rng: Random, size: Size) -> list[UUID]:
    """Grants of one user, some of them revoked at once; those that end by their time, which is not yet over."""
    lapsed, single, by_fields, deep = world.integrations
    mine = [place for place in world.places.values() if place.user_id == user]
    below = [place for place in mine if place.parent_id == user]
    inner = [place for place in mine if world.children(place.node_id)]
    personas = [place for place in mine if place.node_type == "persona"]
    lapsing: list[UUID] = []
    for place in below:
        lapsing.append(
            await give(engine, world, NewGrant(place.node_id, "third_party", lapsed, depth=4, expires_at=_soon()))
        )
        ended = NewGrant(place.node_id, "third_party", lapsed, depth=5)
        await revoke(engine, world, user, await give(engine, world, ended))
    await give(engine, world, NewGrant(rng.choice(inner).node_id, "third_party", single))
    for parts in PARTS[2:]:
        await give(engine, world, NewGrant(rng.choice(inner).node_id, "third_party", by_fields, depth=1, fields=parts))
    await give(engine, world, NewGrant(rng.choice(inner).node_id, "third_party", deep, depth=rng.randint(1, 3)))
    for persona in personas[:2]:
        outside = [place for place in mine if persona not in world.way(place.node_id)]
        for mode in ("read", "read_write"):
            place = rng.choice(outside)
            await give(engine, world, NewGrant(place.node_id, "persona", persona.node_id, mode, rng.choice((0, 1))))
    for _ in range(size.grants):
        new = random_grant(world, user, rng, expires_at=_soon() if rng.random() < 0.2 else None)
        grant_id = await give(engine, world, new)
        if new.expires_at is not None:
            lapsing.append(grant_id)
        elif rng.random() < 0.3:
            await revoke(engine, world, user, grant_id)
    return lapsing


def _soon() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=LAPSE)


def random_grant(world: World, user: UUID, rng: Random, expires_at: datetime | None = None) -> NewGrant:
    """Any right on any node of the user's."""
    mine = [place for place in world.places.values() if place.user_id == user]
    personas = [place.node_id for place in mine if place.node_type == "persona"]
    kind: SubjectKind = "persona" if rng.random() < 0.5 else "third_party"
    subject = rng.choice(personas if kind == "persona" else world.integrations[1:])
    mode: GrantMode = "read_write" if kind == "persona" and rng.random() < 0.4 else "read"
    fields = FIELDS if mode == "read_write" else rng.choice(PARTS)
    depth = rng.choice((0, 0, 0, 1, 2, 5))
    return NewGrant(rng.choice(mine).node_id, kind, subject, mode, depth, fields, marker(rng), expires_at)


async def give(engine: Engine, world: World, new: NewGrant) -> UUID:
    """Gives a right as the node's user, in the engine and in the model."""
    user = world.places[new.node_id].user_id
    given = await engine.memory(user).grants.give(engine.memory(user).principal, new)
    right = Right(given.grant_id, new.node_id, new.subject_kind, new.subject_id, new.mode, new.depth, new.fields)
    world.add_right(right, (new.purpose,))
    return given.grant_id


async def revoke(engine: Engine, world: World, user: UUID, grant_id: UUID) -> None:
    """Ends a right, in the engine and in the model."""
    await engine.memory(user).grants.revoke(owner(user).principal, grant_id)
    world.end_right(grant_id)


async def survey(engine: Engine, world: World, nodes: dict[UUID, Place] | set[UUID]) -> None:
    """Learns the rows as the service sees them: of these nodes, and of the shared tables."""
    async with engine.postgres.as_service() as connection:
        for node_id in list(nodes):
            cursor = await connection.execute(sql_in("leaks_node_rows", world.places[node_id].schema_name), {})
            world.set_rows(
                node_id, tuple([Row(**row | {"private": bool(row["private"])}) for row in await cursor.fetchall()])
            )
        cursor = await connection.execute(sql_text("leaks_shared_rows"), {})
        users = set(world.users)
        world.shared = tuple([row for row in await cursor.fetchall() if row["user_id"] in users])
