"""Operations are declared, and every door has each of them."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID

import pytest

import engine.neurigraph  # noqa: F401 (it defines all operations)
from engine.operations.caller import Caller, owner
from engine.operations.declaring import OPERATIONS, Subject, reads, writes
from engine.operations.redactions import note

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {
    "REST": {
        "files.read": "`files.open` streams it",
        "ingests.history": "its files are paths on this machine",
        "ingests.store": "`ingests.many` takes what a request can hold",
        "nodes.archive": "`history.change` of a node",
        "nodes.unarchive": "`history.change` of a node",
        "nodes.provision_path": "a step of an ingest",
        "nodes.provision_whole": "`nodes.provision`, node by node",
        "nodes.writable": "a step of an ingest",
        "replays.build": "a job builds it",
    },
    "shell": {
        "commits.list": "`workspace.commits`: the shell is the operator",
        "commits.retry": "`workspace.commits`",
        "commits.discard": "`workspace.commits`",
        "files.read": "`files.open` reads it",
        "ingests.history": "`ingest` creates the user, too",
        "ingests.many": "`ingest` reads files",
        "ingests.store": "`ingest` reads files",
        "nodes.provision": "`nodes.provision_whole` makes the path above, too",
        "nodes.provision_path": "a step of an ingest",
    },
}
"""Operations that a door reaches in another way."""
DOORS = {"REST": "api/routes", "shell": "engine/shell"}


def _reached(folder: str) -> set[str]:
    text = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / folder).rglob("*.py")))
    calls = {f"{space}.{name}" for space, name in re.findall(r"(?=(?<!workspace\.)\b(\w+)\.(\w+)\b)", text)}
    for call in (f"{space}.{name}" for space, name in re.findall(r"\bworkspace\.(\w+)\.(\w+)\b", text)):
        calls.add(f"workspace.{call}" if f"workspace.{call}" in OPERATIONS else call)
    return calls | ({"searching.search"} if "memory.search(" in text else set())


@pytest.mark.ledger("U02", "U05")
@pytest.mark.parametrize("door", DOORS)
def test_every_operation_has_every_door(door: str) -> None:
    missing = {name for name in OPERATIONS if name not in _reached(DOORS[door])}
    assert missing == ELSEWHERE[door].keys()


def test_a_method_without_a_declaration_is_refused() -> None:
    with pytest.raises(TypeError, match=r"open\.read is not declared"):

        class _Open(Subject[Caller], name="open"):
            async def read(self, node_id: UUID) -> str:
                return str(node_id)


def test_a_write_that_does_not_say_how_its_texts_are_redacted_is_refused() -> None:
    with pytest.raises(TypeError, match=r"notes\.write does not say how text is redacted"):

        class _Notes(Subject[Caller], name="notes"):
            @writes(owner)
            async def write(self, node_id: UUID, text: str) -> None: ...


@pytest.mark.parametrize("wrong", [{"redacts": {"words": note}}, {"redacts": {"text": note}, "at": "place.node_id"}])
def test_a_declaration_of_a_parameter_that_is_not_there_is_refused(wrong: dict) -> None:
    with pytest.raises(TypeError, match="has no parameter"):

        class _Notes(Subject[Caller], name="notes"):
            @writes(owner, **{"redacts": {"text": note}} | wrong)
            async def write(self, text: str) -> None: ...


def test_a_read_needs_no_redaction() -> None:
    class _Words(Subject[Caller], name="words"):
        @reads(owner)
        async def find(self, text: str) -> tuple[str, ...]:
            return (text,)

    assert OPERATIONS.pop("words.find").audience is owner
