"""Living records over REST: PATCH with If-Match, states at a moment, chains, differences."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import httpx
import pytest

from tests.contract.conftest import House, OpenDoor


async def one_text(door: httpx.AsyncClient, home: str, text: str) -> tuple[str, str, str]:
    """A fresh node with one text: paths of the node, of its record and of its item."""
    node = (await door.post(f"{home}/nodes", json={"name": f"Shed {uuid4().hex[:6]}"})).json()["node_id"]
    report = (await door.post(f"{home}/records", json={"title": "Note", "text": text, "node_id": node})).json()
    hits = (await door.post(f"{home}/search", json={"query": text, "nodes": [node]})).json()["hits"]
    place = f"{home}/nodes/{node}"
    return place, f"{place}/records/{report['records'][0]['record_id']}", f"{place}/items/{hits[0]['item_id']}"


@pytest.mark.ledger("N23", "N32", "X03")
async def test_a_record_is_changed_read_back_and_compared(door: httpx.AsyncClient, home_path: str) -> None:
    place, record, item = await one_text(door, home_path, "The lathe stands by the window.")
    before = datetime.now(UTC).isoformat()
    state = await door.get(record)
    assert state.headers["etag"] == '"1"' and state.json()["fields"]["title"] == "Note"
    changed = await door.patch(record, json={"title": "Lathe", "reason": "clearer"}, headers={"If-Match": '"1"'})
    assert changed.status_code == 200 and changed.headers["etag"] == '"2"', changed.text
    assert changed.json()["revision"] == 2 and changed.json()["changed"] is True
    late = await door.patch(record, json={"title": "Late"}, headers={"If-Match": '"1"'})
    assert late.status_code == 412 and late.json()["type"].endswith(":outdated")
    same = await door.patch(record, json={"title": "Lathe"})
    assert (same.json()["changed"], same.headers["etag"]) == (False, '"2"')
    then = (await door.get(record, params={"known_at": before})).json()
    assert then["fields"]["title"] == "Note" and (await door.get(record)).json()["fields"]["title"] == "Lathe"
    chain = (await door.get(f"{record}/history")).json()
    assert [(one["revision"], one["operation"], one["reason"]) for one in chain] == [
        (1, "created", ""),
        (2, "changed", "clearer"),
    ]
    await door.patch(item, json={"content": "The lathe stands by the door.", "correction": True})
    days = {"from": before, "to": datetime.now(UTC).isoformat()}
    found = (await door.get(f"{home_path}/difference", params=days)).json()
    assert {one["subject_kind"] for one in found["differences"]} == {"record", "item"}
    seen, more = [], {}
    for _ in range(9):  # a page may hold fewer than its limit: what changed and changed back is left out
        page = (await door.get(f"{home_path}/difference", params=days | {"limit": 1} | more)).json()
        assert len(page["differences"]) <= 1
        seen += page["differences"]
        if page["after"] is None:
            break
        more = {"after": ",".join(page["after"])}
    assert seen == found["differences"]


@pytest.mark.ledger("N23", "N32")
async def test_nodes_and_edges_change_over_rest(door: httpx.AsyncClient, home_path: str) -> None:
    place, _, _ = await one_text(door, home_path, "The saw is blunt.")
    node = place.rpartition("/")[2]
    other = (await door.post(f"{home_path}/nodes", json={"name": f"Yard {uuid4().hex[:6]}"})).json()["node_id"]
    moved = await door.patch(place, json={"name": "Moved", "parent_id": other})
    assert moved.status_code == 200, moved.text
    shell = (await door.get(place)).json()
    assert shell["path"][-1] == "Moved" and shell["parent_id"] == other and shell["revision"] == 2
    assert len((await door.get(f"{place}/history")).json()) == 1
    taken = await door.patch(place, json={"parent_id": str(uuid4())})
    assert taken.status_code == 404
    edge = (
        await door.post(f"{home_path}/edges", json={"source_id": node, "target_id": other, "edge_type": "in"})
    ).json()
    path = f"{home_path}/edges/{edge['edge_id']}"
    assert (await door.get(path)).headers["etag"] == '"1"'
    assert (await door.patch(path, json={"ended": True})).json()["revision"] == 2
    assert (await door.get(path)).json()["fields"] is None and (await door.get(f"{home_path}/edges")).json() == []
    assert [one["operation"] for one in (await door.get(f"{path}/history")).json()] == ["created", "ended"]


@pytest.mark.ledger("N23")
async def test_a_change_sent_twice_under_one_key_is_one_delta(door: httpx.AsyncClient, home_path: str) -> None:
    _, record, _ = await one_text(door, home_path, "The glue is dry.")
    key = {"Idempotency-Key": "once-1"}
    first = await door.patch(record, json={"title": "Glue"}, headers=key)
    again = await door.patch(record, json={"title": "Glue"}, headers=key)
    assert again.json() == first.json() and again.headers["etag"] == first.headers["etag"] == '"2"'
    assert again.headers["idempotency-replayed"] == "true"


@pytest.mark.ledger("N23")
async def test_of_many_with_one_etag_one_gets_through(door: httpx.AsyncClient, home_path: str) -> None:
    _, record, _ = await one_text(door, home_path, "The vice is open.")
    sent = [door.patch(record, json={"title": f"T {n}"}, headers={"If-Match": '"1"'}) for n in range(6)]
    statuses = sorted(answer.status_code for answer in await asyncio.gather(*sent))
    assert statuses == [200] + [412] * 5


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ({}, {}, 422),
        ({"title": ""}, {}, 422),
        ({"title": None}, {}, 422),
        ({"titel": "x"}, {}, 422),
        ({"title": "x", "effective_at": "2024-01-01", "correction": True}, {}, 422),
        ({"title": "x", "effective_at": "soon"}, {}, 422),
        ({"title": "x"}, {"If-Match": "3"}, 422),
        ({"title": "x"}, {"If-Match": '"0"'}, 422),
        ({"title": "x"}, {"If-Match": "*"}, 422),
        ({"title": "\u0000"}, {}, 422),
    ],
)
async def test_a_wrong_change_is_refused(
    door: httpx.AsyncClient, home_path: str, body: dict, headers: dict[str, str], status: int
) -> None:
    _, record, _ = await one_text(door, home_path, "The file is rusty.")
    assert (await door.patch(record, json=body, headers=headers)).status_code == status
    assert len((await door.get(f"{record}/history")).json()) == 1


@pytest.mark.ledger("N29", "N30", "N31")
async def test_only_its_user_changes_and_compares(own_house: House, open_door: OpenDoor) -> None:
    case = f"{own_house.home}/nodes/{own_house.nodes['Cases']}"
    records = (await open_door(own_house.secrets["user"]).get(f"{case}/metadata")).json()["records"]
    record = f"{case}/records/{records[0]['record_id']}"
    missing = f"{own_house.home}/nodes/{uuid4()}"
    days = {"from": "2020-01-01", "to": "2020-02-01"}
    for kind in ("persona", "third_party"):
        other = open_door(own_house.secrets[kind])
        refused = await other.patch(case, json={"name": "Mine"})
        assert refused.status_code == 404
        assert refused.json() | {"instance": ""} == (await other.patch(missing, json={"name": "Mine"})).json() | {
            "instance": ""
        }
        assert (await other.patch(record, json={"title": "Mine"})).status_code == 404
        assert (await other.get(f"{own_house.home}/difference", params=days)).status_code == 404
        assert (await other.get(record)).json()["fields"]["title"] == "Cases"  # which it may read
        assert (await other.get(f"{record}/history")).json() == []
    assert (await open_door(own_house.secrets["administrator"]).get(record)).status_code == 404
    assert (await open_door(own_house.secrets["user"]).patch(record, json={"title": "Ours"})).status_code == 200
