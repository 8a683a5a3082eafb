"""Attempts to write under the request role, bypassing the public API; all are rolled back."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import psycopg
from psycopg import errors

from engine.lab.leaks.asking import Draws, Operation
from engine.lab.leaks.expected import differing
from engine.lab.leaks.model import World
from engine.lab.leaks.rows import KEYED, Statement, a_node, claimant, may_see, may_see_shared
from engine.lab.leaks.things import Asker, Written

if TYPE_CHECKING:
    from engine.neurigraph import Engine


draws = Draws()
WRITERS = {"records", "record_revised", "record_reworded", "mentions", "relations"}
"""Kinds of changes that others than the owner may commit where they may write."""


def _attempt(asker: Asker, statement: Statement, allowed: bool) -> Operation:
    """A statement that policies and checks let pass or refuse."""

    async def ask(engine: Engine) -> object:
        try:
            await statement.run(engine, asker)
        except (errors.InsufficientPrivilege, errors.CheckViolation):
            return False
        except psycopg.IntegrityError:
            pass  # it passed the policies, which are checked first
        return True

    return Operation(asker, str(statement), ask, partial(differing, "let pass", allowed))


def _changed(asker: Asker, statement: Statement, wanted: int) -> Operation:
    """A statement that changes a known number of rows."""

    async def ask(engine: Engine) -> object:
        try:
            return (await statement.run(engine, asker))[1]
        except errors.InsufficientPrivilege as error:
            return error  # a row was found, but must not become another owner's

    return Operation(asker, str(statement), ask, partial(differing, "rows changed", wanted))


def _intruder(world: World, rng: Random) -> tuple[Asker, UUID]:
    """Any principal at any node; often a persona where it may write, for attempts that it may not make there."""
    rights = [right for right in world.rights.values() if right.mode == "read_write" and not right.ended]
    if rights and rng.random() < 0.4:
        right = rng.choice(rights)
        return Asker("persona", right.subject_id, world.places[right.node_id].user_id), right.node_id
    asker = claimant(world, rng)
    return asker, a_node(world, asker, rng)


@draws.of("insert into a node", 14)
def insert_into_node(world: World, rng: Random) -> Operation:
    """An insert into one of a node's tables."""
    asker, node = _intruder(world, rng)
    table, private = rng.choice(("records", "items", "files", "deltas", "terms")), rng.random() < 0.3
    record, author = _some_record(world, node, rng), _author(asker, rng)
    parameters: dict[str, Any] = {
        "privacy": "private" if private else "org",
        "author": author,
        "record_id": record.record_id if record else uuid4(),
        "unit": "private turn" if private else "turn",
        "node_id": node,
        "user_id": rng.choice((world.places[node].user_id, asker.graph)),
    }
    hidden = record is None or not world.sees(asker, record)
    secret = {"items": private or hidden, "files": hidden, "deltas": hidden}.get(table, private)
    allowed = world.writes(asker, node) and (not secret or world.owns(asker, node))
    allowed = allowed and (table != "deltas" or author == _name(asker))
    allowed = allowed and (table != "terms" or parameters["user_id"] == world.places[node].user_id)
    statement = Statement(f"leaks/insert_{table}", world.places[node].schema_name, parameters)
    return _attempt(asker, statement, allowed)


def _name(asker: Asker) -> str:
    return f"{asker.kind}:{asker.principal_id}"


def _author(asker: Asker, rng: Random) -> str:
    """The asker, or falsely its owner; for a user falsely the service."""
    if rng.random() < 0.7:
        return _name(asker)
    return "service" if asker.kind == "user" else f"user:{asker.graph}"


def _some_record(world: World, node: UUID, rng: Random) -> Written | None:
    """A record of the node, or none."""
    held = world.held[node]
    return rng.choice(held) if held and rng.random() < 0.9 else None


