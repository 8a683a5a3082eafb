"""What a served engine tells its operator: spans to a real collector, log lines, metrics; and that none of it holds content."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.collector import Collector, Span, collector
from tests.model_server import BROKEN, NOT_JSON, ModelServer, model_server
from tests.reader import ANSWER

ROOT = Path(__file__).resolve().parents[2]
MARK = f"zq{secrets.token_hex(5)}"
"""Stands in every text, name, handle, query and path that the tests send."""
METRIC = re.compile(r"neurigraph_[a-z_]+|process_[a-z_]+")
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@dataclass
class Served:
    """`neurigraph serve` in a process of its own, and what it says on stderr."""

    door: httpx.Client
    process: subprocess.Popen[str]
    errors: Path

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.errors.read_text(encoding="utf-8").splitlines()]


@contextmanager
def served(engine: Engine, folder: Path, **variables: str) -> Iterator[Served]:
    """A server on the stores of the session."""
    place = ("--home", str(engine.settings.home), "--cache", str(engine.settings.cache))
    errors = folder / "stderr"
    environment = {
        "NEURIGRAPH_WORKSPACE": "tests",
        "NEURIGRAPH_LOG_FORMAT": "json",
        "NEURIGRAPH_JOB_SCHEDULES": "*=off",
    }
    with errors.open("w", encoding="utf-8") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "engine.cli", *place, "serve", "--port", "0"],
            cwd=ROOT, env=CLEAN | environment | variables, stdout=subprocess.PIPE, stderr=written, text=True,
        )  # fmt: skip
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        address = re.search(r"http://[\d.:]+", said)
        assert address, (said, errors.read_text())
        with httpx.Client(base_url=address[0], timeout=60) as door:
            yield Served(door, process, errors)
    finally:
        process.terminate()
        process.wait(60)


@dataclass
class Story:
    """What was done, and the ids of the traces that its callers gave."""

    home: str
    user_id: str
    traces: dict[str, str]


def traced(story: Story, name: str) -> dict[str, str]:
    """A header of a caller with a trace of its own."""
    story.traces[name] = secrets.token_hex(16)
    return {"traceparent": f"00-{story.traces[name]}-{secrets.token_hex(8)}-01", "tracestate": f"x={MARK}"}


def turns(*texts: str) -> list[dict[str, str]]:
    return [{"speaker": f"Bob {MARK}", "text": f"{text} {MARK}."} for text in texts]


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server(lambda _: ANSWER) as running:
        yield running


@pytest.fixture(scope="module")
def spans() -> Iterator[Collector]:
    with collector() as running:
        yield running


@pytest.fixture(scope="module")
def server(
    engine: Engine, model: ModelServer, spans: Collector, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": spans.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "OPENAI_API_KEY": f"key-{MARK}",
        "OPENAI_BASE_URL": model.openai,
        "NEURIGRAPH_LANGUAGE_MODEL": "openai:small",
        "NEURIGRAPH_LANGUAGE_MODEL_PRICES": "1,10",
        "NEURIGRAPH_LANGUAGE_MODEL_RETRIES": "0",
        "NEURIGRAPH_STREAM_WATCH_FROM": "1",
        "NEURIGRAPH_STREAM_SOFT": "2",
    }
    with served(engine, tmp_path_factory.mktemp("served"), **variables) as running:
        yield running


@pytest.fixture(scope="module")
def story(server: Served, model: ModelServer) -> Story:
    """A life of a memory, and what goes wrong in it; every request under a trace of its own."""
    door, handle = server.door, f"h-{MARK}-{uuid4().hex[:8]}"
    user = door.post("/v1/users", json={"handle": handle, "display_name": f"Bob {MARK}"}).json()
    home = f"/v1/users/{user['user_id']}"
    told = Story(home, user["user_id"], {})
    node = door.post(
        f"{home}/nodes", json={"name": f"Fishing {MARK}", "keywords": [MARK]}, headers=traced(told, "node")
    )
    assert node.status_code == 201, node.text
    conversation = {"id": f"c {MARK}", "title": f"Lake {MARK}", "turns": turns("Dave caught a walleye", "A large one")}
    stored = door.post(f"{home}/records", json={"conversation": conversation}, headers=traced(told, "ingest"))
    assert stored.status_code == 201, stored.text
    found = door.post(
        f"{home}/search", json={"query": f"Who caught the walleye {MARK}?"}, headers=traced(told, "search")
    )
    assert found.json()["hits"], found.text
    assert found.headers["trace-id"] == told.traces["search"]
    call = {"name": "search_memories", "arguments": {"query": f"walleye {MARK}"}}
    asked = {"jsonrpc": "2.0", "id": f"id-{MARK}", "method": "tools/call", "params": call}
    answer = door.post(f"{home}/mcp", json=asked, headers=MCP | traced(told, "mcp"))
    assert "walleye" in answer.text, answer.text
    unknown = asked | {"params": {"name": f"no {MARK}", "arguments": {}}}
    door.post(f"{home}/mcp", json=unknown, headers=MCP | traced(told, "mcp unknown"))
    door.post(f"{home}/mcp", json=asked | {"method": f"no/{MARK}"}, headers=MCP)
    said = [*turns("We talked of boats"), {"speaker": "Assistant", "text": f"Of boats {MARK}."}]
    appended = door.post(f"{home}/conversations/{MARK}/turns", json={"turns": said}, headers=traced(told, "stream"))
    assert appended.status_code == 201, appended.text
    model.script = [BROKEN, NOT_JSON]
    for number in range(2):
        lost = {"id": f"lost {number}", "turns": turns(f"The pike number {number} was lost")}
        assert door.post(f"{home}/records", json={"conversation": lost}).status_code == 201
    wrong(door, home, told)
    return told


def wrong(door: httpx.Client, home: str, told: Story) -> None:
    """Requests that are refused, with the mark wherever one can stand."""
    assert door.get(f"/v1/{MARK}").status_code == 404
    assert door.get(f"/v1/users/by-handle/{MARK}").status_code == 404
    assert door.request(MARK.upper(), f"{home}/search").status_code == 405
    assert door.post(f"{home}/search", json={MARK: MARK}).status_code == 422
    refused = door.get(f"{home}/anchors", params={"name": MARK}, headers={"Authorization": f"Bearer {MARK}"})
    assert refused.status_code == 401 and len(refused.headers["trace-id"]) == 32
    assert door.post(f"{home}/search", json={"query": " "}, headers=traced(told, "refused")).status_code == 422


@pytest.fixture(scope="module")
def known(story: Story, spans: Collector) -> dict[str, list[Span]]:
    """The spans of each trace, when the last of them has come."""
    all_spans = spans.until(
        lambda found: (
            {"POST /v1/users/{user_id}/search", "job conversations"} <= {one.name for one in found}
            and len([one for one in found if one.trace_id == story.traces["refused"]]) >= 2
            and any(one.name == "ingest commit" and one.trace_id == story.traces["stream"] for one in found)
        )
    )
    return {name: [one for one in all_spans if one.trace_id == trace] for name, trace in story.traces.items()}


def tree(spans: list[Span]) -> dict[str, set[str]]:
    """What each span, by its name, is a part of; of the caller, where its parent was not sent."""
    names = {one.span_id: one.name for one in spans}
    parts: dict[str, set[str]] = {}
    for one in spans:
        parts.setdefault(one.name, set()).add(names.get(one.parent_id, "caller"))
    return parts


@pytest.mark.ledger("U08")
def test_a_search_is_one_trace_of_its_caller(known: dict[str, list[Span]]) -> None:
    parts, request = tree(known["search"]), "POST /v1/users/{user_id}/search"
    assert parts[request] == {"caller"} and parts["search"] == {request}
    for stage in ("parse", "embed", "anchors", "search", "rank", "contents"):
        assert parts[f"search {stage}"] == {"search"}
    assert parts["model embed"] == {"search embed"}
    [whole] = [one for one in known["search"] if one.name == "search"]
    assert whole.attributes["neurigraph.principal"] == "user" and whole.attributes["neurigraph.hits"] > 0
    [called] = [one for one in known["search"] if one.name == "model embed"]
    assert called.attributes["gen_ai.provider.name"] == "onnx"


@pytest.mark.ledger("U08")
def test_an_ingest_is_one_trace_and_goes_on_into_the_model_service(
    known: dict[str, list[Span]], story: Story, model: ModelServer
) -> None:
    parts, request = tree(known["ingest"]), "POST /v1/users/{user_id}/records"
    assert parts[request] == {"caller"} and parts["ingest"] == {request}
    for stage in ("clean", "assign", "read", "entities", "describe", "embed", "judge", "commit"):
        assert parts[f"ingest {stage}"] == {"ingest"}, stage
    assert "ingest read" in parts["model answer"] and parts["model embed"] == {"ingest embed"}
    [read] = [one for one in known["ingest"] if one.name == "model answer" and "neurigraph.cost" in one.attributes][:1]
    assert (read.attributes["gen_ai.usage.input_tokens"], read.attributes["gen_ai.usage.output_tokens"]) == (100, 20)
    assert read.attributes["neurigraph.cost"] == pytest.approx(0.0003)
    came = [asked.traceparent for asked in model.requests + model.placements if asked.traceparent]
    assert any(one.split("-")[1] == story.traces["ingest"] for one in came)


@pytest.mark.ledger("U08")
def test_an_ingest_over_the_queue_belongs_to_the_trace_of_whoever_caused_it(known: dict[str, list[Span]]) -> None:
    parts = tree(known["stream"])
    assert parts["job conversations"] == {"POST /v1/users/{user_id}/conversations/{conversation_id:path}/turns"}
    assert parts["ingest"] == {"job conversations"} and parts["ingest commit"] == {"ingest"}


@pytest.mark.ledger("U08")
def test_a_tool_call_of_an_assistant_is_one_trace_too(known: dict[str, list[Span]]) -> None:
    parts = tree(known["mcp"])
    assert parts["mcp tools/call search_memories"] == {"POST /v1/users/{user_id:uuid}/mcp"}
    assert parts["search"] == {"mcp tools/call search_memories"}
    assert "mcp tools/call" in tree(known["mcp unknown"])


@pytest.mark.ledger("U08")
@pytest.mark.usefixtures("known")
def test_nothing_that_is_exported_holds_content_names_or_ids_of_users(
    server: Served, story: Story, spans: Collector
) -> None:
    log, metrics = server.errors.read_text(encoding="utf-8"), server.door.get("/metrics").text
    exported = [body.decode("latin-1") for body in spans.sent] + [log, metrics]
    assert len(exported) > 2 and len(metrics) > 10_000
    for given in (MARK, story.user_id, story.user_id.replace("-", "")):
        assert not [text for text in exported if given in text.lower()]
    assert {one.scope for one in spans.spans} == {"neurigraph"}
    assert not [one for one in spans.spans if one.status or one.events]
    allowed = re.compile(r"neurigraph\.|gen_ai\.(provider|request|usage)\.|http\.|error\.type$")
    assert not {name for one in spans.spans for name in one.attributes if not allowed.match(name)}
    failed = [one for one in spans.spans if one.attributes.get("error.type")]
    assert {"UnusableAnswer", "ProviderUnavailable", "InvalidInput"} <= {one.attributes["error.type"] for one in failed}


@pytest.mark.ledger("U08")
@pytest.mark.usefixtures("known")
def test_log_lines_are_json(server: Served) -> None:
    lines = server.lines
    assert {"time", "level", "logger", "message"} <= set.intersection(*(set(line) for line in lines))
    assert any(
        line["logger"].startswith("procrastinate") and len(line["trace_id"]) == 32
        for line in lines
        if "trace_id" in line
    )


def served_metrics(text: str) -> set[str]:
    """The names of all metrics."""
    return {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")}


@pytest.mark.ledger("U08")
@pytest.mark.usefixtures("known")
def test_the_metrics_count_what_was_done(server: Served) -> None:
    text = server.door.get("/metrics").text
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    number = {name: float(value) for name, value in samples.items()}
    for stage in ("clean", "assign", "read", "entities", "describe", "embed", "judge", "commit", "total"):
        assert number[f'neurigraph_stage_seconds_count{{pipeline="ingest",stage="{stage}"}}'] >= 3, stage
    for stage in ("parse", "embed", "anchors", "search", "rank", "contents", "total"):
        assert number[f'neurigraph_stage_seconds_count{{pipeline="search",stage="{stage}"}}'] >= 2, stage
    calls = 'neurigraph_model_calls_total{{model="small",outcome="{}",provider="openai",use="answer"}}'.format
    answered, unusable = number[calls("answered")], number[calls("UnusableAnswer")]
    assert answered >= 2 and unusable == 1 and number[calls("ProviderUnavailable")] == 1
    tokens = 'neurigraph_model_tokens_total{{direction="{}",model="small",provider="openai"}}'.format
    assert (number[tokens("in")], number[tokens("out")]) == (100 * (answered + unusable), 20 * (answered + unusable))
    cost = number['neurigraph_model_cost_total{model="small",provider="openai"}']
    assert cost == pytest.approx((number[tokens("in")] * 1 + number[tokens("out")] * 10) / 1e6)
    assert number["neurigraph_ready"] == 1
    assert {number[f'neurigraph_store_up{{store="{store}"}}'] for store in ("postgres", "neo4j", "objects")} == {1}
    assert number['neurigraph_commits{state="pending"}'] >= 0 and number["neurigraph_job_oldest_waiting_seconds"] >= 0
    assert number['neurigraph_job_runs_total{name="conversations"}'] >= 1
    route = 'route="/v1/users/{user_id}/search"'
    assert number[f'neurigraph_http_requests_total{{method="POST",{route},status="2xx"}}'] == 1
    assert number['neurigraph_http_requests_total{method="GET",route="unmatched",status="4xx"}'] >= 1
    assert len(text.splitlines()) < 5000


@pytest.mark.ledger("U08")
@pytest.mark.usefixtures("known")
def test_the_dashboard_and_the_page_name_the_metrics_that_are_there(server: Served) -> None:
    there = served_metrics(server.door.get("/metrics").text)
    dashboard = json.loads((ROOT / "docs" / "grafana.json").read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    named = {name for query in queries for name in METRIC.findall(query)}
    series = there | {f"{name}_{part}" for name in there for part in ("bucket", "count", "sum")}
    assert len(queries) >= 15 and named <= series, named - series
    page = set(METRIC.findall((ROOT / "docs" / "observability.md").read_text(encoding="utf-8")))
    ours = {name for name in there if name.startswith("neurigraph_")}
    assert ours <= page, ours - page
    assert {name for name in page if name.startswith("neurigraph_")} <= series, page - series


@pytest.mark.ledger("U08")
def test_a_collector_that_hangs_or_is_gone_costs_no_request_anything(engine: Engine, tmp_path: Path) -> None:
    took: dict[str, float] = {}
    with collector() as silent:
        silent.answers.clear()
        variables = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{silent.url}/v1/traces", "OTEL_BSP_SCHEDULE_DELAY": "50"}
        with served(engine, tmp_path, **variables) as server:
            user = server.door.post("/v1/users", json={"handle": f"c{uuid4().hex[:12]}"}).json()["user_id"]

            def searches() -> float:
                began = time.monotonic()
                for _ in range(10):
                    answer = server.door.post(f"/v1/users/{user}/search", json={"query": "walleye"})
                    assert answer.status_code == 200, answer.text
                return time.monotonic() - began

            searches()
            deadline = time.monotonic() + 20
            while not silent.sent:  # the exporter's thread waits for an answer
                assert time.monotonic() < deadline
                time.sleep(0.05)
            took["hangs"] = searches()
            silent.server.server_close()
            silent.answers.set()
            took["gone"] = searches()
            silent.answers.clear()
            began = time.monotonic()
        took["end"] = time.monotonic() - began
    assert took["hangs"] < 10 and took["gone"] < 10 and took["end"] < 30, took
