"""Operations are declared, and every door has each of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import pytest

from engine.domain.ingest import Limits, Terms
from engine.domain.principal import Identity
from engine.memory import Memory
from engine.neurigraph import Engine  # (it defines all operations)
from engine.operations.caller import Caller, owner
from engine.operations.declaring import OPERATIONS, Subject, reads, writes
from engine.operations.keeper import Keeper, identities
from engine.operations.redactions import note
from engine.operations.workspace import Workspace
from engine.providers.calls import LimitReached, budget, spending
from engine.stores.limits import remaining

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
        "files.read": "`files.open` reads it",
        "ingests.history": "`ingest` creates the user, too",
        "ingests.many": "`ingest` reads files",
        "ingests.store": "`ingest` reads files",
        "nodes.provision": "`nodes.provision_whole` makes the path above, too",
        "nodes.provision_path": "a step of an ingest",
        "users.me": "commands act as the operator",
    },
}
"""Operations that a door reaches in another way."""
DOORS = {"REST": "api/routes", "shell": "engine/shell"}
OPEN = {
    "api": {"settings", "identity", "memory_for", "workspace_as", "health", "degraded"},
    "engine/shell": {"settings", "memory", "workspace", "ingest", "spending", "working", "health", "embedder"}
    | {
        "doctor",
        "remedies",
        "mending",
        "quarantine",
        "sweep",
        "dormancy",
        "derivations",
        "upgrades",
        "installation",
        "analysts",
        "archives",
    },
}
"""What a door may use of an engine; the upkeep of the stores and analyses are the operator's alone, who has the machine."""
HIDDEN = {"parts", "services", "caller", "_caller"}
"""Attributes that lead past the check of rights; no door uses them, whatever object has them."""


def _reached(folder: str) -> set[str]:
    text = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / folder).rglob("*.py")))
    calls = {f"{space}.{name}" for space, name in re.findall(r"(?=(?<!workspace\.)\b(\w+)\.(\w+)\b)", text)}
    for call in (f"{space}.{name}" for space, name in re.findall(r"\bworkspace\.(\w+)\.(\w+)\b", text)):
        calls.add(f"workspace.{call}" if f"workspace.{call}" in OPERATIONS else call)
    for call in (f"{space}.{name}" for space, name in re.findall(r"\beither\.(\w+)\.(\w+)\b", text)):
        calls |= {call, f"workspace.{call}"}  # of a memory, or of the workspace
    return calls | {
        f"searching.{name}" for name in ("search", "search_decayed", "context", "answer") if f"memory.{name}(" in text
    }


@pytest.mark.ledger("U02", "U05")
@pytest.mark.parametrize("door", DOORS)
def test_every_operation_has_every_door(door: str) -> None:
    missing = {name for name in OPERATIONS if name not in _reached(DOORS[door])}
    assert missing == ELSEWHERE[door].keys()


def _engines(tree: ast.AST) -> set[str]:
    """What the code calls an engine: parameters of that type, and what `….engine()` is opened as."""
    names = {"engine", "opened"}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None and ast.unparse(node.annotation) == "Engine":
            names.add(node.arg)
        opened = isinstance(node, ast.withitem) and re.search(r"\bengine\(", ast.unparse(node.context_expr))
        if opened and isinstance(node.optional_vars, ast.Tuple):
            names.add(ast.unparse(node.optional_vars.elts[0]))
    return names


