"""Functions of Postgres build no statement from text but for identifiers: conditions and values are parameters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).resolve().parents[2] / "migrations" / "postgres" / "functions"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in FUNCTIONS.rglob("*.sql")}
TOKENS = re.compile(r"(?:--[^\n]*|\s+)|('(?:[^']|'')*'|[A-Za-z_]\w*|\|\||.)", re.DOTALL)
EXECUTES = re.compile(r"\bEXECUTE\b(?!\s+(?:ON|FUNCTION|PROCEDURE)\b)")
"""A right on a function, and what a trigger does, are no statements."""
PLACES = re.compile(r"%(?:\d+\$)?(.)")
DEFINES = re.compile(r"(?:format\('(?:ALTER|CREATE|GRANT) |absent\.statement\|\|)")

DEFINITIONS = {
    "apply_node_policies": "rules of policies, with the id of their node",
    "create_node_schema": "columns and rights of the tables of a node",
    "mend_node_tables": "types, defaults and rights of lost columns and tables, and whole definitions",
    "pin_search_paths": "signatures of functions, and a path",
    "reset_slot": "the type of vectors",
    "shape_slots": "how vectors are stored",
}
"""Functions whose statements define something, and what these take from text: Postgres has no parameters in definitions."""
LISTS = {"copy_rows": ("names", "string_agg(quote_ident(c.attname), ', '", 3)}
"""Functions with a list of identifiers: its variable, how that is made, and the place of the text where it stands."""


def code(name: str) -> str:
    return "\n".join(line for line in TEXTS[name].splitlines() if not line.startswith("--"))


def executed(text: str) -> list[list[str]]:
    """What each EXECUTE runs, in tokens: up to its INTO, USING or end."""
    found = []
    for match in EXECUTES.finditer(text):
        tokens: list[str] = []
        depth = 0
        for token in (one.group(1) for one in TOKENS.finditer(text, match.end()) if one.group(1)):
            depth += (token == "(") - (token == ")")
            if depth == 0 and token in ("INTO", "USING", "LOOP", ";"):
                break
            tokens.append(token)
        found.append(tokens)
    return found


def built(tokens: list[str]) -> bool:
    """Whether a statement is put together from more than texts and identifiers."""
    if all(token.startswith("'") for token in tokens):
        return False
    if tokens[:2] != ["format", "("] or not tokens[2].startswith("'"):
        return True
    texts = []
    for token in tokens[2:]:
        if not token.startswith("'"):
            break
        texts.append(token)
    after = tokens[2 + len(texts)]
    return after not in (",", ")") or not set(PLACES.findall("".join(texts))) <= {"I", "%"}


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("EXECUTE 'SELECT 1' INTO n;", False),
        ("EXECUTE format('SELECT a FROM %I.b' ' WHERE c = $1', place) USING c;", False),
        ("FOR r IN EXECUTE format('SELECT %2$I FROM %1$I.b', place, n || '_version') LOOP", False),
        ("EXECUTE format('SELECT a FROM %I.b %s', place, rule);", True),
        ("EXECUTE format('SELECT a FROM %1$I.b' ' WHERE %2$s', place, rule);", True),
        ("EXECUTE format('SELECT a FROM %I.b WHERE c = %L', place, c);", True),
        ("EXECUTE format('SELECT a FROM %I.b' || rule, place);", True),
        ("EXECUTE 'SELECT a FROM b' || rule;", True),
        ("EXECUTE format(rule, place);", True),
        ("EXECUTE rule USING c;", True),
    ],
)
def test_a_built_statement_is_found(statement: str, found: bool) -> None:
    assert [built(tokens) for tokens in executed(statement)] == [found]


def test_statements_are_built_from_identifiers_alone() -> None:
    statements = {name: executed(code(name)) for name in TEXTS}
    assert sum(map(len, statements.values())) > 120
    assert {name for name in TEXTS if any(map(built, statements[name]))} == DEFINITIONS.keys() | LISTS.keys()


@pytest.mark.parametrize("name", DEFINITIONS)
def test_built_from_more_are_definitions_alone(name: str) -> None:
    assert all(DEFINES.match("".join(tokens)) for tokens in executed(code(name)) if built(tokens))


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_identifiers_has_them_quoted(name: str) -> None:
    variable, beginning, place = LISTS[name]
    assert f"{variable} text := (SELECT {beginning}" in code(name)
    for tokens in executed(code(name)):
        assert not built([token.replace(f"%{place}$s", "%I") for token in tokens])
        assert [token for token in tokens if token[0] not in "',()"][place] == variable  # format itself is the first


def test_what_reads_as_the_owner_of_the_tables_has_the_rule_of_the_policies() -> None:
    rule = "".join(re.findall("'((?:[^']|'')*)'", code("shown_rule"))).partition(" <= ")[2]
    assert rule.startswith("CASE WHEN privacy")
    assert f"AND $6 <= {rule} OFFSET" in " ".join(code("search_worded").split())
