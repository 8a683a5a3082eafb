"""The metrics of a process without a REST server, for Prometheus on the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import start_http_server

from engine.errors import SettingsError
from engine.telemetry.metrics import REGISTRY

LOCAL = "127.0.0.1"


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
