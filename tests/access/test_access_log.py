"""The access log: refused requests are counted, not listed; nobody stands in it whom its reader may not know; it has an end."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from engine.domain.grant import AccessEntry, NewGrant
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine


async def refused(memory: Memory, node: UUID) -> None:
    with pytest.raises(NotFound):
        await memory.nodes.shell(node)


async def lines(memory: Memory) -> list[AccessEntry]:
    return [line for line in await memory.grants.log() if line.event == "refused"]


async def stranger(engine: Engine) -> Memory:
    return engine.memory((await engine.workspace.users.create(f"s{uuid4().hex[:12]}")).user_id)


@pytest.mark.ledger("N30")
async def test_requests_of_strangers_are_one_line_without_their_ids(engine: Engine, user: User, memory: Memory) -> None:
    family = (await memory.nodes.provision(NewNode(user.user_id, "Family"))).node_id
    others = [await stranger(engine) for _ in range(3)]
    persona = await others[0].nodes.provision(NewNode(others[0].principal.user_id, "Lawyer", "persona"))
    mailbox = await engine.workspace.integrations.create(f"mailbox {uuid4().hex[:8]}")
    graph = others[0].principal.user_id
    others.append(engine.memory_as(Principal("persona", persona.node_id, graph)))
    others.append(engine.memory_as(Principal("third_party", mailbox.integration_id, graph)))
    await refused(others[0], family)  # plans the statement, which thirty at once would plan thirty times
    await asyncio.gather(*(refused(one, node) for one in others for node in (family, user.user_id) for _ in range(3)))
    [line] = await lines(memory)
    assert (line.actor_kind, line.actor_id, line.requests, line.detail) == ("stranger", None, 31, "shell")
    assert line.node_id in (family, user.user_id) and line.last_at > line.occurred_at
    async with engine.postgres.as_principal(memory.principal) as connection:
        cursor = await connection.execute("SELECT to_jsonb(l)::text AS line FROM engine.access_log AS l")
        text = "".join([row["line"] for row in await cursor.fetchall()])
    foreign = (*(one.principal.principal_id for one in others), graph)
    assert family.hex and not any(str(one) in text for one in foreign)


async def test_who_the_user_knows_is_named_each_with_a_count(engine: Engine, user: User, memory: Memory) -> None:
    work, family = [(await memory.nodes.provision(NewNode(user.user_id, name))).node_id for name in ("Work", "Family")]
    lawyer = (await memory.nodes.provision(NewNode(work, "Lawyer", "persona"))).node_id
    mailbox = await engine.workspace.integrations.create(f"mailbox {uuid4().hex[:8]}")
    given = await memory.grants.give(NewGrant(work, "third_party", mailbox.integration_id))
    await memory.grants.revoke(given.grant_id)
    persona = engine.memory_as(Principal("persona", lawyer, user.user_id))
    third = engine.memory_as(Principal("third_party", mailbox.integration_id, user.user_id))
    for _ in range(3):
        await refused(persona, family)
    for _ in range(2):
        await refused(third, family)
    listed = {(line.actor_kind, line.actor_id, line.node_id, line.requests) for line in await lines(memory)}
    assert listed == {("persona", lawyer, family, 3), ("third_party", mailbox.integration_id, family, 2)}


async def test_what_is_not_there_is_counted_too_and_shown_to_nobody(engine: Engine, user: User, memory: Memory) -> None:
    for _ in range(5):
        await refused(memory, uuid4())
    assert await lines(memory) == []
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT node_id, requests FROM engine.access_log WHERE user_id IS NULL AND actor_id = %s", [user.user_id]
        )
        assert await cursor.fetchall() == [{"node_id": None, "requests": 5}]


@pytest.mark.ledger("N30")
async def test_old_lines_go_and_young_ones_stay_whatever_is_asked(engine: Engine, user: User, memory: Memory) -> None:
    mark = f"mark {uuid4()}"
    async with engine.postgres.as_service() as connection:
        for days in (400, 200, 29):
            await connection.execute(
                "INSERT INTO engine.access_log (occurred_at, event, user_id, actor_kind, detail)"
                " VALUES (now() - %s::interval, 'granted', %s, 'user', %s)",
                [timedelta(days=days), user.user_id, mark],
            )
    assert (await engine.retention.run()).access_log >= 1
    log = [line for line in await memory.grants.log() if line.detail == mark]
    assert len(log) == 2
    for forbidden in ("interval '29 days'", "interval '1 day'"):
        with pytest.raises(NotFound):
            async with engine.postgres.as_service() as connection:
                await connection.execute(
                    f"DELETE FROM engine.access_log WHERE detail = %s AND occurred_at < now() - {forbidden}", [mark]
                )
    await refused(await stranger(engine), user.user_id)
    for change in ("requests = requests + 2", "requests = requests - 1", "actor_id = user_id, requests = requests + 1"):
        with pytest.raises(NotFound):
            async with engine.postgres.as_service() as connection:
                await connection.execute(
                    f"UPDATE engine.access_log SET {change} WHERE event = 'refused' AND user_id = %s", [user.user_id]
                )
