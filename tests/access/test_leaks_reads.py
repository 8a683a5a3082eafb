"""Every read is asked by the leak fuzzer, or it stands here with the reason why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import engine.memory  # noqa: F401 (declares the operations)
from engine.lab import leaks
from engine.operations.declaring import OPERATIONS

ASKED = re.compile(r"\b(?:memory|memory_as\(asker\.principal\))\.(\w+(?:\.\w+)?)\b")
ASKED_BY_NAME = {"files.state", "files.wake", "documents.versions", "documents.chunks", "documents.read"}
"""Through getattr."""
WORKSPACE = {"embeddings", "integrations", "jobs", "tokens", "users", "workspace"}
"""Subjects of the operator's: no principal of a graph reaches them."""
ONE_OF_A_LIST = "for the user alone, as the list is, which is asked for; the same filter by user, see test_no_oracle.py"
NOT_ASKED = {
    "communities.get": ONE_OF_A_LIST,
    "facts.chain": ONE_OF_A_LIST,
    "ingests.get": ONE_OF_A_LIST,
    "ingests.sources": ONE_OF_A_LIST,
    "replays.get": ONE_OF_A_LIST,
    "replays.compare": ONE_OF_A_LIST,
    "resources.content": ONE_OF_A_LIST,
    "forgettings.get": ONE_OF_A_LIST,
    "forgettings.list": "for the user alone: the service reads it by the user's id",
    "forgettings.preview": "for the user alone: it changes nothing and counts what a forgetting would erase",
    "forgettings.receipt": ONE_OF_A_LIST,
    "forgettings.verify": "for the user alone: it looks for what the user's own receipt names",
    "retention.list": "for the user alone: the service reads it by the user's id",
    "retention.preview": "for the user alone: it changes nothing and lists what a rule would take",
    "retractions.preview": "for the user alone: it changes nothing and lists what a retraction would",
    "grants.preview": "for the user alone: it lists what a grant would open of the own graph",
    "proposals.propose": "for the user alone: it returns what the user sends",
    "conversations.get": "the rows are asked for as the request role: `conversations` and their turns",
    "conversations.list": "the rows are asked for as the request role: `conversations` and their turns",
    "files.log": "for the user alone",
    "files.open": "files.read opens it",
    "nodes.touch": "answers nothing",
    "nodes.writable": "the rights to write are asked for by `store` and `store refused`",
}


@pytest.mark.ledger("X01")
async def test_every_read_is_asked_or_has_a_reason() -> None:
    text = "\n".join(path.read_text() for path in Path(leaks.__file__).parent.glob("*.py"))
    asked, missing = {*ASKED.findall(text), *ASKED_BY_NAME}, set[str]()
    for name, operation in OPERATIONS.items():
        subject, _, read = name.partition(".")
        said = read if subject == "searching" else name
        if not operation.writes and subject not in WORKSPACE and said not in asked:
            missing.add(name)
    assert missing == set(NOT_ASKED)
