"""Query texts live in files, one statement a file; this reads them once. Nothing builds a query from strings.

SQL: `engine/sql/<name>.sql`; placeholders `%(name)s`, identifiers `{name}` filled through `psycopg.sql`.
Cypher: `cypher/engine/<name>.cypher`; parameters `$name`. What many statements say alike, rights and the two clocks, stands once
in `cypher/engine/parts/`: `part.holds(n)` in a statement becomes the text of that part, with `n` where it says `@thing`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import LiteralString

from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
SQL_FOLDER = ROOT / "engine" / "sql"
CYPHER_FOLDER = ROOT / "cypher" / "engine"
_PART = re.compile(r"\bpart\.(\w+)\(([^()]*)\)")


@cache
def cypher(name: str) -> LiteralString:
    """The Cypher statement `cypher/engine/<name>.cypher`, its parts filled in. It may be sent as it stands: files are ours."""
    return _filled((CYPHER_FOLDER / f"{name}.cypher").read_text(encoding="utf-8"))


def cypher_names() -> list[str]:
    """The names of all Cypher statements."""
    names = (path.relative_to(CYPHER_FOLDER).with_suffix("").as_posix() for path in CYPHER_FOLDER.rglob("*.cypher"))
    return sorted(name for name in names if not name.startswith("parts/"))


def _filled(text: str) -> str:
    return _PART.sub(lambda call: _part(call[1], tuple(one.strip() for one in call[2].split(",") if one.strip())), text)


@cache
def _part(name: str, arguments: tuple[str, ...]) -> str:
    """The text of a part on one line in parentheses, with the arguments in the places of its parameters."""
    head, *lines = (CYPHER_FOLDER / "parts" / f"{name}.cypher").read_text(encoding="utf-8").splitlines()
    parameters = [one for one in head.partition("(")[2].partition(")")[0].split(", ") if one]
    body = " ".join(line.strip() for line in lines if not line.startswith("//"))
    for parameter, argument in zip(parameters, arguments, strict=True):
        body = re.sub(rf"@{parameter}\b", argument, body)
    return f"({_filled(body)})"


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
