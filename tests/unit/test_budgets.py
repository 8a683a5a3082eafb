"""The budgets that keep the code readable: functions, files."""

from __future__ import annotations

import ast
import re
import statistics
from pathlib import Path

import pytest

from engine.stores.statements import sql_names, sql_source

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("engine", "api") for path in (ROOT / folder).rglob("*.py"))


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) and len(function.body) > 1 else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1


def _functions() -> dict[str, int]:
    return {
        f"{path.relative_to(ROOT)}:{node.name}": _body_lines(node)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_no_function_body_is_longer_than_60_lines_and_nine_in_ten_fit_25():
    bodies = _functions()
    assert {name: lines for name, lines in bodies.items() if lines > 60} == {}
    assert statistics.quantiles(bodies.values(), n=10)[-1] <= 25


def test_no_function_of_postgres_has_a_body_longer_than_60_lines():
    bodies = {}
    for path in (ROOT / "migrations" / "postgres" / "functions").rglob("*.sql"):
        lines = path.read_text(encoding="utf-8").splitlines()
        starts = [number for number, line in enumerate(lines) if line in ("BEGIN", "BEGIN ATOMIC")]
        ends = [number for number, line in enumerate(lines) if line.startswith("END")]
        bodies |= {f"{path.stem}:{start}": end - start - 1 for start, end in zip(starts, ends, strict=True)}
    assert len(bodies) > 100 and {name: lines for name, lines in bodies.items() if lines > 60} == {}


def test_no_file_is_longer_than_500_lines():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    made = {"api/client/operations.py"}  # from the OpenAPI document
    assert {name: lines for name, lines in lengths.items() if lines > 500}.keys() <= made


@pytest.mark.ledger("U03")
def test_every_statement_says_what_it_is_for():
    files = [*(ROOT / "migrations").rglob("functions/*/*.sql"), *(ROOT / "cypher").rglob("*.cypher")]
    texts = {str(path): path.read_text(encoding="utf-8") for path in files} | {
        name: sql_source(name) for name in sql_names()
    }
    for name, text in texts.items():
        header = [line for line in text.splitlines() if line.startswith(("-- ", "// "))]
        assert len(" ".join(header)) > 30, name


def test_no_query_text_stands_in_python():
    starting = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|MATCH|MERGE|CREATE)\b")
    texts = {path: path.read_text(encoding="utf-8") for path in FILES}
    for path, text in texts.items():
        if not starting.search(text):
            continue  # parsing all of them takes seconds
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = node.value.split()
                starts = words[0] if words else ""
                assert not (starting.fullmatch(starts) and len(words) > 2), (
                    path,
                    node.lineno,
                )
