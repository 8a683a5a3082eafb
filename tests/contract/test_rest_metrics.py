"""Who may read the metrics, and what a trace leaves in an answer."""

from __future__ import annotations

import httpx
import pytest
from pydantic import SecretStr

from engine.domain.node import User
from engine.domain.principal import NewToken
from engine.neurigraph import Engine
from tests.contract.conftest import OpenDoor

TOKEN = SecretStr("a-token-of-the-operator-alone")
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.ledger("U08")
async def test_metrics_are_read_by_the_operator_and_administrators(
    engine: Engine, user: User, open_door: OpenDoor
) -> None:
    tokens = engine.workspace.tokens
    administrator = (await tokens.create(NewToken("administrator", None, "scraper"))).secret
    of_user = (await tokens.create(NewToken("user", user.user_id, "own"))).secret
    statuses = {}
    for name, bearer in {
        "none": None,
        "wrong": "x",
        "operator": TOKEN.get_secret_value(),
        "administrator": administrator,
        "user": of_user,
    }.items():
        statuses[name] = (await open_door(bearer, api_token=TOKEN).get("/metrics")).status_code
    assert statuses == {"none": 401, "wrong": 401, "operator": 200, "administrator": 200, "user": 404}


@pytest.mark.ledger("U08")
async def test_metrics_may_be_open_to_this_machine_alone(open_door: OpenDoor) -> None:
    settings = {"api_token": TOKEN, "metrics_open": True}
    assert (await open_door(**settings).get("/metrics")).status_code == 200
    assert (await open_door(**settings).get("/v1/users")).status_code == 401
    assert (await open_door(peer="192.0.2.7", **settings).get("/metrics")).status_code == 401
    over_web = {"Origin": "https://elsewhere.example", "Host": "elsewhere.example"}
    assert (await open_door(**settings).get("/metrics", headers=over_web)).status_code == 401
    assert (await open_door().get("/metrics")).status_code == 200  # without an operator's token, as everything


@pytest.mark.ledger("U08")
async def test_the_figures_are_a_gauge_or_a_counter_with_bounded_labels(door: httpx.AsyncClient) -> None:
    for path in ("/v1/none", "/v1/users/none", "/none"):
        await door.get(path)
    answer = await door.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    assert not [
        line for line in lines if "none" in line and 'status="none"' not in line and 'outcome="none"' not in line
    ]
    assert 'neurigraph_jobs{state="waiting"}' in answer.text and "neurigraph_nodes_damaged " in answer.text


@pytest.mark.ledger("U08")
async def test_every_answer_names_its_trace(door: httpx.AsyncClient) -> None:
    continued = await door.get("/v1/users", headers={"traceparent": PARENT})
    assert continued.headers["trace-id"] == PARENT.split("-")[1]
    for headers in ({}, {"traceparent": "00-no"}, {"traceparent": "00-" + "0" * 32 + "-b7ad6b7169203331-01"}):
        for path in ("/v1/users", "/v1/health/live", "/v1/none"):
            own = (await door.get(path, headers=headers)).headers["trace-id"]
            assert len(own) == 32 and int(own, 16) and own != PARENT.split("-")[1]
