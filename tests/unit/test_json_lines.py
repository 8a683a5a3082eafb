"""Log lines as JSON hold no content, whoever wrote them."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest

from engine.telemetry.process import JsonLines

MARK = "zq-walleye"


def written(logger: str, message: object, *args: object, error: bool = False) -> tuple[str, dict[str, Any]]:
    """A line, with the exception under way."""
    raised = sys.exc_info() if error else None
    line = JsonLines().format(logging.LogRecord(logger, logging.WARNING, "a.py", 1, message, args, raised))
    assert "\n" not in line
    return line, json.loads(line)


@pytest.mark.ledger("U08")
def test_an_exception_is_its_class_and_its_place() -> None:
    try:
        try:
            raise KeyError(MARK)
        except KeyError as error:
            raise ValueError(f"invalid: {MARK}") from error
    except ValueError:
        line, told = written("engine.jobs.queue", "the worker of the jobs ended", error=True)
    assert MARK not in line
    assert told["error"] == "ValueError" and told["raised_at"][0].endswith(
        "test_an_exception_is_its_class_and_its_place"
    )
    assert (told["level"], told["logger"]) == ("warning", "engine.jobs.queue")
    assert told["message"] == "the worker of the jobs ended" and told["time"].endswith("+00:00")


@pytest.mark.ledger("U08")
@pytest.mark.parametrize(
    ("logger", "message", "args", "expected"),
    [
        ("engine.commit.outbox", "finished %d commits", (3,), "finished 3 commits"),
        ("engine.access.principals", "%s: %r looks like %r.", ("Users", MARK, MARK), "%s: %r looks like %r."),
        ("procrastinate.worker", "Job %s failed", (MARK,), "Job %s failed"),
        ("asyncio", f"Task exception was never retrieved\nfuture: {MARK}", (), "Task exception was never retrieved"),
        ("someone", ValueError(MARK), (), "ValueError"),
    ],
)
def test_what_may_quote_users_is_left_out(
    logger: str, message: object, args: tuple[object, ...], expected: str
) -> None:
    line, told = written(logger, message, *args)
    assert told["message"] == expected and MARK not in line
