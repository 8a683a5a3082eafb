"""Rights over REST: giving, listing, ending them, who could see a node, and the log."""

from __future__ import annotations

from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.node import NewNode, User
from engine.domain.principal import NewToken, TokenKind
from engine.memory import Memory
from engine.neurigraph import Engine


async def token_of(engine: Engine, kind: TokenKind, principal: object) -> dict[str, str]:
    made = await engine.workspace.tokens.create(NewToken(kind, UUID(str(principal)), kind))
    return {"Authorization": f"Bearer {made.secret}"}


@pytest.mark.ledger("N30", "N32")
async def test_a_grant_from_the_cradle_to_the_grave(
    engine: Engine, door: httpx.AsyncClient, home_path: str, user: User, memory: Memory
) -> None:
    node = (await memory.nodes.provision(NewNode(user.user_id, "Health"))).node_id
    made = (await door.post("/v1/integrations", json={"name": f"calendar {uuid4().hex[:8]}"})).json()
    as_integration = await token_of(engine, "third_party", made["integration_id"])
    path = f"{home_path}/nodes/{node}"
    assert (await door.get(path, headers=as_integration)).status_code == 404

    grant = {
        "node_id": str(node),
        "subject_kind": "third_party",
        "subject_id": made["integration_id"],
        "purpose": "reminders",
    }
    key = {"Idempotency-Key": uuid4().hex}
    first = await door.post(f"{home_path}/grants", json=grant, headers=key)
    again = await door.post(f"{home_path}/grants", json=grant, headers=key)
    same = await door.post(f"{home_path}/grants", json=grant)
    assert (first.status_code, again.status_code, same.status_code) == (201, 201, 200)
    assert again.headers["Idempotency-Replayed"] == "true" and same.json()["grant_id"] == first.json()["grant_id"]
    assert (await door.get(path, headers=as_integration)).json()["path"] == ["Health"]
    listed = (await door.get(f"{home_path}/grants", params={"node_id": str(node)})).json()
    assert [(one["mode"], one["depth"], one["purpose"]) for one in listed] == [("read", 0, "reminders")]
    viewers = (await door.get(f"{path}/audience")).json()
    assert [viewer["reason"] for viewer in viewers] == ["owner", "grant"]

    # rights and their log are the user's alone
    for hidden in (f"{home_path}/grants", f"{path}/audience", f"{home_path}/access-log"):
        assert (await door.get(hidden, headers=as_integration)).status_code == 404
    assert (await door.post(f"{home_path}/grants", json=grant, headers=as_integration)).status_code == 404
    revoked = await door.delete(f"{home_path}/grants/{first.json()['grant_id']}", headers=as_integration)
    assert revoked.status_code == 404

    ended = await door.delete(f"{home_path}/grants/{first.json()['grant_id']}")
    assert ended.status_code == 200
    assert (await door.delete(f"{home_path}/grants/{first.json()['grant_id']}")).json() == ended.json()
    assert (await door.get(path, headers=as_integration)).status_code == 404
    assert (await door.get(f"{home_path}/grants")).json() == []
    assert len((await door.get(f"{home_path}/grants", params={"ended": True})).json()) == 1
    log = (await door.get(f"{home_path}/access-log", params={"limit": 500})).json()
    assert {"granted", "revoked", "refused"} <= {entry["event"] for entry in log}
    assert (await door.get(f"{home_path}/access-log", params={"before": log[-1]["entry_id"]})).json() == []


@pytest.mark.parametrize(
    ("change", "status"),
    [({"mode": "read_write"}, 422), ({"depth": 6}, 422), ({"fields": ["items"]}, 422), ({"fields": ["all"]}, 422),
     ({"expires_at": "2020-01-01T00:00:00Z"}, 422), ({"subject_id": str(uuid4())}, 404), ({"node_id": str(uuid4())}, 404),
     ({"purpose": "x" * 501}, 422), ({"unknown": 1}, 422)],
)  # fmt: skip
async def test_a_wrong_grant_is_refused(
    door: httpx.AsyncClient, home_path: str, user: User, change: dict[str, object], status: int
) -> None:
    made = (await door.post("/v1/integrations", json={"name": "calendar"})).json()
    grant = {"node_id": str(user.user_id), "subject_kind": "third_party", "subject_id": made["integration_id"]}
    assert (await door.post(f"{home_path}/grants", json=grant | change)).status_code == status
    assert (await door.get(f"{home_path}/grants")).json() == []


async def test_what_is_stored_as_private_stays_with_its_user(
    engine: Engine, door: httpx.AsyncClient, home_path: str, user: User
) -> None:
    made = (await door.post("/v1/integrations", json={"name": f"mail {uuid4().hex[:8]}"})).json()
    grant = {"node_id": str(user.user_id), "subject_kind": "third_party", "subject_id": made["integration_id"]}
    assert (await door.post(f"{home_path}/grants", json=grant)).status_code == 201
    for text, privacy in (("The walleye is known.", "org"), ("The walleye is secret.", "private")):
        body = {"text": text, "privacy": privacy, "node_id": str(user.user_id)}
        assert (await door.post(f"{home_path}/records", json=body)).status_code == 201
    question = {"query": "walleye", "widen": "always"}
    as_integration = await token_of(engine, "third_party", made["integration_id"])
    own = (await door.post(f"{home_path}/search", json=question)).json()
    theirs = (await door.post(f"{home_path}/search", json=question, headers=as_integration)).json()
    assert len(own["hits"]) == 2
    assert [hit["content"] for hit in theirs["hits"]] == ["The walleye is known."] and theirs["items_searched"] == 1


@pytest.mark.ledger("N30")
async def test_what_a_grant_would_open_and_private_turns_over_rest(
    engine: Engine, door: httpx.AsyncClient, home_path: str, user: User, memory: Memory
) -> None:
    node = (await memory.nodes.provision(NewNode(user.user_id, "Lake"))).node_id
    turns = [
        {"speaker": "Bob", "text": "Four walleye."},
        {"speaker": "Bob", "text": "At the reeds.", "privacy": "private"},
    ]
    body = {"conversation": {"id": "c", "title": "Noon", "turns": turns}, "node_id": str(node)}
    stored = await door.post(f"{home_path}/records", json=body)
    assert (stored.status_code, len(stored.json()["records"])) == (201, 2), stored.text
    closed = {"conversation": {"id": "d", "privacy": "private", "turns": turns[:1]}, "node_id": str(node)}
    assert (await door.post(f"{home_path}/records", json=closed)).status_code == 201
    path = f"{home_path}/nodes/{node}/grant-preview"
    preview = (await door.get(path)).json()
    assert [(one["path"][1:], one["records"], one["private_records"], one["titles"]) for one in preview["nodes"]] == [
        (["Lake"], 1, 2, ["Noon"])
    ]
    assert (await door.get(path, params={"depth": 6})).status_code == 422
    assert (await door.get(f"{home_path}/nodes/{uuid4()}/grant-preview")).status_code == 404
    made = (await door.post("/v1/integrations", json={"name": f"calendar {uuid4().hex[:8]}"})).json()
    as_integration = await token_of(engine, "third_party", made["integration_id"])
    assert (await door.get(path, headers=as_integration)).status_code == 404
