"""Rows of other users in all stores, made quickly: copies of one row of each table, and nodes of the graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any, cast
from uuid import UUID

from psycopg import sql

from engine.neurigraph import Engine
from tests.session_stores import administrator

OTHERS = 100
"""Other users, of whom the rows are."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table that grows with users."""

    table: str
    name: str
    kind: str
    unique: bool


_COLUMNS = (
    "SELECT c.relname, a.attname, format_type(a.atttypid, NULL),"
    " EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey))"
    " FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid"
    " WHERE c.relnamespace = 'engine'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
    " AND EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = c.oid AND o.attname IN ('user_id', 'node_id'))"
    " ORDER BY 1, a.attnum"
)


_NAMES = ("conversation_id", "handle", "handle_key", "key", "name_key", "schema_name", "source_id", "subject")
"""Texts that a key tells apart; the others in keys take certain values only."""


def _id(name: str, number: str = "g") -> str:
    """An id for each number, another one for each name, in the order of the numbers: so indexes grow at their end."""
    return f"('{md5(name.encode()).hexdigest()[:8]}' || lpad(to_hex({number}), 24, '0'))::uuid"


_OF_OTHERS = _id("user_id", f"g % {OTHERS}")
_SPECIAL = {
    ("users", "user_id"): _id("user_id"),
    ("derived_builds", "user_id"): _id("user_id"),
    ("replays", "user_id"): _id("user_id"),
    ("nodes", "lineage"): f"array_fill({_id('node_id')}, ARRAY[r.layer + 1])",
    ("conversations", "principal_id"): _OF_OTHERS,
}
"""Columns with values that a rule of their table binds to others."""


def _value(column: Column) -> str:
    """What a copy of a row has in a column: ids of its own, the rest as it was."""
    name, there = column.name, f"CASE WHEN r.{column.name} IS NOT NULL THEN"
    if (column.table, name) in _SPECIAL:
        return _SPECIAL[column.table, name]
    if name == "user_id":
        return _OF_OTHERS
    if column.kind == "uuid":
        return f"{there} {_id(name)} END"
    if column.kind == "uuid[]":
        return f"ARRAY(SELECT {_id(name, 'g * 100 + i')} FROM generate_series(1, cardinality(r.{name})) AS i)"
    if column.unique and column.kind == "bigint":
        return f"{there} 1000000000 + g END"
    if column.unique and column.kind == "bytea":
        return "sha256(g::text::bytea)"
    if column.unique and column.kind == "text" and name in _NAMES:
        return f"left(r.{name}, 40) || g"
    return f"r.{name}"


@asynccontextmanager
async def growing(engine: Engine) -> AsyncIterator[Growing]:
    """Rows of other users can be added inside; no trigger and no foreign key looks at them."""
    async with administrator(engine) as connection:
        await connection.execute("SET session_replication_role = replica")
        found = [Column(*cast(Any, row)) for row in await (await connection.execute(_COLUMNS)).fetchall()]
        tables: dict[str, list[Column]] = {}
        for column in found:
            tables.setdefault(column.table, []).append(column)
        yield Growing(engine, connection, tables)


