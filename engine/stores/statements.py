"""Query texts live in files, one statement a file; this reads them once. Nothing builds a query from strings.

SQL: `engine/sql/<name>.sql`; placeholders `%(name)s`, identifiers `{name}` filled through `psycopg.sql`.
Cypher: `cypher/engine/<name>.cypher`; parameters `$name`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import LiteralString

from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
SQL_FOLDER = ROOT / "engine" / "sql"
CYPHER_FOLDER = ROOT / "cypher" / "engine"


@cache
def cypher(name: str) -> LiteralString:
    """The Cypher statement `cypher/engine/<name>.cypher`. It may be sent as it stands: files are ours."""
    return (CYPHER_FOLDER / f"{name}.cypher").read_text(encoding="utf-8")


@cache
def sql_text(name: str) -> sql.SQL:
    """The SQL statement `engine/sql/<name>.sql`."""
    return sql.SQL((SQL_FOLDER / f"{name}.sql").read_text(encoding="utf-8"))


@cache
def sql_in(name: str, schema: str, vectors: str = "embedding") -> sql.Composed:
    """The SQL statement `engine/sql/<name>.sql` with `{schema}` as the identifier of a node's schema.

    `{embedding}` and `{embedding_version}` are the columns of a slot: `vectors` and the one beside it.
    """
    return sql_text(name).format(
        schema=sql.Identifier(schema),
        embedding=sql.Identifier(vectors),
        embedding_version=sql.Identifier(f"{vectors}_version"),
    )