def _forbidden(code: str, allowed: set[str]) -> Iterator[str]:
    """What a door takes of an engine although it may not."""
    tree = ast.parse(code)
    engines = _engines(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            holder = ast.unparse(node.value)
            is_engine = holder.split(".")[-1] in engines or holder.startswith("engine_of(")
            if node.attr in HIDDEN or (is_engine and hasattr(Engine, node.attr) and node.attr not in allowed):
                yield ast.unparse(node)


@pytest.mark.parametrize("door", OPEN)
def test_doors_reach_operations_alone(door: str) -> None:
    files = sorted((ROOT / door).rglob("*.py"))
    found = {f.name: taken for f in files if (taken := [*_forbidden(f.read_text(encoding="utf-8"), OPEN[door])])}
    assert found == {}


def test_what_a_door_may_not_use_is_noticed() -> None:
    code = "async def f(e: Engine):\n async with here.engine() as (o, _):\n  e.postgres, o.outbox, o.memory, engine_of(r).memory\n x.services"
    assert sorted(_forbidden(code, OPEN["api"])) == [
        "e.postgres",
        "engine_of(r).memory",
        "o.memory",
        "o.outbox",
        "x.services",
    ]


def test_a_memory_and_the_workspace_offer_operations_alone() -> None:
    """And what says who calls them, or how."""
    caller = SimpleNamespace(identity=None, parts=None, services=None, principal=None)
    for offered, own in (
        (
            Memory,
            {
                "principal",
                "search",
                "search_decayed",
                "context",
                "answer",
                "within",
                "on_terms",
                "anew",
                "until",
                "once",
            },
        ),
        (Workspace, set()),
    ):
        parts = {name: part for name, part in vars(offered(caller)).items() if not name.startswith("_")}
        assert {name for name in vars(offered) if not name.startswith("_")} == own
        assert all(isinstance(part, Subject) for name, part in parts.items() if name != "identity")


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


@pytest.mark.ledger("X08")
async def test_a_model_is_called_where_it_is_declared_within_limits_that_nested_operations_share() -> None:
    class _Thoughts(Subject[Keeper], name="thoughts"):
        @reads(identities)
        async def silent(self) -> str:
            return await self.spoken()

        @reads(identities, spends=True)
        async def spoken(self) -> str:
            return await budget().spent(1, ["a thought"], SimpleNamespace(count_tokens=len), thought)

        @reads(identities, spends=True)
        async def twice(self) -> str:
            return await self.spoken() + await self.spoken()

    async def thought() -> str:
        return "x"

    thoughts = _Thoughts(
        SimpleNamespace(terms=Terms(limits=Limits(model_calls=1)), around=lambda *_, **__: nullcontext(), redactor=None)
    )
    with pytest.raises(RuntimeError, match=r"thoughts\.silent calls a model"):
        await thoughts.silent()
    assert await thoughts.spoken() + await thoughts.spoken() == "xx"
    with pytest.raises(LimitReached, match="1 times"):
        await thoughts.twice()
    with spending(Limits()), pytest.raises(LimitReached, match="1 times"):
        await thoughts.twice()
    with spending(Limits(tokens=18)):
        assert await thoughts.spoken() == "x"
        with pytest.raises(LimitReached, match="1 times"):
            await thoughts.twice()
        with pytest.raises(LimitReached, match="18 tokens"):
            await thoughts.spoken()
    for name in ("silent", "spoken", "twice"):
        del OPERATIONS[f"thoughts.{name}"]


def test_models_are_called_where_a_budget_counts() -> None:
    called = re.compile(r"embedder\.embed_|model\.answer\(")
    files = [
        file
        for part in ("operations", "ingest", "retrieval", "history", "lifecycle", "hierarchy", "providers")
        for file in (ROOT / "engine" / part).rglob("*.py")
    ]
    assert {file.name for file in files if called.search(file.read_text(encoding="utf-8"))} == {
        "active.py",
        "model_calls.py",
        "assembling.py",
    }


@pytest.mark.ledger("U07")
async def test_all_calls_of_a_read_of_the_workspace_share_one_limit_of_time() -> None:
    class _Times(Subject[Keeper], name="times"):
        @reads(identities)
        async def left(self) -> float:
            return remaining(60)

        @reads(identities, limited=False)
        async def unlimited(self) -> float:
            return remaining(60)

    times = _Times(Keeper(Identity("operator", None, "tests"), SimpleNamespace(limit=0.2)))
    assert await times.left() <= 0.2 and await times.unlimited() == 60
    for name in ("left", "unlimited"):
        del OPERATIONS[f"times.{name}"]
