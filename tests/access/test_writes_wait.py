"""Each write of a user, and of its personas, waits while a step of a forgetting holds the writes alone, before it locks anything; what
only reads goes on, and can write nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from psycopg.errors import ReadOnlySqlTransaction

from engine.access.idempotency import Idempotency
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.occasion import NewEvent
from engine.domain.principal import Principal
from engine.domain.stream import StreamedTurn
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.operations.caller import Caller
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text

WAITING = """
SELECT count(*) AS waiting, count(*) FILTER (WHERE EXISTS (
    SELECT FROM pg_locks AS h JOIN pg_class AS c ON c.oid = h.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE h.pid = l.pid AND h.granted AND n.nspname !~ '^pg_' AND h.mode <> 'AccessShareLock')) AS holding
FROM pg_locks AS l WHERE l.locktype = 'advisory' AND NOT l.granted AND l.mode = 'ShareLock'
"""
Write = Callable[[Memory], Awaitable[Any]]


async def answer() -> dict[str, Any]:
    return {"value": 1}


async def of_persona(memory: Memory) -> None:
    coach = Memory(Caller(await persona(memory), memory._caller.parts))
    await coach.conversations.append("c1", StreamedTurn("Bob", "Dave rowed."), node_id=coach.principal.principal_id)


async def persona(memory: Memory) -> Principal:
    [node] = [one for one in await memory.nodes.writable() if one.path[-1] == "Coach"]
    return Principal("persona", node.node_id, memory.principal.user_id)


async def settled(memory: Memory) -> None:
    with pytest.raises(NotFound):
        await memory.failures.dismiss(uuid4())


WRITES: dict[str, Write] = {
    "a record": lambda memory: memory.records.remember_text("Lease", "It ends in June."),
    "a fact": lambda memory: memory.facts.write(WrittenFact("Dave lives in Galway.", ("Dave",))),
    "turns": lambda memory: memory.conversations.append("c1", StreamedTurn("Bob", "Dave rowed.")),
    "turns of a persona": of_persona,
    "an event": lambda memory: memory.events.write(NewEvent("note", "Dave rowed.")),
    "a node": lambda memory: memory.nodes.provision(NewNode(memory.principal.user_id, "Boats")),
    "a name of a node": lambda memory: memory.history.change(
        Change("node", memory.principal.user_id, {"summary": "Boats."})
    ),
    "a replay": lambda memory: memory.replays.begin(),
    "a failure": settled,
    "a request": lambda memory: memory._caller.parts[Idempotency].once(memory.principal, "k1", b"a", answer),
}


@asynccontextmanager
async def held_alone(engine: Engine, user: User) -> AsyncIterator[Connection]:
    async with engine.postgres.as_service() as connection:
        await connection.execute("SELECT engine.hold_writes_alone(%s)", [user.user_id])
        yield connection


async def waiting(engine: Engine, task: asyncio.Task[Any]) -> tuple[int, int]:
    """How many transactions wait for the writes, and how many of them hold anything else than reads do."""
    async with asyncio.timeout(30), engine.postgres.service.connection() as connection:
        while not task.done():
            row = await (await connection.execute(WAITING)).fetchone()
            if row["waiting"]:  # type: ignore[index,call-overload]
                return row["waiting"], row["holding"]  # type: ignore[index,call-overload]
            await asyncio.sleep(0.05)
    return 0, 0


@pytest.mark.parametrize("write", WRITES)
async def test_a_write_waits_before_it_locks_anything(engine: Engine, user: User, memory: Memory, write: str) -> None:
    if write == "turns of a persona":
        node = await memory.nodes.provision(NewNode(user.user_id, "Coach", "persona"))
        await memory.grants.give(NewGrant(node.node_id, "persona", node.node_id, "read_write"))
    async with held_alone(engine, user):
        task = asyncio.ensure_future(WRITES[write](memory))
        found = await waiting(engine, task)
        assert not task.done() and found[0] >= 1 and found[1] == 0
    async with asyncio.timeout(60):
        await task


async def test_reads_and_the_writes_of_others_go_on(engine: Engine, user: User, memory: Memory) -> None:
    other = await engine.workspace.users.create(f"{user.handle}-2")
    await memory.records.remember_text("Lease", "It ends in June.")
    async with held_alone(engine, user), asyncio.timeout(60):
        assert len(await memory.resources.list()) == 1
        assert await memory.events.list() == ()
        await memory.records.assignments()
        assert (await engine.memory(other.user_id).records.remember_text("Elm", "Elm is hard.")).records


async def test_what_only_reads_can_write_nothing(engine: Engine, user: User, memory: Memory) -> None:
    row = {"user_id": user.user_id, "key": "k1", "answer": None}
    with pytest.raises(ReadOnlySqlTransaction):
        await engine.postgres.fetch(memory.principal, sql_text("idempotency/answer"), row, row=object)
    with pytest.raises(ReadOnlySqlTransaction):
        async with engine.postgres.as_principal(memory.principal, writes=False) as connection:
            await connection.execute(sql_text("idempotency/answer"), row)
    await engine.postgres.change(memory.principal, sql_text("idempotency/answer"), row)  # the connection writes again
