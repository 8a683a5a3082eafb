"""Every way to be refused: the right status, a problem document, and no inner words."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.requests import Request

from api.app import create_app
from api.problems import TABLE, engine_problem
from engine import errors
from engine.domain.clock import SystemClock
from engine.domain.node import User
from engine.hierarchy.shells import Shells
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.neo4j import Neo4j
from tests.door import new_door

JSON = {"Content-Type": "application/json"}
MISSING = "00000000-0000-4000-8000-000000000000"


def refused(response: httpx.Response, status: int, slug: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["type"] == f"urn:neurigraph:problem:{slug}"
    assert body["status"] == status
    assert body["title"] and body["detail"]
    assert body["instance"] == response.request.url.path
    assert response.headers["x-content-type-options"] == "nosniff"
    return body


@pytest.mark.ledger("U02")
@pytest.mark.parametrize(
    ("method", "path", "status", "slug"),
    [
        ("GET", "/", 404, "not-found"),
        ("GET", "/v1/nothing", 404, "not-found"),
        ("GET", "/v1/users/", 404, "not-found"),
        ("DELETE", "/v1/users", 405, "method-not-allowed"),
        ("GET", f"/v1/users/{MISSING}/search", 405, "method-not-allowed"),
        ("GET", "/v1/users/by-handle/nobody", 404, "not-found"),
        ("GET", "/v1/users/by-handle/a%00b", 422, "invalid-input"),
        ("GET", "/v1/users?limit=0", 422, "invalid-input"),
        ("GET", "/v1/users?limit=many", 422, "invalid-input"),
        ("GET", "/v1/users?after=%00", 422, "invalid-input"),
        ("GET", f"/v1/users/not-a-uuid/nodes/{MISSING}", 422, "invalid-input"),
        ("GET", f"/v1/users/{MISSING}/nodes/{MISSING}", 404, "not-found"),
        ("GET", f"/v1/users/{MISSING}/nodes/{MISSING}/children", 404, "not-found"),
        ("GET", f"/v1/users/{MISSING}/nodes/{MISSING}/metadata", 404, "not-found"),
        ("GET", f"/v1/users/{MISSING}/nodes/{MISSING}/files/{MISSING}", 404, "not-found"),
        ("GET", f"/v1/users/{MISSING}/anchors?name=Dave", 404, "not-found"),
        ("GET", f"/v1/users/{MISSING}/anchors", 422, "invalid-input"),
        ("GET", f"/v1/users/{MISSING}/anchors?name=%E2%80%8B", 422, "invalid-input"),
        ("GET", f"/v1/users/{MISSING}/edges", 404, "not-found"),
        ("GET", f"/v1/users/{MISSING}/edges?as_of=yesterday", 422, "invalid-input"),
        ("GET", f"/v1/users/{MISSING}/edges?as_of=1700000000", 422, "invalid-input"),
        ("GET", f"/v1/users/{MISSING}/edges?as_of=0001-01-01T00:00:00%2B14:00", 422, "invalid-input"),
        ("GET", f"/v1/users/{MISSING}/edges?as_of=2024-05-01T10:00:00%2B18:30", 422, "invalid-input"),
    ],
)
async def test_requests_without_a_body(door: httpx.AsyncClient, method: str, path: str, status: int, slug: str) -> None:
    refused(await door.request(method, path), status, slug)


@pytest.mark.parametrize(
    ("path", "by_name"),
    [
        ("/v1/users/bob", "/v1/users/by-handle/HANDLE"),
        (f"/v1/users/{MISSING}/nodes/Business/children", "anchors?name=NAME"),
        (f"/v1/users/{MISSING}/entities/Ellen", "entities?name=NAME"),
    ],
)
async def test_a_name_in_place_of_an_id_leads_to_the_request_by_name(
    door: httpx.AsyncClient, path: str, by_name: str
) -> None:
    said = refused(await door.get(path), 422, "invalid-input")
    assert "not an id" in said["detail"] and by_name in said["detail"] and by_name in said["errors"][0]["detail"]


async def test_a_wrong_method_names_the_right_ones(door: httpx.AsyncClient) -> None:
    assert (await door.delete("/v1/users")).headers["allow"] == "GET, POST"


@pytest.mark.parametrize(
    ("content", "headers", "status", "slug", "says"),
    [
        (b'{"handle":\n  "bob",}', JSON, 400, "malformed", "line 2, column"),
        (b"", JSON, 400, "malformed", "line 1, column 1"),
        (b'{"handle": "\xff"}', JSON, 400, "malformed", "byte 12"),
        (b'{"handle": NaN}', JSON, 400, "malformed", "NaN"),
        (b"[" * 100_000, JSON, 400, "malformed", "deeply"),
        (b"9" * 5000, JSON, 400, "malformed", "number"),
        (b'"handle"', JSON, 422, "invalid-input", "body"),
        (b"{}", JSON, 422, "invalid-input", "body.handle"),
        (b'{"handle": 7}', JSON, 422, "invalid-input", "body.handle"),
        (b'{"handle": "bob", "hendle": "bob"}', JSON, 422, "invalid-input", "body.hendle"),
        (b'{"handle": "a\\u0000b"}', JSON, 422, "invalid-input", "body.handle holds a NUL"),
        (b'{"handle": "\\ud83d"}', JSON, 422, "invalid-input", "half a surrogate pair"),
        (b'{"handle": "b", "\\udfff": 1}', JSON, 422, "invalid-input", "a key of body"),
        (b'{"handle": "\\u200b"}', JSON, 422, "invalid-input", "visible"),
        (b"handle=bob", {"Content-Type": "application/x-www-form-urlencoded"}, 415, "wrong-content-type", "JSON"),
        (b'{"handle": "b"}', {}, 415, "wrong-content-type", "application/json"),
        (b'{"handle": "b"}', {"Content-Type": "text/plain"}, 415, "wrong-content-type", "application/json"),
        (b"{}", {"Content-Type": "application/json; charset=latin-1"}, 415, "wrong-content-type", "UTF-8"),
        (b"{}", JSON | {"Content-Encoding": "gzip"}, 415, "wrong-content-type", "uncompressed"),
    ],
)
async def test_bodies_that_cannot_be_read(
    door: httpx.AsyncClient, content: bytes, headers: dict[str, str], status: int, slug: str, says: str
) -> None:
    response = await door.post("/v1/users", content=content, headers=headers)
    assert says.lower() in refused(response, status, slug)["detail"].lower()


@pytest.mark.ledger("U02")
@pytest.mark.parametrize("headers", [{}, JSON, {"Content-Type": "application/x-www-form-urlencoded"}])
async def test_a_post_of_an_operation_without_a_body_takes_any_content_type(
    door: httpx.AsyncClient, user: User, headers: dict[str, str]
) -> None:
    """`curl -X POST`, clients that are made from the OpenAPI document: they send no body, and say of what type or nothing."""
    pages = create_app(Settings(_env_file=None)).openapi()["paths"]
    without = [path for path, methods in pages.items() if "requestBody" not in methods.get("post", {"requestBody": ""})]
    assert len(without) > 10
    for path in without:
        place = re.sub(r"{\w+}", MISSING, path.replace("{user_id}", str(user.user_id)))
        response = await door.post(place, params={"reason": "none"}, headers=headers)
        assert response.status_code == 404, (path, response.text)
    place = f"/v1/users/{user.user_id}/retractions/{MISSING}/undo"
    response = await door.post(place, content=b"reason", headers={"Content-Type": "text/plain"})
    refused(response, 415, "wrong-content-type")


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("detail", "")


@pytest.mark.ledger("U02")
async def test_no_body_is_an_empty_one_where_no_field_is_required(operator: httpx.AsyncClient, user: User) -> None:
    """Of whatever type; the document says of each operation whether its body is required."""
    document = create_app(Settings(_env_file=None)).openapi()
    with_one = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is None:
                continue
            with_one += 1
            schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
            assert operation["requestBody"].get("required", False) == ("required" in schema), path
            place = re.sub(r"{\w+}", MISSING, path.replace("{user_id}", str(user.user_id)))
            empty = refusal(await operator.request(method, place, content=b"{}", headers=JSON))
            for headers in ({}, JSON, {"Content-Type": "application/x-www-form-urlencoded"}):
                answer = refusal(await operator.request(method, place, headers=headers))
                assert (answer == empty) != ("required" in schema), (path, headers, answer)
    assert with_one > 40


async def test_a_pair_of_surrogates_is_a_character(door: httpx.AsyncClient) -> None:
    handle = f"\\ud83d\\ude00{uuid4().hex}"
    response = await door.post("/v1/users", content=f'{{"handle": "{handle}"}}', headers=JSON)
    assert response.json()["handle"].startswith("😀")


@pytest.mark.parametrize("resource", ["nodes", "edges", "records", "search"])
async def test_an_unknown_user_is_not_found_with_or_without_a_key(door: httpx.AsyncClient, resource: str) -> None:
    bodies = {
        "nodes": {"name": "Family"},
        "edges": {"source_id": MISSING, "target_id": str(uuid4()), "edge_type": "knows"},
        "records": {"text": "Hello."},
        "search": {"query": "Hello?"},
    }
    for headers in ({}, {"Idempotency-Key": "k"}):
        response = await door.post(f"/v1/users/{MISSING}/{resource}", json=bodies[resource], headers=headers)
        refused(response, 404, "not-found")


async def test_another_users_node_looks_like_a_missing_one(
    door: httpx.AsyncClient, home_path: str, engine: Engine
) -> None:
    other = await engine.workspace.users.create(f"other{uuid4().hex[:8]}")
    answers = []
    for node in (str(other.user_id), MISSING):
        for path in (f"nodes/{node}", f"nodes/{node}/metadata", f"nodes/{node}/children"):
            body = refused(await door.get(f"{home_path}/{path}"), 404, "not-found")
            answers.append((path.replace(node, "…"), body["title"], body["detail"]))
        for resource, sent in (
            ("nodes", {"name": "Mine", "parent_id": node}),
            ("records", {"text": "Mine.", "node_id": node}),
            ("edges", {"source_id": node, "target_id": home_path.rsplit("/", 1)[1], "edge_type": "knows"}),
        ):
            body = refused(await door.post(f"{home_path}/{resource}", json=sent), 404, "not-found")
            answers.append((resource, body["title"], body["detail"]))
    assert answers[:6] == answers[6:]


@pytest.mark.parametrize(
    ("resource", "sent", "place"),
    [
        ("records", {"conversation": {"id": "c", "turns": [{"text": "x"}]}}, "body.conversation.turns[0].speaker"),
        ("records", {"conversation": {"id": "c", "turns": []}}, "body.conversation.turns"),
        ("records", {"text": ""}, "body.text"),
        ("records", [], "body"),
        ("records", 17, "body"),
        ("search", {"query": "q", "limit": 201}, "body.limit"),
        ("search", {"query": "q", "limit": "5"}, "body.limit"),
        ("search", {"query": "q", "kinds": ["song"]}, "body.kinds[0]"),
        ("search", {"query": "q", "as_of": "soon"}, "body.as_of"),
        ("nodes", {"name": "n", "node_type": "user"}, "body.node_type"),
        ("edges", {"source_id": MISSING, "target_id": MISSING, "edge_type": "t", "properties": {"": "x"}}, "body.prop"),
    ],
)
async def test_a_wrong_part_is_named_by_its_place(
    door: httpx.AsyncClient, home_path: str, resource: str, sent: Any, place: str
) -> None:
    body = refused(await door.post(f"{home_path}/{resource}", json=sent), 422, "invalid-input")
    assert any(entry["location"].startswith(place) for entry in body["errors"]), body


@pytest.mark.parametrize(
    "sent", [{"title": "neither"}, {"text": "t", "conversation": {"id": "c", "turns": [{"speaker": "a", "text": "b"}]}}]
)
async def test_a_record_is_a_conversation_or_a_text(door: httpx.AsyncClient, home_path: str, sent: Any) -> None:
    body = refused(await door.post(f"{home_path}/records", json=sent), 422, "invalid-input")
    assert "exactly one" in body["detail"]


async def test_depth_and_own_edges_are_refused(door: httpx.AsyncClient, home_path: str, user: User) -> None:
    parent = str(user.user_id)
    for layer in range(1, 6):
        made = await door.post(f"{home_path}/nodes", json={"name": f"Layer {layer}", "parent_id": parent})
        parent = made.json()["node_id"]
    deeper = await door.post(f"{home_path}/nodes", json={"name": "Layer 6", "parent_id": parent})
    assert "Layer 5" in refused(deeper, 422, "depth-exceeded")["detail"]
    edge = {"source_id": parent, "target_id": parent, "edge_type": "self"}
    refused(await door.post(f"{home_path}/edges", json=edge), 422, "invalid-input")
    page = await door.get(f"{home_path}/nodes/{parent}/metadata", params={"cursor": "bm9uZQ=="})
    refused(page, 422, "invalid-input")


async def test_too_much_is_refused_announced_or_not(engine: Engine, home_path: str) -> None:
    settings = engine.settings.model_copy(update={"max_text_bytes": 2000})
    transport = httpx.ASGITransport(new_door(settings, engine=engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        refused(await door.post(f"{home_path}/records", json={"text": "x" * 2000}), 413, "too-large")
        sent = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal sent
            yield b'{"text": "'
            for _ in range(1000):
                sent += 1
                yield b"x" * 500

        response = await door.post(f"{home_path}/records", content=endless(), headers=JSON)
        refused(response, 413, "too-large")
        assert sent < 10
        assert (await door.post(f"{home_path}/records", json={"text": "x" * 1500})).status_code == 201


async def test_a_damaged_file_is_not_served(
    door: httpx.AsyncClient, home_path: str, user: User, engine: Engine
) -> None:
    stored = await door.post(f"{home_path}/records", json={"text": "Pike at dawn.", "node_id": str(user.user_id)})
    record = stored.json()["records"][0]
    path = f"{home_path}/nodes/{record['node_id']}/files/{record['file_id']}"
    (file,) = (
        file
        for file in (engine.settings.home / "objects").rglob("*")
        if record["file_id"] in str(file) and file.is_file()
    )
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[len(damaged) // 2] ^= 0xFF
    file.write_bytes(damaged)
    refused(await door.get(path), 500, "damaged-file")
    file.unlink()
    refused(await door.get(path), 500, "damaged-file")
    file.write_bytes(whole)  # the stores of this session are examined by other tests
    assert (await door.get(path)).text == "Pike at dawn."


async def test_a_store_that_is_down_is_503_with_a_time_to_come_back(engine: Engine, home_path: str) -> None:
    dead = Neo4j("bolt://127.0.0.1:9", ("neo4j", "none"), database="neo4j", pool=2, timeout=2, connect_timeout=2)
    parts = engine.parts.replaced(Shells(engine.postgres, dead, SystemClock()))
    transport = httpx.ASGITransport(new_door(engine=replace(engine, neo4j=dead, parts=parts)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        response = await door.get(f"{home_path}/edges")
        refused(response, 503, "store-unavailable")
        assert int(response.headers["retry-after"]) >= 1
        ready = await door.get("/v1/health/ready")
        body = refused(ready, 503, "store-unavailable")
        assert {store["store"]: store["healthy"] for store in body["stores"]} == {
            "postgres": True,
            "neo4j": False,
            "objects": True,
        }
        assert int(ready.headers["retry-after"]) >= 1
        assert (await door.get("/v1/health/live")).status_code == 200
    await dead.close()


class TestTable:
    """The one table, without any store."""

    request = Request({"type": "http", "method": "GET", "path": "/v1/x", "headers": [], "query_string": b""})

    @pytest.mark.parametrize(
        ("error", "status"),
        [
            (errors.InvalidInput(), 422),
            (errors.InvalidName(), 422),
            (errors.InvalidText(), 422),
            (errors.DepthExceeded(), 422),
            (errors.WrongDimension(), 422),
            (errors.TooLarge(), 413),
            (errors.WrongContentType(), 415),
            (errors.NotFound(), 404),
            (errors.Conflict(), 409),
            (errors.NameTaken(), 409),
            (errors.Forgotten(), 409),
            (errors.OnHold(), 409),
            (errors.IdempotencyMismatch(), 422),
            (errors.StoreUnavailable("graph store", retry_after=2.5), 503),
            (errors.StoreTimeout("graph store"), 503),
            (errors.StoreFull("object store"), 507),
            (errors.ProviderUnavailable(), 503),
            (errors.DamagedFile(), 500),
        ],
    )
    async def test_each_error_has_its_status(self, error: errors.NeurigraphError, status: int) -> None:
        response = await engine_problem(self.request, error)
        assert response.status_code == status
        assert json.loads(bytes(response.body))["detail"] == error.detail
        assert ("retry-after" in response.headers) == (status in (503, 507))

    async def test_the_time_to_come_back_is_whole_seconds_rounded_up(self) -> None:
        response = await engine_problem(self.request, errors.StoreUnavailable("graph store", retry_after=2.5))
        assert response.headers["retry-after"] == "3"

    async def test_an_error_that_no_caller_can_act_on_stays_inside(self) -> None:
        with pytest.raises(errors.MigrationError):
            await engine_problem(self.request, errors.MigrationError("secret words"))

    def test_every_error_that_a_request_can_meet_is_in_the_table(self) -> None:
        start_only = (
            errors.StackError,
            errors.MigrationError,
            errors.SettingsError,
            errors.StoresDoNotBelong,
            errors.BackupError,
            errors.ArchiveError,
        )
        for error in errors.NeurigraphError.__subclasses__():
            assert issubclass(error, start_only) or error in TABLE, error


async def test_a_defect_is_500_without_inner_words(engine: Engine) -> None:
    app = new_door(engine=engine)

    async def broken() -> None:
        raise RuntimeError("secret words")

    app.add_api_route("/v1/broken", broken)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        response = await door.get("/v1/broken")
    refused(response, 500, "internal")
    assert "secret" not in response.text
