"""Looks for words in everything that the stores of a home hold: each row of each table, each property of the graph, each object."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from psycopg import sql

from engine.neurigraph import Engine

TABLES = """
SELECT n.nspname AS schema, c.relname AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1, 2
"""
PROPERTIES = {
    "node": "MATCH (n) UNWIND keys(n) AS key WITH labels(n) AS place, key, n[key] AS value RETURN place, key, collect(value) AS given",
    "edge": "MATCH ()-[n]->() UNWIND keys(n) AS key WITH [type(n)] AS place, key, n[key] AS value"
    " RETURN place, key, collect(value) AS given",
}


async def found(engine: Engine, words: Iterable[str]) -> set[str]:
    """Where any of these is: `table schema.name`, `graph Label.property`, `object KEY`."""
    pattern = "|".join(map(re.escape, words))
    return {
        *await found_in_postgres(engine, pattern),
        *await found_in_graph(engine, pattern),
        *found_in_files(engine.settings.home / "objects", pattern),
    }


async def found_in_postgres(engine: Engine, pattern: str) -> set[str]:
    places = set()
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL("SET LOCAL statement_timeout = 0"))
        tables: list[Any] = await (await connection.execute(sql.SQL(TABLES))).fetchall()
        for table in tables:
            schema, name = table["schema"], table["name"]
            named = sql.Identifier(schema, name)
            asked = sql.SQL("SELECT count(*) AS rows FROM {} AS r WHERE r::text ~* %(pattern)s").format(named)
            rows: list[Any] = await (await connection.execute(asked, {"pattern": pattern})).fetchall()
            if rows[0]["rows"] or re.search(pattern, schema, re.IGNORECASE):
                places.add(f"table {schema}.{name}")
    return places


async def found_in_graph(engine: Engine, pattern: str) -> set[str]:
    wanted = re.compile(pattern, re.IGNORECASE)
    places = set()
    for statement in PROPERTIES.values():
        _, rows = await engine.neo4j.table(statement)
        for place, key, given in rows:
            if wanted.search(repr(given)):
                places.add(f"graph {'|'.join(sorted(place))}.{key}")
    return places


def found_in_files(folder: Path, pattern: str) -> set[str]:
    wanted = re.compile(pattern.encode(), re.IGNORECASE)
    places = set()
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        content = path.read_bytes() if path.is_file() else b""
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        if wanted.search(name.encode()) or wanted.search(content):
            places.add(f"object {name}")
    return places
