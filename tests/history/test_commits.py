"""Commits carry a list of changes of the graph: applied in order, all or none; a new kind of change is a value and its statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, get_args
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from engine.commit import changes
from engine.commit.changes import OF_KIND, to_json
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.commit import CommitKind
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.errors import CommitWaits, InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.rows import json_text
from engine.stores.statements import CYPHER_FOLDER, cypher_names
from tests.access.mutations import rewrite


@dataclass(frozen=True, slots=True)
class Noted:
    """All that a kind of change needs, with `NOTED`."""

    kind: ClassVar[str] = "noted"
    statement: ClassVar[str] = "node/noted"
    withdrawn: ClassVar[str] = ""
    of_records: ClassVar[bool] = False
    notes: Sequence[dict[str, Any]]


NOTED = """
UNWIND $notes AS row
MATCH (n:Node {node_id: row.node_id})
SET n.note = coalesce(n.note, '') + row.text
RETURN n.node_id AS node_id
"""


@pytest.fixture
def units(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> UnitsOfWork:
    monkeypatch.setitem(changes.OF_KIND, "noted", Noted)
    rewrite(monkeypatch, "node/noted", NOTED)
    return UnitsOfWork(engine.postgres, engine.outbox)


@pytest.fixture
async def node(memory: Memory) -> UUID:
    return (await memory.nodes.provision(NewNode(memory.principal.user_id, f"Harbour {uuid4().hex[:6]}"))).node_id


def noted(memory: Memory, node: UUID, *texts: str) -> Noted:
    said = {"user_id": memory.principal.user_id, "node_id": node}
    return Noted([said | {"text": text} for text in texts])


async def note_of(engine: Engine, node: UUID) -> str | None:
    [row] = await engine.neo4j.read("MATCH (n:Node {node_id: $id}) RETURN n.note AS note", id=str(node))
    return row["note"]


async def state_of(engine: Engine, commit: UUID) -> str:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT state FROM engine.outbox WHERE commit_id = %s", [commit])
        row = await cursor.fetchone()
    assert row is not None
    return row["state"]


@pytest.mark.ledger("N15")
async def test_a_new_kind_of_change_is_a_value_and_a_statement(
    engine: Engine, memory: Memory, node: UUID, units: UnitsOfWork
) -> None:
    async with units.begin(memory.principal) as unit:
        commit = await unit.accept(noted(memory, node, "a", "b"), noted(memory, node, "c"))
    assert (await note_of(engine, node), await state_of(engine, commit)) == ("abc", "done")


async def test_recovery_applies_all_changes_of_a_commit(
    engine: Engine, memory: Memory, node: UUID, units: UnitsOfWork
) -> None:
    async with units.begin(memory.principal) as unit:
        await unit.accept(noted(memory, node, "a"), noted(memory, node, "b"))
        [commit] = unit.postpone()
    assert (await note_of(engine, node), await state_of(engine, commit)) == (None, "pending")
    await engine.outbox.recover_one(commit)
    assert (await note_of(engine, node), await state_of(engine, commit)) == ("ab", "done")


@pytest.mark.ledger("N15")
async def test_the_changes_of_a_commit_are_applied_all_or_none(
    engine: Engine, memory: Memory, node: UUID, units: UnitsOfWork
) -> None:
    commit = uuid4()
    with pytest.raises(CommitWaits):  # the shell of the second is missing
        async with units.begin(memory.principal) as unit:
            await unit.accept(noted(memory, node, "a"), noted(memory, uuid4(), "b"), commit_id=commit)
    assert (await note_of(engine, node), await state_of(engine, commit)) == (None, "pending")
    async with engine.postgres.as_service() as connection:
        await connection.execute("DELETE FROM engine.outbox WHERE commit_id = %s", [commit])


@pytest.mark.ledger("N15")
async def test_what_no_store_can_hold_is_invalid_and_nothing_is_written(memory: Memory, node: UUID) -> None:
    other = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Other {uuid4().hex[:6]}"))
    await memory.records.remember(Conversation("talk", (Turn("Ann", "Ann Stone met Ben Stone in Porto."),)))
    [ann] = await memory.entities.list(name="ann stone")
    [porto] = await memory.entities.list(name="porto")
    half = "half \ud800"
    for write in (
        lambda: memory.nodes.provision(NewNode(node, "Summed up", summary=half)),
        lambda: memory.edges.make(node, other.node_id, "related_to", {"since": half}),
        lambda: memory.entities.merge(ann.entity_id, porto.entity_id, half),
        lambda: memory.entities.list(name=half),
    ):
        with pytest.raises(InvalidInput):
            await write()
    assert await memory.edges.list() == await memory.entities.merges() == await memory.nodes.children(node) == ()


@pytest.mark.parametrize(
    ("value", "error"), [("half \ud800", InvalidInput), (1 << 64, InvalidInput), ({1, 2}, TypeError)]
)
def test_json_of_what_does_not_fit(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        json_text({"value": [value]})


@pytest.mark.ledger("X01")
async def test_a_kind_that_the_database_does_not_know_is_the_owners(
    memory: Memory, node: UUID, units: UnitsOfWork
) -> None:
    persona = (await memory.nodes.provision(NewNode(memory.principal.user_id, "Coach", "persona"))).node_id
    await memory.grants.give(NewGrant(node, "persona", persona, mode="read_write"))
    with pytest.raises(NotFound):
        async with units.begin(Principal("persona", persona, memory.principal.user_id)) as unit:
            await unit.accept(noted(memory, node, "a"))


def test_every_kind_has_a_value_and_statements_of_its_own() -> None:
    assert set(get_args(CommitKind)) == OF_KIND.keys()
    for change in OF_KIND.values():
        [field] = fields(change)
        for name in filter(None, (change.statement, change.withdrawn)):
            assert name in cypher_names() and f"${field.name}" in (CYPHER_FOLDER / f"{name}.cypher").read_text()


def test_a_change_in_json_is_plain() -> None:
    someone = uuid4()
    said = to_json(Noted([{"node_id": someone, "text": "a"}]))
    assert said == {"kind": "noted", "notes": [{"node_id": str(someone), "text": "a"}]}


async def test_a_grant_of_an_older_release_is_given_again(engine: Engine, memory: Memory) -> None:
    me = memory.principal.user_id
    guide = (await memory.nodes.provision(NewNode(me, "Guide", "persona"))).node_id
    lake = (await memory.nodes.provision(NewNode(me, "Lake"))).node_id
    given = await memory.grants.give(NewGrant(lake, "persona", guide))
    async with engine.postgres.as_service() as connection:
        older = "UPDATE engine.outbox SET payload = (payload #> '{changes,0}') - 'kind' WHERE commit_id = %s"
        await connection.execute(older, [given.grant_id])
    again = await memory.grants.give(NewGrant(lake, "persona", guide))
    assert (again.grant_id, again.created) == (given.grant_id, False)
    assert (await memory.grants.revoke(given.grant_id)).grant_id == given.grant_id


@pytest.mark.parametrize("kind", ["revoked", "node", "granted"])
async def test_a_commit_is_of_the_kind_of_its_first_change(engine: Engine, memory: Memory, kind: str) -> None:
    """The kind says as what it is listed."""
    line = {"user_id": str(memory.principal.user_id), "node_id": str(memory.principal.user_id), "records": []}
    payload = Jsonb({"changes": [{"kind": "records", "records": [line]}]})
    insert = "INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (%s, %s, %s, %s)"
    with pytest.raises(NotFound):
        async with engine.postgres.as_principal(memory.principal) as connection:
            await connection.execute(insert, [uuid4(), memory.principal.user_id, kind, payload])
    with pytest.raises(ZeroDivisionError):
        async with engine.postgres.as_principal(memory.principal) as connection:
            await connection.execute(insert, [uuid4(), memory.principal.user_id, "records", payload])
            await connection.fetch("SELECT 1 AS sent", row=int)  # the insert was accepted; nothing of it stays
            raise ZeroDivisionError


@pytest.mark.parametrize(
    "payload",
    [[], "x", None, 7, {}, {"changes": {}}, {"changes": [1]}, {"changes": [{"kind": ["a"]}]}, {"changes": [{"kind": "x", "x": 1}]},
     {"changes": [{"kind": "records", "row": []}]}, {"changes": [{"kind": "records", "records": [], "more": 1}]}],
)  # fmt: skip
def test_a_damaged_row_has_no_changes(payload: object) -> None:
    assert changes.from_row("records", payload) == ()
