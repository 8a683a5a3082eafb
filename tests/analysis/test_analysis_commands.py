"""`neurigraph cypher` runs statements for analysts: for one user, bounded, as a read."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.errors import NeurigraphError, StoreUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.analyses import analyses
from tests.commands import typed
from tests.hierarchy.test_graph_commands import Shell

pytestmark = pytest.mark.ledger("U03", "U05")


async def test_a_statement_is_run_for_a_user(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    lake = await memory.nodes.provision(NewNode(memory.principal.user_id, "Lake"))
    turns = tuple(Turn("Bob", f'{name} called it "wet, cold".') for name in ("Nora Dunn", "Walter Vang"))
    await memory.records.remember(Conversation("c", turns, 'The "wet, cold" lake'), node_id=lake.node_id)
    shell, entity = Shell(engine, tmp_path, user.handle), ("--param", "entity=nora dunn")
    shown = await shell.prints("cypher", "timeline", *entity)
    assert all(word in shown for word in ("detail", "mentioned", 'The "wet, cold" lake, 1'))
    [header, row] = csv.reader((await shell.prints("cypher", "timeline", *entity, "--csv")).splitlines())
    assert header == ["day", "what", "detail"] and row[1:] == ["mentioned", 'The "wet, cold" lake, 1']
    answer = await shell.answers("cypher", "mentioned", "--param", "limit=2")
    assert (
        answer["statement"] == "mentioned"
        and [set(one) for one in answer["rows"]] == [{"entity", "kind", "records", "nodes", "first", "last"}] * 2
    )
    done = await typed(engine, tmp_path, user.handle, "cypher", "mentioned", "--param", "limit=2")
    assert "There may be more than 2 rows; --param limit=N shows them." in done.stderr
    assert (await shell.prints("cypher", "why", *entity, "--param", "other=nobody")).strip() == "No row."


async def test_csv_has_a_header_without_rows_and_no_cell_that_a_spreadsheet_calculates(
    engine: Engine, user: User, memory: Memory, tmp_path: Path
) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    assert await shell.prints("cypher", "timeline", "--param", "entity=nobody", "--csv") == "day,what,detail\n"
    for name in ("=HYPERLINK(A1)", "@SUM(A1)", "-2+3"):
        await memory.nodes.provision(NewNode(memory.principal.user_id, name))
    [_, *rows] = csv.reader((await shell.prints("cypher", "tree", "--csv")).splitlines())
    assert {row[0] for row in rows} == {"/", "'=HYPERLINK(A1)", "'@SUM(A1)", "'-2+3"}
    assert "=HYPERLINK(A1)" in {row["node"] for row in (await shell.answers("cypher", "tree"))["rows"]}


async def test_what_is_wrong_is_one_line_and_texts_are_printed(engine: Engine, user: User, tmp_path: Path) -> None:
    shell = Shell(engine, tmp_path, "")
    said = await shell.refuses("cypher", "timelin")
    assert said == "There is no statement 'timelin', but timeline or node/timeline; `neurigraph cypher` lists them."
    assert "needs --param entity=…" in await shell.refuses("cypher", "timeline")
    assert "There is no statement" in await shell.refuses("cypher", "timelin", "--param", "entity=Bob")
    assert "given twice" in await shell.refuses("cypher", "tree", "--param", "limit=1", "--param", "limit=2")
    assert "--csv or --json" in await shell.refuses("cypher", "tree", "--csv", "--json")
    assert "neither --param nor --csv" in await shell.refuses("cypher", "node/shell", "--param", "limit=1")
    assert "There is no user nobody" in await Shell(engine, tmp_path, "nobody").refuses("cypher", "tree")
    assert await shell.prints("cypher", "tree", "--text") == analyses()["tree"].text
    listed = await shell.answers("cypher")
    assert {one["name"] for one in listed["analysis"]} == analyses().keys() and "node/shell" in listed["engine"]


async def test_a_statement_that_writes_or_takes_too_long_is_ended(engine: Engine, user: User) -> None:
    tree: Any = analyses()["tree"]
    writes = replace(
        tree, text="CREATE (n:Node {user_id: $user_id, node_id: 'x', name: toString($limit)}) RETURN n.name AS name"
    )
    with pytest.raises(NeurigraphError):
        await engine.analysts.run(writes, user.user_id, {}, 30)
    assert await engine.neo4j.read("MATCH (n:Node {node_id: 'x'}) RETURN n") == []
    endless = replace(
        tree,
        text="UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a WHERE a = $limit RETURN count(*) AS times",
    )
    with pytest.raises(StoreUnavailable, match=r"tree took longer than 0\.5 s"):
        await engine.analysts.run(endless, user.user_id, {}, 0.5)
