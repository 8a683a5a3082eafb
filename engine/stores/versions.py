"""The least versions of the databases: an older server is refused with what was found and what is needed, before anything is
written there. Without this it would fail at the first statement that it does not know, perhaps only at the first write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import SettingsError
from engine.stores.limited import Connection
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher, sql_text

LEAST = {"Postgres": "16", "pgvector": "0.8", "Neo4j": "2026.1"}
"""Postgres: STORAGE in CREATE TABLE. pgvector: iterative scans of an index. Neo4j: SEARCH in a vector index."""


@dataclass(frozen=True, slots=True)
class _Versions:
    postgres: str
    vector: str | None


async def check_postgres(connection: Connection) -> None:
    """Raises SettingsError for an older Postgres or pgvector; a missing one is another fault."""
    [found] = await connection.fetch(sql_text("schema/versions"), row=_Versions)
    _check("Postgres", found.postgres)
    if found.vector is not None:
        _check(
            "pgvector", found.vector, " `ALTER EXTENSION vector UPDATE` gives a database the one that its server has."
        )


async def check_neo4j(neo4j: Neo4j) -> None:
    """Raises SettingsError for an older Neo4j."""
    for version in await neo4j.read(cypher("schema/version"), row=str):
        _check("Neo4j", version)


def _check(product: str, found: str, remedy: str = "") -> None:
    if is_older(found, LEAST[product]):
        raise SettingsError(
            f"{product} {found} is too old: {LEAST[product]} or newer is needed (docs/stores.md).{remedy}"
        )


def is_older(found: str, least: str) -> bool:
    """Whether a version lies before another one."""
    return _numbers(found) < _numbers(least)


def _numbers(version: str) -> tuple[int, ...]:
    """16 and 4 of `16.4 (Debian 16.4-1.pgdg120+1)`."""
    return tuple(int(number) for number in re.findall(r"\d+", version.partition(" ")[0]))
