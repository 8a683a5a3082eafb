"""Statements without a WHERE under the request role, bypassing the public API; each is rolled back.

Askers include principals that no token can have: unknown kinds, a concept that claims to be a persona, a persona that
claims to be an integration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from engine.lab.leaks.asking import Draws, Operation, any_principal, some_node
from engine.lab.leaks.expected import scope_text
from engine.lab.leaks.model import World
from engine.lab.leaks.things import Asker, Row
from engine.stores.statements import sql_in, sql_text

if TYPE_CHECKING:
    from engine.neurigraph import Engine

draws = Draws()

REFUSED = "refused"
KEYED = ("sources", "idempotency", "conversations", "conversation_turns")
"""Those of them that the request role may write freely: a row's owner is in its key."""
LOGS = ("compression_state_log", "ingest_sessions", "ingest_sources", "failure_log")


def claimant(world: World, rng: Random) -> Asker:
    """Any principal, sometimes with a wrong kind."""
    asker = any_principal(world, rng)
    if rng.random() < 0.2:
        kind = rng.choice(("user", "persona", "third_party", "third_party", "service", ""))
        return Asker(kind, rng.choice((asker.principal_id, asker.principal_id, asker.graph)), asker.graph)
    return asker


def a_node(world: World, asker: Asker, rng: Random) -> UUID:
    """Any existing node."""
    while True:
        node = some_node(world, asker, rng)
        if node in world.places:
            return node


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement file with its parameters, in the schema of a node if it needs one."""

    name: str
    schema: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    async def run(self, engine: Engine, asker: Asker) -> tuple[list[dict[str, Any]], int]:
        """Rows and their count for the asker; changes are rolled back."""
        text = sql_text(self.name) if self.schema is None else sql_in(self.name, self.schema)
        async with engine.postgres.request.connection() as connection, connection.transaction(force_rollback=True):
            who = {"kind": asker.kind, "id": str(asker.principal_id)}
            await connection.execute(sql_text("access/principal_set"), who)
            cursor = await connection.execute(text, self.parameters)
            rows = cast(list[dict[str, Any]], await cursor.fetchall() if cursor.description else [])
            return rows, cursor.rowcount

    def __str__(self) -> str:
        return f"{self.name} {self.schema or ''} {self.parameters}"


Shown = Callable[[dict[str, Any]], Iterable[object]]
"""The part of a row that is compared: nothing, or one value."""


def _exactly(asker: Asker, statement: Statement, wanted: set[Any], shown: Shown) -> Operation:
    """The exact rows that one statement must return."""

    async def ask(engine: Engine) -> object:
        return (await statement.run(engine, asker))[0]

    def judge(outcome: Any) -> Iterator[str]:
        given = {value for row in outcome for value in shown(row)}
        for name, difference in (("too many", given - wanted), ("missing", wanted - given)):
            if difference:
                yield f"rows {name}: {sorted(difference, key=str)[:3]} of {len(difference)}"

    return Operation(asker, str(statement), ask, judge)


def _by_id(row: dict[str, Any]) -> tuple[object, ...]:
    return (row["id"],)


def may_see(world: World, asker: Asker, node: UUID, row: Row) -> bool:
    """Whether the asker may see a row of a node's tables."""
    if world.owns(asker, node):
        return True
    if row.place == "delta_log":
        return False
    part = {"metadata_records": "records", "file_manifest": "files"}.get(row.place, "items")
    if row.record_id is not None:
        seen = world.sees(asker, world.written[row.record_id], part)  # type: ignore[arg-type]
        return seen and _holds_still(world, asker, node, row, part)
    return world.reads(asker, node, part) and not row.private  # type: ignore[arg-type]


def _holds_still(world: World, asker: Asker, node: UUID, row: Row, part: str) -> bool:
    """Whether a state ended only after it was readable; for a file: any state that has it, and it is not a part."""
    since = world.reads_from(asker, node, part)  # type: ignore[arg-type]
    if row.place != "file_manifest":
        return row.until is None or (since is not None and row.until > max(since, row.moved_at or since))
    states = [one for one in world.rows[node] if one.place == "metadata_records" and one.record_id == row.record_id]
    return not row.part and any(
        one.pointer == row.pointer
        and (one.until is None or (since is not None and one.until > max(since, one.moved_at or since)))
        and _holds_still(world, asker, node, one, "records")
        for one in states
    )


@draws.of("rows of a node", 40)
def node_rows(world: World, rng: Random) -> Operation:
    """All tables of a node."""
    asker = claimant(world, rng)
    node = a_node(world, asker, rng)
    wanted = {(row.place, row.id) for row in world.rows[node] if may_see(world, asker, node, row)}
    statement = Statement("leaks/node_rows", world.places[node].schema_name, {"node_id": node})
    return _exactly(asker, statement, wanted, lambda row: [(row["place"], row["id"])])


@draws.of("shared rows", 10)
def shared_rows(world: World, rng: Random) -> Operation:
    """All shared tables; a user's own logs are skipped: they grow meanwhile, by refusals and opened files."""
    asker = claimant(world, rng)
    wanted = {_line(row) for row in world.shared if may_see_shared(world, asker, row)}

    def shown(row: dict[str, Any]) -> list[object]:
        own = asker.kind == "user" and row["user_id"] == asker.principal_id
        return [] if own and _grows(row) else [_line(row)]

    return _exactly(asker, Statement("leaks/shared_rows"), wanted, shown)


def _grows(row: dict[str, Any]) -> bool:
    """A log entry that may be new."""
    return bool(row["place"] in LOGS or row["detail"] == REFUSED)


