"""Migrations of both databases: `V0001__what_it_does.sql|cypher`, applied once, in order, checksummed, under a lock.

Functions of Postgres stand in `migrations/postgres/functions/<subject>/<name>.sql`, one a file, and are applied after the
migrations whenever their text has changed. A new argument or another result needs a migration that drops the function first.
A migration that needs functions names them in a line `-- Uses functions: subject/name, …`, and gets them there as they are today.

The file of an applied migration must not change; a changed one is refused. Postgres applies each file in one
transaction together with its row in `public.neurigraph_migrations`. Neo4j changes its schema outside of
transactions, so there every statement is repeatable (IF NOT EXISTS) and the `(:Migration)` node is written last.

A database that is older than the least version is refused with what was found and what is needed, before anything is written
there. Without this it would fail at the first statement that it does not know, perhaps only at the first write.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import ProgrammingError, sql

from engine.errors import MigrationError, SettingsError
from engine.stores.limited import Connection
from engine.stores.limits import MARGIN
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import ROOT, cypher, sql_text

LEAST = {"Postgres": "16", "pgvector": "0.8", "Neo4j": "2026.1"}
"""Postgres: STORAGE in CREATE TABLE. pgvector: iterative scans of an index. Neo4j: SEARCH in a vector index."""
FUNCTIONS = ROOT / "migrations" / "postgres" / "functions"
EARLIER = ROOT / "migrations" / "earlier_checksums.json"
LONGEST = 3600.0
"""Seconds that one statement of a migration may take: one that rewrites a large table outlasts the limit of requests."""
_OWN = re.compile(r"^(CREATE OR REPLACE FUNCTION|GRANT EXECUTE ON FUNCTION) engine\.", re.MULTILINE)
_GRANTED = re.compile(r"^GRANT EXECUTE .* TO neurigraph_request", re.MULTILINE)
_USES = re.compile(r"^-- Uses functions: (.+)$", re.MULTILINE)
log = logging.getLogger(__name__)
_NAME = re.compile(r"V(\d{4})__[a-z0-9_]+\.(sql|cypher)")


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


@dataclass(frozen=True, slots=True)
class Function:
    """The file of one function: its name (subject/name), its text and the SHA-256 of the text."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()

    @property
    def beside(self) -> str:
        """The text that makes it in the temporary schema of a connection, where it is compared with the one that is there."""
        return _OWN.sub(r"\1 pg_temp.", self.text)

    def is_in(self, there: Mapping[str, FunctionThere]) -> bool:
        """Whether the database has it as the file makes it, by its definition and by who may call it."""
        known = there.get(self.name.rpartition("/")[2])
        granted = _GRANTED.search(self.text) is not None
        return known is not None and known.as_made and known.called == granted and not known.open


@dataclass(frozen=True, slots=True)
class FunctionThere:
    """The functions of one name in the database; see the statement."""

    name: str
    definitions: tuple[str, ...]
    made: tuple[str, ...]
    called: bool
    open: bool

    @property
    def as_made(self) -> bool:
        """Whether those that the files make are there."""
        return bool(self.made) and {*self.made} <= {*self.definitions}


@dataclass(frozen=True, slots=True)
class Migration(Function):
    """One file of a migration, with its number."""

    version: int

    @property
    def applied(self) -> dict[str, Any]:
        """The row by which a database knows that it was applied."""
        return {"version": self.version, "name": self.name, "checksum": self.checksum}

    @property
    def script(self) -> str:
        """What is sent: the text, and in it the functions that it names."""
        return _USES.sub(lambda line: "\n".join(_function(name).text for name in line[1].split(", ")), self.text)


def migrations(store: str, folder: Path = ROOT / "migrations") -> list[Migration]:
    """The migrations of a store ("postgres" or "neo4j"), in order; raises MigrationError for a gap or a bad name."""
    found = []
    for path in sorted(entry for entry in (folder / store).iterdir() if entry.is_file()):  # folders hold optional ones
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise MigrationError(f"{path.name} is not named like V0001__what_it_does.sql or .cypher.")
        found.append(Migration(path.name, path.read_text(encoding="utf-8"), int(match.group(1))))
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise MigrationError(f"The migrations in {store} are not numbered without gaps.")
    return found


def _still_to_do(known: dict[int, str], wanted: list[Migration]) -> list[Migration]:
    # Of texts that a file had once, where both leave the same: functions stood in migrations until they had files of their own.
    earlier: dict[str, list[str]] = json.loads(EARLIER.read_text(encoding="utf-8"))
    for migration in wanted:
        accepted = (None, migration.checksum, *earlier.get(migration.name, ()))
        if known.get(migration.version) not in accepted:
            raise MigrationError(f"{migration.name} was changed after it was applied; add a new migration instead.")
    if known and max(known) > len(wanted):
        raise MigrationError("The database was migrated by a newer version of Neurigraph; use that version.")
    return [migration for migration in wanted if migration.version not in known]


@dataclass(frozen=True, slots=True)
class _Applied:
    version: int
    checksum: str


@dataclass(frozen=True, slots=True)
class _AppliedFunction:
    name: str
    checksums: list[str]


