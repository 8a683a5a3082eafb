"""The OpenAPI page is true: generated requests never meet a 500, and answers are as it says."""

from __future__ import annotations

import asyncio
import html
import json
import socket
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import hypothesis
import pytest
import schemathesis
import uvicorn
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from api.app import create_app
from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings

EXAMPLES = 25
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
PAGE = create_app(Settings(_env_file=None)).openapi()
# The door of these tests asks for no token, so none can be missing.
WITHOUT_TOKEN = json.loads(json.dumps(PAGE), object_hook=lambda part: {k: part[k] for k in part if k != "security"})
SCHEMA = schemathesis.openapi.from_dict(WITHOUT_TOKEN)
OPERATIONS = [(method.upper(), path) for path, methods in PAGE["paths"].items() for method in methods]


@pytest.fixture(scope="module")
async def served(engine: Engine) -> AsyncIterator[str]:
    """The door on a port of its own, in this loop: the generated requests come from another thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(engine=engine), lifespan="off", log_level="warning")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await serving


@pytest.mark.ledger("U02")
@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
async def test_generated_requests(
    served: str, user: User, memory: Memory, method: str, path: str, mode: GenerationMode
) -> None:
    report = await memory.remember_text("Lease", "The workshop's lease ends in June 2027.")
    known = {"user_id": user.user_id, "node_id": report.records[0].node_id, "file_id": report.records[0].file_id}
    await asyncio.to_thread(_try, served, SCHEMA[path][method], known, mode)


def _try(base_url: str, operation: schemathesis.APIOperation, known: dict[str, UUID], mode: GenerationMode) -> None:
    if mode.is_negative and not operation.body and not list(operation.iter_parameters()):
        return  # nothing can be wrong about it

    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), at_home=hypothesis.strategies.booleans())
    def attempt(case: Any, at_home: bool) -> None:
        if at_home and mode.is_positive:  # else the ids are made up, and nothing is found
            case.path_parameters |= {name: str(known[name]) for name in case.path_parameters or () if name in known}
        case.call_and_validate(base_url=base_url, checks=CHECKS)

    try:
        attempt()
    except hypothesis.errors.Unsatisfiable:
        assert mode.is_negative  # nothing that a URL can hold is wrong here


def test_the_page_says_what_each_operation_does_and_how_it_fails() -> None:
    assert PAGE["openapi"].startswith("3.1")
    for path, methods in PAGE["paths"].items():
        assert path.startswith("/v1/")
        for method, operation in methods.items():
            place = f"{method} {path}"
            assert operation["description"] and operation["operationId"].isalpha(), place
            assert bool(operation.get("security")) == ("/health/" not in path), place
            problems = {status for status, answer in operation["responses"].items() if status[0] in "45"}
            assert "500" in problems, place
            for status in problems:
                assert list(operation["responses"][status]["content"]) == ["application/problem+json"], place
            if "{user_id}" in path:
                assert problems >= {"401", "403", "404", "422", "503"}, place
            if method == "post":
                assert problems >= {"400", "413", "415"}, place
                assert (path == "/v1/users" or path.endswith("/search")) or any(
                    parameter["name"] == "Idempotency-Key" for parameter in operation["parameters"]
                ), place
    ids = [operation["operationId"] for methods in PAGE["paths"].values() for operation in methods.values()]
    assert len(ids) == len(set(ids))


def test_the_examples_of_the_page_fit_their_schemas() -> None:
    for name in ("NewUser", "NewNodeBody", "NewEdge", "NewRecord", "Question"):
        schema = PAGE["components"]["schemas"][name]
        assert schema.get("examples") or any("examples" in part for part in schema["properties"].values()), name


async def test_the_page_for_people_names_every_operation_and_loads_nothing(door: httpx.AsyncClient) -> None:
    response = await door.get("/docs")
    assert response.status_code == 200 and response.headers["content-type"] == "text/html; charset=utf-8"
    assert all(html.escape(path) in response.text for path in PAGE["paths"])
    assert "<script" not in response.text and "//" not in response.text
    assert "default-src 'none'" in response.headers["content-security-policy"]
