"""Append-only tables give a row up only in a transaction with a permit, and logs only what was said in them. Every permit has a line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import errors, sql
from psycopg.types.json import Jsonb

from engine.embedded import Stack
from engine.neurigraph import Engine
from tests.access.append_only import (
    GONE,
    LOGS,
    ROWS,
    Connection,
    Ground,
    forgetting,
    new_node,
    permit,
    prepared_ground,
    value,
)

pytestmark = pytest.mark.ledger("N22")
TEXT = {"delta_log": "payload", "compression_state_log": "detail", "commit_log": "detail"}
"""By log: the column that says something."""
NAMED = {"delta_log": "subject_id", "compression_state_log": "file_id", "commit_log": "commit_id"}
"""By log: the column that says of what."""
CHANGED = {
    "delta_log": "payload = 'null'",
    "accepted_damage": "subject = 'x'",
    "retracted_facts": "fact_id = gen_random_uuid()",
    "grants": "purpose = 'x'",
    "compression_state_log": "detail = 'x'",
    "commit_log": "detail = 'x'",
}
"""By table: a change that nobody makes."""


@pytest.fixture(scope="module")
async def ground(engine: Engine, stack: Stack) -> AsyncIterator[Ground]:
    async with prepared_ground(stack) as made:
        yield made


def emptied(log: str, forgetting_id: UUID) -> Any:
    if log == "delta_log":
        return Jsonb({"operation": "forgotten", "forgetting": str(forgetting_id), "fields": {}})
    return f"forgotten {forgetting_id}"


async def refused(connection: Connection, statement: str | sql.Composed, *given: Any) -> str:
    """What is said of a statement that is refused; the transaction goes on."""
    with pytest.raises((errors.InsufficientPrivilege, errors.CheckViolation)) as error:
        async with connection.transaction():
            await connection.execute(statement, given or None)  # type: ignore[arg-type]
    return str(error.value)


def changes(ground: Ground, table: str) -> list[sql.Composed]:
    """What nobody does without a permit."""
    changed = CHANGED.get(table, "user_id = gen_random_uuid()")
    return [
        ground.statement(text, table)
        for text in ("DELETE FROM {table}", f"UPDATE {{table}} SET {changed}", "TRUNCATE {table} CASCADE")
    ]


# without a permit -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ROWS)
async def test_no_role_of_the_service_changes_an_append_only_table(ground: Ground, table: str) -> None:
    """As the service, as the service that an administrator became, as the request role; also with settings made up."""
    for url in (ground.service, ground.admin, ground.request):
        async with ground.transaction(url) as connection:
            if url == ground.admin:
                await connection.execute("SET ROLE neurigraph_owner")
            for name in ("engine.erasure", "engine.erasing", "engine.permit"):
                await connection.execute("SELECT set_config(%s, 'on', true)", [name])
            for statement in changes(ground, table):
                said = await refused(connection, statement)
                assert any(words in said for words in ("append-only", "only be", "permission denied")), said


async def test_the_setting_of_a_discard_lets_nothing_go_that_was_shown(ground: Ground) -> None:
    """A write that is discarded takes its own rows with it; the setting alone takes none, not even of a record that waits."""
    async with ground.transaction() as connection:
        record = (
            "INSERT INTO {table} (record_id, state, commit_id, summary, content_type, trigger_type, source_id, embedding_pending)"
            " VALUES (%s, 'live', gen_random_uuid(), '', 'other', 'event_boundary', 'log', true)"
        )
        place = sql.Identifier(f"s{ground.user.hex}", "metadata_records")
        await connection.execute(sql.SQL(record).format(table=place), [ground.id])
        await connection.execute("SELECT set_config('engine.discarding', 'on', true)")
        for table in ROWS:
            assert await refused(connection, ground.statement("DELETE FROM {table}", table))
        await connection.execute(sql.SQL("UPDATE {} SET state = 'pending'").format(place))
        for table in sorted(ROWS.keys() - {"delta_log"}):
            assert await refused(connection, ground.statement("DELETE FROM {table}", table))


async def test_nobody_enters_a_permit_but_by_the_function(ground: Ground) -> None:
    line = "INSERT INTO engine.erasures (forgetting_id, purpose) VALUES (%s, 'rows')"
    for url in (ground.service, ground.request):
        async with ground.transaction(url) as connection:
            running = uuid4() if url == ground.request else await forgetting(connection, ground.user)
            assert await refused(connection, line, running)
            for statement in (
                "SET ROLE neurigraph_erasure",
                "SET SESSION AUTHORIZATION neurigraph_erasure",
                "GRANT neurigraph_erasure TO neurigraph_owner",
                "ALTER FUNCTION neurigraph_erasure.permit OWNER TO neurigraph_owner",
                "SET session_replication_role = replica",
            ):
                assert await refused(connection, statement), statement
            assert await refused(connection, "CREATE TABLE neurigraph_erasure.t ()")
    async with ground.transaction(ground.request) as connection:
        assert await refused(connection, "SELECT neurigraph_erasure.permit(%s, 'rows')", uuid4())
        for name in ("may_erase", "erasing", "tombstone", "surrogate", "hold_writes_alone", "emptied"):
            assert await value(
                connection,
                "SELECT NOT bool_or(has_function_privilege(p.oid, 'EXECUTE')) FROM pg_proc AS p WHERE p.proname = %s",
                name,
            )


async def test_whoever_had_the_role_could_choose_nothing_but_forgetting_and_purpose(ground: Ground) -> None:
    async with ground.transaction(ground.admin) as connection:
        running = await forgetting(connection, ground.user)
        await connection.execute("SET ROLE neurigraph_erasure")
        for columns, given in (("xid", "'7'"), ("opened_at", "now()"), ("by_role", "'x'")):
            line = f"INSERT INTO engine.erasures (forgetting_id, purpose, {columns}) VALUES (%s, 'rows', {given})"
            assert "permission denied" in await refused(connection, line, running)
        for statement in (
            "SELECT FROM engine.erasures",
            "SELECT FROM engine.forgettings",
            "DELETE FROM engine.erasures",
        ):
            assert "permission denied" in await refused(connection, statement)
        await connection.execute("INSERT INTO engine.erasures (forgetting_id, purpose) VALUES (%s, 'rows')", [running])


@pytest.mark.parametrize(
    "table", ["forgettings", "forgetting_things", "forgetting_objects", "forgotten", "erasures", "forgetting_key"]
)
async def test_requests_have_no_right_on_any_of_the_tables(ground: Ground, table: str) -> None:
    async with ground.transaction(ground.request) as connection:
        for text in (
            "SELECT FROM {table}",
            "DELETE FROM {table}",
            "INSERT INTO {table} DEFAULT VALUES",
            "TRUNCATE {table}",
        ):
            assert "permission denied" in await refused(connection, ground.statement(text, table))


# permits that are none --------------------------------------------------------------------------------------


async def test_a_permit_needs_a_forgetting_that_goes_on(ground: Ground) -> None:
    async with ground.transaction() as connection:
        for one in (uuid4(), await forgetting(connection, ground.user, state="planned")):
            assert "goes on" in await refused(connection, "SELECT neurigraph_erasure.permit(%s, 'rows')", one)
        running = await forgetting(connection, ground.user)
        for purpose in ("", "Ann sails", "x" * 41):
            assert "purpose" in await refused(connection, "SELECT neurigraph_erasure.permit(%s, %s)", running, purpose)
        await connection.execute(
            "UPDATE engine.forgettings SET state = 'failed', ended_at = now(), failure = 'x' WHERE state = 'running'"
        )
        assert "goes on" in await refused(connection, "SELECT neurigraph_erasure.permit(%s, 'rows')", running)


async def test_a_permit_is_for_its_transaction_alone(ground: Ground) -> None:
    """Not after its commit, not where it was taken back, not beside it, and not where a server gives its number again."""
    delete = ground.statement(f"DELETE FROM {{table}} WHERE user_id = '{ground.user}'", "event_log")
    async with ground.transaction() as connection, ground.transaction() as beside:
        running = await forgetting(connection, ground.user)
        await connection.commit()
        with pytest.raises(ZeroDivisionError):
            async with connection.transaction():
                await permit(connection, running)
                raise ZeroDivisionError
        assert "append-only" in await refused(connection, delete)
        await permit(connection, running)
        assert "append-only" in await refused(beside, delete)
        await connection.commit()
        assert "append-only" in await refused(connection, delete)
    for xid, ago in (("pg_current_xact_id()", "1 us"), ("'7'", "0")):
        async with ground.transaction(ground.admin) as connection:
            again = f"INSERT INTO engine.erasures (forgetting_id, purpose, xid, opened_at) VALUES (%s, 'rows', {xid}, now() - interval '{ago}')"
            await connection.execute(again, [running])  # type: ignore[arg-type]
            await connection.execute("SET ROLE neurigraph_owner")
            assert "append-only" in await refused(connection, delete)


async def test_every_permit_has_one_line_that_stays(ground: Ground) -> None:
    async with ground.permitted() as connection:
        row = await (
            await connection.execute(
                "SELECT e.purpose, e.by_role, e.xid = pg_current_xact_id() AS own, e.opened_at = now() AS now,"
                " e.forgetting_id = (engine.erasing()).forgetting_id AS same FROM engine.erasures AS e ORDER BY erasure_id DESC LIMIT 1"
            )
        ).fetchone()
        assert row == {"purpose": "rows", "by_role": "neurigraph_owner", "own": True, "now": True, "same": True}
        with pytest.raises(errors.UniqueViolation):
            async with connection.transaction():
                await permit(connection, await forgetting(connection, ground.other))
        for text in ("DELETE FROM {table}", "UPDATE {table} SET purpose = 'x'", "TRUNCATE {table}"):
            statement = ground.statement(text, "erasures")
            if "UPDATE" in text or "DELETE" in text:  # row-level security shows the service no row to change
                assert (await connection.execute(statement)).rowcount == 0
            else:
                assert "append-only" in await refused(connection, statement)
    async with ground.transaction(ground.admin) as connection:
        await permit(connection, await forgetting(connection, ground.user))
        for text in ("DELETE FROM {table}", "UPDATE {table} SET purpose = 'x'", "TRUNCATE {table} CASCADE"):
            for table in ("erasures", "forgetting_key"):
                text = text.replace("purpose = 'x'", "key = sha256('')") if table == "forgetting_key" else text
                assert "append-only" in await refused(connection, ground.statement(text, table))


# with a permit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", GONE)
async def test_a_permit_deletes_rows_of_its_own_user(ground: Ground, table: str) -> None:
    whose = {
        "accepted_damage": "node_id = %s",
        "retracted_facts": "retraction_id IN (SELECT retraction_id FROM engine.retractions WHERE user_id = %s)",
    }
    where = whose.get(table, "user_id = %s")
    async with ground.permitted() as connection:
        for statement in changes(ground, table)[1:]:
            assert await refused(connection, statement)
        column = where.partition(" ")[0]
        nothing = ground.statement(f"UPDATE {{table}} SET {column} = {column} WHERE {where}", table)
        if table != "failure_log":  # whose open entries count attempts
            assert await refused(connection, nothing, ground.user)
        delete = ground.statement(f"DELETE FROM {{table}} WHERE {where}", table)
        assert await refused(connection, delete, ground.other)
        assert (await connection.execute(delete, [ground.user])).rowcount == 1


@pytest.mark.parametrize("log", LOGS)
async def test_a_permit_empties_a_line_of_a_log_and_nothing_else(ground: Ground, log: str) -> None:
    """What was said goes, the id becomes its surrogate; when, by whom and which change it was stays. The line itself never goes."""
    text, named, id = TEXT[log], NAMED[log], ground.id
    line = f"SELECT to_jsonb(t) - '{text}' - '{named}' FROM {{table}} AS t WHERE t.{named} = %s"
    async with ground.permitted() as connection:
        form = emptied(log, await value(connection, "SELECT (engine.erasing()).forgetting_id"))
        before, surrogate = [
            await value(connection, one, id) for one in (ground.statement(line, log), "SELECT engine.surrogate(%s)")
        ]
        other = emptied(log, uuid4())
        for change, given in {
            f"{text} = %s": [other],
            f"{named} = %s": [surrogate],
            f"{text} = %s, {named} = gen_random_uuid()": [form],
            f"{text} = %s, {'authored_by' if log == 'delta_log' else 'occurred_at'} = DEFAULT": [form],
            f"{text} = 'null'": [],
            **{f"{text} = %s, {one} = NULL": [form] for one in OTHERS[log]},
            **(
                {"payload = payload - 'fields'": [], "payload = %s || jsonb_build_object('reason', 'Ann')": [form]}
                if log == "delta_log"
                else {}
            ),
        }.items():
            statement = ground.statement(f"UPDATE {{table}} SET {change} WHERE {named} = %s", log)
            with pytest.raises((errors.InsufficientPrivilege, errors.NotNullViolation)):
                async with connection.transaction():
                    await connection.execute(statement, [*given, id])
        for statement in (changes(ground, log)[0], changes(ground, log)[2]):
            assert "append-only" in await refused(connection, statement)
        update = ground.statement(f"UPDATE {{table}} SET {text} = %s, {named} = %s WHERE {named} = %s", log)
        assert (await connection.execute(update, [form, surrogate, id])).rowcount == 1
        assert await value(connection, ground.statement(line, log), surrogate) == before
        assert await value(
            connection, ground.statement(f"SELECT {text} FROM {{table}} WHERE {named} = %s", log), surrogate
        ) == getattr(form, "obj", form)


@pytest.mark.parametrize("log", LOGS)
async def test_an_emptied_line_keeps_what_emptied_it(ground: Ground, log: str) -> None:
    """A later forgetting makes no line of its own from it, and may still take who it was away."""
    text, named = TEXT[log], NAMED[log]
    update = ground.statement(f"UPDATE {{table}} SET {text} = %s WHERE {named} = %s", log)
    async with ground.transaction(ground.admin) as connection:
        await connection.execute("SET session_replication_role = replica")
        await connection.execute(update, [emptied(log, uuid4()), ground.id])
        await connection.execute("SET session_replication_role = origin")
        later = await forgetting(connection, ground.user, "user")
        await permit(connection, later)
        await connection.execute("SET ROLE neurigraph_owner")
        assert "append-only" in await refused(connection, update, emptied(log, later), ground.id)
        taken = ground.statement(f"UPDATE {{table}} SET {named} = engine.surrogate({named}) WHERE {named} = %s", log)
        assert (await connection.execute(taken, [ground.id])).rowcount == 1


OTHERS = {
    "delta_log": ("delta_id", "subject_kind", "revision", "w_coordinate", "authored_by", "created_at"),
    "compression_state_log": ("occurred_at", "user_id", "node_id", "actor_id", "trigger", "to_state"),
    "commit_log": ("occurred_at", "user_id", "event", "kind", "actor"),
}
"""Columns that stay as they are where a record is forgotten."""


@pytest.mark.parametrize("log", LOGS)
async def test_a_permit_empties_no_line_of_another_user(ground: Ground, log: str) -> None:
    async with ground.permitted(user=ground.user) as connection:
        form = emptied(log, await value(connection, "SELECT (engine.erasing()).forgetting_id"))
        where = "" if log == "delta_log" else f" WHERE user_id = '{ground.other}'"
        statement = ground.statement(f"UPDATE {{table}} SET {TEXT[log]} = %s{where}", log, ground.other)
        assert "append-only" in await refused(connection, statement, form)


KINDS = ("record", "entity", "node", "user")
WHO = {
    ("delta_log", "delta_id"): KINDS,
    ("access_log", "actor_id"): ("node", "user"),
    ("assignments", "author"): ("node", "user"),
    ("document_versions", "authored_by"): ("node", "user"),
    ("event_log", "authored_by"): ("node", "user"),
    ("raw_resources", "authored_by"): ("node", "user"),
    ("delta_log", "authored_by"): ("node", "user"),
    ("commit_log", "actor"): ("node", "user"),
    ("compression_state_log", "node_id"): ("node", "user"),
    ("compression_state_log", "actor_id"): ("node", "user"),
    ("compression_state_log", "user_id"): ("user",),
    ("commit_log", "user_id"): ("user",),
}
"""By column: what has to be forgotten so that it becomes a surrogate."""


@pytest.mark.parametrize(("log", "column"), WHO)
@pytest.mark.parametrize("kind", KINDS)
async def test_who_and_where_become_surrogates_only_with_the_node_or_the_user(
    ground: Ground, log: str, column: str, kind: str
) -> None:
    text = column in ("authored_by", "author", "actor")
    surrogate = f"split_part({column}, ':', 1) || ':' || engine.surrogate(split_part({column}, ':', 2)::uuid)"
    change = f"{column} = {surrogate if text else f'engine.surrogate({column})'}"
    where, id = (NAMED[log], ground.id) if log in LOGS else ("user_id", ground.user)
    statement = ground.statement(f"UPDATE {{table}} SET {change} WHERE {where} = %s", log)
    async with ground.permitted(kind) as connection:
        if kind in WHO[log, column]:
            assert (await connection.execute(statement, [id])).rowcount == 1
        else:
            assert "append-only" in await refused(connection, statement, id)


@pytest.mark.parametrize("kind", ["record", "node", "user"])
async def test_where_a_record_lay_before_is_taken_away_with_that_node(ground: Ground, kind: str) -> None:
    """The decision itself stays: it belongs to a record that stays."""
    async with ground.transaction() as connection:
        node = await new_node(connection, ground.user)
        asked = {"user": ground.user, "id": uuid4(), "moved_from": node}
        await connection.execute("ALTER TABLE engine.assignments DISABLE TRIGGER moved")
        await connection.execute(ROWS["assignments"], asked)  # type: ignore[arg-type]
        await permit(connection, await forgetting(connection, ground.user, kind))
        for change in (f"moved_from = '{ground.other}'", "moved_from = NULL, title = 'x'", "title = 'x'"):
            with pytest.raises(psycopg.Error):
                async with connection.transaction():
                    await connection.execute(f"UPDATE engine.assignments SET {change} WHERE moved_from = %s", [node])  # type: ignore[arg-type]
        statement = sql.SQL("UPDATE engine.assignments SET moved_from = NULL WHERE moved_from = %s").format()
        if kind == "node":
            assert (await connection.execute(statement, [node])).rowcount == 1
        else:
            assert "append-only" in await refused(connection, statement, node)


async def test_a_line_about_nobodys_graph_goes_with_who_asked(ground: Ground) -> None:
    entered = (
        "INSERT INTO engine.access_log (event, actor_kind, actor_id) VALUES ('refused', 'user', %s) RETURNING entry_id"
    )
    delete = ground.statement("DELETE FROM {table} WHERE entry_id = %s", "access_log")
    async with ground.transaction() as connection:
        assert "append-only" in await refused(connection, delete, await value(connection, entered, None))
    async with ground.permitted("user") as connection:
        own, others, nobodys = [await value(connection, entered, one) for one in (ground.user, ground.other, None)]
        for one in (others, nobodys):
            assert "append-only" in await refused(connection, delete, one)
        assert (await connection.execute(delete, [own])).rowcount == 1
