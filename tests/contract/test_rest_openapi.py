"""The OpenAPI page is true: generated requests never meet a 500, and answers are as it says."""

from __future__ import annotations

import asyncio
import html
import json
import re
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import httpx
import hypothesis
import jsonschema_rs
import pytest
import schemathesis
import uvicorn
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from api.app import create_app
from engine.domain.principal import NewToken
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.contract.conftest import KINDS

if TYPE_CHECKING:
    from tests.contract.conftest import House

EXAMPLES, EXAMPLES_OF_LONG_FORM = 2, 25
EXAMPLES_OF_OTHERS, EXAMPLES_OF_OTHERS_OF_LONG_FORM = 1, 5
"""For each operation and mode, each asked by every kind of principal: the operations are the same, only who asks differs."""
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


@schemathesis.serializer("application/x-ndjson")
def lines(_: object, value: object) -> bytes:
    """A body of lines: a text as it stands, anything else as one line."""
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "replace")


OPERATIONS = [(method.upper(), path) for path, methods in PAGE["paths"].items() for method in methods]


@pytest.fixture(scope="module")
async def served(engine: Engine) -> AsyncIterator[str]:
    """The door on a port of its own, in this loop: the generated requests come from another thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    settings = engine.settings.model_copy(update={"rate_limit_per_minute": 0})
    config = uvicorn.Config(create_app(settings, engine=engine), lifespan="off", log_level="warning")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await serving


async def with_a_text(engine: Engine) -> dict[str, UUID]:
    """A new user's ids, and those of a text."""
    user = await engine.workspace.users.create(f"u{uuid4().hex[:12]}")
    [record] = (
        await engine.memory(user.user_id).records.remember_text("Lease", "The workshop's lease ends in June.")
    ).records
    return {"user_id": user.user_id, "node_id": record.node_id, "file_id": record.file_id}


@pytest.fixture(scope="module")
async def settled(engine: Engine) -> dict[str, UUID]:
    """For what changes nothing, and for requests that are refused whatever they name."""
    return await with_a_text(engine)


@pytest.mark.ledger("U02")
@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
async def test_generated_requests(
    engine: Engine, served: str, settled: dict[str, UUID], method: str, path: str, mode: GenerationMode, long: bool
) -> None:
    known = settled if method == "GET" or mode.is_negative else await with_a_text(engine)
    examples = EXAMPLES_OF_LONG_FORM if long else EXAMPLES
    await asyncio.to_thread(_try, [Visitor(served, known)], SCHEMA[path][method], mode, examples)


@pytest.mark.ledger("U02", "N31")
@pytest.mark.parametrize(
    "mode", [GenerationMode.POSITIVE, pytest.param(GenerationMode.NEGATIVE, marks=pytest.mark.long)]
)
async def test_generated_requests_of_others(
    served: str, engine: Engine, house: House, mode: GenerationMode, long: bool
) -> None:
    """The same request of every kind of principal, one after the other."""
    known = {
        "user_id": house.user.user_id,
        "node_id": house.nodes["Cases"],
        "file_id": house.nodes["file of Cases"],
    }
    visitors = []
    for kind in KINDS:
        spare = await engine.workspace.tokens.create(NewToken("user", house.user.user_id, "spare"))
        own = known | {"token_id": spare.token.token_id}
        visitors.append(Visitor(served, own, {"Authorization": f"Bearer {house.secrets[kind]}"}))
    examples = EXAMPLES_OF_OTHERS_OF_LONG_FORM if long else EXAMPLES_OF_OTHERS
    for method, path in OPERATIONS:
        await asyncio.to_thread(_try, visitors, SCHEMA[path][method], mode, examples)


@dataclass(frozen=True)
class Visitor:
    """Who asks where, and about what, where the ids are not made up."""

    base_url: str
    known: dict[str, UUID]
    headers: dict[str, str] = field(default_factory=dict)


def _try(visitors: list[Visitor], operation: schemathesis.APIOperation, mode: GenerationMode, examples: int) -> None:
    if mode.is_negative and not operation.body and not list(operation.iter_parameters()):
        return  # nothing can be wrong about it

    @hypothesis.settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), at_home=hypothesis.strategies.booleans())
    def attempt(case: Any, at_home: bool) -> None:
        if case.query and isinstance(case.query.get("wait"), int | float) and case.query["wait"] > 0:
            case.query["wait"] = 0.01  # nobody works on jobs here: each request would take its whole time
        for visitor in visitors:
            if at_home and mode.is_positive:  # else the ids are made up, and nothing is found
                known = visitor.known
                case.path_parameters |= {name: str(known[name]) for name in case.path_parameters or () if name in known}
            case.call_and_validate(base_url=visitor.base_url, headers=visitor.headers, checks=CHECKS, timeout=60)

    try:
        attempt()
    except hypothesis.errors.Unsatisfiable:
        assert mode.is_negative  # nothing that a URL can hold is wrong here


