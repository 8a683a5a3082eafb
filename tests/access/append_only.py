"""A database prepared as a managed one, with a row in every append-only table, and transactions of the service with a permit to erase."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from engine.embedded import Stack
from engine.stores.erasure import grant_erasure
from engine.stores.roles import prepare_roles
from engine.wiring.addresses import request_url
from tests.access.databases import elsewhere, migrated, new_database, new_user, opened

Connection = psycopg.AsyncConnection[dict[str, Any]]
LOGS = ("delta_log", "compression_state_log", "commit_log")
"""Logs whose lines stay, emptied."""
ROWS = {
    "delta_log": "INSERT INTO {delta_log} (delta_id, subject_kind, subject_id, w_coordinate, payload, authored_by) VALUES (gen_random_uuid(), 'record', %(id)s,"
    """ '-infinity', '{{"operation": "created", "fields": {{"title": [null, "Ann"]}}}}', 'persona:' || %(id)s)""",
    "compression_state_log": "INSERT INTO engine.compression_state_log (occurred_at, user_id, node_id, file_id, from_state, to_state, trigger, actor_kind, actor_id,"
    " detail) VALUES (now(), %(user)s, %(user)s, %(id)s, 'active', 'dormant', 'error', 'user', %(user)s, 'Ann.txt')",
    "commit_log": "INSERT INTO engine.commit_log (event, commit_id, user_id, kind, actor, detail)"
    " VALUES ('retried', %(id)s, %(user)s, 'records', 'user:' || %(user)s, 'Ann sails')",
    "access_log": "INSERT INTO engine.access_log (event, user_id, actor_kind, actor_id) VALUES ('refused', %(user)s, 'user', %(user)s)",
    "accepted_damage": "INSERT INTO engine.accepted_damage (kind, node_id, subject) VALUES ('file-lost', %(user)s, 'log')",
    "assignments": "INSERT INTO engine.assignments (user_id, record_id, node_id, moved_from, confidence, decided_by, author, decided_at)"
    " VALUES (%(user)s, %(id)s, %(user)s, %(moved_from)s, 1, 'hand', 'persona:' || %(id)s, now())",
    "document_versions": "WITH made AS (INSERT INTO engine.documents (document_id, user_id, source_id, node_id, created_at) VALUES (%(id)s, %(user)s, %(id)s, %(user)s, now()))"
    " INSERT INTO engine.document_versions (document_id, version, user_id, source_id, commit_id, title, content_hash, file_id, file_name, chunks,"
    " chunk_hashes, kept, added, superseded, authored_by, known_at)"
    " VALUES (%(id)s, 1, %(user)s, %(id)s, %(id)s, '', sha256(''), %(id)s, '', ARRAY[]::uuid[], '', 0, 0, 0, 'persona:' || %(id)s, now())",
    "event_log": "INSERT INTO engine.event_log (event_id, user_id, kind, content, occurred_at, recorded_at, authored_by)"
    " VALUES (%(id)s, %(user)s, 'note', 'Ann sails.', now(), now(), 'persona:' || %(id)s)",
    "failure_log": "INSERT INTO engine.failure_log (user_id, stage, cause, detail, subject, first_at, last_at)"
    " VALUES (%(user)s, 'read', 'Broken', '', 'log', now(), now())",
    "grants": "INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode)"
    " VALUES (%(id)s, %(user)s, %(user)s, 'third_party', %(id)s, 'read')",
    "ingest_sources": "WITH made AS (INSERT INTO engine.ingest_sessions (session_id, user_id, actor_kind, actor_id, sources_in, turns_in, files_in, started_at, touched_at)"
    " VALUES (%(id)s, %(user)s, 'user', %(user)s, 1, 1, 1, now(), now()))"
    " INSERT INTO engine.ingest_sources (session_id, user_id, source_id, outcome, noted_at) VALUES (%(id)s, %(user)s, 'log', 'stored', now())",
    "raw_resources": "INSERT INTO engine.raw_resources (resource_id, user_id, workspace_id, record_id, node_id, commit_id, source_id, object_key, file_name,"
    " media_type, content_type, content_hash, size_bytes, packed, authored_by, received_at)"
    " SELECT %(id)s, %(user)s, u.workspace_id, %(id)s, %(user)s, %(id)s, 'log', 'a', 'a', 'text/plain', 'document', sha256(''), 0, false, 'persona:' || %(id)s, now()"
    " FROM engine.users AS u WHERE u.user_id = %(user)s",
    "retracted_facts": "WITH made AS (INSERT INTO engine.retractions (retraction_id, user_id, kind, subject, authored_by, retracted_at)"
    " VALUES (%(id)s, %(user)s, 'record', 'log', 'user', now())),"
    " step AS (INSERT INTO engine.retraction_steps (retraction_id, place, node_id, record_id) VALUES (%(id)s, 1, %(user)s, %(id)s))"
    " INSERT INTO engine.retracted_facts (retraction_id, place, fact_id, role, before) VALUES (%(id)s, 1, %(id)s, 'changed', '{{}}')",
}  # fmt: skip
"""By append-only table: the statement that enters a row."""
GONE = sorted(ROWS.keys() - {*LOGS})
"""Tables whose rows a forgetting deletes."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The database: its name, the URLs of its three roles, and two users with a row in each table."""

    name: str
    admin: str
    service: str
    request: str
    user: UUID
    other: UUID
    id: UUID

    def table(self, name: str, user: UUID | None = None) -> sql.Identifier:
        """A table, the log of changes being that of the root of a user."""
        return sql.Identifier(f"s{(user or self.user).hex}" if name == "delta_log" else "engine", name)

    def statement(self, text: str, table: str = "delta_log", user: UUID | None = None) -> sql.Composed:
        """A statement about `{table}`."""
        return sql.SQL(text).format(table=self.table(table, user))  # type: ignore[arg-type]

    @asynccontextmanager
    async def transaction(self, url: str | None = None) -> AsyncIterator[Connection]:
        """A transaction of the service, or of another role, that is taken back."""
        connecting = psycopg.AsyncConnection.connect(url or self.service, row_factory=dict_row)
        async with await connecting as connection:
            try:
                yield connection
            finally:
                await connection.rollback()

    @asynccontextmanager
    async def permitted(self, kind: str = "record", user: UUID | None = None) -> AsyncIterator[Connection]:
        """A transaction of the service with a permit for a forgetting of the user; its id is `engine.erasing()`."""
        async with self.transaction() as connection:
            await permit(connection, await forgetting(connection, user or self.user, kind))
            yield connection