def functions() -> list[Function]:
    """The functions of Postgres in the order of their application."""
    names = (path.relative_to(FUNCTIONS).with_suffix("").as_posix() for path in FUNCTIONS.rglob("*.sql"))
    # What Postgres parses at once may need others to be there; the body of the rest is looked at when it is called.
    return sorted(map(_function, names), key=lambda one: ("$$" not in one.text, one.name))


def _function(name: str) -> Function:
    return Function(name, (FUNCTIONS / f"{name}.sql").read_text(encoding="utf-8"))


async def migrate_postgres(
    postgres: Postgres, wanted: list[Migration], repeatable: Sequence[Function] | None = None
) -> list[str]:
    """Applies what is missing; the names of what was applied. Concurrent callers wait for each other.

    `repeatable`: the functions, those of this release unless given. Raises MigrationError for a database of a newer release.
    """
    applied = []
    async with postgres.as_service() as connection:
        usual, connection.limit = connection.limit, LONGEST + MARGIN
        await connection.execute(sql_text("schema/migrations_limit"), {"limit": f"{LONGEST:.0f}s"})
        await connection.execute(sql_text("schema/migrations_lock"))
        await connection.execute(sql_text("schema/migrations_table"))
        applied_before = await connection.fetch(sql_text("schema/migrations_applied"), row=_Applied)
        known = {one.version: one.checksum for one in applied_before}
        await connection.execute(sql_text("schema/function_bodies_later"))
        for migration in _still_to_do(known, wanted):
            await connection.execute(sql.SQL(migration.script))
            await connection.execute(sql_text("schema/migration_applied"), migration.applied)
            applied.append(migration.name)
        applied += await _replace_functions(connection, functions() if repeatable is None else repeatable)
        if applied:
            await connection.execute(sql_text("schema/functions_guard"))
            await connection.execute(sql_text("schema/template_tables"))
        connection.limit = usual  # where a migration fails, the engine does not open
    return applied


async def _replace_functions(connection: Connection, wanted: Sequence[Function]) -> list[str]:
    await connection.execute(sql_text("schema/functions_table"))
    there = await connection.fetch(sql_text("schema/functions_applied"), row=_AppliedFunction)
    known = {one.name: one.checksums for one in there}
    changed = [one for one in wanted if known.get(one.name, [""])[0] != one.checksum]
    # Those that somebody dropped or made another of, though their newest text was applied.
    lost = await _lost(connection, [one for one in wanted if one not in changed])
    for function in changed:
        if function.checksum in known.get(function.name, ()):
            raise MigrationError(
                f"The database has a newer text of the function {function.name}; use the newer version of Neurigraph."
            )
        await connection.execute(sql.SQL(function.text))
        row = {"name": function.name, "checksum": function.checksum}
        await connection.execute(sql_text("schema/function_applied"), row)
    for function in lost:
        log.warning("the function %s was missing or another; it is made again", function.name)
        await connection.execute(sql.SQL(function.text))
    return [function.name for function in (*changed, *lost)]


async def lost_functions(postgres: Postgres) -> list[str]:
    """The functions that the database lacks or has otherwise than their files; the next start makes them again."""
    async with postgres.as_service() as connection:
        return [one.name for one in await _lost(connection, functions())]


async def _lost(connection: Connection, wanted: Sequence[Function]) -> list[Function]:
    """Those that are not there as their files make them. Only Postgres knows what a file makes, as it keeps no text of a function
    without a quoted body; so each is made in the temporary schema, and taken back."""
    if not wanted:
        return []
    async with connection.transaction(force_rollback=True):
        await connection.execute(sql_text("schema/function_bodies_later"))
        if not await _made(connection, wanted):
            for one in wanted:  # one whose file calls what is not there is another, or lost, too
                await _made(connection, [one])
        there = await connection.fetch(sql_text("schema/functions_there"), row=FunctionThere)
    known = {one.name: one for one in there}
    return [one for one in wanted if not one.is_in(known)]


async def _made(connection: Connection, wanted: Sequence[Function]) -> bool:
    """Makes functions in the temporary schema, all or none of them."""
    with suppress(ProgrammingError):
        async with connection.transaction():
            await connection.execute(sql.SQL("\n".join(one.beside for one in wanted)))
        return True
    return False


async def migrate_neo4j(neo4j: Neo4j, wanted: list[Migration]) -> list[str]:
    """Applies what is missing; the names of what was applied. Repeatable, so concurrent callers do no harm."""
    await check_neo4j(neo4j)
    await neo4j.write(cypher("schema/migration_constraint"))
    applied_before = await neo4j.read(cypher("schema/migrations_applied"), row=_Applied)
    known = {one.version: one.checksum for one in applied_before}
    applied = []
    for migration in _still_to_do(known, wanted):
        for statement in statements(migration.text):
            await neo4j.migrate(statement, LONGEST)
        await neo4j.write(cypher("schema/migration_applied"), **migration.applied)
        applied.append(migration.name)
    return applied


def statements(text: str) -> list[str]:
    """The statements of a Cypher file: each ends with a semicolon at the end of a line."""
    parts = [part.strip() for part in re.split(r";[ \t]*$", text, flags=re.MULTILINE)]
    return [part for part in parts if any(line and not line.startswith("//") for line in part.splitlines())]