@pytest.mark.ledger("U02", "N32")
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
                assert list(response(operation, status)["content"]) == ["application/problem+json"], place
            if "{user_id}" in path:
                assert problems >= {"401", "403", "404", "422", "429", "503"}, place
            if method == "post" and "requestBody" in operation:
                assert problems >= {"400", "413", "415"}, place
                # Handles, names and reviews repeat by themselves, an open replay is found again, one that is over stays so, as does a forgetting; a secret
                # is never kept to be shown again.
                repeats = path in ("/v1/users", "/v1/integrations") or path.endswith(
                    (
                        "/search",
                        "/decayed",
                        "/context",
                        "/answer",
                        "/review",
                        "/replays",
                        "/swap",
                        "/discard",
                        "/touch",
                        "/import",
                        "/forgettings",
                        "/forgotten-users",
                        "/retention",
                        "/holds",
                        "/release",
                        "/verify",
                    )
                )
                # One run of a job that waits serves every request for it; what is done to a version twice is done once.
                assert (repeats or path.startswith(("/v1/tokens", "/v1/jobs", "/v1/embedding-versions"))) or any(
                    parameter["name"] == "Idempotency-Key" for parameter in operation["parameters"]
                ), place
    ids = [operation["operationId"] for methods in PAGE["paths"].values() for operation in methods.values()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_operation_has_examples_that_fit_their_schemas(method: str, path: str) -> None:
    operation = PAGE["paths"][path][method.lower()]
    for parameter in operation.get("parameters", ()):
        if parameter["required"]:
            check_example(parameter, parameter["name"])
    for content in operation.get("requestBody", {}).get("content", {}).values():
        check_example(content, "body")
    for status in operation["responses"]:
        answer = response(operation, status)
        assert status == "304" or answer["content"], status
        for media, content in answer.get("content", {}).items():
            check_example(content, f"{status} {media}")


def response(operation: dict[str, Any], status: str) -> dict[str, Any]:
    """A response of an operation; what several have in common is a component."""
    answer = operation["responses"][status]
    return PAGE["components"]["responses"][answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer


def check_example(content: dict[str, Any], place: str) -> None:
    """Raises where there is no example, or one that its schema refuses."""
    schema = content["schema"] | {"components": PAGE["components"]}
    assert "example" in content, place
    jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(content["example"])


def test_what_has_few_values_says_which() -> None:
    schemas = PAGE["components"]["schemas"]
    for model, fields in {
        "Anchor": ("node_type", "state"), "Shell": ("node_type", "state"), "ChildNode": ("node_type", "state"),
        "ManifestEntry": ("content_type",), "Hit": ("content_type", "kind", "scope", "source"),
        "RecordMetadata": ("content_type", "trigger_type"), "Delta": ("subject_kind", "operation"),
        "Difference": ("subject_kind", "operation"),
    }.items():  # fmt: skip
        for one in fields:
            assert schemas[model]["properties"][one]["enum"], f"{model}.{one}"


def test_lists_are_paged_in_one_way() -> None:
    """Every answer that is a list takes limit and cursor, with one default, and says where the next page is."""
    for path, methods in PAGE["paths"].items():
        operation = methods.get("get", {"responses": {}})
        answer = operation["responses"].get("200", {})
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        if schema.get("type") != "array" and schema.get("$ref", "").rpartition("/")[2] not in (
            "MetadataPage",
            "DifferencePage",
        ):
            continue
        parameters = {one["name"]: one["schema"] for one in operation["parameters"]}
        assert (parameters["limit"]["default"], parameters["limit"]["maximum"]) == (100, 500), path
        assert "cursor" in parameters and {"Next-Cursor", "Link"} <= answer["headers"].keys(), path


def test_files_can_be_read_by_generated_clients() -> None:
    for path, in_part in (
        ("/v1/users/{user_id}/nodes/{node_id}/files/{file_id}", True),
        ("/v1/users/{user_id}/documents/{document_id}/versions/{version}/content", False),
        ("/v1/users/{user_id}/resources/{resource_id}/content", False),
    ):
        answer = PAGE["paths"][path]["get"]["responses"]["200"]
        content = answer["content"]
        assert ("Neurigraph-Part" in answer["headers"]) == in_part and "Content-Disposition" in answer["headers"]
        assert next(iter(content)) == "application/octet-stream" and not any("*" in media for media in content)
        assert all(one["schema"] == {"type": "string", "format": "binary"} for one in content.values())


async def test_the_page_for_people_names_every_operation_and_loads_nothing(door: httpx.AsyncClient) -> None:
    response = await door.get("/docs")
    assert response.status_code == 200 and response.headers["content-type"] == "text/html; charset=utf-8"
    assert all(html.escape(path) in response.text for path in PAGE["paths"])
    assert "<script" not in response.text and "//" not in response.text
    shown = re.sub(r"<pre>.*?</pre>", "", response.text, flags=re.DOTALL)
    assert "`" not in shown and "<code>Next-Cursor</code>" in shown, (
        "the Markdown of descriptions is not shown as it stands"
    )
    assert "default-src 'none'" in response.headers["content-security-policy"]
