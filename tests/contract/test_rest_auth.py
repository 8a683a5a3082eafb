"""Each kind of principal at the door: what opens, and that whatever does not open looks like nothing at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import httpx
import pytest
from pydantic import SecretStr

from engine.domain.principal import NewToken
from engine.errors import NotFound
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.contract.conftest import OPERATOR
from tests.door import new_door

if TYPE_CHECKING:
    from tests.contract.conftest import House, OpenDoor

MISSING = "00000000-0000-4000-8000-000000000000"
OTHERS = ("user", "persona", "third_party", "administrator")


def requests(nodes: dict[str, UUID]) -> list[tuple[str, str, Any]]:
    """Every request below a user, about that user's own nodes."""
    root, cases = nodes["root"], nodes["Cases"]
    reads = [
        (f"/nodes/{cases}", None), (f"/nodes/{root}", None), (f"/nodes/{cases}/children", None), (f"/nodes/{cases}/metadata", None),
        (f"/nodes/{cases}/files/{nodes['file of Cases']}", None), ("/anchors?name=Cases", None), ("/edges", None),
        ("/search", {"query": "walleye", "widen": "always"}), ("/search", {"query": "walleye", "nodes": [str(cases)]}),
        ("/grants", None), (f"/nodes/{cases}/audience", None), ("/access-log", None),
    ]  # fmt: skip
    writes = [
        ("/nodes", {"name": "New"}),
        ("/nodes", {"name": "New", "parent_id": str(cases)}),
        ("/edges", {"source_id": str(cases), "target_id": str(root), "edge_type": "SEES"}),
        ("/records", {"text": "A word."}),
        ("/records", {"text": "A word.", "node_id": str(cases)}),
        ("/grants", {"node_id": str(root), "subject_kind": "persona", "subject_id": str(nodes["Lawyer"])}),
    ]
    return [("POST" if body else "GET", path, body) for path, body in reads + writes]


async def answers(
    door: httpx.AsyncClient, user: object, nodes: dict[str, UUID], key: str = ""
) -> list[tuple[int, str]]:
    """Status and body of each request, with the path and what differs from call to call taken out."""
    answered = []
    headers = {"Idempotency-Key": key} if key else {}
    for method, path, body in requests(nodes):
        response = await door.request(method, f"/v1/users/{user}{path}", json=body, headers=headers)
        content: Any = response.json() if "json" in response.headers["content-type"] else response.text
        if isinstance(content, dict):
            content.pop("instance", None)
            content.pop("timings_ms", None)
            content.pop("known_at", None)  # of a search: when it was answered
        answered.append((response.status_code, json.dumps(content)))
    return answered


@pytest.mark.ledger("N28", "N29", "N30", "N31")
@pytest.mark.parametrize("kind", OTHERS)
async def test_anothers_graph_looks_like_that_of_nobody(open_door: OpenDoor, house: House, kind: str) -> None:
    door = open_door(house.secrets[kind])
    unknown = {name: uuid4() for name in house.neighbours_nodes}
    for key in ("", "k"):
        theirs = await answers(door, house.neighbour.user_id, house.neighbours_nodes, key)
        nobodys = await answers(door, uuid4(), unknown, key)
        assert theirs == nobodys
        assert {status for status, _ in theirs} == ({404, 200} if kind == "third_party" else {404})
    assert await answers(door, house.neighbour.user_id, house.nodes) == await answers(door, uuid4(), house.nodes)


@pytest.mark.ledger("N31")
async def test_an_administrator_reads_nothing_at_all(open_door: OpenDoor, house: House) -> None:
    door = open_door(house.secrets["administrator"])
    unknown = {name: uuid4() for name in house.nodes}
    assert await answers(door, house.user.user_id, house.nodes) == await answers(door, uuid4(), unknown)


@pytest.mark.parametrize("kind", ["persona", "third_party", "administrator"])
async def test_the_own_id_is_no_user(open_door: OpenDoor, house: House, engine: Engine, kind: str) -> None:
    identity = await engine.services.tokens.authenticate(house.secrets[kind])
    assert identity is not None
    door = open_door(house.secrets[kind])
    assert await answers(door, identity.principal_id, house.nodes) == await answers(door, uuid4(), house.nodes)


