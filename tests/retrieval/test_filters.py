"""Filters and pages of a search, through Python, REST and the shell."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.clock import Moment
from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.read_limits import UNLIMITED_READ, ReadLimits
from engine.domain.search import Filters, SearchAnswer, SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

MARCH, JUNE = datetime(2024, 3, 5, 9, tzinfo=UTC), datetime(2024, 6, 5, 9, tzinfo=UTC)
EARLY, LATE, NEW = "Nora Vance sold the boat.", "Teresa Vang bought another boat.", "The boat leaks."


@pytest.fixture
async def boats(memory: Memory, user: User) -> dict[str, UUID]:
    """Three conversations about boats, two of the past, at Lake, below it at Harbour, and one stored now at Work; and two facts."""
    lake = (await memory.nodes.provision(NewNode(user.user_id, "Lake"))).node_id
    harbour = (await memory.nodes.provision(NewNode(lake, "Harbour"))).node_id
    work = (await memory.nodes.provision(NewNode(user.user_id, "Work"))).node_id
    for number, (node, text, at) in enumerate(((lake, EARLY, MARCH), (harbour, LATE, JUNE), (work, NEW, None))):
        turns = (Turn("Bob", text, at=at),)
        await memory.records.remember(Conversation(f"c{number}", turns, started_at=at), node_id=node)
    await memory.facts.write(WrittenFact("Nora Vance owns a boat.", category="Property", at=MARCH), node_id=work)
    await memory.facts.write(WrittenFact("Nora Vance likes the boat show.", category="taste", at=JUNE), node_id=work)
    return {"lake": lake, "harbour": harbour, "work": work}


async def found(memory: Memory, filters: Filters, **more: Any) -> set[str]:
    request = SearchRequest("boat", 50, widen="always", filters=filters, **more)
    return {hit.content for hit in (await memory.search(request)).hits}


@pytest.mark.ledger("L06", "N25")
async def test_each_filter_takes_in_what_passes_it(memory: Memory, boats: dict[str, UUID]) -> None:
    turns: Any = {"kinds": ("turn",)}
    assert await found(memory, Filters(below=(boats["lake"],)), **turns) == {EARLY, LATE}
    assert await found(memory, Filters(below=(boats["lake"],)), nodes=(boats["work"],), **turns) == {
        EARLY,
        LATE,
        NEW,
    }
    assert await found(memory, Filters(), nodes=(boats["lake"],), **turns) == {EARLY}
    assert await found(memory, Filters(since=MARCH, until=JUNE), **turns) == {EARLY}
    assert await found(memory, Filters(since=MARCH + timedelta(seconds=1)), **turns) == {LATE, NEW}
    assert await found(memory, Filters(until=datetime(2999, 1, 1, tzinfo=UTC)), **turns) == {EARLY, LATE, NEW}
    assert await found(memory, Filters(since=datetime(2999, 1, 1, tzinfo=UTC))) == set()
    assert await found(memory, Filters(categories=("property", "none"))) == {"Nora Vance owns a boat."}
    assert await found(memory, Filters(categories=("property",), since=JUNE)) == set()
    assert await found(memory, Filters(below=(uuid4(),))) == set()


@pytest.mark.ledger("L06")
async def test_tags_are_those_of_passages(memory: Memory) -> None:
    for name in ("Kettle Falls", "Osprey Lane"):
        await memory.records.remember_text(name, f"The boat trip to {name}. We saw {name} at noon.", source_id=name)
    passages = [await found(memory, Filters(tags=(tag,)), kinds=("chunk",)) for tag in ("KETTLE falls", "kettle")]
    assert [len(one) for one in passages] == [1, 0] and "Kettle Falls" in next(iter(passages[0]))


@pytest.mark.ledger("L06", "A05")
async def test_entities_that_were_merged_count_as_one(
    engine: Engine, memory: Memory, user: User, boats: dict[str, UUID]
) -> None:
    nora, teresa = [
        next(iter(await memory.entities.list(name=name))).entity_id for name in ("Nora Vance", "Teresa Vang")
    ]
    of_nora = {EARLY, "Nora Vance owns a boat.", "Nora Vance likes the boat show."}
    assert await found(memory, Filters(entities=(nora,))) >= of_nora
    assert LATE not in await found(memory, Filters(entities=(nora,)))
    assert await found(memory, Filters(entities=(nora, teresa))) >= {EARLY, LATE}
    merge = await memory.entities.merge(nora, teresa)
    for one in (nora, teresa):
        assert await found(memory, Filters(entities=(one,))) >= {EARLY, LATE}
    await memory.entities.undo_merge(merge.merge_id)
    assert LATE not in await found(memory, Filters(entities=(nora,)))
    with pytest.raises(NotFound):
        await found(memory, Filters(entities=(uuid4(),)))
    other = engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}")).user_id)
    with pytest.raises(NotFound):
        await found(other, Filters(entities=(nora,)))
    async with counted(engine) as trips:
        await found(memory, Filters(entities=(nora,), below=(boats["lake"],)))
    assert (trips.neo4j, trips.postgres) == (1, 3)  # the subtree says where to look


@pytest.mark.ledger("L06", "N31")
async def test_a_filter_never_tells_of_what_is_hidden(
    engine: Engine, memory: Memory, user: User, boats: dict[str, UUID]
) -> None:
    """A reader of Harbour asks below Lake, which it may not read, and for an entity that only Lake names."""
    coach = await memory.nodes.provision(NewNode(user.user_id, "Coach", "persona"))
    await memory.grants.give(NewGrant(boats["harbour"], "persona", coach.node_id, "read"))
    reader = engine.memory_as(Principal("persona", coach.node_id, user.user_id))
    assert LATE in await found(reader, Filters(below=(boats["harbour"],)))
    assert LATE in await found(reader, Filters(until=JUNE + timedelta(days=1)))
    assert await found(reader, Filters(below=(boats["lake"],))) == set()
    nora, teresa = [
        next(iter(await memory.entities.list(name=name))).entity_id for name in ("Nora Vance", "Teresa Vang")
    ]
    assert LATE in await found(reader, Filters(entities=(teresa,)))
    with pytest.raises(NotFound):
        await found(reader, Filters(entities=(nora,)))


@pytest.mark.ledger("L06", "X14")
async def test_a_filtered_context_is_made_of_what_passes(memory: Memory, boats: dict[str, UUID]) -> None:
    whole = await memory.context(ContextRequest("What of Nora Vance and the boat?", widen="always"))
    assert "Nora Vance owns a boat." in whole.text and EARLY in whole.text
    asked = ContextRequest("What of Nora Vance and the boat?", widen="always", filters=Filters(since=JUNE))
    assert {piece.text for piece in (await memory.context(asked)).pieces} == {
        LATE,
        NEW,
        "Nora Vance likes the boat show.",
    }
    turns = await memory.context(replace(asked, filters=Filters(), kinds=("turn",)))
    assert {piece.kind for piece in turns.pieces} == {"turn"}


@pytest.mark.ledger("L06")
@pytest.mark.parametrize(
    "wrong",
    [
        {"since": JUNE, "until": JUNE}, {"since": datetime(2024, 1, 1)}, {"tags": ("",)}, {"tags": ("a\x00b",)},
        {"categories": ("x" * 201,)}, {"tags": "boat"}, {"tags": (1,)}, {"entities": {1}}, {"entities": tuple(uuid4() for _ in range(101))},
    ],
)  # fmt: skip
def test_a_wrong_filter_is_invalid_input(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"filter|offset"):
        Filters(**wrong)


async def pages(memory: Memory, request: SearchRequest, limits: ReadLimits = UNLIMITED_READ) -> list[SearchAnswer]:
    answers = [await memory.search(request, limits)]
    while answers[-1].next_cursor is not None:
        assert len(answers) < 60, "the pages do not end"
        answers.append(await memory.search(replace(request, cursor=answers[-1].next_cursor), limits))
    return answers


@pytest.mark.ledger("L06")
async def test_no_page_gives_a_hit_again_whatever_is_stored_between(memory: Memory) -> None:
    turns = tuple(Turn("Bob", f"The boat number {number} leaks.", ref=str(number)) for number in range(23))
    await memory.records.remember(Conversation("c", turns))
    request = SearchRequest("Which boat leaks?", 5, ("turn",), widen="always")
    first = await memory.search(request)
    assert first.next_cursor is not None and len(first.hits) == 5
    more = tuple(Turn("Bob", f"Does the boat leak? It leaks, boat {n}.", ref=str(n)) for n in range(40, 60))
    await memory.records.remember(Conversation("d", more))
    rest = await pages(memory, replace(request, cursor=first.next_cursor))
    given = [hit.content for answer in (first, *rest) for hit in answer.hits]
    assert sorted(given) == sorted(turn.text for turn in turns)
    assert {answer.known_at for answer in rest} == {rest[0].known_at}
    cut = await pages(memory, replace(request, limit=10), ReadLimits(max_tokens=40))
    assert all(0 < len(answer.hits) < 10 for answer in cut)
    tokens = [hit.item_id for answer in cut for hit in answer.hits]
    assert len(tokens) == len(set(tokens)) == 43


@pytest.mark.ledger("L06", "N23")
async def test_pages_end_where_hits_are_states_that_changed(memory: Memory) -> None:
    node = memory.principal.user_id
    turns = tuple(Turn("Bob", f"The boat number {number} leaks.") for number in range(6))
    await memory.records.remember(Conversation("c", turns, started_at=MARCH))
    request = SearchRequest("Which boat leaks?", 1, ("turn",), widen="always")
    first = await memory.search(request)
    for hit in (await memory.search(replace(request, limit=6))).hits:
        await memory.history.change(
            Change("item", hit.item_id, {"content": f"{hit.content} A lot."}, node, effective_at=JUNE)
        )
    then = replace(request, moment=Moment(as_of=MARCH + timedelta(days=1)))
    for way in (replace(request, cursor=first.next_cursor), then):
        given = (first.hits if way.cursor else ()) + tuple(
            hit for answer in await pages(memory, way) for hit in answer.hits
        )
        assert len({hit.item_id for hit in given}) == len(given) == 6


@pytest.mark.ledger("L06", "X08")
async def test_a_hit_that_is_too_long_alone_does_not_stop_the_pages(memory: Memory) -> None:
    turns = (Turn("Bob", "boat " * 60), Turn("Bob", "The boat leaks."), Turn("Bob", "A boat sank."))
    await memory.records.remember(Conversation("c", turns))
    request = SearchRequest("boat", 1, ("turn",), widen="always")
    given = [hit.content for answer in await pages(memory, request, ReadLimits(max_tokens=20)) for hit in answer.hits]
    assert set(given) == {"The boat leaks.", "A boat sank."}


@pytest.mark.ledger("L06")
async def test_a_cursor_is_of_its_search_alone(memory: Memory) -> None:
    await memory.records.remember(Conversation("c", tuple(Turn("Bob", f"boat {n}") for n in range(9))))
    request = SearchRequest("boat", 2, widen="always")
    cursor = (await memory.search(request)).next_cursor
    for wrong in (
        replace(request, query="ship", cursor=cursor), replace(request, filters=Filters(tags=("a",)), cursor=cursor),
        replace(request, cursor="AAAA"), replace(request, cursor="é"), replace(request, cursor=f"{cursor}A"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match="cursor"):
            await memory.search(wrong)


@pytest.mark.ledger("L06", "N32", "U05")
async def test_rest_and_shell_take_filters_and_cursors(
    engine: Engine, memory: Memory, user: User, boats: dict[str, UUID], tmp_path: Path
) -> None:
    home = f"/v1/users/{user.user_id}"
    shell = Shell(engine, tmp_path, user.handle)
    transport = httpx.ASGITransport(new_door(engine=engine), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        asked = {"query": "boat", "widen": "always", "kinds": ["turn"]}
        filters = {"below": [str(boats["lake"])], "since": "2024-06-01T00:00:00Z"}
        given = (await door.post(f"{home}/search", json=asked | {"filters": filters})).json()
        assert [hit["content"] for hit in given["hits"]] == [LATE]
        context = {"question": "boat", "widen": "always", "filters": {"categories": ["property"]}}
        pieces = (await door.post(f"{home}/context", json=context)).json()["pieces"]
        assert [piece["text"] for piece in pieces] == ["Nora Vance owns a boat."]
        for wrong in ({"since": "2024-06-01T00:00:00Z", "until": "2024-05-01T00:00:00Z"}, {"tags": [""]}, {"tag": []}):
            refused = await door.post(f"{home}/search", json=asked | {"filters": wrong})
            assert (refused.status_code, refused.json()["type"]) == (422, "urn:neurigraph:problem:invalid-input")
        missing = await door.post(f"{home}/search", json=asked | {"filters": {"entities": [str(uuid4())]}})
        assert missing.status_code == 404
        seen, address = [], f"{home}/search"
        while address:
            page = await door.post(address, json=asked | {"limit": 1})
            assert page.headers.get("Next-Cursor") == page.json()["next_cursor"]
            seen += [hit["content"] for hit in page.json()["hits"]]
            address = page.headers["Link"].partition(">")[0][1:] if "Link" in page.headers else ""
        assert sorted(seen) == sorted((EARLY, LATE, NEW))
        assert (await door.post(f"{home}/search?cursor=AAAA", json=asked)).status_code == 422
    narrow = ("--below", "Lake", "--kind", "turn", "--limit", "1")
    first = await shell.answers("ask", "boat", *narrow)
    second = await shell.answers("ask", "boat", *narrow, "--cursor", first["next_cursor"])
    assert sorted(one["hits"][0]["content"] for one in (first, second)) == sorted((EARLY, LATE))
    assert second["next_cursor"] is None
    one = await shell.answers("ask", "boat", "--node", "Work", "--kind", "turn", "--until", "2024-05-01")
    assert one["hits"] == []
    text = await shell.prints("context", "boat", "--entity", "Teresa Vang", "--category", "none")
    assert text.strip() == ""
    assert "kinds" in (await shell.refuses("ask", "boat", "--kind", "word")).casefold()


@pytest.mark.ledger("L06")
@pytest.mark.parametrize(
    "text",
    ["'; DROP TABLE engine.nodes; --", "%s %(x)s {schema} $1", '"]}', "日本語", "İ" * 100, "می\u200cخواهم", "a\u00a0b"],
)
async def test_no_text_of_a_filter_breaks_the_search(memory: Memory, boats: dict[str, UUID], text: str) -> None:
    for filters in (Filters(tags=(text,)), Filters(categories=(text,))):
        assert await found(memory, filters) == set()
    assert EARLY in await found(memory, Filters())
