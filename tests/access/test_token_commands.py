"""`neurigraph token` and `neurigraph integration`, in processes of their own, on the stores of this session."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain.node import NewNode, User
from engine.domain.principal import Identity
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed

Run = Callable[..., Awaitable[subprocess.CompletedProcess[str]]]


@pytest.fixture
def run(engine: Engine, tmp_path: Path) -> Run:

    async def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return await typed(engine, tmp_path, None, *arguments)

    return run


async def test_a_token_is_made_listed_replaced_and_ended(run: Run, engine: Engine, user: User) -> None:
    made = await run("token", "create", "--user", user.handle, "--name", "phone", "--expires", "90d")
    secret = made.stdout.strip()
    assert made.returncode == 0 and made.stdout == f"{secret}\n" and secret not in made.stderr, made.stderr
    assert await engine.services.tokens.authenticate(secret) == Identity("user", user.user_id, "tests")
    listed = await run("token", "list", "--json")
    (token,) = (one for one in json.loads(listed.stdout)["tokens"] if one["principal_id"] == str(user.user_id))
    assert token["name"] == "phone" and token["expires_at"] and secret not in listed.stdout
    assert "secret" not in token and "token_hash" not in token
    shown = await run("token", "list")
    assert token["token_id"] in shown.stdout and "phone" in shown.stdout and secret not in shown.stdout
    rotated = json.loads((await run("token", "rotate", token["token_id"], "--grace", "1h", "--json")).stdout)
    assert rotated["token"]["replaces"] == token["token_id"]
    assert await engine.services.tokens.authenticate(rotated["secret"]) and await engine.services.tokens.authenticate(
        secret
    )
    ended = await run("token", "revoke", token["token_id"])
    assert ended.returncode == 0 and "ended" in ended.stdout
    assert await engine.services.tokens.authenticate(secret) is None


async def test_tokens_of_personas_integrations_and_administrators(
    run: Run, engine: Engine, user: User, memory: Memory
) -> None:
    work = await memory.nodes.provision(NewNode(user.user_id, "Work"))
    lawyer = await memory.nodes.provision(NewNode(work.node_id, "Lawyer", "persona"))
    await memory.nodes.provision(NewNode(user.user_id, "Lawyer", "persona"))
    name = f"Mail {uuid4().hex[:8]}"
    assert (await run("integration", "create", name)).stdout.startswith(f"{name}: made, ")
    assert "was there already" in (await run("integration", "create", name)).stdout
    assert name in (await run("integration", "list")).stdout
    by_path = await run("token", "create", "--user", user.handle, "--persona", "work/Lawyer")
    by_id = await run("token", "create", "--user", user.handle, "--persona", str(lawyer.node_id))
    for made in (by_path, by_id):
        assert await engine.services.tokens.authenticate(made.stdout.strip()) == Identity(
            "persona", lawyer.node_id, "tests"
        )
    for arguments, kind in ((("--integration", name), "third_party"), (("--administrator",), "administrator")):
        identity = await engine.services.tokens.authenticate((await run("token", "create", *arguments)).stdout.strip())
        assert identity is not None and identity.kind == kind
    both = await run("token", "create", "--user", user.handle, "--persona", "Lawyer")
    assert both.returncode == 1 and "Work/Lawyer" in both.stderr and both.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("token", "create"), "Name the holder"),
        (("token", "create", "--user", "bob", "--administrator"), "Name the holder"),
        (("token", "create", "--persona", "Lawyer", "--administrator"), "Name the holder"),
        (("token", "create", "--administrator", "--expires", "soon"), "90d"),
        (("token", "create", "--user", "nobody here"), "no user nobody here"),
        (("token", "create", "--integration", "nothing here"), "no integration nothing here"),
        (("token", "revoke", "00000000-0000-4000-8000-000000000000"), "Not found"),
        (("integration", "create", "\u200b"), "visible"),
    ],
)
async def test_what_cannot_be_done_is_said_in_a_sentence(run: Run, arguments: tuple[str, ...], says: str) -> None:
    result = await run(*arguments)
    assert result.returncode == 1 and says in result.stderr and result.stdout == "", result
    assert "Traceback" not in result.stderr
