"""What is kept of a forgetting and of what was forgotten: states, tombstones, surrogates; and the lock that keeps writes apart from it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest
from psycopg import errors
from psycopg.types.json import Jsonb

from engine.embedded import Stack
from engine.neurigraph import Engine
from tests.access.append_only import Connection, Ground, forgetting, new_node, prepared_ground, value


@pytest.fixture(scope="module")
async def ground(engine: Engine, stack: Stack) -> AsyncIterator[Ground]:
    async with prepared_ground(stack) as made:
        yield made


NEEDED = {
    "failed": "ended_at = now(), failure = 'no'",
    "settling": "began_at = now(), settles_at = now(), ended_at = NULL, failure = ''",
    "done": "began_at = now(), settles_at = now(), ended_at = now(), failure = '', subject = ''",
    "left": "began_at = now(), settles_at = now(), ended_at = now(), failure = ''",
    "running": "ended_at = NULL, failure = '', began_at = now()",
    "planned": "ended_at = NULL, failure = ''",
}
"""By state: what else a forgetting has in it."""
MOVES = {
    "planned": {"running", "failed"},
    "running": {"settling", "failed"},
    "settling": {"done", "left", "failed"},
    "left": {"running"},
    "failed": {"running"},
    "done": set[str](),
}
WAYS = {
    "planned": (),
    "running": (),
    "settling": ("settling",),
    "left": ("settling", "left"),
    "failed": ("failed",),
    "done": ("settling", "done"),
}
"""By state: how one that runs comes there."""


async def moved(connection: Connection, one: UUID, state: str, more: str = "") -> None:
    change = f"state = '{state}', {NEEDED[state]}{more}"
    async with connection.transaction():
        await connection.execute(f"UPDATE engine.forgettings SET {change} WHERE forgetting_id = %s", [one])  # type: ignore[arg-type]


async def at(connection: Connection, ground: Ground, state: str) -> UUID:
    one = await forgetting(connection, ground.user, state="planned" if state == "planned" else "running")
    for step in WAYS[state]:
        await moved(connection, one, step)
    return one


@pytest.mark.parametrize("state", MOVES)
async def test_a_forgetting_goes_on_only_in_its_order(ground: Ground, state: str) -> None:
    for other in MOVES:
        async with ground.transaction() as connection:
            one = await at(connection, ground, state)
            if other in MOVES[state]:
                await moved(connection, one, other)
            elif other != state:
                with pytest.raises(errors.InsufficientPrivilege, match=f"from {state} to {other}|names|done"):
                    await moved(connection, one, other)


@pytest.mark.parametrize(
    "change",
    [
        "began_at = NULL", "ended_at = now()", "failure = 'x'", "subject = ''", "user_id = NULL", "receipt = '{}'", "kind = 'everything'",
        "state = 'settling'", "state = 'failed', failure = 'x'", "state = 'failed', ended_at = now()", "counts = '[]'", "user_hash = 'x'",
    ],
)  # fmt: skip
async def test_no_state_is_half(ground: Ground, change: str) -> None:
    async with ground.transaction() as connection:
        one = await at(connection, ground, "running")
        with pytest.raises((errors.CheckViolation, errors.InsufficientPrivilege)):
            await connection.execute(f"UPDATE engine.forgettings SET {change} WHERE forgetting_id = %s", [one])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        "forgetting_id = gen_random_uuid()", "kind = 'node'", "asked_at = now()", "subject = 'another'", "user_hash = sha256('')",
        "subject_hash = sha256('')", "user_id = gen_random_uuid()",
    ],
)  # fmt: skip
async def test_what_was_asked_for_stays(ground: Ground, change: str) -> None:
    async with ground.transaction() as connection:
        one = await at(connection, ground, "running")
        for statement in (
            f"UPDATE engine.forgettings SET {change} WHERE forgetting_id = %s",
            "DELETE FROM engine.forgettings WHERE forgetting_id = %s",
            "TRUNCATE engine.forgettings CASCADE",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                async with connection.transaction():
                    await connection.execute(statement, [one] if "%s" in statement else None)  # type: ignore[arg-type]


async def test_what_is_done_names_nothing_and_changes_no_more(ground: Ground) -> None:
    async with ground.transaction() as connection:
        one = await at(connection, ground, "settling")
        named = "INSERT INTO engine.forgetting_things VALUES (%(id)s, 'record', engine.tombstone('record', %(user)s, 'a'), 'a')"
        put = "INSERT INTO engine.forgetting_objects (forgetting_id, object_key) VALUES (%(id)s, 'a')"
        ways = {
            named: "UPDATE engine.forgetting_things SET thing = NULL",
            put: "DELETE FROM engine.forgetting_objects",
        }
        for entered, gone in ways.items():
            await connection.execute(entered, {"id": one, "user": ground.user})  # type: ignore[arg-type]
            with pytest.raises(errors.InsufficientPrivilege, match="still names"):
                await moved(connection, one, "done")
            await connection.execute(gone)  # type: ignore[arg-type]
        with pytest.raises(errors.CheckViolation):
            await moved(connection, one, "done", ", after = '{}'")
        await moved(connection, one, "done")
        for change in (
            "counts = '{\"x\": 1}'",
            "step = 'x'",
            "ended_at = now() - interval '1 s'",
            "options = '{\"x\": 1}'",
        ):
            with pytest.raises(errors.InsufficientPrivilege, match="done"):
                async with connection.transaction():
                    await connection.execute(f"UPDATE engine.forgettings SET {change} WHERE forgetting_id = %s", [one])  # type: ignore[arg-type]
        signed = "UPDATE engine.forgettings SET receipt = %s WHERE forgetting_id = %s"
        await connection.execute(signed, [Jsonb({"format": 1}), one])
        with pytest.raises(errors.InsufficientPrivilege):
            async with connection.transaction():
                await connection.execute(signed, [Jsonb({"format": 2}), one])
        later = "UPDATE engine.forgettings SET user_id = NULL, authored_by = '', reason = '' WHERE forgetting_id = %s"
        assert (await connection.execute(later, [one])).rowcount == 1, "the user is forgotten later"


async def test_one_forgetting_of_a_thing_goes_on_at_a_time(ground: Ground) -> None:
    async with ground.transaction() as connection:
        one = await at(connection, ground, "running")
        again = (
            "INSERT INTO engine.forgettings (forgetting_id, user_id, user_hash, kind, subject, subject_hash, authored_by)"
            " SELECT gen_random_uuid(), user_id, user_hash, kind, subject, subject_hash, authored_by FROM engine.forgettings WHERE forgetting_id = %s"
        )
        with pytest.raises(errors.UniqueViolation):
            async with connection.transaction():
                await connection.execute(again, [one])
        await moved(connection, one, "failed")
        await connection.execute(again, [one])


# tombstones -------------------------------------------------------------------------------------------------


async def test_a_tombstone_is_of_its_kind_user_and_thing_by_the_key_of_the_database(ground: Ground) -> None:
    async with ground.transaction() as connection:
        asked = "SELECT engine.tombstone(%s, %s, %s)"
        given = [
            ("source", ground.user, "log"),
            ("key", ground.user, "log"),
            ("source", ground.other, "log"),
            ("source", ground.user, "lo"),
            ("source", None, "log"),
            ("sourc", ground.user, "elog"),
        ]
        hashes = [await value(connection, asked, *one) for one in given]
        assert len(set(hashes)) == len(given) and {len(one) for one in hashes} == {32}
        assert [await value(connection, asked, *one) for one in given] == hashes
        with pytest.raises(errors.InsufficientPrivilege):
            async with connection.transaction():
                await connection.execute("TRUNCATE engine.forgetting_key")
    async with ground.transaction(ground.admin) as connection:
        await connection.execute("SET session_replication_role = replica")
        await connection.execute("UPDATE engine.forgetting_key SET key = sha256('another')")
        assert await value(connection, asked, *given[0]) not in hashes
        await connection.execute("DELETE FROM engine.forgetting_key")
        with pytest.raises(errors.DataCorrupted, match="key"):
            await connection.execute(asked, given[0])


async def test_every_database_has_a_key_of_its_own(engine: Engine, ground: Ground) -> None:
    key = "SELECT key FROM engine.forgetting_key"
    async with ground.transaction() as connection, engine.postgres.as_service() as theirs:
        keys = [await value(one, key) for one in (connection, theirs)]  # type: ignore[arg-type]
    assert {len(one) for one in keys} == {32} and keys[0] != keys[1]


async def test_a_surrogate_is_always_the_same_and_leads_nowhere(ground: Ground) -> None:
    ids = [uuid4() for _ in range(50)]
    async with ground.transaction() as connection:
        made = [await value(connection, "SELECT engine.surrogate(%s)", one) for one in [*ids, *ids]]
    assert made[:50] == made[50:] and len(set(made)) == 50 and not {*made} & {*ids}
    assert {(one.version, one.variant) for one in made} == {(8, ids[0].variant)}


async def as_principal(connection: Connection, kind: str, id: UUID) -> None:
    await connection.execute("SET ROLE neurigraph_request")
    who = "SELECT set_config('engine.principal_kind', %s, true), set_config('engine.principal_id', %s, true)"
    await connection.execute(who, [kind, str(id)])


@pytest.mark.ledger("N31")
async def test_only_the_graphs_own_principals_are_told_what_was_forgotten(ground: Ground) -> None:
    """A persona of its own keys alone; an integration, and another user, of nothing."""
    async with ground.transaction(ground.admin) as connection:
        persona = await new_node(connection, ground.user, "persona")
        things = ["log", f"persona:{persona}:log", "other"]
        one = await forgetting(connection, ground.user)
        entered = "INSERT INTO engine.forgotten (hash, kind, user_hash, forgetting_id) SELECT engine.tombstone('source', %(user)s, t), 'source', sha256(''), %(one)s"
        await connection.execute(
            entered + " FROM unnest(%(things)s::text[]) AS t", {"user": ground.user, "one": one, "things": things[:2]}
        )
        for kind, id, told in (
            ("user", ground.user, things[:2]),
            ("persona", persona, [things[1]]),
            ("persona", uuid4(), []),
            ("user", ground.other, []),
            ("third_party", ground.user, []),
            ("", ground.user, []),
        ):
            async with connection.transaction(force_rollback=True):
                await as_principal(connection, kind, id)
                asked = "SELECT coalesce(array_agg(f.thing ORDER BY f.thing), '{}') FROM engine.is_forgotten(%s, %s) AS f WHERE f.forgotten_at <= clock_timestamp()"
                assert await value(connection, asked, "source", things) == told
                assert await value(connection, asked, "key", things) == []
        with pytest.raises(errors.InsufficientPrivilege):
            async with connection.transaction():
                await connection.execute("SET ROLE neurigraph_owner")
                await connection.execute("UPDATE engine.forgotten SET forgotten_at = now()")
        await connection.execute("SET ROLE neurigraph_owner")
        assert (await connection.execute("DELETE FROM engine.forgotten")).rowcount == 2, "it is stored anew on purpose"


# the lock ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then", "waits"),
    [("hold_writes", "hold_writes", False), ("hold_writes", "hold_writes_alone", True), ("hold_writes_alone", "hold_writes", True),
     ("hold_writes_alone", "hold_writes_alone", True)],
)  # fmt: skip
async def test_a_step_of_a_forgetting_and_the_writes_of_its_user_wait_for_each_other(
    ground: Ground, first: str, then: str, waits: bool
) -> None:
    async with ground.transaction() as one, ground.transaction() as two:
        await one.execute(f"SELECT engine.{first}(%s)", [ground.user])  # type: ignore[arg-type]
        await two.execute("SET lock_timeout = '50ms'")
        await two.execute("ALTER FUNCTION engine.hold_writes_alone SET lock_timeout = '50ms'")
        await two.execute(f"SELECT engine.{then}(%s)", [ground.other])  # type: ignore[arg-type]
        if waits:
            with pytest.raises(errors.LockNotAvailable):
                async with two.transaction():
                    await two.execute(f"SELECT engine.{then}(%s)", [ground.user])  # type: ignore[arg-type]
            await one.rollback()
        await two.execute(f"SELECT engine.{then}(%s)", [ground.user])  # type: ignore[arg-type]
