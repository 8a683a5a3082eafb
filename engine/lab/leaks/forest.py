"""Random forests: made through the public API by the users themselves, and recorded in a model.

Every node, record and edge has unique markers. Some cases always exist: a subject whose grants have all ended, one with
a grant on a single node, one with limited fields, one with depth; personas in personas.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from engine.access.idempotency import Idempotency
from engine.domain.history import Conversation, History, Turn
from engine.domain.node import MAX_LAYER, NewNode
from engine.domain.occasion import NewEvent
from engine.domain.scope import Origin
from engine.domain.stream import StreamedTurn
from engine.errors import DepthExceeded
from engine.lab.leaks.model import World
from engine.lab.leaks.past import add_past
from engine.lab.leaks.rights import LAPSE, entitle
from engine.lab.leaks.spoken import hear, heard
from engine.lab.leaks.stored import add_edge, add_node, add_record, owner, some_scope, some_source
from engine.lab.leaks.things import SHARED_GIVEN, Asker, Place, Row, marker, person
from engine.stores.statements import cypher, sql_in, sql_text

if TYPE_CHECKING:
    from engine.neurigraph import Engine


@dataclass(frozen=True, slots=True)
class Size:
    """The size of each user's graph."""

    users: int = 3
    nodes: int = 12
    edges: int = 10
    grants: int = 12


async def grow(engine: Engine, rng: Random, size: Size | None = None) -> World:
    """A forest with all its content; returns when the grants with an expiry have expired."""
    size = size or Size()
    world = World()
    for _ in range(size.users):
        name = marker(rng)
        user = await engine.workspace.users.create(f"leaks-{uuid4().hex[:12]}", name)
        root = await engine.memory(user.user_id).nodes.shell(user.user_id)
        world.users.append(user.user_id)
        world.add_place(Place(user.user_id, user.user_id, None, name, (), "user", 0, root.schema_name or ""))
    await _introduce(engine, world)
    owned = list(zip(world.users, [Random(rng.getrandbits(64)) for _ in world.users], strict=True))
    await asyncio.gather(*(_plant(engine, world, user, plot, size) for user, plot in owned))
    await asyncio.gather(*(_merge(engine, world, user) for user in world.users))
    await asyncio.gather(*(add_past(engine, world, user, plot) for user, plot in owned))
    lapsing = await asyncio.gather(*(entitle(engine, world, user, plot, size.grants) for user, plot in owned))
    await asyncio.sleep(LAPSE)
    for grant_id in (grant_id for grants in lapsing for grant_id in grants):
        world.end_right(grant_id)
    await _wake(engine, world)
    await _state_facts(engine, world)
    await _derive(engine, world)
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
            await connection.execute(sql_text("leaks/integration"), parameters)
        stranger = {"integration_id": world.stranger, "name": f"leaks {world.stranger}"}
        await connection.execute(sql_text("leaks/stranger"), stranger)


async def _plant(engine: Engine, world: World, user: UUID, rng: Random, size: Size) -> None:
    memory = engine.memory(user)
    world.people[user] = tuple(person(rng, given) for given in SHARED_GIVEN)
    mine = [world.places[user]]
    everybody = world.people[user], " ".join(f"{name} was there." for name in world.people[user])
    await add_record(engine, world, owner(user), mine[0], rng, private=True, about=everybody)
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
    await _name_animal(engine, world, [chain[-1], beside, mine[0]], rng)
    for _ in range(size.edges):
        await add_edge(engine, world, rng, rng.sample(mine, 2))
    with suppress(DepthExceeded):  # the log of the hierarchy keeps it
        await memory.nodes.provision(NewNode(chain[-1].node_id, marker(rng)))
    async with engine.postgres.as_principal(memory.principal) as connection:
        kept = {"user_id": user, "key": rng.randbytes(32), "now": datetime.now(UTC)}
        await connection.execute(sql_text("model/answer_keep"), _KEPT | kept)
        await connection.execute(sql_text("leaks/insert_expiry"), {"user_id": user, "node_id": first.node_id})
    unstorable = Conversation("unstorable", (Turn("Bob", "\x00"),))  # the log of failures keeps it
    await memory.ingests.history(History("leaks", "Leaks", (unstorable,)))
    await memory.events.write(NewEvent(marker(rng), marker(rng), node_id=first.node_id))
    key = f"key-{marker(rng)}"
    await engine.parts[Idempotency].once(memory.principal, key, b"", _answer)
    first_persona = Asker("persona", first.node_id, user).principal
    await engine.parts[Idempotency].once(first_persona, key, b"", _answer)
    await memory.conversations.append(key, StreamedTurn("user", "This waits."))
    await memory.replays.build((await memory.replays.begin()).replay_id)


