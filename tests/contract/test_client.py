"""The Python client: that it has every operation, reads every answer, and does not write twice when an answer is lost."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from api.app import create_app
from api.client import (
    ApiError,
    AsyncClient,
    Client,
    Conflict,
    Invalid,
    NotFound,
    NotReached,
    Unauthenticated,
    Unavailable,
)
from engine.domain.fact import FactChain
from engine.domain.ingest import IngestSession
from engine.domain.principal import NewToken
from engine.domain.written import ConversationBody, TurnBody
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.contract.client import FILE, operations
from tests.contract.conftest import House

pytestmark = pytest.mark.ledger("U10")


def test_it_has_every_operation_as_the_document_has_it() -> None:
    assert FILE.read_text(encoding="utf-8") == operations(), "write it anew: python -m tests.contract.client"


def _documented() -> Iterator[tuple[str, str, dict[str, Any]]]:
    page = create_app(Settings(_env_file=None)).openapi()
    for methods in page["paths"].values():
        for method, operation in methods.items():
            yield method, operation["operationId"], operation


async def test_it_reads_the_example_of_every_answer() -> None:
    """Each method gets the documented example as the answer of a server."""
    checked = 0
    for _, name, operation in _documented():
        method = "".join("_" + one.lower() if one.isupper() else one for one in name)
        for status, answer in operation["responses"].items():
            content = answer.get("content", {}).get("application/json", {})
            examples = (
                [content["example"]]
                if "example" in content
                else [one["value"] for one in content.get("examples", {}).values()]
            )
            for example in examples if status < "3" else []:
                reply = httpx2.MockTransport(
                    lambda _, status=status, example=example: httpx2.Response(int(status), json=example)
                )
                async with AsyncClient("http://localhost") as client:
                    client._http = httpx2.AsyncClient(base_url="http://localhost", transport=reply)
                    called = getattr(client, method)
                    value = await called(**dict.fromkeys(_needed(called), "x"))
                    assert value is not None or example is None, name
                    checked += 1
    assert checked > 100


def _needed(called: Any) -> list[str]:
    return [name for name, one in inspect.signature(called).parameters.items() if one.default is one.empty]


async def test_a_story(engine: Engine, address: str) -> None:
    async with AsyncClient(address) as operator:
        bob = await operator.create_user(handle=f"b{uuid4().hex[:12]}", display_name="Bob")
    token = await engine.workspace.tokens.create(NewToken("user", bob.user_id, "client"))
    async with AsyncClient(address, token.secret) as client:
        work = await client.provision_node(bob.user_id, name="Work", keywords=["price", "customers"])
        turns = [
            TurnBody(
                speaker="Bob", text="Dave married my sister Ellen in 2003.", at=datetime(2025, 3, 1, 18, tzinfo=UTC)
            )
        ]
        key = str(uuid4())
        for stored in (1, 1):  # with the same key the same answer
            report = await client.write_record(
                bob.user_id, conversation=ConversationBody(id="c1", turns=turns), idempotency_key=key
            )
            assert len(report.records) == stored and isinstance(report.records[0].record_id, UUID)
        await client.ingest(
            bob.user_id,
            texts=[
                {"source_id": f"n{i}", "title": f"Note {i}", "text": f"The price of lure {i} rises."} for i in range(4)
            ],
        )
        chain = await client.write_fact(bob.user_id, text="Ellen lives at 8 Osprey Lane.", about=["Ellen"])
        assert isinstance(chain, FactChain)
        found = await client.search(bob.user_id, query="Who is Dave?", limit=3, as_of=datetime.now(UTC))
        assert "Dave married" in found.hits[0].content and found.hits[0].why
        context = await client.context(bob.user_id, question="Who is Dave?", tokens=200)
        assert "Dave" in context.text
        first = await client.list_documents(bob.user_id, limit=2)
        assert len(first) == 2 and first.cursor
        documents = [one async for one in client.each(client.list_documents, bob.user_id, limit=2)]
        assert len({one.document_id for one in documents}) == len(documents) == 4
        changed = await client.change_node(bob.user_id, work.node_id, summary="What Bob sells")
        shell = await client.get_shell(bob.user_id, work.node_id)
        assert (shell.summary, shell.name) == ("What Bob sells", "Work")  # what is left out stays as it is
        with pytest.raises(Conflict, match="changed"):
            await client.change_node(bob.user_id, work.node_id, summary="Lures", if_match=f'"{changed.revision + 1}"')
        record = report.records[0]
        content = await client.open_file(bob.user_id, record.node_id, record.file_id, wait=30)
        assert isinstance(content, bytes) and b"Dave married" in content
        [session] = await client.list_ingests(bob.user_id, key=key)
        states = [one async for one in client.follow_ingest(bob.user_id, session.session_id, wait=5)]
        assert states and isinstance(states[-1], IngestSession) and states[-1].state != "running"


async def test_refusals_are_typed(engine: Engine, address: str, house: House) -> None:
    async with AsyncClient(address, house.secrets["user"]) as client:
        user_id = house.user.user_id
        with pytest.raises(NotFound) as missing:
            await client.get_shell(user_id, uuid4())
        with pytest.raises(NotFound) as foreign:
            await client.get_shell(house.neighbour.user_id, house.neighbours_nodes["Work"])
        assert (missing.value.status, missing.value.kind, missing.value.detail) == (
            404,
            "not-found",
            foreign.value.detail,
        )
        with pytest.raises(Invalid, match="limit") as invalid:
            await client.search(user_id, query="x", limit=0)
        assert [one["location"] for one in invalid.value.errors] == ["body.limit"]
        with pytest.raises(NotFound):
            await client.find_user("some/../../one?x=1#y")
    async with AsyncClient(address, "wrong") as stranger:
        with pytest.raises(Unauthenticated):
            await stranger.list_users()


async def test_threads_have_the_same(engine: Engine, address: str, house: House) -> None:
    def asked() -> tuple[list[str], list[bytes | object]]:
        with Client(address, house.secrets["user"]) as client:
            user_id = house.user.user_id
            found = client.search(user_id, query="walleye", limit=10)
            hits = [hit for hit in found.hits if hit.file_id]
            files = [client.open_file(user_id, hit.node_id, hit.file_id, wait=30) for hit in hits]
            documents = list(client.each(client.list_documents, user_id, limit=2))
            session = next(client.each(client.list_ingests, user_id))
            states = list(client.follow_ingest(user_id, session.session_id, wait=5))
            with pytest.raises(NotFound):
                client.get_shell(user_id, uuid4())
            assert len(documents) >= 5 and states[-1].session_id == session.session_id
            return [hit.content for hit in hits], files

    contents, files = await asyncio.to_thread(asked)
    assert len(contents) >= 5 and all(text.encode() in file for text, file in zip(contents, files, strict=True))


# a server that fails -----------------------------------------------------------------------------------------


class Failing(BaseHTTPRequestHandler):
    """Answers with what `answers` has next."""

    answers: list[Callable[[Failing], None]]
    seen: list[tuple[str, str | None]]

    def _next(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append((f"{self.command} {self.path}", self.headers.get("Idempotency-Key")))
        self.answers.pop(0)(self)

    do_GET = do_POST = do_PATCH = do_DELETE = _next

    def log_message(self, *_: object) -> None: ...


def answer(status: int, body: object, **headers: str) -> Callable[[Failing], None]:
    def send(one: Failing) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        one.send_response(status)
        for name, value in (
            {"Content-Length": str(len(content))} | {name.replace("_", "-"): value for name, value in headers.items()}
        ).items():
            one.send_header(name, value)
        one.end_headers()
        one.wfile.write(content)

    return send


def lost(one: Failing) -> None:
    """The server got the request; its answer does not arrive."""
    one.close_connection = True
    one.connection.shutdown(2)


@contextmanager
def failing(*answers: Callable[[Failing], None]) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    seen: list[tuple[str, str | None]] = []
    handler = type("Handler", (Failing,), {"answers": list(answers), "seen": seen})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()


BUSY = answer(
    503,
    {"type": "urn:neurigraph:problem:store-unavailable", "title": "A store does not answer.", "status": 503},
    Retry_After="0",
)
USER = {
    "user_id": str(uuid4()),
    "handle": "bob",
    "display_name": "Bob",
    "created_at": "2026-01-01T00:00:00Z",
    "archived": False,
    "created": True,
}
NODE = {"node_id": str(uuid4()), "created": True}


async def test_what_may_be_repeated_is_sent_again_with_the_same_key() -> None:
    example = next(one for _, name, one in _documented() if name == "provisionNode")["responses"]["201"]["content"][
        "application/json"
    ]["example"]
    with failing(BUSY, lost, answer(429, {}, Retry_After="0"), answer(201, example)) as (url, seen):
        async with AsyncClient(url) as client:
            await client.provision_node(uuid4(), name="Work")
    assert len(seen) == 4 and len({key for _, key in seen}) == 1 and seen[0][1]
    with failing(lost, answer(201, example)) as (url, seen), Client(url) as threads:
        threads.provision_node(uuid4(), name="Work")
    assert len(seen) == 2 and seen[0] == seen[1]


async def test_what_may_not_be_repeated_is_sent_once() -> None:
    """A token would be made twice."""
    for first, raised in ((lost, NotReached), (BUSY, Unavailable)):
        with failing(first, answer(201, {})) as (url, seen):
            async with AsyncClient(url) as client:
                with pytest.raises(raised):
                    await client.create_token(principal_kind="administrator", name="x")
        assert len(seen) == 1


async def test_it_gives_up_and_says_why() -> None:
    with failing(*[BUSY] * 9) as (url, seen):
        async with AsyncClient(url) as client:
            with pytest.raises(Unavailable, match="A store does not answer") as raised:
                await client.list_users()
    assert len(seen) == 4 and raised.value.kind == "store-unavailable" and raised.value.retry_after == 0
    long = answer(503, {}, Retry_After="3600")
    with failing(long, long) as (url, seen):  # nobody waits an hour unasked
        async with AsyncClient(url) as client:
            with pytest.raises(Unavailable) as raised:
                await client.list_users()
    assert len(seen) == 1 and raised.value.retry_after == 3600


async def test_what_takes_no_body_is_accepted(address: str, house: House) -> None:
    """The server wants JSON of every POST; an unknown id is then not found."""
    taken = 0
    async with AsyncClient(address) as client:
        for method, name, operation in _documented():
            called = getattr(client, "".join("_" + one.lower() if one.isupper() else one for one in name))
            if "requestBody" in operation or method != "post":
                continue
            with pytest.raises(NotFound):
                await called(**dict.fromkeys(_needed(called), str(uuid4())))
            taken += 1
    assert taken > 5


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1, 2", b'{"x": 1}', b"[{}]", b"\xff\xfe"])
async def test_answers_of_another_form_are_refused(body: bytes) -> None:
    with failing(answer(200, body)) as (url, _):
        async with AsyncClient(url) as client:
            with pytest.raises(NotReached, match="/v1/users"):
                await client.list_users()
    with failing(answer(500, body)) as (url, _):
        async with AsyncClient(url) as client:
            with pytest.raises(ApiError, match="500"):
                await client.get_user(uuid4())


async def test_a_server_that_hangs_ends_the_call() -> None:
    release = threading.Event()
    with failing(*[lambda _: release.wait(20) or None] * 4) as (url, seen):
        async with AsyncClient(url, timeout=0.2) as client:
            with pytest.raises(NotReached, match="ReadTimeout"):
                await client.list_users()
        release.set()
    assert len(seen) == 4
    async with AsyncClient("http://127.0.0.1:9", timeout=0.5) as client:
        with pytest.raises(NotReached, match="no answer"):
            await client.create_token(principal_kind="administrator", name="x")


EVENTS = {"Content_Type": "text/event-stream"}
PAGE = answer(200, b"<html>Sign in</html>", Content_Type="text/html")
AWAY = answer(302, b"moved", Location="https://login.example/")


@pytest.mark.parametrize(
    "reply",
    [PAGE, AWAY, answer(200, b"data: {x\n\n", **EVENTS), answer(200, b"event: problem\ndata: [1]\n\n", **EVENTS)],
)
async def test_the_page_of_a_proxy_is_no_file_no_events_and_no_value(reply: Callable[[Failing], None]) -> None:
    async def opened(client: AsyncClient) -> Any:
        return await client.open_file(uuid4(), uuid4(), uuid4())

    async def followed(client: AsyncClient) -> Any:
        return [one async for one in client.follow_file(uuid4(), uuid4(), uuid4())]

    async def listed(client: AsyncClient) -> Any:
        return await client.list_users()

    for asked in (opened, followed, listed):
        with failing(reply) as (url, seen):
            async with AsyncClient(url) as client:
                with pytest.raises(NotReached):
                    await asked(client)
        assert len(seen) == 1


@pytest.mark.parametrize("errors", [None, 5, ["x"], [{"location": "body"}]])
async def test_odd_headers_and_problems_are_still_answers(errors: object) -> None:
    with failing(answer(422, {"errors": errors}), answer(404, b"[" * 100_000), answer(200, [], Left_Out="\xb2")) as (
        url,
        _,
    ):
        async with AsyncClient(url) as client:
            with pytest.raises(Invalid):
                await client.list_users()
            with pytest.raises(NotFound):
                await client.list_users()
            assert await client.list_users() == []


async def test_retry_after_may_be_a_time() -> None:
    soon, late = (format_datetime(datetime.now(UTC) + timedelta(seconds=s), usegmt=True) for s in (3, 3600))
    with failing(answer(503, {}, Retry_After=soon), answer(200, [])) as (url, _):
        began = monotonic()
        async with AsyncClient(url) as client:
            assert await client.list_users() == []
        assert monotonic() - began > 1
    with failing(answer(503, {}, Retry_After=late)) as (url, seen):
        async with AsyncClient(url) as client:
            with pytest.raises(Unavailable) as raised:
                await client.list_users()
    assert len(seen) == 1 and raised.value.retry_after > 3500


@pytest.mark.parametrize("url", ["localhost:8420", "", "//x", "ftp://x", "http://", "http://[::1", "http://x?y=1"])
def test_a_wrong_address_is_said_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="http://localhost:8420"):
        Client(url)


@pytest.mark.parametrize("token", ["ngt_x\n", "ngt_x\r\nX-Other: 1", "\u4e2d", " "])
def test_a_token_that_no_header_can_hold_is_said_at_once(token: str) -> None:
    with pytest.raises(ValueError, match="The token holds"):
        Client(token=token)


@pytest.mark.parametrize("name", ["", ".", ".."])
async def test_no_name_leads_to_another_resource(name: str) -> None:
    with failing() as (url, seen):
        async with AsyncClient(url) as client:
            with pytest.raises(ValueError, match="no id and no name"):
                await client.find_user(name)
    assert seen == []


async def test_the_problem_in_a_stream_is_raised() -> None:
    events = b"event: state\ndata: {}\n\n"
    problem = b': keep-alive\n\nevent: problem\ndata: {"type": "urn:neurigraph:problem:not-found", "status": 404, "detail": "Not found."}\n\n'
    with failing(answer(200, problem, **EVENTS), answer(404, {"detail": "gone"}), answer(200, events, **EVENTS)) as (
        url,
        _,
    ):
        async with AsyncClient(url) as client:
            for expected in (NotFound, NotFound, NotReached):
                with pytest.raises(expected):
                    [one async for one in client.follow_file(uuid4(), uuid4(), uuid4())]


@pytest.mark.parametrize("key", ["schl\u00fcssel", "two words", "a\nb", "", "x" * 201])
async def test_a_key_that_no_header_can_hold_is_said_before_anything_is_sent(key: str) -> None:
    with failing() as (url, seen):
        async with AsyncClient(url) as client:
            with pytest.raises(ValueError, match="idempotency key"):
                await client.write_fact(uuid4(), text="x", idempotency_key=key)
            with pytest.raises(ValueError, match="If-Match"):
                await client.change_node(uuid4(), uuid4(), if_match="\u201c1\u201d")
    assert seen == []


async def test_a_list_whose_cursor_comes_again_ends() -> None:
    pages = [answer(200, [USER], Next_Cursor=cursor) for cursor in ("a", "b", "a")]
    with failing(*pages, *pages) as (url, seen):
        async with AsyncClient(url) as client:
            found = []
            with pytest.raises(NotReached, match="repeats the cursor"):
                async for one in client.each(client.list_users):
                    found.append(one)
        with Client(url) as threads, pytest.raises(NotReached, match="repeats the cursor"):
            list(threads.each(threads.list_users))
    assert len(found) == 3 and len(seen) == 6


async def test_an_answer_of_another_form_is_refused_in_one_line() -> None:
    with failing(answer(200, [{"handle": "bob"}] * 10_000)) as (url, _):
        async with AsyncClient(url) as client:
            with pytest.raises(
                NotReached, match=r"unknown form: 0\.user_id: Field required \(and \d+ more\)"
            ) as raised:
                await client.list_users()
    assert len(str(raised.value)) < 200