@pytest.mark.ledger("N28")
async def test_a_user_has_the_whole_own_graph(open_door: OpenDoor, own_house: House) -> None:
    answered = await answers(open_door(own_house.secrets["user"]), own_house.user.user_id, own_house.nodes)
    assert {status for status, _ in answered} <= {200, 201}
    assert "walleye of Family" in answered[7][1]


@pytest.mark.ledger("N29")
async def test_a_persona_reads_below_itself_and_writes_nowhere(open_door: OpenDoor, house: House) -> None:
    door = open_door(house.secrets["persona"])
    for name in ("Lawyer", "Cases"):
        assert (await door.get(f"{house.home}/nodes/{house.nodes[name]}/metadata")).status_code == 200
    found = await door.post(f"{house.home}/search", json={"query": "walleye", "widen": "always"})
    assert {hit["content"] for hit in found.json()["hits"]} == {"The walleye of Lawyer.", "The walleye of Cases."}
    for name in ("root", "Work", "Family"):
        same = [await door.get(f"{house.home}/nodes/{node}") for node in (house.nodes[name], MISSING)]
        assert [one.status_code for one in same] == [404, 404]
        assert same[0].text.replace(f"/nodes/{house.nodes[name]}", f"/nodes/{MISSING}") == same[1].text
    for body in ({"name": "New", "parent_id": str(house.nodes["Cases"])}, {"name": "New"}):
        assert (await door.post(f"{house.home}/nodes", json=body)).status_code == 404
    written = await door.post(f"{house.home}/records", json={"text": "A word.", "node_id": str(house.nodes["Cases"])})
    assert written.status_code == 404


@pytest.mark.ledger("N30")
async def test_an_integration_reads_the_granted_node_alone_and_never_writes(open_door: OpenDoor, house: House) -> None:
    door = open_door(house.secrets["third_party"])
    file = f"{house.home}/nodes/{house.nodes['Cases']}/files/{house.nodes['file of Cases']}"
    assert (await door.get(file)).text == "The walleye of Cases."
    found = await door.post(f"{house.home}/search", json={"query": "walleye", "widen": "always"})
    assert {hit["content"] for hit in found.json()["hits"]} == {"The walleye of Cases."}
    for name in ("root", "Lawyer", "Family"):
        assert (await door.get(f"{house.home}/nodes/{house.nodes[name]}")).status_code == 404
    for resource, body in (
        ("records", {"text": "A word.", "node_id": str(house.nodes["Cases"])}),
        ("nodes", {"name": "New"}),
    ):
        assert (await door.post(f"{house.home}/{resource}", json=body)).status_code == 404
    for path in (f"{house.home}/anchors?name=Family", f"{house.home}/edges", f"/v1/users/{MISSING}/edges"):
        empty = await door.get(path)
        assert (empty.status_code, empty.json()) == (200, [])


@pytest.mark.parametrize("kind", ["user", "persona", "third_party"])
async def test_users_tokens_and_integrations_are_unknown_paths_to_others(
    open_door: OpenDoor, house: House, kind: str
) -> None:
    door = open_door(house.secrets[kind])
    unknown = (await door.get("/v1/nothing")).json()
    for method, path, body in (
        ("GET", "/v1/users", None), ("POST", "/v1/users", {"handle": "eve"}), ("POST", "/v1/users", {"wrong": 1}),
        ("GET", "/v1/users?limit=0", None), ("GET", f"/v1/users/by-handle/{house.neighbour.handle}", None),
        ("GET", "/v1/users/by-handle/nobody", None), ("GET", "/v1/tokens", None), ("DELETE", f"/v1/tokens/{MISSING}", None),
        ("POST", "/v1/tokens", {"principal_kind": "administrator", "name": "eve"}), ("POST", f"/v1/tokens/{MISSING}/rotate", {}),
        ("GET", "/v1/integrations", None), ("POST", "/v1/integrations", {"name": "eve"}),
    ):  # fmt: skip
        answer = await door.request(method, path, json=body)
        assert answer.status_code == 404, path
        assert answer.json() == unknown | {"instance": path.partition("?")[0]}
    own = await door.get(f"/v1/users/by-handle/{house.user.handle}")
    assert own.status_code == (200 if kind == "user" else 404)