async def forgetting(connection: Connection, user: UUID | None, kind: str = "record", state: str = "running") -> UUID:
    """Enters one that goes on; the id."""
    made = await connection.execute(
        "INSERT INTO engine.forgettings (forgetting_id, user_id, user_hash, kind, subject, subject_hash, authored_by, state, step, began_at)"
        " SELECT f.id, %(user)s, engine.tombstone('user', NULL, coalesce(%(user)s::text, '')), %(kind)s, 'log',"
        " engine.tombstone(%(kind)s, %(user)s, f.id::text), 'operator', %(state)s, 'rows', CASE %(state)s WHEN 'running' THEN now() END"
        " FROM (SELECT gen_random_uuid() AS id) AS f RETURNING forgetting_id",
        {"user": user, "kind": kind, "state": state},
    )
    row = await made.fetchone()
    assert row is not None
    return UUID(str(row["forgetting_id"]))


async def new_node(connection: Connection, user: UUID, node_type: str = "concept") -> UUID:
    """Registers a node below the root, without tables; its id."""
    node = uuid4()
    await connection.execute(
        "INSERT INTO engine.nodes (node_id, user_id, parent_id, layer, node_type, name, name_key, schema_name, state, template_version)"
        " VALUES (%(node)s, %(user)s, %(user)s, 1, %(type)s, %(name)s, %(name)s, %(name)s, 'live', engine.template_version())",
        {"node": node, "user": user, "type": node_type, "name": f"s{node.hex}"},
    )
    return node


async def permit(connection: Connection, forgetting_id: UUID, purpose: str = "rows") -> None:
    await connection.execute("SELECT neurigraph_erasure.permit(%s, %s)", [forgetting_id, purpose])


async def value(connection: Connection, statement: str | sql.Composed, *given: Any) -> Any:
    """The one value that a statement returns."""
    row = await (await connection.execute(statement, given or None)).fetchone()  # type: ignore[arg-type]
    return None if row is None else next(iter(row.values()))


@asynccontextmanager
async def prepared_ground(stack: Stack) -> AsyncIterator[Ground]:
    """The database, gone at the end."""
    async with new_database(stack, "neurigraph_owner") as name:
        admin, service = (elsewhere(url, name) for url in (stack.postgres_admin_url, stack.postgres_url))
        request = elsewhere(request_url(stack.postgres_url), name)
        await prepare_roles(admin, service, request)
        user = await migrated(stack, service)
        async with opened(service, request) as postgres:
            ground = Ground(name, admin, service, request, user, await new_user(postgres), uuid4())
            await grant_erasure(postgres)
            async with postgres.as_service() as connection:
                for one in (ground.user, ground.other):
                    asked = {"user": one, "id": ground.id if one == user else uuid4(), "moved_from": None}
                    for text in ROWS.values():
                        named = {"delta_log": ground.table("delta_log", one)}
                        await connection.execute(sql.SQL(text).format(**named), asked)  # type: ignore[arg-type]
        yield ground
