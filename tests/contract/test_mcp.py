"""The memory tools with the SDK's own client: over stdio and streamable HTTP, on the real stores."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import httpx2
import pytest
from mcp import Client, ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr

from api.mcp.budget import tokens
from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.principal import NewToken
from engine.domain.search import SearchRequest
from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.contract.test_rest_slow_clients import TOKEN, serving
from tests.faults.servers import until_healthy
from tests.faults.test_stores_hang import stopped

if TYPE_CHECKING:
    from tests.contract.conftest import House

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (
    "add_memory search_memories get_memory update_memory delete_memory list_memories get_context add_fact undo"
    " list_entities get_entity explain get_status"
)
MISSING = "Not found: nothing here has this id, or it is not yours to see."
NEVER = "9999-12-31T23:59:59-14:00"
"""In UTC a time of the year 10000."""


def missing(argument: str) -> str:
    """The same of one argument that is an id."""
    return MISSING.replace("Not found", argument)


Connect = Callable[[User], AbstractAsyncContextManager[ClientSession]]


def command(engine: Engine, *arguments: str) -> list[str]:
    home, cache = str(engine.settings.home), str(engine.settings.cache)
    return [str(Path(sys.executable).with_name("neurigraph")), "--home", home, "--cache", cache, "mcp", *arguments]


@asynccontextmanager
async def over_stdio(engine: Engine, *arguments: str, **settings: str) -> AsyncIterator[ClientSession]:
    """As an assistant starts it: a process of its own."""
    program, *rest = command(engine, *arguments)
    with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230
        started = StdioServerParameters(
            command=program, args=rest, cwd=ROOT, env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"} | settings
        )
        async with stdio_client(started, errlog=nowhere) as (read, write), ClientSession(read, write) as session:
            async with asyncio.timeout(30):
                await session.initialize()
            yield session


@asynccontextmanager
async def over_http(port: int, bearer: str | None, path: str = "/mcp") -> AsyncIterator[ClientSession]:
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as client:
        url = f"http://127.0.0.1:{port}{path}"
        async with streamable_http_client(url, http_client=client) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                yield session


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, engine: Engine) -> Connect:
    """A client of a user, over each transport."""

    @asynccontextmanager
    async def connected(user: User) -> AsyncIterator[ClientSession]:
        if request.param == "stdio":
            async with over_stdio(engine, "--user", user.handle) as session:
                yield session
            return
        secret = (await engine.workspace.tokens.create(NewToken("user", user.user_id, "mcp"))).secret
        async with serving(engine, api_token=SecretStr(TOKEN)) as port, over_http(port, secret) as session:
            yield session

    return connected


async def called(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return json.loads(result.content[0].text)


async def refused(session: ClientSession, tool: str, **arguments: Any) -> str:
    result = await session.call_tool(tool, arguments)
    assert result.is_error
    (content,) = result.content
    assert "\n" not in content.text
    return content.text


@pytest.mark.ledger("U04")
async def test_a_memory_is_stored_found_changed_and_withdrawn(connect: Connect, user: User) -> None:
    async with connect(user) as session:
        listed = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert list(listed) == TOOLS.split()
        assert [name for name, tool in listed.items() if tool.annotations.destructive_hint] == ["delete_memory"]
        writers = {"add_memory", "update_memory", "delete_memory", "add_fact", "undo"}
        assert {name for name, tool in listed.items() if not tool.annotations.read_only_hint} == writers

        text = "Zoë moved to Kraków (克拉科夫) in May 🌷."
        added = await called(session, "add_memory", text=text, title="Zoë", id="note-1")
        record = added["stored"][0]["memory_id"]
        again = await called(session, "add_memory", text=text, title="Zoë", id="note-1")
        assert "stored" not in again and again["skipped"] == ["Stored already."]
        (hit,) = (await called(session, "search_memories", query="Where does Zoë live?"))["hits"]
        assert hit["content"] == text and hit["record"] == record and hit["path"] and hit["why"]
        whole = await called(session, "get_memory", memory_id=record)
        assert [one["content"] for one in whole["passages"]] == [text] and whole["title"] == "Zoë"

        changed = await called(session, "update_memory", memory_id=record, content="Zoë moved to Gdańsk in May.")
        assert changed["changed"] and changed["memory_id"] == hit["memory_id"]
        assert (await called(session, "get_memory", memory_id=hit["memory_id"]))["content"].startswith(
            "Zoë moved to Gd"
        )
        (hit,) = (await called(session, "search_memories", query="Where does Zoë live?"))["hits"]
        assert "Gdańsk" in hit["content"]

        deleted = await called(session, "delete_memory", memory_id=record, reason="wrong")
        assert (
            deleted["deleted"] == record and deleted["records"] == 1 and "retractions undo" in deleted["undo_in_shell"]
        )
        gone = await called(session, "search_memories", query="Where does Zoë live?")
        assert gone == {"hits": [], "notes": ["Nothing was found."]}
        assert await refused(session, "get_memory", memory_id=record) == missing("memory_id")
        assert (await called(session, "list_memories"))["notes"] == ["Nothing was found."]
        assert (await called(session, "undo", id=deleted["undo"]))["state"] == "undone"
        assert [one["memory_id"] for one in (await called(session, "list_memories"))["memories"]] == [record]
        back = await called(session, "undo", id=changed["undo"])
        assert (await called(session, "get_memory", memory_id=hit["memory_id"]))["content"] == text and back["revision"]


@pytest.mark.ledger("U04")
async def test_a_conversation_its_people_and_why(connect: Connect, engine: Engine, user: User) -> None:
    async with connect(user) as session:
        messages = [
            {"role": "user", "name": "Bob", "content": "My sister Ellen Harlan married Dave Kowalski in 2003."},
            {"role": "assistant", "content": "Congratulations to Ellen Harlan!"},
        ]
        added = await called(session, "add_memory", messages=messages, id="chat-1")
        assert len(added["stored"]) == 1
        found = (await called(session, "list_entities", name="Ellen"))["entities"]
        entity = await called(session, "get_entity", entity_id=found[0]["entity_id"])
        assert entity["relations"], entity
        why = await called(session, "explain", relation_id=entity["relations"][0]["relation_id"])
        assert why["evidence"][0]["text"], "the sentence, not only where it stands"
        assert why["evidence"][0]["record"] == added["stored"][0]["memory_id"]
        hits = (await called(session, "search_memories", query="Who is Dave?"))["hits"]
        one = await called(session, "explain", query="Who is Dave?", memory_id=hits[0]["memory_id"])
        assert [hit["memory_id"] for hit in one["hits"]] == [hits[0]["memory_id"]] and one["hits"][0]["explanation"]
        record = await called(session, "get_memory", memory_id=hits[0]["record"])
        assert "Congratulations" in record["text"]
        status = await called(session, "get_status")
        assert status["user_id"] == str(user.user_id) and (status["records"], status["items"]) == (1, 2)

        before, item = datetime.now(UTC).isoformat(), hits[0]["memory_id"]
        gone = await called(session, "delete_memory", memory_id=item)
        assert gone["changed"]

        async def found(**asked: str) -> list[str]:
            answer = await called(session, "search_memories", query="Who is Dave?", **asked)
            return [hit["memory_id"] for hit in answer.get("hits", [])]

        assert item not in await found() and item not in await found(as_of=before)
        await called(session, "undo", id=gone["undo"])
        assert item in await found()


@pytest.mark.ledger("U04")
async def test_that_nothing_was_found_is_said(connect: Connect, user: User) -> None:
    async with connect(user) as session:
        nothing = {"notes": ["Nothing was found."]}
        assert await called(session, "search_memories", query="boat") == {"hits": []} | nothing
        assert await called(session, "list_entities", name="Zoë") == {"entities": []} | nothing
        explained = await called(session, "explain", query="boat")
        assert (explained["hits"], explained["notes"]) == ([], ["Nothing was found."])
        (profile,) = (await session.read_resource("neurigraph://profile")).contents
        assert json.loads(profile.text) == {"facts": []} | nothing


@pytest.mark.ledger("U04")
async def test_what_is_not_there_and_what_is_anothers_look_the_same(
    connect: Connect, engine: Engine, user: User, house: House
) -> None:
    theirs = engine.memory(house.user.user_id)
    (hit, *_) = (await theirs.search(_query("walleye"))).hits
    unknown = f"item/{uuid4()}/{uuid4()}"
    foreign = f"item/{hit.node_id}/{hit.item_id}"
    async with connect(user) as session:
        for memory_id in (
            unknown,
            foreign,
            f"record/{hit.node_id}/{hit.record_id}",
            f"record/{user.user_id}/{hit.record_id}",
        ):
            assert await refused(session, "get_memory", memory_id=memory_id) == missing("memory_id")
            assert await refused(session, "update_memory", memory_id=memory_id, content="Mine.") == missing("memory_id")
            assert await refused(session, "delete_memory", memory_id=memory_id) == missing("memory_id")
        assert await refused(session, "get_entity", entity_id=str(uuid4())) == missing("entity_id")
        assert await refused(session, "explain", relation_id=str(uuid4())) == missing("relation_id")
        for uri in (f"nodes/{hit.node_id}", f"documents/{hit.record_id}", f"entities/{uuid4()}", "other", "nodes/x"):
            with pytest.raises(MCPError, match="Not found"):
                await session.read_resource(f"neurigraph://{uri}")


def _query(text: str) -> Any:
    return SearchRequest(text, widen="always")


@pytest.mark.ledger("U04")
async def test_wrong_arguments_are_one_sentence_each(connect: Connect, user: User) -> None:
    async with connect(user) as session:
        wrong = {
            "search_memories": [{}, {"query": ""}, {"query": "x", "limit": 0}, {"query": "x", "max_tokens": 1}, {"query": "x", "top": 3}, {"query": "x", "as_of": NEVER}],
            "add_memory": [{}, {"text": "a", "messages": [{"role": "user", "content": "b"}]}, {"messages": [{"role": "user"}]}, {"text": "\u0000"}, {"messages": [{"role": "user", "content": "x", "at": NEVER}]}],
            "get_memory": [{"memory_id": "1"}, {"memory_id": f"item/{uuid4()}"}, {"memory_id": f"entity/{uuid4()}/{uuid4()}"}],
            "update_memory": [{"memory_id": f"item/{user.user_id}/{uuid4()}"}, {"memory_id": f"item/{user.user_id}/{uuid4()}", "title": "x"}],
            "get_entity": [{"entity_id": "Bob"}, {"name": "Bob"}, {}],
            "explain": [{}, {"query": "x", "relation_id": str(uuid4())}],
            "drop_everything": [{}],
        }  # fmt: skip
        for tool, cases in wrong.items():
            for arguments in cases:
                said = await refused(session, tool, **arguments)
                assert said.endswith(".") and "Internal" not in said and said != MISSING, (tool, arguments, said)
        await called(session, "search_memories", query="x")


@pytest.mark.ledger("U04")
async def test_a_wrong_argument_is_named_with_what_is_expected(connect: Connect, user: User) -> None:
    async with connect(user) as session:
        id_of_list = "Expected: As list_entities gives it; find a name with list_entities first."
        assert await refused(session, "get_entity", entity_id="Bob") == f"entity_id: not an id. {id_of_list}"
        assert await refused(session, "get_entity") == f"entity_id: it is missing. {id_of_list}"
        assert (await refused(session, "get_entity", name="Bob")).endswith(
            "it has entity_id, ended, limit, max_tokens."
        )
        assert "100" in await refused(session, "search_memories", query="x", limit=1000)
        said = await refused(session, "update_memory", memory_id=f"item/{uuid4()}/{uuid4()}")
        assert said == "Send at least one of content, title and summary."
        for tool in (await session.list_tools()).tools:
            for name, argument in tool.input_schema["properties"].items():
                assert argument.get("description"), f"{tool.name} does not say what {name} is"


@pytest.mark.ledger("U04")
async def test_a_date_is_a_time_as_at_the_other_doors(connect: Connect, user: User) -> None:
    async with connect(user) as session:
        await called(session, "add_memory", messages=[{"role": "user", "content": "The boat is moored at Pier 9.", "at": "2024-01-01T12:00:00Z"}])  # fmt: skip
        for time, hits in (
            ("2024-01-01", 0),
            ("2024-01-01T11:59:59", 0),
            ("2024-01-02", 1),
            ("2024-01-01T12:00:01Z", 1),
        ):
            found = await called(session, "search_memories", query="Where is the boat?", as_of=time)
            assert len(found["hits"]) == hits, time
        assert "ISO 8601" in await refused(session, "search_memories", query="boat", as_of="yesterday")


@pytest.mark.ledger("U04")
async def test_an_answer_is_cut_to_its_tokens(connect: Connect, engine: Engine, user: User) -> None:
    memory = engine.memory(user.user_id)
    turns = tuple(
        Turn("Bob", f"The boat of day {day}: " + f"mast, sail and rudder number {day}. " * 20) for day in range(60)
    )
    await memory.records.remember(Conversation("boats", turns))
    async with connect(user) as session:
        for most in (300, 1000, None):
            given = {"max_tokens": most} if most else {}
            result = await session.call_tool("search_memories", {"query": "boat", "limit": 60, **given})
            text = result.content[0].text
            assert tokens(text) <= (most or 4000) and "cut to max_tokens" in json.loads(text)["cut"]
            (first, *_) = json.loads(text)["hits"]
            UUID(first["memory_id"].split("/")[2])  # an id stays whole
            assert result.structured_content is None
        whole = await called(
            session, "get_context", question="Which number has the rudder?", tokens=600, max_tokens=8000
        )
        assert "cut" not in whole and len(whole["sources"]) > 1
        for most in (150, 300, 600):  # the text is what an answer is made of: its sources are cut first
            asked = {"question": "Which number has the rudder?", "tokens": 600, "max_tokens": most}
            text = (await session.call_tool("get_context", asked)).content[0].text
            shown = json.loads(text)
            assert tokens(text) <= most and "rudder" in shown["context"] and "cut to max_tokens" in shown["cut"]
            assert whole["context"].startswith(shown["context"].removesuffix("…"))
            assert (
                list(shown.get("sources", {}).items())
                == list(whole["sources"].items())[: len(shown.get("sources", {}))]
            )


@pytest.mark.ledger("U04")
async def test_resources_and_prompts(connect: Connect, engine: Engine, user: User) -> None:
    memory = engine.memory(user.user_id)
    report = await memory.records.remember_text("Boat", "The boat is moored at Pier 9.", source_id="boat")
    async with connect(user) as session:
        listed = [str(one.uri) for one in (await session.list_resources()).resources]
        document = f"neurigraph://documents/{report.records[0].record_id}"
        assert listed == ["neurigraph://profile", "neurigraph://nodes", document]
        assert len((await session.list_resource_templates()).resource_templates) == 3
        (content,) = (await session.read_resource(document)).contents
        assert "Pier 9" in content.text
        for uri in (*listed[:2], f"neurigraph://nodes/{user.user_id}"):
            (content,) = (await session.read_resource(uri)).contents
            json.loads(content.text)
        assert [one.name for one in (await session.list_prompts()).prompts] == ["recall", "remember"]
        asked = await session.get_prompt("recall", {"question": "Where is the boat?"})
        assert "Pier 9" in asked.messages[0].content.text
        await session.get_prompt("remember")
        for name, arguments in (("recall", {}), ("other", {})):
            with pytest.raises(MCPError):
                await session.get_prompt(name, arguments)


async def status_of(port: int, bearer: str | None, path: str = "/mcp", **headers: str) -> int:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    sent = {"Accept": "application/json, text/event-stream", **headers}
    if bearer:
        sent["Authorization"] = f"Bearer {bearer}"
    async with httpx2.AsyncClient() as client:
        return (await client.post(f"http://127.0.0.1:{port}{path}", json=body, headers=sent)).status_code


@pytest.mark.ledger("U04")
async def test_the_credential_says_whose_memory_it_is(engine: Engine, house: House) -> None:
    own, theirs = f"/v1/users/{house.user.user_id}/mcp", f"/v1/users/{house.neighbour.user_id}/mcp"
    async with serving(engine, api_token=SecretStr(TOKEN), max_text_bytes=100_000) as port:
        for bearer in (None, "wrong", "ngt_wrong"):
            assert await status_of(port, bearer) == 401 and await status_of(port, bearer, own) == 401
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            assert (await client.get(f"http://127.0.0.1:{port}/mcp")).status_code == 405
            large = await client.post(f"http://127.0.0.1:{port}/mcp", content=b"x" * 100_001)
            assert large.status_code == 413
        for path, secret in (("/mcp", house.secrets["user"]), (own, house.secrets["user"]), (own, TOKEN)):
            async with over_http(port, secret, path) as session:
                assert (await called(session, "get_status"))["user_id"] == str(house.user.user_id)
        async with over_http(port, house.secrets["persona"], own) as session:
            hits = (await called(session, "search_memories", query="walleye"))["hits"]
            assert {"Lawyer", "Cases"} == {hit["path"].split("/")[-1] for hit in hits}
            assert await refused(session, "add_memory", text="No node.")
            assert "of your own node" in (await called(session, "list_memories"))["notes"][-1]
        async with over_http(port, house.secrets["third_party"], own) as session:
            hits = (await called(session, "search_memories", query="walleye"))["hits"]
            assert {hit["path"].split("/")[-1] for hit in hits} == {"Cases"}
            assert await refused(session, "delete_memory", memory_id=hits[0]["memory_id"]) == missing("memory_id")
        for kind in ("user", "persona", "administrator"):
            async with over_http(port, house.secrets[kind], theirs) as session:
                assert await refused(session, "search_memories", query="walleye") == MISSING
        for kind in ("persona", "third_party", "administrator"):
            async with over_http(port, house.secrets[kind]) as session:
                assert "/v1/users/USER_ID/mcp" in await refused(session, "get_status")


@pytest.mark.ledger("U04")
async def test_a_page_of_another_origin_is_refused(engine: Engine) -> None:
    async with serving(engine) as port:
        assert await status_of(port, None) == 200
        assert await status_of(port, None, Origin="https://evil.example") == 403
        assert await status_of(port, None, Host="evil.example") == 403


@pytest.mark.ledger("U04")
async def test_the_newest_protocol_is_spoken_too(engine: Engine, user: User) -> None:
    secret = (await engine.workspace.tokens.create(NewToken("user", user.user_id, "mcp"))).secret
    async with serving(engine, api_token=SecretStr(TOKEN)) as port:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}) as http:
            async with Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client:
                result = await client.call_tool("get_status", {})
                assert json.loads(result.content[0].text)["user_id"] == str(user.user_id)


def _initialize() -> bytes:
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return (json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}) + "\n").encode()


async def started(engine: Engine, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command(engine, *arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
        env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"},
    )  # fmt: skip


@pytest.mark.ledger("U04")
@pytest.mark.parametrize("end", ["stdin", "Ctrl-C"])
async def test_the_command_ends_with_stdin_and_at_ctrl_c(engine: Engine, user: User, end: str) -> None:
    process = await started(engine, "--user", user.handle)
    async with asyncio.timeout(60):
        process.stdin.write(_initialize())
        first = json.loads(await process.stdout.readline())
        assert first["result"]["serverInfo"]["name"] == "neurigraph"
        if end == "Ctrl-C":
            process.send_signal(signal.SIGINT)
            rest, errors = await process.stdout.read(), await process.stderr.read()
        else:
            process.stdin.close()
            rest, errors = await process.communicate()
        assert (rest, await process.wait()) == (b"", 130 if end == "Ctrl-C" else 0), errors


@pytest.mark.ledger("U04")
async def test_an_unknown_user_is_told_to_the_assistant(engine: Engine, user: User) -> None:
    async with over_stdio(engine, "--user", "nobody-of-this-name") as session:
        assert "There is no user nobody-of-this-name" in await refused(session, "get_status")


@pytest.mark.ledger("U04", "U07")
async def test_stores_that_do_not_answer_when_it_starts_are_opened_by_a_later_call(engine: Engine, user: User) -> None:
    quick = {"NEURIGRAPH_STATEMENT_TIMEOUT_S": "3", "NEURIGRAPH_CONNECT_TIMEOUT_S": "2"}
    with ExitStack() as hanging:
        hanging.enter_context(stopped(engine, "neo4j"))
        async with over_stdio(engine, "--user", user.handle, **quick) as session:
            async with asyncio.timeout(60):
                assert (await refused(session, "get_status")).startswith("The graph store does not answer")
                hanging.close()
                while (result := await session.call_tool("get_status", {})).is_error:  # a statement may be planned long
                    assert "did not answer in time" in result.content[0].text
                assert json.loads(result.content[0].text)["user_id"] == str(user.user_id)
    await until_healthy(engine)