@draws.of("insert of what is scoped", 4)
def insert_scoped(world: World, rng: Random) -> Operation:
    """A record or an item of a thread: only for the user, and never readable by others."""
    asker, node = _intruder(world, rng)
    table, private = rng.choice(("scoped", "scoped_items")), rng.random() < 0.5
    parameters = {"privacy": "private" if private else "org"}
    statement = Statement(f"leaks/insert_{table}", world.places[node].schema_name, parameters)
    return _attempt(asker, statement, private and world.owns(asker, node))


@draws.of("update of a node", 12)
def update_node(world: World, rng: Random) -> Operation:
    """An update of all rows in one of a node's tables."""
    asker, node = _intruder(world, rng)
    table, place = rng.choice(_CHANGEABLE)
    nodes = world.places if table == "terms" else [node]  # counts lie in one table
    wanted = sum(
        world.writes(asker, one) and may_see(world, asker, one, row)
        for one in nodes
        for row in world.rows[one]
        if row.place == place
    )
    statement = Statement(f"leaks/update_{table}", world.places[node].schema_name)
    return _changed(asker, statement, wanted)


_CHANGEABLE = (
    ("records", "metadata_records"),
    ("items", "memory_items"),
    ("files", "file_manifest"),
    ("terms", "term_counts"),
)


@draws.of("update of shared rows", 4)
def update_shared(world: World, rng: Random) -> Operation:
    """An update of all sources, all kept answers, or all streamed conversations or turns."""
    asker = claimant(world, rng)
    table = rng.choice(KEYED)
    wanted = sum(row["place"] == table and may_see_shared(world, asker, row) for row in world.shared)
    return _changed(asker, Statement(f"leaks/update_{table}"), wanted)


@draws.of("insert of a shared row", 8)
def insert_shared(world: World, rng: Random) -> Operation:
    """An insert into a shared table, in the name of any principal."""
    asker = claimant(world, rng)
    graph = rng.choice((asker.graph, rng.choice(world.users)))
    table = rng.choice((*KEYED, "hierarchy", "model_answers", "grant", "assignment", "expiry", *_REPLAYED, *_STORED))
    if table in _STORED:
        return _insert_stored(world, asker, graph, table, rng)
    own = asker.kind == "user" and asker.principal_id == graph
    prefix = f"persona:{asker.principal_id}:" if rng.random() < 0.5 else ""
    keyed = table in KEYED
    allowed = table != "grant" and (own or (keyed and prefix != "" and _at_home(world, asker, graph)))
    node, author = _node_of(world, graph, rng), _author(asker, rng)
    replays = [row["id"] for row in world.shared if row["place"] == "replays" and row["user_id"] == graph]
    replay = rng.choice(replays) if replays and rng.random() < 0.8 else None
    kind, principal = (asker.kind, asker.principal_id) if rng.random() < 0.7 else ("user", graph)
    if table == "assignment":  # stored with content: by principals with write access
        allowed = world.writes(asker, node) and author == _name(asker)
    if table == "conversations":
        at = [place.node_id for place in world.readable(asker, asker.graph) if world.writes(asker, place.node_id)]
        node = rng.choice(at) if at and rng.random() < 0.5 else node
        allowed &= world.writes(asker, node) and (kind, principal) == (asker.kind, asker.principal_id)
    if table == "replayed_record":
        allowed &= replay is not None
    parameters = {
        "user_id": graph,
        "node_id": node,
        "author": author,
        "key": f"{prefix}{uuid4()}",
        "replay_id": replay or uuid4(),
        "principal_kind": kind,
        "principal_id": principal,
    }
    statement = Statement(f"leaks/insert_{table}", None, parameters)
    return _attempt(asker, statement, allowed)


_REPLAYED = ("replay", "replayed_record")
_STORED = ("document", "document_version", "resource", "event")