def _line(row: dict[str, Any]) -> tuple[object, ...]:
    return row["place"], row["id"], row["user_id"]


OWN = (*KEYED, "documents", "document_versions")
"""Shared tables in which a persona has rows of its own, by the start of their key."""


def may_see_shared(world: World, asker: Asker, row: dict[str, Any]) -> bool:
    """Whether the asker may see a row of the shared tables, and it is stable."""
    place = row["place"]
    if _grows(row):
        return False
    if asker.kind == "user":
        return bool(row["user_id"] == asker.principal_id)
    if place == "nodes":
        return world.reads(asker, UUID(row["id"]))
    if place in ("facts", "fact_attributes"):  # detail: its record, and whether it is over
        about, state = str(row["detail"]).split()
        return state == "live" and world.sees(asker, world.written[UUID(about)], "items")
    if place == "fact_doubts":  # detail: the records of both facts, which are live
        return all(world.sees(asker, world.written[UUID(about)], "items") for about in str(row["detail"]).split())
    own_key = asker.kind == "persona" and str(row["detail"]).startswith(f"persona:{asker.principal_id}")
    if place.startswith("document") and own_key:  # visible while its node is readable
        record = world.written[UUID(str(row["id"]).split(":")[0])]
        return world.sees(asker, record)
    return place in OWN and own_key and world.reads(asker, asker.principal_id)


@draws.of("search nodes", 6)
def search_nodes(world: World, rng: Random) -> Operation:
    """The function that returns the nodes of a search, for any user's graph."""
    asker = claimant(world, rng)
    graph = rng.choice((asker.graph, asker.graph, rng.choice(world.users)))
    wanted = {str(place.node_id) for place in world.readable(asker, graph)}
    statement = Statement("leaks/search_nodes", parameters={"user_id": graph})
    return _exactly(asker, statement, wanted, _by_id)


@draws.of("search scan", 8)
def search_scan(world: World, rng: Random) -> Operation:
    """The function that scans, over any schemas."""
    asker = claimant(world, rng)
    nodes = list({a_node(world, asker, rng) for _ in range(3)})
    wanted = {
        row.id
        for node in nodes
        for row in world.rows[node]
        if row.place == "memory_items"
        and row.detail != "whole"
        and row.until is None
        and may_see(world, asker, node, row)
    }
    schemas = [world.places[node].schema_name for node in nodes]
    named = [scope_text(*scope) for scopes in world.scopes.values() for scope in scopes]
    parameters = {"user_id": asker.graph, "nodes": nodes, "schemas": schemas, "terms": [1, 2], "scopes": named}
    return _exactly(asker, Statement("leaks/search_scan", None, parameters), wanted, _by_id)


@draws.of("search contents", 6)
def search_contents(world: World, rng: Random) -> Operation:
    """The function that returns contents, for all items of any node."""
    asker = claimant(world, rng)
    node = a_node(world, asker, rng)
    items = [row for row in world.rows[node] if row.place == "memory_items" and row.until is None]
    wanted = {row.id for row in items if may_see(world, asker, node, row)}
    parameters = {"schema_name": world.places[node].schema_name, "items": [UUID(row.id) for row in items]}
    return _exactly(asker, Statement("leaks/search_contents", None, parameters), wanted, _by_id)


@draws.of("search counts", 4)
def search_counts(world: World, rng: Random) -> Operation:
    """The function that counts documents, over any node."""
    asker = claimant(world, rng)
    node = a_node(world, asker, rng)
    wanted = {
        row.id.removesuffix(":0")
        for row in world.rows[node]
        if row.place == "term_counts" and row.id.endswith(":0") and may_see(world, asker, node, row)
    }
    parameters = {"user_id": world.places[node].user_id, "nodes": [node]}
    statement = Statement("leaks/search_counts", None, parameters)
    return _exactly(asker, statement, wanted, lambda row: [row["unit"]])


@draws.of("subject name", 2)
def subject_name(world: World, rng: Random) -> Operation:
    """The name of a grant's subject: for users with a present or past grant to it."""
    asker = claimant(world, rng)
    right = rng.choice(list(world.rights.values()))
    given = any(one.subject_id == right.subject_id and world.owns(asker, one.node_id) for one in world.rights.values())
    statement = Statement("leaks/subject_name", None, {"subject_id": right.subject_id})
    return _exactly(asker, statement, {True} if given else set(), lambda row: [True] if row["name"] else [])


@draws.of("subject deltas", 6)
def subject_deltas(world: World, rng: Random) -> Operation:
    """The function that returns the chain of a record, for any node."""
    asker = claimant(world, rng)
    record = rng.choice(list(world.written.values()))
    node = rng.choice((record.node_id, record.node_id, a_node(world, asker, rng)))
    there = world.owns(asker, node) or (world.writes(asker, node) and not record.private and record.scope == "user")
    lies = next((row for row in world.rows[node] if row.id == str(record.record_id)), None)
    since = world.reads_from(asker, node, "records")
    if lies is not None and since is not None and not world.owns(asker, node):
        since = max(since, lies.moved_at or since)
    wanted = {
        row.id
        for row in world.rows[node]
        if row.place == "delta_log" and row.record_id == record.record_id and there
        and (world.owns(asker, node) or (lies is not None and since is not None and row.known_from >= since))
    }  # fmt: skip
    parameters = {"node_id": node, "subject_id": record.record_id}
    return _exactly(asker, Statement("leaks/subject_deltas", None, parameters), wanted, _by_id)
