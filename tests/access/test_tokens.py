"""Tokens: shown once, kept as a hash, ended at once, good in their own workspace alone."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest
from pydantic import SecretStr

from engine.access.principals import WorkspaceIntegrations, WorkspaceTokens
from engine.domain.clock import SystemClock
from engine.domain.node import NewNode, User
from engine.domain.principal import Identity, NewToken
from engine.embedded import attached
from engine.errors import Conflict, InvalidInput, InvalidName, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.wiring.addresses import request_url
from tests.door import new_door

OPERATOR = Identity("operator", None, "tests")
SECRET = "operator-7f3a91c05be2d864"


async def rows(engine: Engine, statement: str, *parameters: object) -> list[dict]:
    async with engine.postgres.as_service() as connection:
        return await (await connection.execute(statement, parameters)).fetchall()


def elsewhere(engine: Engine) -> WorkspaceTokens:
    """The tokens of another workspace in the same database."""
    return WorkspaceTokens(engine.postgres, f"other-{uuid4().hex[:8]}", SystemClock())


@pytest.mark.ledger("N28")
async def test_a_secret_is_shown_once_and_only_its_hash_is_kept(engine: Engine, user: User) -> None:
    issued = await engine.workspace.tokens.create(NewToken("user", user.user_id, "phone"))
    assert issued.secret.startswith("ngt_") and len(issued.secret) == 47
    (row,) = await rows(
        engine, "SELECT t.*, t::text AS whole FROM engine.tokens AS t WHERE token_id = %s", issued.token.token_id
    )
    assert row["token_hash"] == hashlib.sha256(issued.secret.encode()).digest()
    assert issued.secret[4:] not in row["whole"] and issued.secret not in repr(issued)
    listed = (await engine.workspace.tokens.list())[0]
    assert listed == issued.token and "secret" not in repr(listed) and "hash" not in repr(listed)
    assert await engine.services.tokens.authenticate(issued.secret) == Identity("user", user.user_id, "tests")


@pytest.mark.parametrize(
    "wrong", ["", "ngt_", "x" * 47, "ngt_" + "A" * 43, "ngt_" + "é" * 43, "ngt_" + "A" * 44, "ngt_'; --"]
)
async def test_what_is_no_secret_lets_nobody_in(engine: Engine, wrong: str) -> None:
    assert await engine.services.tokens.authenticate(wrong) is None


@pytest.mark.ledger("N28", "N29", "N30")
async def test_each_kind_of_principal_has_to_exist_in_the_workspace(engine: Engine, user: User, memory: Memory) -> None:
    persona = await memory.nodes.provision(NewNode(user.user_id, "Lawyer", "persona"))
    concept = await memory.nodes.provision(NewNode(user.user_id, "Cases"))
    integration = await engine.workspace.integrations.create(f"mail {uuid4().hex[:8]}")
    holders = {"user": user.user_id, "persona": persona.node_id, "third_party": integration.integration_id}
    for kind, holder in holders.items():
        issued = await engine.workspace.tokens.create(NewToken(kind, holder, kind))
        assert await engine.services.tokens.authenticate(issued.secret) == Identity(kind, holder, "tests")
        for other in {*holders.values(), concept.node_id, uuid4()} - {holder}:
            with pytest.raises(NotFound):
                await engine.workspace.tokens.create(NewToken(kind, other, kind))
        with pytest.raises(NotFound):
            await elsewhere(engine).create(NewToken(kind, holder, kind), OPERATOR)
    administrator = await engine.workspace.tokens.create(NewToken("administrator", None, "Ann"))
    assert administrator.token.principal_id == administrator.token.token_id
    assert await engine.services.tokens.authenticate(administrator.secret) == Identity(
        "administrator", administrator.token.token_id, "tests"
    )


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (NewToken("user", None, "n"), InvalidInput),
        (NewToken("administrator", uuid4(), "n"), InvalidInput),
        (NewToken("administrator", None, "\u200b"), InvalidName),
        (NewToken("administrator", None, "n", datetime(2020, 1, 1, tzinfo=UTC)), InvalidInput),
    ],
)
async def test_what_makes_no_sense_is_refused(engine: Engine, new: NewToken, error: type[Exception]) -> None:
    with pytest.raises(error):
        await engine.workspace.tokens.create(new)


@pytest.mark.ledger("F01")
async def test_a_token_of_another_workspace_is_unknown_here(engine: Engine) -> None:
    other = elsewhere(engine)
    issued = await other.create(NewToken("administrator", None, "Ann"), OPERATOR)
    assert await other.authenticate(issued.secret) is not None
    assert await engine.services.tokens.authenticate(issued.secret) is None
    assert issued.token.token_id not in {token.token_id for token in await engine.workspace.tokens.list(limit=500)}
    assert [token.token_id for token in await other.list()] == [issued.token.token_id]
    for change in (engine.workspace.tokens.revoke, engine.workspace.tokens.rotate):
        with pytest.raises(NotFound):
            await change(issued.token.token_id)
    assert await other.authenticate(issued.secret) is not None


@pytest.mark.ledger("N30")
async def test_an_end_takes_effect_with_the_next_request(engine: Engine, user: User) -> None:
    issued = await engine.workspace.tokens.create(NewToken("user", user.user_id, "phone"))
    assert await engine.services.tokens.authenticate(issued.secret)
    revoked = await engine.workspace.tokens.revoke(issued.token.token_id)
    assert revoked.revoked_at and await engine.services.tokens.authenticate(issued.secret) is None
    assert (await engine.workspace.tokens.revoke(issued.token.token_id)).revoked_at == revoked.revoked_at
    with pytest.raises(Conflict):
        await engine.workspace.tokens.rotate(issued.token.token_id)
    for change in (engine.workspace.tokens.revoke, engine.workspace.tokens.rotate):
        with pytest.raises(NotFound):
            await change(uuid4())


async def test_a_token_expires(engine: Engine, user: User) -> None:
    ends = datetime.now(UTC) + timedelta(seconds=0.4)
    issued = await engine.workspace.tokens.create(NewToken("user", user.user_id, "brief", ends))
    assert issued.token.expires_at == ends and await engine.services.tokens.authenticate(issued.secret)
    await asyncio.sleep(0.5)
    assert await engine.services.tokens.authenticate(issued.secret) is None
    with pytest.raises(Conflict):
        await engine.workspace.tokens.rotate(issued.token.token_id)


async def test_rotation_replaces_a_token_once_now_or_after_a_grace(engine: Engine, user: User) -> None:
    life = timedelta(days=90)
    first = await engine.workspace.tokens.create(NewToken("user", user.user_id, "phone", datetime.now(UTC) + life))
    second = await engine.workspace.tokens.rotate(first.token.token_id)
    assert await engine.services.tokens.authenticate(first.secret) is None
    assert await engine.services.tokens.authenticate(second.secret) == Identity("user", user.user_id, "tests")
    assert (second.token.replaces, second.token.name) == (first.token.token_id, "phone")
    assert abs(second.token.expires_at - datetime.now(UTC) - life) < timedelta(minutes=1)
    third = await engine.workspace.tokens.rotate(second.token.token_id, timedelta(seconds=0.5))
    assert await engine.services.tokens.authenticate(second.secret) and await engine.services.tokens.authenticate(
        third.secret
    )
    with pytest.raises(Conflict):
        await engine.workspace.tokens.rotate(second.token.token_id)
    await asyncio.sleep(0.6)
    assert await engine.services.tokens.authenticate(
        second.secret
    ) is None and await engine.services.tokens.authenticate(third.secret)
    for grace in (timedelta(seconds=-1), timedelta(days=8)):
        with pytest.raises(InvalidInput):
            await engine.workspace.tokens.rotate(third.token.token_id, grace)


async def test_at_the_same_time_a_token_is_replaced_once(engine: Engine, user: User) -> None:
    first = await engine.workspace.tokens.create(NewToken("user", user.user_id, "phone"))
    answers = await asyncio.gather(
        *(engine.workspace.tokens.rotate(first.token.token_id) for _ in range(6)), return_exceptions=True
    )
    assert sum(not isinstance(answer, Conflict) for answer in answers) == 1


async def test_use_is_noted_once_a_minute(engine: Engine, user: User) -> None:
    issued = await engine.workspace.tokens.create(NewToken("user", user.user_id, "phone"))
    assert issued.token.last_used_at is None

    async def used() -> datetime:
        return (
            await rows(engine, "SELECT last_used_at FROM engine.tokens WHERE token_id = %s", issued.token.token_id)
        )[0]["last_used_at"]

    await asyncio.gather(*(engine.services.tokens.authenticate(issued.secret) for _ in range(8)))
    first = await used()
    await engine.services.tokens.authenticate(issued.secret)
    assert await used() == first
    await rows(
        engine,
        "UPDATE engine.tokens SET last_used_at = now() - interval '61 s' WHERE token_id = %s RETURNING 1",
        issued.token.token_id,
    )
    await engine.services.tokens.authenticate(issued.secret)
    assert await used() > first


async def test_the_owner_finds_it_in_the_log_without_any_secret(engine: Engine, user: User, memory: Memory) -> None:
    persona = await memory.nodes.provision(NewNode(user.user_id, "Lawyer", "persona"))
    limited = engine.workspace_as(Identity("administrator", uuid4(), "tests")).tokens
    new = NewToken("persona", persona.node_id, "desk")
    with pytest.raises(NotFound):  # it reads no memory, and makes no token that would
        await limited.create(new)
    issued = await engine.workspace.tokens.create(new)
    with pytest.raises(NotFound):
        await limited.rotate(issued.token.token_id)
    other = await engine.workspace.tokens.rotate(issued.token.token_id)
    await limited.revoke(other.token.token_id)
    log = await rows(engine, "SELECT * FROM engine.access_log WHERE user_id = %s ORDER BY entry_id", user.user_id)
    assert [line["event"] for line in log] == ["token_created", "token_created", "token_revoked", "token_revoked"]
    assert {line["subject_id"] for line in log} == {persona.node_id}
    assert [line["actor_kind"] for line in log] == ["operator"] * 3 + ["administrator"]
    for secret in (issued.secret, other.secret):
        assert secret not in str(log) and hashlib.sha256(secret.encode()).hexdigest() not in str(log)


async def test_tokens_and_integrations_come_in_pages(engine: Engine) -> None:
    here, space = elsewhere(engine), f"pages-{uuid4().hex[:8]}"
    made = [(await here.create(NewToken("administrator", None, f"a{n}"), OPERATOR)).token.token_id for n in range(5)]
    seen: list[UUID] = []
    while page := await here.list(after=seen[-1] if seen else None, limit=2):
        seen += [token.token_id for token in page]
    assert seen == made[::-1]
    assert await here.list(after=uuid4()) == []
    integrations = WorkspaceIntegrations(engine.postgres, space)
    assert (await integrations.create("Mail")).created
    assert not (await integrations.create(" Mail ")).created
    await integrations.create("Calendar")
    assert [one.name for one in await integrations.list()] == ["Calendar", "Mail"]
    assert [one.name for one in await integrations.list(after="Calendar")] == ["Mail"]
    for listing in (here.list, integrations.list):
        with pytest.raises(InvalidInput):
            await listing(limit=501)


@pytest.mark.ledger("N31")
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM engine.tokens", "DELETE FROM engine.tokens", "SELECT * FROM engine.authenticate_token('tests', '\\x00')",
        "SELECT engine.create_token(gen_random_uuid(), 'tests', 'administrator', NULL, 'n', sha256(''), NULL, 'user', NULL)",
        "SELECT engine.principal_in('tests', 'user', gen_random_uuid())", "SELECT engine.workspace_named('mine')",
        "SELECT engine.rotate_token('tests', gen_random_uuid(), gen_random_uuid(), sha256(''), '0', 'user', NULL)",
        "SELECT engine.revoke_token('tests', gen_random_uuid(), 'user', NULL)", "SELECT * FROM engine.integrations",
        "SELECT engine.create_integration(gen_random_uuid(), 'tests', 'mine', 'mine')",
    ],
)  # fmt: skip
async def test_the_request_role_has_no_right_on_tokens(engine: Engine, statement: str) -> None:
    async with attached(engine.settings.home, engine.settings.cache, progress=Silent()) as stack:
        async with await psycopg.AsyncConnection.connect(
            request_url(stack.postgres_url), autocommit=True
        ) as connection:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(statement)


@pytest.fixture
async def serving(engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    settings = engine.settings.model_copy(update={"api_token": SecretStr(SECRET)})
    transport = httpx.ASGITransport(new_door(settings, engine=engine), raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {SECRET}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        yield client


async def test_no_log_line_holds_a_secret(
    engine: Engine, serving: httpx.AsyncClient, user: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = (
        await serving.post(
            "/v1/tokens", json={"principal_kind": "user", "principal_id": str(user.user_id), "name": "n"}
        )
    ).json()
    rotated = (await serving.post(f"/v1/tokens/{made['token']['token_id']}/rotate", json={})).json()
    for secret, status in ((rotated["secret"], 200), (made["secret"], 401)):
        headers = {"Authorization": f"Bearer {secret}"}
        found = await serving.get(f"/v1/users/{user.user_id}/nodes/{user.user_id}", headers=headers)
        assert found.status_code == status and secret not in found.text
        await serving.post(f"/v1/users/{user.user_id}/records", json={"text": ""}, headers=headers)
    listed = await serving.get("/v1/tokens")
    defective = replace(engine.services, tokens=WorkspaceTokens(None, "tests", SystemClock()))  # its trace is logged
    broken = replace(engine, services=defective)
    transport = httpx.ASGITransport(new_door(engine=broken), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/v1/users", headers={"Authorization": f"Bearer {rotated['secret']}"})
        assert answer.status_code == 500
    assert caplog.records
    for secret in (made["secret"], rotated["secret"]):
        assert secret not in caplog.text and secret not in listed.text and secret not in answer.text
