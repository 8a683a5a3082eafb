"""What a process that stays switches on, by its settings: log lines as JSON, and spans to a collector.

A line has time, level, logger, message, the ids of the trace, never content. Messages of exceptions and arguments of other
libraries' messages may quote what was given, so they are left out: of an exception stand its class and where it was raised, of a
foreign message its template.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from importlib import import_module

from engine.settings import Settings
from engine.telemetry.stages import trace_ids

OWN = ("engine", "api")
"""Loggers whose messages are made by this code, of words, numbers and ids of its own."""
DEEPEST = 20
"""Places of a traceback that a line names, from the one that raised."""


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **trace_ids(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line |= {"error": type(error).__name__, "raised_at": _places(error)}
        return json.dumps(line, ensure_ascii=False)


def write_json_lines() -> None:
    """Makes JSON lines on stderr the only output of all loggers, from INFO on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.captureWarnings(True)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for each request to a model service


def _message(record: logging.LogRecord) -> str:
    if not isinstance(record.msg, str):
        return type(record.msg).__name__
    own = record.name.partition(".")[0] in OWN and "%r" not in record.msg  # what is quoted came from users
    return record.getMessage() if own else record.msg.partition("\n")[0]


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-DEEPEST:]
    return [f"{frame.filename.rpartition('site-packages/')[2]}:{frame.lineno} {frame.name}" for frame in frames]


@contextmanager
def observed(settings: Settings) -> Iterator[None]:
    """Inside, this process logs and sends spans as the settings say."""
    if settings.log_format == "json":
        write_json_lines()
    endpoint = settings.traces_endpoint
    # loaded when it is needed: most processes send no spans
    with import_module("engine.telemetry.exporting").exported(endpoint) if endpoint else nullcontext():
        yield
