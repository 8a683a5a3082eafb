"""The command that makes, lists and drops the roles of analysts."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from engine.domain.node import User
from engine.neurigraph import Engine
from tests.commands import typed


async def test_the_shell_makes_lists_and_drops(engine: Engine, user: User, tmp_path: Path) -> None:
    name = f"shell_{uuid4().hex[:12]}"
    made = await typed(engine, tmp_path, user.handle, "sql-role", "create", name)
    assert made.returncode == 0 and len(made.stdout.strip()) == 32, made.stderr
    assert f"-U {name} neurigraph reads for {user.handle}. The password is shown only once." in made.stderr
    assert name in (await typed(engine, tmp_path, None, "sql-role", "list")).stdout
    assert (await typed(engine, tmp_path, None, "sql-role", "drop", name)).stdout == f"{name} is dropped.\n"
    chosen = "a password of my own"
    made = await typed(
        engine, tmp_path, user.handle, "sql-role", "create", name, "--password-stdin", stdin=f"{chosen}\n"
    )
    assert made.returncode == 0 and chosen not in made.stdout + made.stderr, made.stderr
    assert (await typed(engine, tmp_path, None, "sql-role", "drop", name)).returncode == 0