@pytest.mark.ledger("L05")
@pytest.mark.parametrize("kind", ["persona", "third_party"])
async def test_naming_a_thread_opens_nothing(open_door: OpenDoor, own_house: House, kind: str) -> None:
    operator, door = open_door(None), open_door(own_house.secrets[kind])
    cases = str(own_house.nodes["Cases"])
    scoped = {"text": "The zander of the thread.", "node_id": cases, "scope": "thread", "scope_id": "t1"}
    assert (await operator.post(f"{own_house.home}/records", json=scoped)).status_code == 201
    question = {"query": "zander", "widen": "always"}
    named = question | {"scopes": [{"scope": "thread", "id": "t1"}]}
    assert len((await operator.post(f"{own_house.home}/search", json=named)).json()["hits"]) > 1
    assert (await operator.post(f"{own_house.home}/search", json=named)).json()["hits"][0]["scope_id"] == "t1"
    assert (await door.post(f"{own_house.home}/search", json=named)).status_code == 422
    assert (await door.post(f"{own_house.home}/records", json=scoped | {"text": "Mine."})).status_code == 422
    answer = await door.post(f"{own_house.home}/search", json=question)
    assert answer.status_code == 200 and "zander of the thread" not in answer.text
    shell = (await door.get(f"{own_house.home}/nodes/{cases}")).json()
    assert (shell["records"], len(shell["manifest"])) == (1, 1)
    theirs = {
        record["scope"] for record in (await door.get(f"{own_house.home}/nodes/{cases}/metadata")).json()["records"]
    }
    assert theirs == {"user"}
    neighbours = f"/v1/users/{own_house.neighbour.user_id}"
    assert (await door.post(f"{neighbours}/search", json=named)).status_code == 422
    assert (await door.post(f"/v1/users/{uuid4()}/search", json=named)).status_code == 422


async def test_an_administrator_keeps_users_tokens_and_integrations(open_door: OpenDoor, house: House) -> None:
    door = open_door(house.secrets["administrator"])
    eve = (await door.post("/v1/users", json={"handle": f"eve{uuid4().hex[:8]}"})).json()
    assert (await door.get(f"/v1/users/by-handle/{eve['handle']}")).json()["user_id"] == eve["user_id"]
    assert (await door.get("/v1/users?limit=1")).status_code == 200
    app = {"name": f"Calendar {eve['handle']}"}
    made = [await door.post("/v1/integrations", json=app) for _ in range(2)]
    assert [one.status_code for one in made] == [201, 200]
    assert made[0].json() == made[1].json() | {"created": True}
    assert app["name"] in {one["name"] for one in (await door.get("/v1/integrations?after=Calenda&limit=500")).json()}
    body = {
        "principal_kind": "user",
        "principal_id": eve["user_id"],
        "name": "phone",
        "expires_at": f"{datetime.now(UTC) + timedelta(days=90):%FT%TZ}",
    }
    # It reads no memory, so it makes no token that would.
    operator = open_door(OPERATOR, api_token=SecretStr(OPERATOR))
    assert (await door.post("/v1/tokens", json=body)).status_code == 404
    first = (await operator.post("/v1/tokens", json=body)).json()
    home = f"/v1/users/{eve['user_id']}/nodes/{eve['user_id']}"
    assert (await open_door(first["secret"]).get(home)).status_code == 200
    listed = await door.get("/v1/tokens?limit=1")
    assert listed.json()[0] == first["token"] | {"last_used_at": listed.json()[0]["last_used_at"]}
    assert first["secret"] not in listed.text and "secret" not in listed.text and "hash" not in listed.text
    path = f"/v1/tokens/{first['token']['token_id']}"
    assert (await door.post(f"{path}/rotate", json={})).status_code == 404
    rotated = await operator.post(f"{path}/rotate", json={"grace_s": 60})
    assert rotated.status_code == 201 and rotated.json()["token"]["replaces"] == first["token"]["token_id"]
    assert (await operator.post(f"{path}/rotate", json={})).status_code == 409
    assert (await open_door(first["secret"]).get(home)).status_code == 200
    revoked = [await door.delete(path) for _ in range(2)]
    assert [one.status_code for one in revoked] == [200, 200] and revoked[0].json()["revoked_at"]
    assert "secret" not in revoked[0].text
    assert (await open_door(first["secret"]).get(home)).status_code == 401
    assert (await open_door(rotated.json()["secret"]).get(home)).status_code == 200


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"principal_id": MISSING}, 404),
        ({"principal_kind": "persona"}, 404),
        ({"principal_kind": "operator"}, 422),
        ({"principal_kind": "administrator"}, 422),
        ({"principal_id": None}, 422),
        ({"name": "\u200b"}, 422),
        ({"expires_at": "2020-01-01"}, 422),
        ({"secret": "mine"}, 422),
    ],
)
async def test_a_token_that_makes_no_sense_is_refused(
    operator: httpx.AsyncClient, house: House, changes: dict[str, Any], status: int
) -> None:
    body = {"principal_kind": "user", "principal_id": str(house.user.user_id), "name": "phone"} | changes
    assert (await operator.post("/v1/tokens", json=body)).status_code == status


