"""docs/sql.md: its examples give what it shows, on the bundled history; its list of views is that of the database."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from engine.connectors import read_history
from engine.demo.script import FACTS, HISTORY
from engine.embedded import attached
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.stores.sql_roles import IssuedRole, SqlRoles

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sql\n(.+?)```\n\n```\n(.+?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
async def bob(engine: Engine) -> AsyncIterator[IssuedRole]:
    """The role of a user with the bundled history."""
    [history] = await read_history(HISTORY, max_text_bytes=1 << 20, progress=Silent())
    report = await engine.ingest(replace(history, handle=f"bob-{uuid4().hex[:12]}"))
    for fact in FACTS:
        await engine.memory(report.user_id).facts.write(fact)
    await engine.derivations.run("communities")
    async with attached(engine.settings.home, engine.settings.cache, progress=Silent()) as stack:
        roles = SqlRoles(engine.postgres, stack.postgres_admin_url)
        issued = await roles.create(f"bob_{uuid4().hex[:12]}", report.user_id)
        yield issued
        await roles.drop(issued.role)


def connected(issued: IssuedRole) -> psycopg.Connection[tuple[object, ...]]:
    where = {"host": issued.host, "port": issued.port, "dbname": issued.database}
    return psycopg.connect(user=issued.role, password=issued.password, autocommit=True, **where)


def table(names: list[str], rows: list[tuple[object, ...]]) -> str:
    """As psql prints it."""
    lines = [names, *(["" if value is None else str(value) for value in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(names))]
    head, *rest = (
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
    return "\n".join([head, "-+-".join("-" * width for width in widths), *rest, ""])


@pytest.mark.ledger("U10")
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_gives_what_the_page_shows(bob: IssuedRole, number: int) -> None:
    statement, shown = EXAMPLES[number]
    with connected(bob) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]
        assert table([one.name for one in cursor.description or ()], cursor.fetchall()) == shown


def test_the_page_lists_the_views_with_their_columns(bob: IssuedRole) -> None:
    listed = {name: columns for name, columns in re.findall(r"^\* `(\w+)`: (.+)$", PAGE, re.MULTILINE)}
    listed["facts_now"] = listed["facts"]
    columns = "SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0"
    with connected(bob) as connection:
        found = connection.execute(
            f"SELECT relname, ({columns}) FROM pg_class AS c WHERE relnamespace = 'analysis'::regnamespace"
        )
        assert listed == dict(found.fetchall()) and len(listed) == 12  # type: ignore[arg-type]


def test_the_program_of_the_page_runs(bob: IssuedRole, monkeypatch: pytest.MonkeyPatch) -> None:
    [program] = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
    given = {"HOST": bob.host, "PORT": bob.port, "DATABASE": bob.database, "USER": bob.role, "PASSWORD": bob.password}
    for name, value in given.items():
        monkeypatch.setenv(f"PG{name}", value)
    there: dict[str, object] = {}
    exec(program, there)
    assert there["columns"] == ["occurred_at", "speaker", "words"] and len(there["rows"]) == 264  # type: ignore[arg-type]
