"""Streamed conversations and occasions over REST."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx
import pytest

from engine.domain.node import User
from engine.neurigraph import Engine

if TYPE_CHECKING:
    from tests.contract.conftest import House, OpenDoor

TURNS = [
    {"speaker": "Ann", "text": "Where did you catch the walleye?", "id": "t0", "role": "user"},
    {"speaker": "Bot", "text": "In Loon Lake.", "id": "t1", "role": "assistant", "at": "2025-03-01T18:00:00Z"},
]


@pytest.mark.ledger("N11", "U02")
async def test_turns_are_appended_told_and_stored_at_the_end(door: httpx.AsyncClient, home_path: str) -> None:
    place = f"{home_path}/conversations/c1"
    first = await door.post(f"{place}/turns", json={"turns": TURNS, "title": "Fishing"})
    assert first.status_code == 201 and (first.json()["added"], first.json()["turns"]) == (2, 2)
    again = await door.post(f"{place}/turns", json={"turns": TURNS, "first": 0})
    assert again.status_code == 200 and (again.json()["added"], again.json()["repeated"]) == (0, 2)
    for wrong in ({"turns": TURNS[:1], "first": 7}, {"turns": [TURNS[0] | {"text": "Else."}]}):
        refused = await door.post(f"{place}/turns", json=wrong)
        assert refused.status_code == 409 and "Nothing was appended" in refused.json()["detail"]
    state = (await door.get(place)).json()
    assert (state["state"], state["turns"], state["stored"], state["waiting"]) == ("open", 2, 0, 2)
    assert [one["conversation_id"] for one in (await door.get(f"{home_path}/conversations")).json()] == ["c1"]
    found = await door.post(f"{home_path}/search", json={"query": "walleye"})
    assert found.json()["hits"] == []
    ended = await door.post(f"{place}/end", json={})
    assert ended.status_code == 201 and (ended.json()["turns"], len(ended.json()["records"])) == (2, 1)
    assert (await door.post(f"{place}/end", json={})).status_code == 200
    assert (await door.get(f"{home_path}/conversations")).json() == []
    found = await door.post(f"{home_path}/search", json={"query": "walleye"})
    assert found.json()["hits"] != []


@pytest.mark.ledger("U02")
@pytest.mark.parametrize("conversation", ["2025/03/01", "a//b", "turns/turns", "a/end", "end", "a b/ü?"])
async def test_an_id_may_hold_slashes_as_they_are_or_encoded(
    door: httpx.AsyncClient, home_path: str, conversation: str
) -> None:
    plain, encoded = (f"{home_path}/conversations/{quote(conversation, safe=safe)}" for safe in ("/", ""))
    first = await door.post(f"{plain}/turns", json={"turns": TURNS})
    assert first.status_code == 201 and first.json()["conversation_id"] == conversation
    again = await door.post(f"{encoded}/turns", json={"turns": TURNS})
    assert again.status_code == 200 and again.json()["repeated"] == 2
    for place in (plain, encoded):
        assert (await door.get(place)).json()["conversation_id"] == conversation
    assert (await door.get(f"{plain}/turns")).status_code == 404  # another conversation, which there is not
    ended = await door.post(f"{encoded}/end", json={})
    assert ended.status_code == 201 and ended.json()["turns"] == 2
    assert (await door.get(plain)).json()["state"] == "ended"


async def test_a_repeated_append_under_a_key_gets_its_first_answer(door: httpx.AsyncClient, home_path: str) -> None:
    place, key = f"{home_path}/conversations/c1/turns", {"Idempotency-Key": "k1"}
    body = {"turns": [{"speaker": "Ann", "text": "Without an id."}]}
    answers = [await door.post(place, json=body, headers=key) for _ in range(2)]
    assert answers[1].headers["idempotency-replayed"] == "true" and answers[0].json() == answers[1].json()
    assert (await door.get(f"{home_path}/conversations/c1")).json()["turns"] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"turns": []}, {"turns": [{"speaker": "Ann"}]}, {"turns": TURNS, "first": -1}, {"turns": TURNS, "first": "0"},
        {"turns": [TURNS[0] | {"role": "tool"}]}, {"turns": TURNS, "scope": "thread"}, {"turns": TURNS, "more": 1},
    ],
)  # fmt: skip
async def test_what_does_not_fit_is_refused(door: httpx.AsyncClient, home_path: str, wrong: dict[str, object]) -> None:
    response = await door.post(f"{home_path}/conversations/c1/turns", json=wrong)
    assert response.status_code == 422, response.text
    assert (await door.get(f"{home_path}/conversations/c1")).status_code == 404


@pytest.mark.ledger("N28", "N29", "N30")
async def test_others_find_no_conversation_of_a_user(open_door: OpenDoor, house: House) -> None:
    own = open_door(house.secrets["user"])
    place = f"{house.home}/conversations/c1"
    assert (await own.post(f"{place}/turns", json={"turns": TURNS})).status_code == 201
    for kind in ("persona", "third_party", "administrator"):
        other = open_door(house.secrets[kind])
        assert (await other.get(place)).status_code == 404
        assert (await other.post(f"{place}/end", json={})).status_code == 404
        node = {"node_id": str(house.nodes["Family"])}
        assert (await other.post(f"{place}/turns", json={"turns": TURNS} | node)).status_code == 404
        listed = await other.get(f"{house.home}/conversations")
        assert listed.status_code == 404 or listed.json() == []
    assert (await own.get(place)).json()["turns"] == 2


@pytest.mark.ledger("N13", "U02")
async def test_an_event_is_stored_once(door: httpx.AsyncClient, home_path: str, engine: Engine, user: User) -> None:
    body = {
        "kind": "call", "title": "Price of boats", "text": "We agreed to raise the price.", "source_id": "m1",
        "started_at": "2025-03-01T18:00:00Z", "ended_at": "2025-03-01T18:30:00Z", "participants": ["Ann", "Bob"],
    }  # fmt: skip
    assert (await door.post(f"{home_path}/occasions", json=body)).status_code == 201
    assert (await door.post(f"{home_path}/occasions", json=body)).status_code == 200
    [record] = (await engine.memory(user.user_id).nodes.metadata(user.user_id)).records
    assert (record.content_type, record.trigger_type, record.title) == ("event", "event_boundary", "Price of boats")
    for wrong in ({"kind": "party"}, {"ended_at": "2025-02-01T00:00:00Z"}, {"participants": [""]}, {"text": ""}):
        assert (await door.post(f"{home_path}/occasions", json=body | wrong)).status_code == 422
