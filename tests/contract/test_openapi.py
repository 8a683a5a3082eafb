"""Any request that the OpenAPI document allows, and many that it does not, get an answer that it describes."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.app import create_app
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.ports import free_port


@pytest.fixture(scope="module")
async def served(engine: Engine, settings: Settings):
    """The door as a server of its own, on the same stores."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(600):
        if server.started:
            break
        await asyncio.sleep(0.1)
    assert server.started
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    await asyncio.to_thread(thread.join, 30)


@pytest.mark.ledger("U02", "N32")
async def test_answers_conform_to_the_document(served: str) -> None:
    async with httpx.AsyncClient() as client:
        document = (await client.get(f"{served}/v1/openapi.json")).json()
        user = (await client.post(f"{served}/v1/users", json={"handle": "schemathesis"})).json()["user_id"]
    assert document["openapi"].startswith("3.1")
    schema = schemathesis.openapi.from_dict(document)
    tried = await asyncio.to_thread(exercise, schema, served, user)
    assert tried > 150


def exercise(schema: schemathesis.BaseSchema, served: str, user: str) -> int:
    tried = 0
    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=15,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def one(case: schemathesis.Case) -> None:
            nonlocal tried
            if "user_id" in (case.path_parameters or {}) and tried % 2:
                case.path_parameters["user_id"] = user
            tried += 1
            case.call_and_validate(base_url=served, checks=checks, timeout=30)

        one()
    return tried