@dataclass
class Growing:
    """The tables that grow with users, and how many rows of others each has; empty ones have no row to copy."""

    engine: Engine
    connection: Any
    tables: Mapping[str, list[Column]]
    rows: dict[str, int] = field(default_factory=dict)
    graph: int = 0

    async def rows_of(self, user: UUID) -> None:
        """Adds rows of the user to tables that nothing here fills, so that there is one to copy."""
        for statement in _BY_HAND:
            await self.connection.execute(statement, {"user": user})

    async def tables_to(self, size: int, names: Collection[str]) -> None:
        """Copies one row of each of these tables until others have so many."""
        for name in sorted(self.tables.keys() & names):
            columns, first = self.tables[name], self.rows.get(name, 0)
            copied = sql.SQL(
                "INSERT INTO engine.{table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {values} FROM ("
                " SELECT * FROM engine.{table} AS t ORDER BY (SELECT count(*) FROM jsonb_each(to_jsonb(t)) WHERE value <> 'null') DESC LIMIT 1"
                ") AS r, generate_series({first}, {last}) AS g"
            ).format(
                table=sql.Identifier(name),
                columns=sql.SQL(", ").join(sql.Identifier(one.name) for one in columns),
                values=sql.SQL(", ".join(map(_value, columns))),
                first=sql.Literal(first),
                last=sql.Literal(size - 1),
            )
            made = (await self.connection.execute(copied)).rowcount
            if made:
                self.rows[name] = size
            await self.connection.execute(sql.SQL("ANALYZE engine.{}").format(sql.Identifier(name)))

    async def graph_to(self, size: int) -> None:
        """Adds nodes of the graph until others have so many, of five labels, with their relationships."""
        each = size // 5
        for first in range(self.graph, each, 5000):
            await self.engine.neo4j.write(_GRAPH, first=first, last=min(first + 5000, each) - 1, others=OTHERS)
        self.graph = each
        await self.engine.neo4j.read("CALL db.awaitIndexes(60)")
        # Else plans count on as few as there were before.
        await self.engine.neo4j.read("CALL db.prepareForReplanning()")


_BY_HAND = (
    "INSERT INTO engine.failure_log (failure_id, user_id, stage, cause, detail, subject, reference, attempts, first_at, last_at, state)"
    " VALUES (gen_random_uuid(), %(user)s, 'read', 'OSError', '', 'a file', '{}', 1, now(), now(), 'open')",
    "INSERT INTO engine.fact_clusters (cluster_id, user_id, name, size, summary, facts, changed_at)"
    " VALUES (gen_random_uuid(), %(user)s, 'boats', 1, '', ARRAY[gen_random_uuid()], now())",
    "INSERT INTO engine.fact_doubts (newer, older, user_id, kind, since)"
    " SELECT max(fact_id::text)::uuid, min(fact_id::text)::uuid, user_id, 'maybe', now() FROM engine.facts WHERE user_id = %(user)s GROUP BY user_id"
    " ON CONFLICT DO NOTHING",
)
_GRAPH = """
CYPHER 25
UNWIND range($first, $last) AS g
WITH g, 'other-' + toString(g % $others) AS user, toString(g) AS id, datetime('2020-01-01T00:00:00Z') AS since
CREATE (n:Node {node_id: 'n' + id, user_id: user, user_key: replace(user, '-', ''), name: 'Ellen ' + id, name_key: 'ellen ' + id, aliases: [], alias_keys: [], keywords: ['lake'],
                summary: 'The lake', node_type: 'concept', layer: 1, state: 'dormant', schema_name: 's' + id, records: 1, items: 1, created_at: since,
                known_from: since, valid_from: since})
CREATE (n)-[:HOLDS]->(r:Record {record_id: 'r' + id, title: 'A call', known_from: since, valid_from: since})
CREATE (e:Entity:Person {entity_id: 'e' + id, user_id: user, key: 'person:e' + id, name: 'Ellen ' + id, name_key: 'ellen ' + id, kind: 'person', active: true,
                         mentions: 1, known_from: since})
CREATE (r)-[:MENTIONS {role: 'mention', kind: 'person', names: ['ellen ' + id], spans: [], count: 1, known_from: since}]->(e)
CREATE (a:Alias {user_id: user, user_key: replace(user, '-', ''), type: 'name', key: 'ellen ' + id, value: 'Ellen ' + id, name: 'Ellen ' + id,
                 verified: false, known_from: since})-[:NAMES]->(e)
CREATE (f:Fact {fact_id: 'f' + id, user_id: user, status: 'live', known_from: since})
CREATE (n)-[:RELATED {edge_id: 'd' + id, edge_type: 'holds', known_from: since, valid_from: since}]->(n)
CREATE (e)-[:KNOWS {relation_id: 'k' + id, user_id: user, name: 'knows', strength: 1, confidence: 0.5, known_from: since}]->(e)
CREATE (r)-[:EVIDENCE {relation_id: 'k' + id, weight: 0.5, span: '0-1', ended: false, known_from: since}]->(e)
"""
