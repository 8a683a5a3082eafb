"""All metrics that a process counts itself; docs/observability.md says what each means. What it asks Postgres for at a scrape is
in `engine.lifecycle.figures`.

Labels come from the code, the routes and the settings, never from a request, so their number is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)

from engine.errors import SettingsError

LOCAL = "127.0.0.1"


disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter that says when its process began


REGISTRY = CollectorRegistry(auto_describe=False)


ProcessCollector(registry=REGISTRY)


_STAGE = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600)
_REQUEST = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_MODEL = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)

STAGE_SECONDS = Histogram(
    "neurigraph_stage_seconds",
    "Duration of one stage of a pipeline; `total` is the whole run.",
    ("pipeline", "stage"),
    registry=REGISTRY,
    buckets=_STAGE,
)
STAGE_FAILURES = Counter(
    "neurigraph_stage_failures", "Stages that ended with an error.", ("pipeline", "stage"), registry=REGISTRY
)
REQUESTS = Counter(
    "neurigraph_http_requests",
    "Requests that were answered, by the template of their route and the class of the status.",
    ("method", "route", "status"),
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "neurigraph_http_request_seconds",
    "Duration of a request, to the end of its answer.",
    ("method", "route"),
    registry=REGISTRY,
    buckets=_REQUEST,
)
MODEL_CALLS = Counter(
    "neurigraph_model_calls", "Calls of models.", ("provider", "model", "use", "outcome"), registry=REGISTRY
)
MODEL_SECONDS = Histogram(
    "neurigraph_model_call_seconds",
    "Duration of a call of a model, with its retries.",
    ("provider", "model", "use"),
    registry=REGISTRY,
    buckets=_MODEL,
)
MODEL_TOKENS = Counter(
    "neurigraph_model_tokens",
    "Tokens that model services counted.",
    ("provider", "model", "direction"),
    registry=REGISTRY,
)
MODEL_COST = Counter(
    "neurigraph_model_cost",
    "Cost of language model calls, in the currency of NEURIGRAPH_LANGUAGE_MODEL_PRICES.",
    ("provider", "model"),
    registry=REGISTRY,
)
FILE_READS = Counter(
    "neurigraph_file_reads",
    "Reads of stored files, by whether a restored copy was there.",
    ("file",),
    registry=REGISTRY,
)


for _state in ("awake", "asleep"):
    FILE_READS.labels(_state)  # both are there from the start, so that a rate can be made of them


@contextmanager
def served(port: int) -> Iterator[str]:
    """Serves what this process counts; yields the address. Raises SettingsError where the port is in use."""
    try:
        server, thread = start_http_server(port, LOCAL, REGISTRY)
    except OSError as error:
        raise SettingsError(f"Cannot listen on {LOCAL} port {port}: {error.strerror}.") from error
    try:
        yield f"http://{LOCAL}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