def _insert_stored(world: World, asker: Asker, graph: UUID, table: str, rng: Random) -> Operation:
    """An insert into a table about stored content or events, at any node."""
    own = asker.kind == "user" and asker.principal_id == graph
    node = _node_of(world, graph, rng)
    writable = [place.node_id for place in world.readable(asker, graph) if world.writes(asker, place.node_id)]
    if writable and rng.random() < 0.5:
        node = rng.choice(writable)
    prefix = f"persona:{asker.principal_id}:" if rng.random() < 0.5 else ""
    record, author = _some_record(world, node, rng), _author(asker, rng)
    document, key = record.record_id if record else uuid4(), f"{prefix}{uuid4()}"
    keyed = own or (prefix != "" and _at_home(world, asker, graph))
    writes = own or (_at_home(world, asker, graph) and world.writes(asker, node))
    there = record is not None and world.sees(asker, record)
    allowed = {
        "document": keyed and there,
        "resource": there and author == _name(asker),
        "event": author == _name(asker),
    }
    documents = [row for row in world.shared if row["place"] == "documents" and row["user_id"] == graph]
    if table == "document_version" and documents:
        known = rng.choice(documents)
        document, key = UUID(known["id"]), str(known["detail"])
        allowed[table] = may_see_shared(world, asker, known) and author == _name(asker)
    parameters = {
        "user_id": graph,
        "node_id": node,
        "key": key,
        "author": author,
        "document_id": document,
        "record_id": document,
        "file_id": record.file_id if record else uuid4(),
    }
    passes = allowed.get(table, False) and (own if table == "event" else writes or table == "document_version")
    statement = Statement(f"leaks/insert_{table}", None, parameters)
    return _attempt(asker, statement, passes)


@draws.of("commit", 6)
def commit(world: World, rng: Random) -> Operation:
    """A commit that bypasses the engine, to any node. Its rows name the user of the commit. Nodes and grants are committed only
    by the functions that hold their rules, kinds that the database does not know by the owner."""
    asker = claimant(world, rng)
    graph = rng.choice((asker.graph, rng.choice(world.users)))
    node = _node_of(world, graph, rng)
    if rng.random() < 0.5:
        writable = [place.node_id for place in world.readable(asker, graph) if world.writes(asker, place.node_id)]
        node = rng.choice(writable or [node])
    claimed = rng.choice((graph, graph, rng.choice(world.users)))
    known = (
        "records",
        "records",
        "records",
        "record_revised",
        "record_revised",
        "edge_revised",
        "mentions",
        "relations",
        "entities_merged",
        "merge_undone",
        "told_apart",
        "relation_decided",
        "entity_corrected",
        "alias_decided",
        "intention_decided",
        "record_retracted",
        "record_reworded",
        "node",
        "node_revised",
        "granted",
        "x",
    )
    kinds, older = [rng.choice(known) for _ in range(rng.choice((1, 1, 2)))], rng.random() < 0.3
    written = set(kinds[:1] if older else kinds)
    persona = _at_home(world, asker, graph) and world.writes(asker, node) and written <= WRITERS
    own = asker.kind == "user" and asker.principal_id == graph
    guarded = not written.isdisjoint(("node", "node_revised", "granted"))
    allowed = not guarded and claimed == graph and (own or persona)
    parameters = {"user_id": graph, "kinds": kinds, "older": older, "claimed": claimed, "node_id": node}
    return _attempt(asker, Statement("leaks/insert_outbox", None, parameters), allowed)


def _at_home(world: World, asker: Asker, graph: UUID) -> bool:
    """A real persona of the graph."""
    myself = world.places.get(asker.principal_id)
    known = asker.kind == "persona" and myself is not None and myself.user_id == graph
    return known and world.reads(asker, asker.principal_id)


def _node_of(world: World, graph: UUID, rng: Random) -> UUID:
    return rng.choice([place for place in world.places.values() if place.user_id == graph]).node_id


@draws.of("delete", 2)
def delete(world: World, rng: Random) -> Operation:
    """Deletes, which no principal may do."""
    asker = claimant(world, rng)
    schema = world.places[a_node(world, asker, rng)].schema_name
    items = rng.random() < 0.5
    statement = Statement("leaks/delete_items", schema) if items else Statement("leaks/delete_log")
    return _attempt(asker, statement, False)
