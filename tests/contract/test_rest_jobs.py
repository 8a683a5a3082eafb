"""Background jobs at the REST door: for operator and administrators, asked for once, with or without waiting."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import httpx
import pytest

from api.headers import waited
from engine.domain.node import User
from engine.neurigraph import Engine
from engine.wiring.job_catalogue import CATALOGUE

if TYPE_CHECKING:
    from tests.contract.conftest import House, OpenDoor

PATHS = (
    ("GET", "/v1/jobs"),
    ("GET", "/v1/jobs/recovery"),
    ("GET", "/v1/jobs/recovery/runs"),
    ("GET", "/v1/jobs/recovery/runs/1"),
    ("POST", "/v1/jobs/recovery/run"),
)


@pytest.mark.ledger("N34")
async def test_jobs_are_listed_with_their_schedules(door: httpx.AsyncClient) -> None:
    response = await door.get("/v1/jobs")
    assert response.status_code == 200
    jobs = response.json()
    assert [job["name"] for job in jobs] == [job.name for job in CATALOGUE]
    for job in jobs:
        assert job["about"] and job["schedule"] and datetime.fromisoformat(job["next_due"]) > datetime.now(UTC)
        single = (await door.get(f"/v1/jobs/{job['name']}")).json()
        assert single | {"next_due": job["next_due"]} == job


@pytest.mark.ledger("N34")
async def test_an_external_scheduler_starts_a_job_and_reads_its_report(engine: Engine, door: httpx.AsyncClient) -> None:
    async with engine.working(only="drift-check"):
        for _ in range(2):  # the first takes over a run that waits since its time came: a request for the same joins it
            response = await door.post("/v1/jobs/drift-check/run?wait=60", json={})
    assert response.status_code == 200, response.text
    run = response.json()
    assert (run["job"], run["outcome"], run["cause"]) == ("drift-check", "succeeded", "request")
    assert run["report"].keys() == {"errors", "warnings", "details"}
    assert (await door.get(f"/v1/jobs/drift-check/runs/{run['run_id']}")).json() == run
    assert (await door.get("/v1/jobs/drift-check")).json()["last"] == run
    assert (await door.get("/v1/jobs/drift-check/runs?quiet=true&limit=1")).json() == [run]


@pytest.mark.ledger("N34")
async def test_without_waiting_it_is_202_and_repeating_changes_nothing(engine: Engine, door: httpx.AsyncClient) -> None:
    first, second = [await door.post("/v1/jobs/clean-up/run", json={}) for _ in range(2)]
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json() and first.json()["outcome"] == "waiting"
    assert int(first.headers["retry-after"]) >= 1
    place = first.headers["location"]
    assert (await door.get(place)).json() == first.json()
    assert (await door.get("/v1/jobs/clean-up")).json()["waiting"] is True
    async with engine.working(only="clean-up"):
        third = await door.post("/v1/jobs/clean-up/run?wait=60", json={})
    assert third.status_code == 200
    assert (await door.get(place)).json()["outcome"] == "succeeded"


@pytest.mark.ledger("N34", "N31")
@pytest.mark.parametrize("kind", ["user", "persona", "third_party"])
async def test_for_everybody_else_there_are_no_jobs(open_door: OpenDoor, house: House, kind: str) -> None:
    client = open_door(house.secrets[kind])
    for method, path in PATHS:
        response = await client.request(method, path, **({"json": {}} if method == "POST" else {}))
        unknown = await client.request(method, "/v1/nothing", **({"json": {}} if method == "POST" else {}))
        assert (response.status_code, response.json()["detail"]) == (404, unknown.json()["detail"])


async def test_an_administrator_sees_counts_but_no_names_of_nodes(
    engine: Engine, open_door: OpenDoor, house: House, user: User
) -> None:
    root = (await engine.memory(user.user_id).nodes.shell(user.user_id)).schema_name
    key = f"{root}/{uuid4()}/lost.txt.gz"
    await engine.objects.put(key, io.BytesIO(b"nobody knows me"))
    try:
        client = open_door(house.secrets["administrator"])
        async with engine.working(only="drift-check"):
            run = (await client.post("/v1/jobs/drift-check/run?wait=60", json={})).json()
        assert run["outcome"] == "succeeded" and run["report"]["warnings"] >= 1
        answers = [(await client.get(path)).text for method, path in PATHS if method == "GET"]
        answers += [(await client.get(path.replace("recovery", "drift-check"))).text for _, path in PATHS[1:3]]
        assert "details" not in run["report"] and all("details" not in answer for answer in answers)
        assert all(root not in answer for answer in answers)
        whole = (await open_door().get(f"/v1/jobs/drift-check/runs/{run['run_id']}")).json()
        assert any(root in finding["subject"] for finding in whole["report"]["details"])
    finally:
        await engine.objects.delete(key)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/jobs/nonsense", None, 404),
        ("GET", "/v1/jobs/nonsense/runs", None, 404),
        ("POST", "/v1/jobs/nonsense/run", {}, 404),
        ("GET", f"/v1/jobs/recovery/runs/{2**62}", None, 404),
        ("GET", f"/v1/jobs/recovery/runs/{2**63}", None, 422),
        ("GET", "/v1/jobs/recovery/runs/x", None, 422),
        ("POST", "/v1/jobs/recovery/run?wait=61", {}, 422),
        ("POST", "/v1/jobs/recovery/run?wait=nan", {}, 422),
        ("POST", "/v1/jobs/recovery/run", {"wait": 1}, 422),
        ("DELETE", "/v1/jobs/recovery", None, 405),
    ],
)
async def test_what_cannot_be_is_a_problem(door: httpx.AsyncClient, method, path, body, status) -> None:
    response = await door.request(method, path, **({"json": body} if body is not None else {}))
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.ledger("U02")
@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        ("wait=7", 7), ("respond-async, wait=3", 3), ("WAIT = 5 ; x=1, handling=lenient", 5), ('wait="4"', 4), ("respond-async", 0),
        ("wait=99999999999", 60), ("", None), ("wait", None), ("wait=", None), ("wait=-1", None), ("wait=²", None), (";;,=,", None), (None, None),
    ],
)  # fmt: skip
def test_a_preference_says_how_long_to_wait(prefer: str | None, seconds: float | None) -> None:
    assert waited(None, prefer, 60) == seconds
    assert waited(2.5, prefer, 60) == 2.5


@pytest.mark.ledger("U02")
async def test_a_run_is_waited_for_as_the_header_prefers(engine: Engine, door: httpx.AsyncClient) -> None:
    at_once = await door.post("/v1/jobs/drift-check/run", json={}, headers={"Prefer": "respond-async"})
    assert at_once.status_code == 202 and at_once.headers["location"]
    async with engine.working(only="drift-check"):
        waiting = await door.post("/v1/jobs/drift-check/run", json={}, headers={"Prefer": "wait=60"})
    assert waiting.status_code == 200 and waiting.json()["outcome"] == "succeeded"
