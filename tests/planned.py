"""What the tests of plans are made of: statements as the engine sent them, rows of other users, and what the stores read for each.

Postgres says of a transaction which tables it read and how; Neo4j profiles a statement. Both count inside functions and
subqueries, where no plan is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import pytest
from neo4j import READ_ACCESS
from psycopg import AsyncConnection, sql
from psycopg.errors import ReadOnlySqlTransaction

from engine.neurigraph import Engine
from engine.operations.declaring import Operation
from engine.stores.limited import Connection
from engine.stores.neo4j import Neo4j
from engine.stores.statements import ROOT, cypher, cypher_names, sql_names, sql_source, sql_text

_NAMED = re.compile(r"\bsql_(?:text|in|of)\(\s*f?\"([\w/{}.]+)\"")
_VERSION = re.compile(r"(?m)^CYPHER 25$")


# statements ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sent:
    """A statement as it was sent for a principal. `who`: None for one of the graph, where parameters say it."""

    name: str
    statement: Any
    parameters: Mapping[str, Any]
    who: tuple[str, str] | None = None


@dataclass
class Recorded:
    """What was sent while it was recorded, each statement once for each kind of principal and set of parameters that are None;
    and the operations that were called."""

    sent: dict[object, Sent] = field(default_factory=dict)
    operations: set[str] = field(default_factory=set)

    def note(self, one: Sent, kind: str) -> None:
        left_out = frozenset(name for name, value in one.parameters.items() if value is None)
        self.sent.setdefault((one.name, kind, left_out), one)

    @property
    def names(self) -> set[str]:
        return {one.name for one in self.sent.values()}


def declared_sql(*packages: str) -> set[str]:
    """The statements that the modules of these packages name, without those that write; `{kind}` stands for record and item."""
    paths = [path for package in packages for path in (ROOT / "engine" / package).rglob("*.py")]
    named = {name for path in paths for name in _NAMED.findall(Path(path).read_text(encoding="utf-8"))}
    kinds = {name.replace("{kind}", kind) for name in named for kind in ("record", "item")}
    writes = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM|FOR SHARE)\b")
    known = kinds & set(sql_names())
    return {name for name in known if not writes.search(_body(sql_source(name), "--"))}


def declared_cypher() -> set[str]:
    """The statements of the graph that take a principal and write nothing."""
    writes = re.compile(r"\b(?:CREATE|MERGE|SET|DELETE|REMOVE)\b")
    bodies = {name: _body(cypher(name), "//") for name in cypher_names()}
    return {name for name, body in bodies.items() if "$principal" in body and not writes.search(body)}


def _body(text: str, comment: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(comment))


def _headed() -> dict[str, str]:
    """The names of statements by their first lines, which say what each is for."""
    return {sql_source(name).partition("\n")[0]: name for name in sql_names()}


@contextmanager
def recording() -> Iterator[Recorded]:
    """Records what is sent for principals, by all engines of this process."""
    found, by_text, by_head = Recorded(), {cypher(name): name for name in cypher_names()}, _headed()
    named = [sql_text(f"access/{name}") for name in ("reader_set", "writer_set")]
    who = dict[int, tuple[str, str]]()
    run, send, execute, around = Neo4j._run, Connection.send, AsyncConnection.execute, Operation.around

    async def ran(self: Neo4j, statement: Any, parameters: dict[str, Any], access: str) -> Any:
        if access == READ_ACCESS and (name := by_text.get(statement)) and "principal" in parameters:
            kind = "user" if parameters["principal"] == parameters["user_id"] else "other"
            found.note(Sent(name, statement, parameters), kind)
            statement = _profiled(statement)  # planned once: what it reads is asked for next
        return await run(self, statement, parameters, access)

    async def executed(self: Any, query: Any, params: Any = None, **others: Any) -> Any:
        if any(query is one for one in named):
            who[id(self)] = params["kind"], params["id"]
        return await execute(self, query, params, **others)

    async def sends(self: Connection, statement: Any, parameters: Any = None, *, row: Any) -> Any:
        name = by_head.get(statement.as_string(None).partition("\n")[0])
        if name and (asker := who.get(id(self))):
            found.note(Sent(name, statement, parameters or {}, asker), asker[0])
        return await send(self, statement, parameters, row=row)

    def called(self: Operation, caller: Any, given: Any) -> Any:
        found.operations.add(self.name)
        return around(self, caller, given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Neo4j, "_run", ran)
        patch.setattr(Connection, "send", sends)
        patch.setattr(AsyncConnection, "execute", executed)
        patch.setattr(Operation, "around", called)
        yield found


# what the stores read -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Read:
    """What one statement read. `scanned`: tables, or operators with what they read, that were read as a whole; `rows`: rows by
    table, or accesses of the graph; `took`: milliseconds of planning, of a statement of the graph that was planned anew also of
    running it."""

    scanned: tuple[str, ...]
    rows: Mapping[str, int]
    took: float
    in_tables: bool


@dataclass(frozen=True, slots=True)
class _TableRead:
    relname: str
    scans: int
    rows: int


_READ = sql.SQL(
    "SELECT relname::text AS relname, coalesce(seq_scan, 0)::int AS scans, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS rows"
    " FROM pg_stat_xact_user_tables WHERE schemaname = 'engine'"
)


async def read_by(engine: Engine, one: Sent) -> Read | None:
    """Sends a statement once more and says what was read for it; None for one that writes."""
    return await (_in_graph(engine, one) if one.who is None else _in_tables(engine, one, one.who))


async def _in_tables(engine: Engine, one: Sent, who: tuple[str, str]) -> Read | None:
    given = dict(one.parameters)
    explained = sql.SQL("EXPLAIN (SUMMARY, FORMAT JSON)\n") + one.statement
    with suppress(ReadOnlySqlTransaction):
        async with engine.postgres.request.connection() as connection, connection.transaction():
            await connection.execute(sql_text("access/principal_set"), {"kind": who[0], "id": who[1]})
            await connection.execute("SET TRANSACTION READ ONLY")
            [plan] = await connection.fetch(explained, given, row=object)
            before = {table.relname: table for table in await connection.fetch(_READ, row=_TableRead)}
            await connection.execute(one.statement, given)
            after = {table.relname: table for table in await connection.fetch(_READ, row=_TableRead)}
        scanned = tuple(sorted(name for name, table in after.items() if table.scans > before[name].scans))
        rows = {name: table.rows - before[name].rows for name, table in after.items()}
        took = cast(Any, plan)[0]["Planning Time"]
        return Read(
            scanned, {name: rows[name] for name in after if rows[name] or name in scanned}, took, in_tables=True
        )
    return None


async def _in_graph(engine: Engine, one: Sent) -> Read:
    text = _profiled(one.statement)
    async with engine.neo4j.driver.session(default_access_mode=READ_ACCESS) as session:
        began = perf_counter()
        profiled = await (await session.run(text, dict(one.parameters))).consume()
        took = (perf_counter() - began) * 1000
    steps = list(operators(cast(dict[str, Any], profiled.profile)))
    scanned = {f"{kind} {details}"[:200] for kind, details, _ in steps if kind.endswith("Scan")}
    return Read(tuple(sorted(scanned)), {"accesses": sum(hits for *_, hits in steps)}, took, in_tables=False)


def _profiled(statement: object) -> str:
    return f"PROFILE CYPHER 25 {_VERSION.sub('', str(statement))}"


def operators(plan: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    """The steps of a plan of the graph: what each is, its details, and its accesses where they were counted."""
    kind = str(plan["operatorType"]).partition("@")[0]
    yield kind, str(plan["args"].get("Details", "")), int(plan.get("dbHits", 0))
    for child in plan.get("children", ()):
        yield from operators(child)
