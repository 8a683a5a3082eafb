"""Each statement that names a row class has just the columns that the class has fields; the databases describe them."""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.principal import Principal
from engine.neurigraph import Engine
from engine.stores.rows import RowMismatch, row_maker
from engine.stores.statements import cypher, cypher_names, sql_names, sql_source, sql_text
from tests.stores.test_statements import LOOK_ALIKES

LARGE = 2000
"""Characters of a Cypher statement that Neo4j plans for long: of those the last RETURN is read; in the long form Neo4j describes all."""
STATEMENTS = {"sql": set(sql_names()), "cypher": set(cypher_names())}
ENGINE = Path(__file__).resolve().parents[2] / "engine"


def statements_with_rows() -> list[Any]:
    """(statement, module, row class) for each call in the engine that names a statement and a class."""
    found = {}
    for file in sorted(ENGINE.rglob("*.py")):
        module = ".".join(file.relative_to(ENGINE.parent).with_suffix("").parts)
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            row = next((word.value for word in call.keywords if word.arg == "row"), None)
            name = next((name for name in map(_named, call.args) if name), None)
            if row is not None and name is not None:
                key = f"{ast.unparse(row)} of {name}"
                found[key] = pytest.param(name, module, ast.unparse(row), id=key)
    return [found[key] for key in sorted(found)]


def _named(argument: ast.expr) -> str | None:
    """The file of the statement that an argument names: by itself, or in a call of `sql_text`, `sql_in`, `cypher`."""
    ending = "sql"
    if isinstance(argument, ast.Call) and ast.unparse(argument.func) in ("sql_text", "sql_in", "cypher"):
        ending = "cypher" if ast.unparse(argument.func) == "cypher" else "sql"
        argument = argument.args[0]
    names = STATEMENTS[ending]
    return f"{argument.value}.{ending}" if isinstance(argument, ast.Constant) and argument.value in names else None


@pytest.fixture(scope="module")
async def schema(engine: Engine) -> str:
    user = await engine.workspace.users.create("rows")
    return (await engine.memory(user.user_id).nodes.shell(user.user_id)).schema_name


@pytest.mark.parametrize(("name", "module", "row"), statements_with_rows())
async def test_columns_are_the_fields(
    engine: Engine, schema: str, name: str, module: str, row: str, long: bool
) -> None:
    file, _, ending = name.rpartition(".")
    wanted = eval(row, {"UUID": UUID}, vars(importlib.import_module(module)))
    columns = await (_of_cypher(engine, file, long=long) if ending == "cypher" else _of_sql(engine, file, schema))
    row_maker(wanted, columns, name)


async def _of_cypher(engine: Engine, name: str, *, long: bool) -> list[str]:
    text = cypher(name)
    if len(text) > LARGE and not long:
        return returned(text)
    version = "CYPHER 25\n" if "CYPHER 25\n" in text else ""
    async with engine.neo4j.driver.session() as session:
        result = await session.run(version + "EXPLAIN " + text.replace(version, "", 1))  # type: ignore[arg-type]
        columns = list(result.keys())
    assert columns == returned(text), "what Neo4j says is what the text says"
    return columns


def returned(text: str) -> list[str]:
    """The columns of a Cypher statement by its last RETURN, which stands at the beginning of a line."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    _, _, last = f"\n{body}".rpartition("\nRETURN ")
    while (inner := re.sub(r"'[^']*'|\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "_", last)) != last:
        last = inner  # commas within brackets and texts part nothing
    listed = re.split(r"\s(?:ORDER BY|SKIP|LIMIT)\s", last)[0].removeprefix("DISTINCT ")
    return [re.split(r"\sAS\s", column)[-1].strip() for column in listed.split(",")]


async def _of_sql(engine: Engine, name: str, schema: str) -> list[str]:
    lines = sql_source(name).splitlines()
    body = "\n".join(line for line in lines if not line.startswith("--"))
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)[sb]", body)))
    numbered = re.sub(r"%\((\w+)\)[sb]", lambda match: f"${names.index(match.group(1)) + 1}", body)
    statement = sql.SQL(numbered.replace("%%", "%")).format(
        schema=sql.Identifier(schema),
        embedding=sql.Identifier("embedding_b"),
        embedding_version=sql.Identifier("embedding_b_version"),
        tokens=sql.Identifier("tokens_b"),
        **LOOK_ALIKES,
    )
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL("PREPARE described AS ") + statement)
        described = connection.pgconn.describe_prepared(b"described")
        await connection.execute("DEALLOCATE described")
    return [(described.fname(column) or b"").decode() for column in range(described.nfields)]


@dataclass(frozen=True, slots=True)
class Other:
    other: int


async def test_other_columns_fail_by_name_and_the_connection_goes_on(engine: Engine) -> None:
    principal, statement, nodes = Principal.user(uuid4()), sql_text("node/archived"), {"nodes": []}
    for _ in range(3):
        with pytest.raises(RowMismatch, match=r"Other.*without a column \['other'\].*one of these nodes is archived"):
            await engine.postgres.fetch(principal, statement, nodes, row=Other)
        with pytest.raises(RowMismatch, match="Other"):
            await engine.postgres.fetch_as_service(statement, nodes, row=Other)
        with pytest.raises(RowMismatch, match="Other"):
            await engine.neo4j.read(cypher("schema/entities_counted"), row=Other)
    assert await engine.postgres.fetch_as_service(statement, nodes, row=bool) == [False]
    assert await engine.postgres.fetch(principal, statement, nodes, row=bool) == [False]
