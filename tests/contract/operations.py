"""docs/operations.md: every operation, who may call it, and where the doors have it, from the declarations and the doors' code.

`python -m tests.contract.operations` writes it anew; the difference belongs into the commit that changed an operation.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute

import api.routes
import engine.memory
import engine.operations.workspace  # noqa: F401 (both define all operations)
from engine.operations.declaring import OPERATIONS, Operation
from engine.shell.application import command

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
HEAD = """# Operations

What a memory and the workspace can do, one table a subject, made from the code. Each operation is there once; [REST](rest.md),
the [shell](shell.md), the [client](client.md) and [MCP](mcp.md) call it. In Python it is a method of its subject:
`engine.memory(user_id).events.write(…)`, `engine.workspace.tokens.create(…)`; only `search` and its like are methods of the memory
itself.

*May call*: anyone else gets the answer of an unknown id. *Key*: a repeat with the same idempotency key gets the first answer.
*Read* and *write* say whether it changes anything. An empty column: the door reaches it as a part of another operation.
"""
AUDIENCES = {"owner": "the user", "members": "the user, personas", "readers": "who may read", "anyone": "anyone"}
CALL = re.compile(r"(?=(?<!workspace\.)\b(workspace\.)?(\w+)\.(\w+)\b)")


def named(source: str) -> set[str]:
    """The operations that a text of code names."""
    found = set()
    for whole, space, name in CALL.findall(source):
        given = f"workspace.{space}.{name}"
        if f"either.{space}.{name}" in source:  # of a memory or of the workspace
            found.add(given)
        found |= {
            given if whole and given in OPERATIONS else f"{space}.{name}",
            f"searching.{name}" if space == "memory" else "",
        }
    return found & OPERATIONS.keys()


def helpers(function: Any) -> Iterator[Any]:
    """The functions of its own module that a function calls, and that these call."""
    reached, waiting = {function}, [function]
    while waiting:
        one = waiting.pop()
        module = inspect.getmodule(one)
        for name in re.findall(r"\b([a-z_]\w*)\(", inspect.getsource(one)):
            inner = inspect.unwrap(getattr(module, name, None) or named)
            if inspect.isfunction(inner) and inspect.getmodule(inner) is module and inner not in reached:
                reached.add(inner)
                waiting.append(inner)
                yield inner


def at_door(functions: Iterable[tuple[str, Any]]) -> dict[str, list[str]]:
    """Of each operation the requests or commands that call it, by their helpers only where none does itself."""
    own, inner = defaultdict(list), defaultdict(list)
    for title, function in functions:
        for operation in named(inspect.getsource(function)):
            own[operation].append(title)
        for operation in {one for helper in helpers(function) for one in named(inspect.getsource(helper))}:
            inner[operation].append(title)
    return {**inner, **own}


def requests() -> Iterator[tuple[str, Any]]:
    for module in iter_modules(api.routes.__path__):
        for router in vars(import_module(f"api.routes.{module.name}")).values():
            for route in router.routes if isinstance(router, APIRouter) else ():
                if isinstance(route, APIRoute):
                    yield (
                        f"{' '.join(sorted(route.methods or ()))} {route.path.replace(':path}', '}')}",
                        inspect.unwrap(route.endpoint),
                    )


def commands() -> Iterator[tuple[str, Any]]:
    for name, one in commands_of("", command().commands):
        yield name, inspect.unwrap(one.callback)


def commands_of(above: str, group: Any) -> Iterator[tuple[str, Any]]:
    """Each command of a group by its whole name."""
    for name, one in group.items():
        if hasattr(one, "commands"):
            yield from commands_of(f"{above}{name} ", one.commands)
        else:
            yield f"{above}{name}", one


def page() -> str:
    rest, shell = at_door(requests()), at_door(commands())
    subjects = defaultdict(list)
    for operation in sorted(OPERATIONS.values(), key=lambda one: one.name):
        subjects[operation.name.rpartition(".")[0]].append(operation)
    return "\n".join(
        [HEAD, *(line for subject, those in subjects.items() for line in _table(subject, those, rest, shell))]
    )


def _table(
    subject: str, those: list[Operation], rest: dict[str, list[str]], shell: dict[str, list[str]]
) -> Iterator[str]:
    yield f"## {subject}\n"
    yield "| | | may call | key | REST | shell |"
    yield "|---|---|---|---|---|---|"
    for one in those:
        first = " ".join((inspect.getdoc(one.function) or "").split()).partition(". ")[0].rstrip(".")
        cells = (
            f"`{one.name.rpartition('.')[2]}`",
            f"{'write' if one.writes else 'read'}: {first[0].lower()}{first[1:]}",
            AUDIENCES.get(one.audience.__name__, one.audience.__name__),
            "yes" if one.once else "",
            ", ".join(f"`{name}`" for name in sorted({*rest.get(one.name, ())})),
            ", ".join(f"`{name}`" for name in sorted({*shell.get(one.name, ())})),
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
