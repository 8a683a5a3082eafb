"""What a process that stays switches on, by its settings: log lines as JSON, and spans to a collector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module

from engine.settings import Settings
from engine.telemetry.json_logs import write_json_lines


@contextmanager
def observed(settings: Settings) -> Iterator[None]:
    """Inside, this process logs and sends spans as the settings say."""
    if settings.log_format == "json":
        write_json_lines()
    endpoint = settings.traces_endpoint
    # loaded when it is needed: most processes send no spans
    with import_module("engine.telemetry.exporting").exported(endpoint) if endpoint else nullcontext():
        yield
