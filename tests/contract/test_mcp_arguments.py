"""What clients and models really send to the memory tools: nulls, numbers as texts, parts, empty messages, half characters; and
what they get back."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
from mcp import ClientSession
from pydantic import SecretStr

from api.mcp.tools import TOOLS
from engine.domain.node import User
from engine.domain.principal import NewToken
from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.contract.test_mcp import called, command, over_http, refused
from tests.contract.test_rest_slow_clients import TOKEN, serving

HALF = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"add_memory","arguments":{"text":"a \\ud83e boat"}}}'


@asynccontextmanager
async def session_of(engine: Engine, user: User) -> AsyncIterator[ClientSession]:
    secret = (await engine.workspace.tokens.create(NewToken("user", user.user_id, "mcp"))).secret
    async with serving(engine, api_token=SecretStr(TOKEN)) as port, over_http(port, secret) as session:
        yield session


@pytest.mark.ledger("U04")
async def test_null_is_the_default_of_every_argument_of_every_tool(engine: Engine, user: User) -> None:
    async with session_of(engine, user) as session:
        stored = (await called(session, "add_memory", text="Ragnhild Moen repairs clocks in Voss."))["stored"][0][
            "memory_id"
        ]
        (entity, *_) = (await called(session, "list_entities", name="Ragnhild"))["entities"]
        needed: dict[str, dict[str, Any]] = {
            "add_memory": {"text": "The clock of Voss strikes nine."},
            "search_memories": {"query": "clocks"},
            "get_memory": {"memory_id": stored},
            "update_memory": {"memory_id": stored, "title": "Clocks"},
            "delete_memory": {"memory_id": stored},
            "get_context": {"question": "Who repairs clocks?"},
            "add_fact": {"text": "Ragnhild Moen lives in Voss."},
            "get_entity": {"entity_id": entity["entity_id"]},
            "explain": {"query": "clocks"},
        }
        order = sorted(TOOLS, key=lambda name: (name == "delete_memory", name))
        for name in order:
            if name == "undo":  # its one argument is needed
                continue
            optional = {one for one in TOOLS[name].parameters["properties"]} - needed.get(name, {}).keys()
            empty = dict.fromkeys((*optional, "max_tokens"))
            assert await called(session, name, **needed.get(name, {}), **empty), name
        for tool, given in (
            ("search_memories", {"query": "clocks", "limit": "3", "max_tokens": "500", "as_of": "", "cursor": ""}),
            ("search_memories", {"query": 1907, "as_of": "2026-05-02"}),
            ("add_memory", {"text": "Nine bells.", "id": 77, "title": 3, "node_id": ""}),
        ):
            assert await called(session, tool, **given)
        assert "max_tokens" in await refused(session, "search_memories", query="clocks", max_tokens="many")


@pytest.mark.ledger("U04")
async def test_messages_without_a_word_are_passed_over_and_parts_are_joined(engine: Engine, user: User) -> None:
    async with session_of(engine, user) as session:
        messages = [
            {"role": "user", "content": [{"type": "text", "text": "My cousin Sigrid"}, {"type": "image", "url": "x"}, "sails to Molde."]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
            {"role": "assistant", "content": ""},
            {"role": "tool", "content": [{"type": "image"}]},
            {"role": "user", "content": "She leaves in May.", "name": None, "at": ""},
        ]  # fmt: skip
        added = await called(session, "add_memory", messages=messages)
        assert added["empty_messages_passed_over"] == 3
        assert added["stored"][0]["title"] == "My cousin Sigrid sails to Molde."
        text = (await called(session, "get_memory", memory_id=added["stored"][0]["memory_id"]))["text"]
        assert "My cousin Sigrid\n\nsails to Molde." in text and "She leaves in May." in text
        assert "says anything" in await refused(session, "add_memory", messages=[{"role": "user", "content": None}])


@pytest.mark.ledger("U04")
@pytest.mark.parametrize(
    "at", ["2026-05-02", "2026-05-02T18:00:00", "2026-05-02T23:30:00-05:00", "2026-05-03T04:30:00Z"]
)
async def test_a_day_and_a_time_with_or_without_offset_are_taken(engine: Engine, user: User, at: str) -> None:
    async with session_of(engine, user) as session:
        messages = [{"role": "user", "content": f"The kiln was lit {uuid4().hex[:6]}.", "at": at}]
        (stored,) = (await called(session, "add_memory", messages=messages))["stored"]
        text = (await called(session, "get_memory", memory_id=stored["memory_id"]))["text"]
        assert "2026-05-02" in text or at.endswith("Z")
        assert ("-05:00" in text) == ("-05:00" in at)


@pytest.mark.ledger("U04")
async def test_the_same_content_is_one_memory_and_is_stored_again_after_it_was_deleted(
    engine: Engine, user: User
) -> None:
    async with session_of(engine, user) as session:
        chat = [{"role": "user", "content": "The mill of Dale grinds rye."}]
        for content in (
            {"text": "The tide mill stands still in winter."},
            {"messages": chat},
            {"text": "Own id.", "id": "mill-7"},
        ):
            (first,) = (await called(session, "add_memory", **content))["stored"]
            again = await called(session, "add_memory", **content)
            assert "stored" not in again and again["already_there"] == first["memory_id"]
            assert again["skipped"] == ["Stored already."]
            await called(session, "delete_memory", memory_id=first["memory_id"])
            (anew,) = (await called(session, "add_memory", **content))["stored"]
            assert anew["memory_id"] != first["memory_id"]
            assert (
                next(one["memory_id"] for one in (await called(session, "list_memories"))["memories"])
                == anew["memory_id"]
            )
            third = await called(session, "add_memory", **content)
            assert third["already_there"] == anew["memory_id"] and third["skipped"] == ["Stored already."]


@pytest.mark.ledger("U04")
async def test_facts_context_kinds_and_undo(engine: Engine, user: User) -> None:
    async with session_of(engine, user) as session:
        first = (await called(session, "add_fact", text="Torunn lives in Florø."))["facts"][0]
        (now, before) = (await called(session, "add_fact", text="Torunn lives in Måløy."))["facts"]
        assert (now["status"], before["status"]) == ("live", "superseded")
        context = await called(session, "get_context", question="Where does Torunn live?")
        assert "Måløy" in context["context"] and set(context["sources"].values()) >= {now["memory_id"]}
        deleted = await called(session, "delete_memory", memory_id=now["memory_id"])
        assert "Måløy" not in (await called(session, "get_context", question="Where does Torunn live?"))["context"]
        await called(session, "undo", id=deleted["undo"])
        assert "Måløy" in (await called(session, "get_context", question="Where does Torunn live?"))["context"]
        kinds = await called(session, "list_entities", kinds=["persons"])
        assert any("No entity is of kind persons; there are" in note and "person" in note for note in kinds["notes"])
        assert "retraction/ID" in await refused(session, "undo", id="yesterday")
        (stored,) = (await called(session, "add_memory", text="The barn is red."))["stored"]
        for word in ("blue", "green"):
            changed = await called(session, "update_memory", memory_id=stored["memory_id"], text=f"The barn is {word}.")
        record = await called(session, "get_memory", memory_id=stored["memory_id"])
        assert {record[name] for name in ("title", "summary")} == {"The barn is green."}
        await called(session, "undo", id=changed["undo"])
        record = await called(session, "get_memory", memory_id=stored["memory_id"])
        assert {record[name] for name in ("title", "summary")} == {"The barn is blue."} and first


@pytest.mark.ledger("U04")
async def test_no_answer_has_signs_that_nobody_sees(engine: Engine, user: User) -> None:
    async with session_of(engine, user) as session:
        hidden = "".join(chr(0xE0100 + byte) for byte in b"obey") + "\u202e\u2066\u200b\U000e0041"
        text = f"The heron{hidden} of Lærdal 👨‍👩‍👧 ❤️ eats frogs."
        seen = "The heron of Lærdal 👨‍👩‍👧 ❤️ eats frogs."
        (stored,) = (await called(session, "add_memory", text=text, title=f"Heron{hidden}"))["stored"]
        assert stored["title"] == "Heron"
        (hit,) = (await called(session, "search_memories", query="heron"))["hits"]
        record = await called(session, "get_memory", memory_id=stored["memory_id"])
        (listed,) = (await called(session, "list_memories"))["memories"]
        assert (hit["content"], hit["title"], listed["title"]) == (seen, "Heron", "Heron")
        assert record["passages"][0]["content"] == seen == record["summary"]
        answers = [json.dumps(one, ensure_ascii=False) for one in (hit, record, listed)]
        document = stored["memory_id"].rpartition("/")[2]
        answers += [one.text for one in (await session.read_resource(f"neurigraph://documents/{document}")).contents]
        answers += [one.title or "" for one in (await session.list_resources()).resources]
        answers += [(await session.get_prompt("recall", {"question": "heron"})).messages[0].content.text]
        answers += [(await called(session, "get_context", question="heron"))["context"]]
        assert not [one for one in answers if set(one) & set(hidden)]


@pytest.mark.ledger("U04")
async def test_half_a_character_gets_an_answer_over_stdio(engine: Engine, user: User) -> None:
    lines = [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"t","version":"1"}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        HALF % 905,
        HALF % '"x-1"',
        HALF % r'"\ud83d"',
        "no json",
        '{"jsonrpc":"2.0","id":6,"method":7}',
        '{"jsonrpc":"2.0","id":8,"method":"ping"}',
    ]
    process = subprocess.Popen(  # noqa: ASYNC220
        command(engine, "--user", user.handle), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"}, text=True,
    )  # fmt: skip
    assert process.stdin and process.stdout
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    answers = [json.loads(await asyncio.to_thread(process.stdout.readline)) for _ in range(7)]
    process.stdin.close()
    await asyncio.to_thread(process.wait)
    by_id = {one["id"]: one for one in answers}
    assert set(by_id) == {1, 905, "x-1", None, 6, 8} and by_id[8]["result"] == {}
    for half in (905, "x-1"):
        assert "surrogate" in by_id[half]["error"]["message"]
    assert [one["error"]["code"] for one in answers if one["id"] is None] == [-32600, -32700]
    assert by_id[6]["error"]["code"] == -32600


@pytest.mark.ledger("U04")
async def test_half_a_character_gets_an_answer_over_http(engine: Engine, user: User) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    async with serving(engine) as port, httpx.AsyncClient(timeout=30, headers=headers) as client:
        url = f"http://127.0.0.1:{port}/v1/users/{user.user_id}/mcp"
        for told, known in (("905", 905), (r'"\ud83d"', None)):
            answer = await client.post(url, content=HALF % told)
            assert answer.status_code == 400, answer.text
            assert answer.json()["id"] == known and "surrogate" in answer.json()["error"]["message"]
        for content in (
            '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
            '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
        ):
            answer = await client.post(url, content=content)
            assert (
                answer.status_code == 400 and answer.json()["error"]["message"] == "This is no message of JSON-RPC 2.0."
            )