async def _name_animal(engine: Engine, world: World, places: list[Place], rng: Random) -> None:
    """An animal of which only a private record, the last one that names it, says what it is."""
    user, (_, name) = places[0].user_id, person(rng).split()
    world.people[user] += (name,)
    for place in places:
        await add_record(engine, world, owner(user), place, rng, about=((name,), f"Then we saw {name} there."))
    await add_record(
        engine, world, owner(user), places[-1], rng, private=True, about=((name,), f"Our cat {name} was ill.")
    )


_KEPT = {"model": "a model", "prompt": "a prompt", "answer": Jsonb({}), "input_tokens": 1, "output_tokens": 1}


async def _answer() -> dict[str, object]:
    return {}


async def _merge(engine: Engine, world: World, user: UUID) -> None:
    """People of whom several records speak become one, and take in some of whom only one speaks, private or not; a merge is
    undone."""
    memory = engine.memory(user)
    found = {
        name: one.entity_id for one in await memory.entities.list(limit=500, everything=True) for name in one.names
    }
    first, second, third = (found[name] for name in world.people[user][:3])
    undone = await memory.entities.merge(first, third)
    world.mark(user)
    await memory.entities.undo_merge(undone.merge_id)
    world.mark(user)
    mine = [one for one in world.written.values() if world.places[one.node_id].user_id == user]
    alone = [one.named[0] for private in (True, False) for one in [*filter(lambda r: r.private == private, mine)][1:4]]
    for merged in (third, *(found[name] for name in alone)):
        await memory.entities.merge(second, merged)
        world.mark(user)


async def _wake(engine: Engine, world: World) -> None:
    """Wakes one file of every user, so that the log of states has entries."""
    for user in world.users:
        record = next(one for one in world.written.values() if world.places[one.node_id].user_id == user)
        await engine.memory(user).files.wake(record.node_id, record.file_id)


async def _state_facts(engine: Engine, world: World) -> None:
    """Of every record a fact that is live, and one that is over, in both stores."""
    stated = []
    async with engine.postgres.as_service() as connection:
        for record in world.written.values():
            row = {
                "user_id": world.places[record.node_id].user_id,
                "node_id": record.node_id,
                "record_id": record.record_id,
                "privacy": "private" if record.private or record.scope != "user" else "org",
                "scope": record.scope.partition(":")[0],
                "scope_id": record.scope.partition(":")[2] or None,
            }
            for status in ("live", "superseded"):
                fact = row | {"fact_id": uuid4(), "over": status != "live"}
                await connection.execute(sql_text("leaks/insert_fact"), fact)
                line = {name: str(fact[name]) for name in ("fact_id", "record_id", "user_id", "privacy")}
                stated.append(line | {"status": status})
        for user in world.users:
            await connection.execute(sql_text("leaks/insert_doubts"), {"user_id": user})
    users = [str(user) for user in world.users]
    await engine.neo4j.write(cypher("leaks/derive"), facts=stated, users=users)


async def _derive(engine: Engine, world: World) -> None:
    """Of every user a row of each table of what a job derives."""
    async with engine.postgres.as_service() as connection:
        for user in world.users:
            await connection.execute(sql_text("leaks/insert_derived"), {"user_id": user})


async def survey(engine: Engine, world: World, nodes: dict[UUID, Place] | set[UUID]) -> None:
    """Reads the rows as the service sees them: of these nodes, and of the shared tables."""
    async with engine.postgres.as_service() as connection:
        for node_id in list(nodes):
            statement = sql_in("leaks/node_rows", world.places[node_id].schema_name)
            rows = await connection.fetch(statement, {"node_id": node_id}, row=Row)
            world.set_rows(node_id, tuple(rows))
        cursor = await connection.execute(sql_text("leaks/shared_rows"), {})
        users, shared = set(world.users), cast(list[dict[str, Any]], await cursor.fetchall())
        world.shared = tuple([row for row in shared if row["user_id"] in users])
    hear(world, await heard(engine, world.users))