@pytest.mark.parametrize("operators", [None, "operator-7f3a91c05be2d864"])
async def test_a_wrong_credential_is_refused_without_a_reason(
    open_door: OpenDoor, house: House, engine: Engine, operators: str | None
) -> None:
    settings = {"api_token": SecretStr(operators)} if operators else {}
    revoked = await engine.workspace.tokens.create(NewToken("user", house.user.user_id, "old"))
    await engine.workspace.tokens.revoke(revoked.token.token_id)
    wrong = (
        revoked.secret,
        house.secrets["user"][:-1] + "~",
        "ngt_" + "A" * 43,
        "ngt_",
        "",
        "a.b.c",
        "operator",
        "x" * 30_000,
    )
    refused = [await open_door(secret, **settings).get("/v1/users") for secret in wrong]
    refused.append(await open_door(**settings).get("/v1/users", headers={"Authorization": "Basic b3A6eA=="}))
    assert {one.status_code for one in refused} == {401} and len({one.text for one in refused}) == 1
    assert {one.headers["www-authenticate"] for one in refused} == {'Bearer realm="neurigraph"'}
    assert (await open_door(house.secrets["user"], **settings).get(f"{house.home}/edges")).status_code == 200
    assert (
        await open_door(house.secrets["user"], peer="10.0.0.7", **settings).get(f"{house.home}/edges")
    ).status_code == 200


async def test_nothing_of_a_body_is_read_before_it_is_known_who_sends_it(open_door: OpenDoor) -> None:
    sent = 0

    async def body():
        nonlocal sent
        for _ in range(1000):
            sent += 1
            yield b"x" * 1000

    answer = await open_door("ngt_" + "A" * 43).post(
        "/v1/tokens", content=body(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 401 and sent <= 1


@pytest.mark.ledger("F01")
async def test_a_workspace_is_closed_to_the_operator_and_the_tokens_of_another(
    settings: Settings, house: House
) -> None:
    async with open_engine(settings.model_copy(update={"workspace": f"w{uuid4().hex[:8]}"})) as engine:
        here = await engine.workspace.users.create(house.user.handle, "Bob")
        assert here.user_id != house.user.user_id
        async with door_of(engine) as door:
            assert [one["user_id"] for one in (await door.get("/v1/users")).json()] == [str(here.user_id)]
            assert (await door.get("/v1/tokens")).json() == [] and (await door.get("/v1/integrations")).json() == []
            unknown = {name: uuid4() for name in house.nodes}
            assert await answers(door, house.user.user_id, house.nodes) == await answers(door, uuid4(), unknown)
            assert (await door.get(f"/v1/users/{here.user_id}/nodes/{here.user_id}")).status_code == 200
            for kind, secret in house.secrets.items():
                headers = {"Authorization": f"Bearer {secret}"}
                assert (await door.get(f"{house.home}/edges", headers=headers)).status_code == 401, kind
            with pytest.raises(NotFound):
                await engine.workspace.tokens.create(NewToken("user", house.user.user_id, "eve"))


def door_of(engine: Engine) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(new_door(engine=engine), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")
