"""Whether a write that bypasses the public API reveals by its answer that a hidden row exists; all are rolled back.

Each is tried twice, with the id of a row hidden from the asker and with an id that does not exist: the answers, a row
count or an error code, must be the same. Not tried: an insert with the id of a hidden row, because keys are unique over
hidden rows, too (docs/access.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import psycopg

from engine.lab.leaks.asking import Draws, Operation
from engine.lab.leaks.expected import differing
from engine.lab.leaks.model import World
from engine.lab.leaks.rows import Statement, may_see_shared
from engine.lab.leaks.things import Asker, Written

if TYPE_CHECKING:
    from engine.neurigraph import Engine

draws = Draws()

Attempt = Callable[[UUID], Statement]
"""The statement for an id, hidden or missing."""


def _compared(asker: Asker, attempt: Attempt, hidden: UUID) -> Operation:
    """The same attempt with a hidden and with a missing id."""
    absent = uuid4()

    async def ask(engine: Engine) -> object:
        return [await _answer(engine, asker, attempt(one)) for one in (absent, hidden)]

    def judge(outcome: Any) -> Iterator[str]:
        yield from differing("answer about what is hidden", *outcome)

    return Operation(asker, str(attempt(hidden)), ask, judge)


async def _answer(engine: Engine, asker: Asker, statement: Statement) -> object:
    try:
        return (await statement.run(engine, asker))[1]
    except psycopg.Error as error:
        return error.sqlstate


def _writer(world: World, rng: Random) -> tuple[Asker, UUID, Written | None]:
    """A persona at a node where it may write, and a record there that it may not see, if there is one."""
    found = [
        (Asker("persona", right.subject_id, world.places[right.node_id].user_id), place)
        for right in world.rights.values()
        if right.mode == "read_write" and not right.ended
        for place in world.places.values()
        if world.writes(Asker("persona", right.subject_id, place.user_id), place.node_id)
    ]
    hidden = [
        (asker, place, one) for asker, place in found for one in world.held[place.node_id] if not world.sees(asker, one)
    ]
    if hidden:
        asker, place, record = rng.choice(hidden)
        return asker, place.node_id, record
    user = rng.choice(world.users)
    asker, place = rng.choice(found) if found else (Asker("user", user, user), world.places[user])
    return asker, place.node_id, None


IN_NODE = (
    "insert_items",
    "insert_deltas",
    "insert_files",
    "take_record_id",
    "take_item_id",
    "take_item_record",
    "take_file_id",
)


@draws.of("oracle of a node", 8)
def of_node(world: World, rng: Random) -> Operation:
    """A row that references a hidden record, or replaces it, in the tables of a node where the asker may write."""
    asker, node, record = _writer(world, rng)
    name, place = rng.choice(IN_NODE), world.places[node].schema_name
    hidden = record.record_id if record else uuid4()
    if name == "take_item_id" and record:
        items = [UUID(row.id) for row in world.rows[node] if row.place == "memory_items" and row.record_id == hidden]
        hidden = rng.choice(items) if items else hidden
    if name == "take_file_id" and record:
        hidden = record.file_id
    fixed = {"privacy": "org", "author": f"{asker.kind}:{asker.principal_id}"}

    def attempt(one: UUID) -> Statement:
        return Statement(f"leaks/{name}", place, fixed | {"record_id": one, "id": one})

    return _compared(asker, attempt, hidden)


@draws.of("oracle of what was stored", 4)
def of_stored(world: World, rng: Random) -> Operation:
    """A document, a version or a raw resource of a record that is hidden from the writer."""
    asker, node, record = _writer(world, rng)
    name = rng.choice(("document", "document_version", "resource"))
    hidden = record.record_id if record else uuid4()
    fixed = {
        "user_id": asker.graph,
        "node_id": node,
        "key": f"persona:{asker.principal_id}:{uuid4()}",
        "author": f"{asker.kind}:{asker.principal_id}",
        "record_id": hidden,
    }
    documents = [row for row in world.shared if row["place"] == "documents" and not may_see_shared(world, asker, row)]
    if name == "document_version" and documents:
        hidden = UUID(rng.choice(documents)["id"])
    elif name == "document":  # for a visible record this reveals nothing
        unseen = [one.record_id for one in world.written.values() if not world.sees(asker, one)]
        hidden = rng.choice([UUID(row["id"]) for row in documents if UUID(row["id"]) in unseen] or [hidden])
    elif name == "resource" and record:
        hidden = record.file_id

    def attempt(one: UUID) -> Statement:
        return Statement(f"leaks/insert_{name}", None, fixed | {"document_id": one, "file_id": one})

    return _compared(asker, attempt, hidden)


@draws.of("oracle of a graph", 4)
def of_graphs(world: World, rng: Random) -> Operation:
    """A hidden node or replay, named in a conversation, an event of the hierarchy, or a staged record."""
    name = rng.choice(("insert_conversations", "turn_conversation", "insert_hierarchy", "insert_replayed_record"))
    asker, _, _ = _writer(world, rng)
    if name in ("insert_hierarchy", "insert_replayed_record"):
        asker = Asker("user", asker.graph, asker.graph)
    hidden = [place.node_id for place in world.places.values() if not world.reads(asker, place.node_id)]
    if name == "insert_replayed_record":
        rows = [row for row in world.shared if row["place"] == "replays" and row["user_id"] != asker.graph]
        hidden = [UUID(row["id"]) for row in rows]
    fixed = {
        "user_id": asker.graph,
        "key": f"persona:{asker.principal_id}:{uuid4()}",
        "node_id": asker.graph,
        "principal_kind": asker.kind,
        "principal_id": asker.principal_id,
    }
    subject = "replay_id" if name == "insert_replayed_record" else "node_id"

    def attempt(one: UUID) -> Statement:
        return Statement(f"leaks/{name}", None, fixed | {"id": one, subject: one})

    return _compared(asker, attempt, rng.choice(hidden) if hidden else uuid4())
