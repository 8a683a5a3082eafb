"""Each write of a user's rows waits for a forgetting of that user: it is in a unit, or in a transaction that says that it writes, or it
is the service's and named here. A statement for a principal that does not say so is refused by Postgres: it only reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from engine.stores.statements import sql_names, sql_source

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = ROOT / "migrations" / "postgres" / "functions"
WRITES = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:\{schema\}|engine|%(?:\d\$)?I)\.(?:\w+|%(?:\d\$)?I)|engine\.copy_rows"
)
LOCKS = re.compile(r"\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b")
CALLS = re.compile(r"\bengine\.(\w+)\s*\(")
ENTERS = re.compile(r"\bINSERT\s+INTO\s+(?:\{schema\}|engine)\.")
NAMED = re.compile(r"[a-z_]+/[a-z_]+")
HOLDS = "commit/hold_writes"

OF_THE_SERVICE = {
    "archive/": "enters a user who is not there before",
    "commit/": "the log says of a commit that is not finished how it failed; a forgetting has it finished first",
    "clean/": "deletes what is kept for a time only",
    "damage/": "names nodes and what is wrong there, and no text",
    "due/": "ids of nodes and records, of which something is due: settled where they are gone",
    "embedding/": "vectors of rows that are there",
    "forgetting/": "is the forgetting, and holds the writes alone",
    "forgettings/": "says what is forgotten and how far that is",
    "hold/": "says what nothing erases; waits for a forgetting by itself",
    "installation/": "is about no user",
    "integration/": "is about no user",
    "job/": "counts of runs",
    "node/states_applied": "states of nodes that are there",
    "node/upgrade": "tables of nodes",
    "remedy/": "mends what rows that are there say",
    "mend/": "mends what rows that are there say",
    "retention/remove": "says what is to be forgotten, and nothing that was said",
    "schema/": "is about no user",
    "sql_role/": "is about no user",
    "token/": "is about no user",
    "failure/": "of jobs: names a job",
}
"""What the service enters without waiting, by the beginning of its statements' names, with the reason."""


def code(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("--"))


def writing() -> set[str]:
    """Names of the statements that write or lock, by themselves or by functions."""
    texts = {path.stem: code(path.read_text("utf-8")) for path in FUNCTIONS.rglob("*.sql")}
    found = {name for name, text in texts.items() if WRITES.search(text) or LOCKS.search(text)}
    while more := {name for name, text in texts.items() if found & set(CALLS.findall(text))} - found:
        found |= more
    sources = {name: code(sql_source(name)) for name in sql_names()}
    return {
        name
        for name, text in sources.items()
        if WRITES.search(text) or LOCKS.search(text) or found & set(CALLS.findall(text))
    }


def statements(node: ast.AST) -> set[str]:
    """The statements that a piece of code names."""
    texts = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return {text for text in texts if NAMED.fullmatch(text)}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "engine").rglob("*.py")):
        module = path.relative_to(ROOT / "engine").as_posix()
        if not module.startswith("lab/"):
            yield module, ast.parse(path.read_text("utf-8"))


def said(call: ast.Call) -> bool | None:
    """What a call says of `writes`; None where it says nothing."""
    for one in call.keywords:
        if one.arg == "writes" and isinstance(one.value, ast.Constant):
            return bool(one.value.value)
    return None


def called(node: ast.AST, *names: str) -> Iterator[ast.Call]:
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in names:
            yield one


def test_a_principals_statement_that_writes_says_so() -> None:
    """By `fetch` of Postgres, whose first argument is the principal."""
    written, wrong = writing(), []
    for module, tree in modules():
        for call in called(tree, "fetch"):
            of_postgres = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).endswith("postgres")
            if of_postgres and len(call.args) > 1 and statements(call.args[1]) & written and not said(call):
                wrong.append((module, call.lineno))
    assert wrong == []


def test_a_block_that_only_reads_sends_no_statement_that_writes() -> None:
    written = writing()
    blocks = [
        (module, node)
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncWith)
        if any(said(call) is False for item in node.items for call in called(item, "as_principal"))
    ]
    assert blocks
    assert [(module, node.lineno) for module, node in blocks if statements(node) & written] == []


def test_what_the_service_enters_waits_or_is_named_here() -> None:
    """In one call, or in a transaction of its own."""
    entering = {name for name in writing() if ENTERS.search(code(sql_source(name)))}
    found: dict[str, str] = {}
    for module, tree in modules():
        places: list[ast.AST] = [*called(tree, "fetch_as_service", "change_as_service")]
        places += [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.AsyncWith) and any(True for item in node.items for _ in called(item, "as_service"))
        ]
        for place in places:
            if HOLDS not in (named := statements(place)):
                found |= {name: module for name in named & entering}
    left = {name: module for name, module in found.items() if not name.startswith(tuple(OF_THE_SERVICE))}
    assert left == {}
