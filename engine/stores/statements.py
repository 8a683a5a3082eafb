"""Query texts live in files; this reads them once. Nothing builds a query from strings.

SQL: `engine/sql/<subject>.sql` has the statements of a subject, each below a line `-- name: <name>` and called "subject/name";
those of benchmarks, evaluations and the leak audit lie beside their code. Placeholders `%(name)s`, identifiers `{name}` filled
through `psycopg.sql`.
Cypher: `cypher/engine/<subject>/<name>.cypher`; parameters `$name`. Text that statements share (rights, the
two clocks) is in `cypher/engine/parts/`: `part.holds(n)` in a statement becomes the text of that part, with `n` where
it says `@thing`. A part of whole clauses (`// Clauses:`) stands in a subquery of its own: `CALL (e) { part.anchored(e) }`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import LiteralString

from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
SQL_FOLDER = ROOT / "engine" / "sql"
SQL_BESIDE_CODE = {
    "bench": ROOT / "engine" / "lab" / "benchmarks" / "bench.sql",
    "eval": ROOT / "engine" / "lab" / "evaluation" / "eval.sql",
    "leaks": ROOT / "engine" / "lab" / "leaks" / "leaks.sql",
}
"""Subjects that are not the engine's own work, and where their statements stand."""
CYPHER_FOLDER = ROOT / "cypher" / "engine"
_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_PART = re.compile(r"\bpart\.(\w+)\(([^()]*)\)")


@cache
def cypher(name: str) -> LiteralString:
    """The Cypher statement `cypher/engine/<name>.cypher`, its parts filled in. Safe to send: files are ours."""
    return _filled((CYPHER_FOLDER / f"{name}.cypher").read_text(encoding="utf-8"))


@cache
def cypher_together(statements: tuple[tuple[str, str], ...]) -> LiteralString:
    """Several statements as one, in their order: one round trip. Given are their names, and the parameter of each.

    Each returns one row with `applied`, here a list of these; its parameter becomes a field of `$changes[n]`.
    """
    bodies = [_numbered(cypher(name), parameter, number) for number, (name, parameter) in enumerate(statements)]
    columns = ", ".join(f"applied_{number}" for number in range(len(bodies)))
    return "\n".join(["CYPHER 25", *bodies, f"RETURN [{columns}] AS applied"])


def _numbered(text: str, parameter: str, number: int) -> str:
    lines = [line for line in text.splitlines() if not line.startswith("//") and line != "CYPHER 25"]
    body = "\n".join(lines).replace(" AS applied", f" AS applied_{number}")
    given = re.sub(rf"[$]{parameter}\b", f"$changes[{number}].{parameter}", body)
    return f"CALL () {{\n{given}\n}}"


def cypher_purpose(name: str) -> str:
    """The beginning of what a statement says of itself."""
    first, _, _ = (CYPHER_FOLDER / f"{name}.cypher").read_text(encoding="utf-8").partition("\n")
    return re.split(r"[.;:] |\.$", first.removeprefix("// Purpose: "))[0]


def cypher_names() -> list[str]:
    """The names of all Cypher statements."""
    names = (path.relative_to(CYPHER_FOLDER).with_suffix("").as_posix() for path in CYPHER_FOLDER.rglob("*.cypher"))
    return sorted(name for name in names if not name.startswith("parts/"))


def _filled(text: str) -> str:
    return _PART.sub(lambda call: _part(call[1], tuple(one.strip() for one in call[2].split(",") if one.strip())), text)


@cache
def _part(name: str, arguments: tuple[str, ...]) -> str:
    """The text of a part on one line, in parentheses unless it is clauses, with the arguments in the places of its parameters."""
    head, *lines = (CYPHER_FOLDER / "parts" / f"{name}.cypher").read_text(encoding="utf-8").splitlines()
    parameters = [one for one in head.partition("(")[2].partition(")")[0].split(", ") if one]
    body = " ".join(line.strip() for line in lines if not line.startswith("//"))
    for parameter, argument in zip(parameters, arguments, strict=True):
        body = re.sub(rf"@{parameter}\b", argument, body)
    return _filled(body) if head.startswith("// Clauses:") else f"({_filled(body)})"


@cache
def _sql_statements(subject: str) -> dict[str, str]:
    """The texts of a subject's SQL statements, by name, without the line that names them."""
    path = SQL_BESIDE_CODE.get(subject, SQL_FOLDER / f"{subject}.sql")
    head, *parts = _NAME.split(path.read_text(encoding="utf-8"))
    names, texts = parts[::2], [text.strip() for text in parts[1::2]]
    if head.strip() or len(set(names)) < len(names):
        raise ValueError(f"{path.name} has text without a name, or two statements of one name.")
    return dict(zip(names, texts, strict=True))


def sql_source(name: str) -> str:
    """The text of the SQL statement of this name, with its header. KeyError where there is none."""
    subject, _, rest = name.partition("/")
    return _sql_statements(subject)[rest]


def sql_names() -> list[str]:
    """The names of all SQL statements."""
    subjects = (*(path.stem for path in SQL_FOLDER.glob("*.sql")), *SQL_BESIDE_CODE)
    return sorted(f"{subject}/{name}" for subject in subjects for name in _sql_statements(subject))


@cache
def sql_text(name: str) -> sql.SQL:
    """The SQL statement of this name."""
    return sql.SQL(sql_source(name))


def sql_of(name: str, /, **parts: str | int | Sequence[str]) -> sql.Composed:
    """The SQL statement of this name with each `{part}` as the identifier, the identifiers, or the number, given for it."""
    return sql_text(name).format(**{part: _part_of(value) for part, value in parts.items()})


def _part_of(value: str | int | Sequence[str]) -> sql.Composable:
    if isinstance(value, str | int):
        return sql.Literal(value) if isinstance(value, int) else sql.Identifier(value)
    return sql.SQL(", ").join(map(sql.Identifier, value))


TOKENS = {"embedding": "tokens", "embedding_b": "tokens_b"}
"""The column of the token bits of items, by that of the vectors."""


@cache
def sql_in(name: str, schema: str, vectors: str = "embedding") -> sql.Composed:
    """The SQL statement of this name with `{schema}` as the identifier of a node's schema.

    `{embedding}`, `{embedding_version}` and `{tokens}` are the columns of a slot: `vectors` and those beside it.
    """
    slot = {"embedding": vectors, "embedding_version": f"{vectors}_version", "tokens": TOKENS[vectors]}
    return sql_of(name, schema=schema, **slot)
