"""Two users, or two integrations, that can be taken for each other: the second is refused; two that are there already stay."""

from __future__ import annotations

import asyncio
import logging
from uuid import uuid4

import pytest

from engine.access.principals import complete_keys
from engine.domain.node import User
from engine.errors import Conflict, NotFound
from engine.neurigraph import Engine

CYRILLIC = str.maketrans("ace", "\u0430\u0441\u0435")


def looking_like(name: str) -> tuple[str, ...]:
    return (
        name.upper(), name.translate(CYRILLIC), f"{name[:1]}\u200b{name[1:]}", f"{name}\ufe0f", name.title(),
        "".join(chr(ord(one) + 0xFEE0) for one in name),
    )  # fmt: skip


@pytest.mark.ledger("N28")
async def test_a_handle_that_looks_like_anothers_is_refused(engine: Engine, user: User) -> None:
    handle = f"ace{uuid4().hex[:10]}"
    first = await engine.workspace.users.create(handle, "Ann")
    for other in looking_like(handle):
        with pytest.raises(Conflict, match=handle):
            await engine.workspace.users.create(other)
        with pytest.raises(NotFound):  # a token that names it lets nobody in
            await engine.workspace.users.find(other)
    assert (await engine.workspace.users.create(handle)).user_id == first.user_id
    raced = f"ace{uuid4().hex[:10]}"
    answers = await asyncio.gather(*map(engine.workspace.users.create, looking_like(raced)), return_exceptions=True)
    assert sorted(type(answer).__name__ for answer in answers) == ["Conflict"] * 5 + ["User"]


async def test_the_database_holds_it(engine: Engine) -> None:
    handle = f"ace{uuid4().hex[:10]}"
    await engine.workspace.users.create(handle)
    with pytest.raises(Conflict):
        async with engine.postgres.as_service() as connection:
            await connection.execute(
                "INSERT INTO engine.users (user_id, workspace_id, handle, handle_key, display_name)"
                " SELECT gen_random_uuid(), workspace_id, upper(handle), handle_key, 'Eve' FROM engine.users WHERE handle = %s",
                [handle],
            )


async def test_an_integration_that_looks_like_another_is_refused(engine: Engine) -> None:
    name = f"ace calendar {uuid4().hex[:8]}"
    first = await engine.workspace.integrations.create(name)
    for other in looking_like(name)[:5]:
        with pytest.raises(Conflict, match=name):
            await engine.workspace.integrations.create(other)
    assert (await engine.workspace.integrations.create(f" {name} ")).integration_id == first.integration_id


async def test_those_of_before_stay_and_no_third_is_made(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    handle, name = f"ace{uuid4().hex[:10]}", f"ace mail {uuid4().hex[:8]}"
    first = await engine.workspace.users.create(handle)
    others = [await engine.workspace.users.create(f"o{uuid4().hex[:12]}") for _ in range(3)]
    async with engine.postgres.as_service() as connection:  # as a version without the normal form left them
        for one, other in zip(others, looking_like(handle), strict=False):
            await connection.execute(
                "UPDATE engine.users SET handle = %s, handle_key = NULL WHERE user_id = %s", [other, one.user_id]
            )
        await connection.execute("UPDATE engine.users SET handle_key = NULL WHERE user_id = %s", [first.user_id])
        await connection.execute(
            "INSERT INTO engine.integrations (integration_id, workspace_id, name)"
            " SELECT gen_random_uuid(), workspace_id, other FROM engine.users, unnest(%s::text[]) AS other WHERE user_id = %s",
            [[name, name.upper()], first.user_id],
        )
    caplog.set_level(logging.WARNING)

    await asyncio.gather(*(complete_keys(engine.postgres) for _ in range(3)))  # as at the start of several processes
    assert caplog.text.count(f"looks like '{handle}'") == 3 and "Integrations" in caplog.text
    assert (await engine.workspace.users.find(handle)).user_id == first.user_id
    for other in looking_like(handle)[:3]:
        assert (await engine.workspace.users.find(other)).handle == other
        assert not (await engine.workspace.users.create(other)).created
    with pytest.raises(Conflict, match=handle):
        await engine.workspace.users.create(looking_like(handle)[4])
    with pytest.raises(Conflict):
        await engine.workspace.integrations.create(name.title())
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT count(*) AS lacking FROM engine.users WHERE handle_key IS NULL")
        assert (await cursor.fetchone())["lacking"] == 0
