"""The structure of the code itself, counted: sizes, names with several meanings, what an import loads. No store is started.

Lines are lines of files, with comments and blanks; a class name has several meanings where modules define it anew.
"""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from engine.lab.benchmarks.report import Figure, Report
from engine.progress import Progress
from engine.settings import Settings
from engine.stores.migrations import FUNCTIONS
from engine.stores.statements import ROOT

IMPORTED = ("api.client", "engine.operations.events", "engine.neurigraph")
OURS = "sum(name.split('.')[0] in ('engine', 'api') for name in sys.modules)"
LOADED = (
    "import time, sys; start = time.process_time(); import {module}; print(" + OURS + ", time.process_time() - start)"
)
EXECUTED = re.compile(
    r"\bEXECUTE\s+(?!FUNCTION|PROCEDURE|ON)(.*?);\s*(?:--.*)?$", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
"""A statement that a function of Postgres sends as a text."""
PUT_IN = re.compile(r"%(?:\d+\$)?s|^format\(\s*(?:'(?:[^']|'')*+'\s*)*+\|\||^(?!format\()", re.IGNORECASE)
"""Where a text is put in as it is: by `format` (neither an identifier, `%I`, nor a value, `%L`), by `||`, or alone."""
REPEATS = 3
"""Imports of which the quickest counts: the first one may read files that are not in memory yet."""


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    lines: int
    tree: ast.Module

    @property
    def laboratory(self) -> bool:
        return self.path.startswith("engine/lab/")


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """Counts the code that runs here; the settings and the history are not used."""
    wall, cpu = perf_counter(), process_time()
    files = list(_files())
    product = [file for file in files if not file.laboratory]
    bodies = [lines for file in product for lines in _bodies(file.tree)]
    meanings = _meanings(product)
    functions = list(FUNCTIONS.rglob("*.sql"))
    longest = max(product, key=lambda file: file.lines)
    figures = [
        Figure("Python files", len(product), "files"),
        Figure("Python", sum(file.lines for file in product), "lines"),
        Figure("Python of the laboratory", sum(file.lines for file in files if file.laboratory), "lines"),
        Figure(f"longest file ({longest.path})", longest.lines, "lines"),
        Figure("body of a function, p90", statistics.quantiles(bodies, n=10)[-1], "lines"),
        Figure("longest body", max(bodies), "lines"),
        Figure("class names with several meanings", len(meanings), "names"),
        Figure("SQL statements", len(list((ROOT / "engine/sql").glob("*.sql"))), "files"),
        Figure("functions of Postgres", len(functions), "functions"),
        Figure("of them that put more than identifiers into a statement", len(puts_in_texts()), "functions"),
    ]
    imports = {module: loaded(module) for module in IMPORTED}
    for module, (modules, seconds) in imports.items():
        figures.append(Figure(f"import of {module}", modules, "own modules"))
        figures.append(Figure(f"import of {module}, CPU", seconds, "s"))
    details = {"meanings": {name: sorted(places) for name, places in sorted(meanings.items())}}
    spent = {"this process": process_time() - cpu}
    return Report("structure", tuple(figures), perf_counter() - wall, spent, details)


def puts_in_texts() -> list[str]:
    """The functions of Postgres that make a statement of other texts than identifiers, such as types and rights: subject/name."""
    return sorted(
        path.relative_to(FUNCTIONS).with_suffix("").as_posix()
        for path in FUNCTIONS.rglob("*.sql")
        for statements in [EXECUTED.findall(path.read_text(encoding="utf-8"))]
        if any(PUT_IN.search(one) for one in statements)
    )


def loaded(module: str) -> tuple[int, float]:
    """How many own modules an import loads in a new process, and its CPU time in seconds, the least of some imports."""
    found = []
    for _ in range(REPEATS):
        command = [sys.executable, "-c", LOADED.format(module=module)]
        modules, seconds = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
        found.append((int(modules), float(seconds)))
    return min(found, key=lambda one: one[1])


def _files() -> Iterator[_File]:
    for folder in ("engine", "api"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            yield _File(path.relative_to(ROOT).as_posix(), len(text.splitlines()), ast.parse(text))


def _bodies(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            yield (node.end_lineno or 0) - body[0].lineno + 1


def _meanings(files: Sequence[_File]) -> dict[str, set[str]]:
    """Names of classes that stand for different things in different modules; those of one module alone begin with `_`."""
    places: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for node in file.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(file.path)
    return {name: found for name, found in places.items() if len(found) > 1}
