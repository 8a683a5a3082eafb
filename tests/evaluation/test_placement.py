"""A person's history through the public door: where it lies, who reads it by an unrelated grant, how honest confidences are.

The histories are invented, with the right node of every turn. Bounds are loose: they hold the level, not the last figure.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.connectors import read_history
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, History, HistoryFile, PlannedNode, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.lab.evaluation.comparison import Asked
from engine.lab.evaluation.personal import DEPTHS, questions, referred
from engine.lab.evaluation.placement import gold_of, measured, places_of
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Silent
from tests.reader import untroubled

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

HISTORIES = Path(__file__).parent / "histories"


async def history_of(name: str) -> History:
    [history] = await read_history(HISTORIES / f"{name}.json", max_text_bytes=1 << 20, progress=Silent())
    return replace(referred(history), handle=f"{name}-{uuid4().hex[:8]}")


async def table_of(engine: Engine, memory: Memory, name: str) -> dict[str, Any]:
    return measured(
        await places_of(engine, memory),
        gold_of(HISTORIES / f"{name}-gold.json"),
    )


def check(table: dict[str, Any], *, exact: float) -> None:
    assert table["exact"] >= exact and table["wrong"] <= 0.08 and table["readable_by_an_unrelated_grant"] <= 0.06, table
    assert table["small_talk"]["at_the_root"] >= 0.8 * table["small_talk"]["turns"], table
    assert table["confidences"]["readable"] <= 1, table
    assert table["calibration"]["mean_distance"] <= 0.12, table


@pytest.mark.ledger("N14", "X13")
@pytest.mark.parametrize(("name", "exact"), [("nadia", 0.35), ("tomas", 0.14)])
async def test_a_history_lies_where_it_belongs_or_above(engine: Engine, name: str, exact: float) -> None:
    history = await history_of(name)
    memory = engine.memory((await engine.ingest(history, Silent())).user_id)
    check(await table_of(engine, memory, name), exact=exact)
    asked = questions(HISTORIES / f"{name}-gold.json", history)
    stored = Asked(engine, {history.handle: memory.principal.user_id}, DEPTHS)
    navigated, everywhere = await stored.search(asked), await stored.search(asked, "always")
    assert navigated["found@10"] >= everywhere["found@10"] - 0.15, "a search at an anchor loses little"


async def test_one_conversation_at_a_time_lies_as_well(engine: Engine) -> None:
    history = await history_of("nadia")
    memory = engine.memory((await engine.ingest(replace(history, conversations=()), Silent())).user_id)
    for conversation in history.conversations:
        await memory.records.remember(conversation)
    check(await table_of(engine, memory, "nadia"), exact=0.25)


# private turns --------------------------------------------------------------------------------------------

SECRET, OPEN = "The walleye spot is at the reed point, tell nobody.", "Four walleye today, all by noon."


async def angler(memory: Memory, node: UUID) -> Principal:
    persona = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Angler {uuid4().hex[:6]}", "persona"))
    await memory.grants.give(NewGrant(node, "persona", persona.node_id))
    return Principal("persona", persona.node_id, memory.principal.user_id)


async def told_to(engine: Engine, asker: Principal) -> set[str]:
    answer = await engine.memory_as(asker).search(SearchRequest("walleye", limit=50, widen="always"))
    return {hit.content for hit in answer.hits}


@pytest.mark.ledger("N30")
async def test_a_private_turn_is_a_record_of_its_own_that_no_grant_opens(
    engine: Engine, memory: Memory, user: User
) -> None:
    lake = (await memory.nodes.provision(NewNode(user.user_id, "Lake", keywords=("walleye",)))).node_id
    talk = Conversation("c", (Turn("Bob", OPEN), Turn("Bob", SECRET, privacy="private"), Turn("Iris", "Noted.")))
    report = await memory.records.remember(talk, node_id=lake)
    assert [(record.node_id, record.items) for record in report.records] == [(lake, 2), (lake, 1)]
    asker = await angler(memory, lake)
    assert await told_to(engine, asker) == {OPEN, "Noted."}
    assert await told_to(engine, memory.principal) == {OPEN, SECRET, "Noted."}
    reader = engine.memory_as(asker)
    [open_record] = (await reader.nodes.metadata(lake)).records
    assert (await reader.nodes.shell(lake)).records == 1
    assert SECRET.encode() not in await reader.files.read(lake, open_record.file_id)
    with pytest.raises(NotFound):
        await reader.files.read(lake, report.records[1].file_id)
    assert (await memory.records.remember(talk, node_id=lake)).records == (), "stored already"
    with pytest.raises(InvalidInput):  # only the user has secrets
        await engine.memory_as(asker).records.remember(
            Conversation("d", (Turn("Bob", "x", privacy="private"),)), node_id=lake
        )
    await engine.outbox.recover()
    await untroubled(engine, memory.principal)


async def test_a_history_says_what_is_private(engine: Engine, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A walleye in a note of one's own.")
    talks = (
        Conversation("open", (Turn("Bob", OPEN),), node=("Lake",)),
        Conversation("closed", (Turn("Bob", SECRET),), node=("Lake",), privacy="private"),
    )
    files = (HistoryFile("note", note, "text/plain", node=("Lake",), privacy="private"),)
    history = History(f"b{uuid4().hex[:8]}", "Bob", talks, files, (PlannedNode(("Lake",)),))
    memory = engine.memory((await engine.ingest(history, Silent())).user_id)
    lake = next(node.node_id for node in await memory.nodes.writable() if node.path[1:] == ("Lake",))
    assert await told_to(engine, await angler(memory, lake)) == {OPEN}
    assert len(await told_to(engine, memory.principal)) == 3
    everything = replace(history.private(), handle=f"{history.handle}-p")
    other = engine.memory((await engine.ingest(everything, Silent())).user_id)
    lake = next(node.node_id for node in await other.nodes.writable() if node.path[1:] == ("Lake",))
    assert await told_to(engine, await angler(other, lake)) == set()


# what a grant opens, and what stays above -------------------------------------------------------------------


@pytest.mark.ledger("N30")
async def test_what_a_grant_would_open_is_seen_before(engine: Engine, memory: Memory, user: User) -> None:
    lake = (await memory.nodes.provision(NewNode(user.user_id, "Lake", keywords=("walleye",)))).node_id
    bay = (await memory.nodes.provision(NewNode(lake, "Bay", keywords=("heron",)))).node_id
    await memory.records.remember(Conversation("c1", (Turn("Bob", OPEN),), "By noon"), node_id=lake)
    await memory.records.remember(
        Conversation("c2", (Turn("Bob", SECRET),), "The spot"), node_id=lake, privacy="private"
    )
    sure = await memory.records.remember(
        Conversation("c3", (Turn("Bob", "The heron stood in Bay, a grey heron."),), "Heron")
    )
    preview = await memory.grants.preview(lake, depth=1, below=1.0)
    assert [(one.node_id, one.path[1:], one.records, one.items) for one in preview.nodes] == [
        (lake, ("Lake",), 1, 1),
        (bay, ("Lake", "Bay"), 1, 1),
    ]
    assert preview.nodes[0].titles == ("By noon",) and preview.nodes[0].private_records == 1
    assert preview.nodes[0].unsure == (), "what a person placed is sure"
    [unsure] = preview.nodes[1].unsure
    assert (unsure.record_id, unsure.title, unsure.decided_by) == (sure.records[0].record_id, "Heron", "engine")
    assert unsure.confidence == pytest.approx(sure.records[0].confidence, abs=1e-3)
    [decision] = [line for line in await memory.records.assignments() if line.entry_id == unsure.entry_id]
    assert decision.record_id == unsure.record_id and unsure.suggested == ("Lake",)
    alone = await memory.grants.preview(lake, below=0.0)
    assert [one.node_id for one in alone.nodes] == [lake]
    asker = await angler(memory, lake)
    for stranger in (asker, Principal.user((await engine.workspace.users.create(f"s{uuid4().hex[:8]}")).user_id)):
        with pytest.raises(NotFound):
            await engine.memory_as(stranger).grants.preview(lake)
    for wrong in ({"depth": 6}, {"below": 1.5}):
        with pytest.raises(InvalidInput):
            await memory.grants.preview(lake, **wrong)


@pytest.mark.ledger("N24")
async def test_a_search_at_an_anchor_looks_above_it_too(engine: Engine, memory: Memory, user: User) -> None:
    hobby = (await memory.nodes.provision(NewNode(user.user_id, "Hobbies"))).node_id
    lake = (await memory.nodes.provision(NewNode(hobby, "Halfmoon", keywords=("walleye",)))).node_id
    for name in ("Work", "Health", "Money"):
        other = await memory.nodes.provision(NewNode(user.user_id, name))
        await memory.records.remember(
            Conversation(name, (Turn("Bob", f"Something of {name}."),)), node_id=other.node_id
        )
    texts = {
        lake: "Halfmoon was calm.",
        hobby: "A lure for Halfmoon is in the drawer.",
        user.user_id: "Halfmoon freezes.",
    }
    for node, text in texts.items():
        await memory.records.remember(Conversation(str(node), (Turn("Bob", text),)), node_id=node)

    async def seen(asker: Memory) -> tuple[set[str], int]:
        answer = await asker.search(SearchRequest("What of Halfmoon?", limit=50, widen="never"))
        return {hit.content for hit in answer.hits}, answer.nodes_searched

    assert await seen(memory) == (set(texts.values()), 3)
    reader = engine.memory_as(await angler(memory, lake))
    assert await seen(reader) == ({texts[lake]}, 1), "only what may be read above it"
