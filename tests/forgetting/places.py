"""Where planted words and ids are: how often in each column, property, name, file of a home. A planted word has a shape of its own, so
one look finds them all.
"""

from __future__ import annotations

import gzip
import json
import re
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from psycopg import sql

from engine.domain.terms import stored_words, term_id
from engine.neurigraph import Engine

WORD = re.compile(r"zq(?:[bdfglmnprstvz][aeiou]){7}[lmnr]", re.IGNORECASE)
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
VECTORS = ("embedding", "embedding_b", "tokens", "tokens_b", "centroid", "chunk_vector", "vectors")
Places = Counter[tuple[str, str]]
"""How often a word or id, in lower case, is at a place: `schema.table.column`, `Label.property`, `objects: name`."""

TABLES = """
SELECT n.nspname AS schema, c.relname AS name, EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'user_id') AS by_user,
       EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'node_id') AS by_node
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname !~ '^pg_|^information_schema$|^template$' AND has_table_privilege(c.oid, 'SELECT')
  AND (%(user_id)s::uuid IS NULL OR n.nspname IN ('engine', '_queue') OR n.nspname IN (SELECT o.schema_name FROM engine.nodes AS o WHERE o.user_id = %(user_id)s))
ORDER BY 1, 2
"""
NAMES = """
SELECT 'pg_class.relname' AS place, c.relname AS name FROM pg_class AS c UNION ALL SELECT 'pg_namespace.nspname', n.nspname FROM pg_namespace AS n
UNION ALL SELECT 'pg_roles.rolname', r.rolname FROM pg_roles AS r UNION ALL SELECT 'pg_description', d.description FROM pg_description AS d
UNION ALL SELECT 'pg_constraint.conname', k.conname FROM pg_constraint AS k
"""
NODES = "MATCH (n) RETURN labels(n) AS kinds, properties(n) AS properties"
LINKS = "MATCH ()-[x]->() RETURN [type(x)] AS kinds, properties(x) AS properties"
LABELS = ("Record", "Past", "Fact", "Community", "Alias", "Entity", "Node")
NODES_OF_USER = " UNION ALL ".join(
    f"MATCH (n:{one} {{user_id: $user_id}}) RETURN labels(n) AS kinds, properties(n) AS properties" for one in LABELS
)
LINKS_OF_USER = " UNION ALL ".join(
    f"MATCH (n:{one} {{user_id: $user_id}})-[x]->() RETURN [type(x)] AS kinds, properties(x) AS properties"
    for one in LABELS
)
TOKENS = (
    "CALL db.labels() YIELD label RETURN 'label' AS place, label AS name UNION ALL CALL db.relationshipTypes() YIELD relationshipType"
    " RETURN 'type' AS place, relationshipType AS name UNION ALL CALL db.propertyKeys() YIELD propertyKey"
    " RETURN 'property key' AS place, propertyKey AS name"
)


def new_word() -> str:
    """A word that nobody else has, like a name; it is no part of what a seed decides."""
    letters = [secrets.choice("bdfglmnprstvz") + secrets.choice("aeiou") for _ in range(7)]
    return f"Zq{''.join(letters)}{secrets.choice('lmnr')}"


def terms_of(word: str) -> set[str]:
    """By which numbers the word is found in stored texts."""
    return {f"term {term_id(one)}" for one in stored_words(word)}


async def places(engine: Engine, user_id: UUID | None, terms: Collection[str] = ()) -> Places:
    """Where words and ids are in Postgres and Neo4j, in what is a user's, or in everything; also these numbers of words."""
    found: Places = Counter()
    wanted = frozenset(terms)
    async for place, row in _rows(engine, user_id):
        for column, value in row.items():
            _noted(found, f"{place}.{column}", value, wanted)
    for statement in (NODES_OF_USER, LINKS_OF_USER) if user_id else (NODES, LINKS):
        _, rows = await engine.neo4j.table(statement, user_id=str(user_id))  # type: ignore[arg-type]
        for kinds, properties in rows:
            place = "|".join(sorted(kinds))
            for key, value in properties.items():
                if not key.startswith(("embedding", "vector")):
                    _noted(found, f"{place}.{key}", value, frozenset())
    return found


async def names(engine: Engine) -> Places:
    """Words and ids in names of schemas, tables, indexes, roles, labels, types and properties."""
    found: Places = Counter()
    async with engine.postgres.as_service() as connection:
        rows: list[Any] = await (await connection.execute(sql.SQL(NAMES))).fetchall()
    _, tokens = await engine.neo4j.table(TOKENS)
    for place, name in [*((row["place"], row["name"]) for row in rows), *tokens]:
        _noted(found, place, name, frozenset())
    return found


def in_files(folder: Path, passed: Collection[str] = ()) -> Places:
    """Words and ids in the names and contents of files; a gzip file is unpacked. `passed`: folders that are not looked at."""
    found: Places = Counter()
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if name.partition("/")[0] in passed or path.is_symlink():
            continue
        content = path.read_bytes() if path.is_file() else b""
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        _noted(found, "a name of a file", name, frozenset())
        _noted(found, f"in {name}", content.decode("latin-1"), frozenset())
    return found


async def _rows(engine: Engine, user_id: UUID | None) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Each row of each table as JSON, with its table; without vectors."""
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL("SET LOCAL statement_timeout = 0"))
        asked = {"user_id": user_id, "vectors": list(VECTORS)}
        tables: list[Any] = await (await connection.execute(sql.SQL(TABLES), asked)).fetchall()
        for table in tables:
            own = sql.SQL("true")
            if user_id and table["by_user"]:
                own = sql.SQL("t.user_id = %(user_id)s")
            elif user_id and table["by_node"] and table["schema"] == "engine":
                own = sql.SQL("t.node_id IN (SELECT n.node_id FROM engine.nodes AS n WHERE n.user_id = %(user_id)s)")
            statement = sql.SQL("SELECT (to_jsonb(t) - %(vectors)s::text[])::text AS row FROM {} AS t WHERE {}").format(
                sql.Identifier(table["schema"], table["name"]), own
            )
            lines: list[Any] = await (await connection.execute(statement, asked)).fetchall()
            for line in lines:
                yield f"{table['schema']}.{table['name']}", json.loads(line["row"])


def _noted(found: Places, place: str, value: Any, terms: frozenset[str]) -> None:
    if terms and place.endswith((".terms", "term_counts.term")):
        numbers = re.findall(r"(\d+):", value) if isinstance(value, str) else [str(value)]
        found.update((place, term) for term in {f"term {int(one)}" for one in numbers} & terms)
        return
    text = (value if isinstance(value, str) else repr(value)).lower()
    found.update((place, word) for word in _found(text))


def _found(text: str) -> Iterator[str]:
    if "zq" in text:
        yield from WORD.findall(text)
    if "-" in text:
        yield from ID.findall(text)
