"""How each kind of thing that a database is made of is lost, or changed."""

from __future__ import annotations

from psycopg import sql

from engine.stores import definitions
from engine.stores.definitions import Definition

LOSSES = {
    # kind: how one of it is lost; {0} the schema, {1} the table, {2} the name
    "policy": "DROP POLICY IF EXISTS {2} ON {0}.{1}",
    "trigger": "DROP TRIGGER {2} ON {0}.{1}",
    "index": "DROP INDEX {0}.{2}",
    "constraint": "ALTER TABLE {0}.{1} DROP CONSTRAINT IF EXISTS {2} CASCADE",
    "rights": "GRANT SELECT ON {0}.{1} TO PUBLIC; REVOKE ALL ON {0}.{1} FROM neurigraph_request",
    "row-level security": "ALTER TABLE {0}.{1} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY",
    "schema": "REVOKE USAGE ON SCHEMA {0} FROM neurigraph_request",
    "column setting": "ALTER TABLE {0}.{1} ALTER COLUMN {2} DROP DEFAULT",
    "view": "DROP MATERIALIZED VIEW {0}.{1}",
}
CHANGES = {
    "policy": "ALTER POLICY {2} ON {0}.{1} TO pg_monitor",
    "trigger": "ALTER TABLE {0}.{1} DISABLE TRIGGER {2}",
    "column setting": "ALTER TABLE {0}.{1} ALTER COLUMN {2} DROP NOT NULL",
    "row-level security": "ALTER TABLE {0}.{1} NO FORCE ROW LEVEL SECURITY",
    "rights": "GRANT TRUNCATE ON {0}.{1} TO neurigraph_request",
}
"""What is there, but is another, or does nothing."""
NOTHING_TO_LOSE = (" DISABLE ROW ", " DROP DEFAULT", " DROP NOT NULL")
UNMENDED = {"table", "column"}
"""What only a backup has."""


def losing(statement: str, one: Definition) -> sql.Composed:
    return sql.SQL(statement).format(*(sql.Identifier(part or "_") for part in (one.schema_name, one.place, one.name)))


def of_kind(kind: str) -> list[Definition]:
    """All of a kind that have something to lose."""
    return to_lose([one for one in definitions.expected() if one.kind == kind and (one.statement or kind == "view")])


def to_lose(found: list[Definition]) -> list[Definition]:
    """Those that have something to lose: row-level security is off in the template, what is in a primary key stays NOT NULL."""
    keys = {one.place: one.statement for one in definitions.expected() if " PRIMARY KEY " in one.statement}
    found = [one for one in found if one.kind != "column setting" or one.name not in keys.get(one.place, "")]
    return [one for one in found if not any(nothing in one.statement for nothing in NOTHING_TO_LOSE)]
