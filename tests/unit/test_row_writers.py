"""Each table that commits write has one module that sends the statements which write it; what else writes it is named here."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from engine.stores.statements import sql_names, sql_source

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = ROOT / "migrations" / "postgres" / "functions"
WRITES = re.compile(r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:\{schema\}|%(?:\d\$)?I|engine)\.(\w+)")
COPIES = re.compile(r"engine\.copy_rows\('(\w+)'")
CALLS = re.compile(r"\bengine\.(\w+)\s*\(")
OF_KIND = re.compile(r'\bstatement\("(\w+)"')
"""A statement of the same name for records and items."""
NAMED = re.compile(r'"([a-z_]+/[a-z_]+)"')
CYPHER = re.compile(r'cypher\(\s*"[^"]+"|ClassVar\[str\] = "[^"]+"')
NOT_THE_ENGINES = ("lab/",)

MODULES = {
    "outbox": "commit/outbox",
    "metadata_records": "commit/rows/records",
    "memory_items": "commit/rows/records",
    "term_counts": "commit/rows/term_counts",
    "delta_log": "commit/rows/deltas",
    "file_manifest": "commit/rows/sources",
    "sources": "commit/rows/sources",
    "due": "commit/rows/due",
    "facts": "commit/rows/facts",
    "fact_attributes": "commit/rows/facts",
    "retractions": "commit/rows/retractions",
    "retraction_steps": "commit/rows/retractions",
    "retracted_facts": "commit/rows/retractions",
    "documents": "commit/rows/sources",
    "document_versions": "commit/rows/sources",
    "raw_resources": "commit/rows/sources",
    "assignments": "ingest/assignment/placing",
    "grants": "access/grants",
}
"""Of every table: the one module that writes it."""
BESIDE = {
    "commit/set_aside": (
        "undoes a commit that is set aside, by one function",
        "outbox metadata_records memory_items term_counts delta_log file_manifest sources due documents document_versions"
        " raw_resources assignments grants facts",
    ),
    "lifecycle/moving": (
        "one function holds all rules of a move",
        "outbox metadata_records memory_items term_counts delta_log file_manifest due documents assignments facts"
        " retraction_steps",
    ),
    "lifecycle/embedding_versions": ("one function holds all rules of a promotion", "due"),
    "derive/items": ("adds the stems and makes the tokens that older items lack", "memory_items"),
    "records/slices": ("slices: what becomes of records and items by changes", "metadata_records memory_items"),
    "commit/unit_of_work": ("accepts the commits that the outbox finishes", "outbox"),
    "commit/outbox": ("makes records visible, and notes what is made from them", "metadata_records due"),
    "lifecycle/canary": ("fills the slot of another version of the embeddings", "metadata_records memory_items"),
    "retrieval/touches": ("when something was read last", "metadata_records memory_items"),
    "history/nodes": ("one function holds all rules of a change of a node", "outbox delta_log"),
    "hierarchy/provisioning": ("one function holds all rules of a new node", "outbox"),
    "access/grants": ("one function holds all rules of a grant", "outbox"),
    "lifecycle/retention": ("deletes what is kept for a time only", "outbox"),
    "derive/chains": ("withdraws facts whose items ended", "facts"),
    "derive/catalogue": ("marks facts that are stale", "facts"),
    "facts/graph_entries": ("carries facts into the graph", "facts"),
    "lifecycle/mending/entities": ("has facts carried into the graph again", "facts"),
    "commit/rows/due": ("marks records whose vectors are all there", "metadata_records"),
    "lifecycle/file_states": ("states of files change without a commit", "file_manifest"),
    "lifecycle/remedies": (
        "mends what is lost",
        "metadata_records memory_items delta_log file_manifest sources due",
    ),
    "lifecycle/mending/shells": ("mends what is lost", "term_counts due"),
    "forgetting/nodes": ("erases nodes that are forgotten", "delta_log"),
    "forgetting/rows": (
        "erases what is forgotten",
        "outbox metadata_records memory_items term_counts delta_log file_manifest sources due facts fact_attributes"
        " retractions retraction_steps retracted_facts documents document_versions raw_resources assignments",
    ),
}
"""Modules beside: why, and the tables that they write."""


def written_by_functions() -> dict[str, set[str]]:
    """The tables that each function of the database writes, itself or by another one."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in FUNCTIONS.rglob("*.sql")}
    tables = {name: {*WRITES.findall(text), *COPIES.findall(text)} for name, text in texts.items()}
    calls = {name: (set(CALLS.findall(text)) & texts.keys()) - {name} for name, text in texts.items()}
    grows = True
    while grows:
        grows = False
        for name, called in calls.items():
            found = set().union(*(tables[one] for one in called)) - tables[name]
            tables[name] |= found
            grows = grows or bool(found)
    return tables


def writers() -> dict[str, set[str]]:
    """The modules that send a statement which writes a table, by table."""
    functions = written_by_functions()
    tables = {}
    for name in sql_names():
        lines = sql_source(name).splitlines()
        text = "\n".join(line for line in lines if not line.startswith("--"))
        called = set(CALLS.findall(text)) & functions.keys()
        tables[name] = set(WRITES.findall(text)).union(*(functions[one] for one in called))
    found: dict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "engine").rglob("*.py"):
        module = path.relative_to(ROOT / "engine").with_suffix("").as_posix()
        if not module.startswith(NOT_THE_ENGINES):
            text = CYPHER.sub("", path.read_text(encoding="utf-8"))
            both = [f"{kind}/{name}" for name in OF_KIND.findall(text) for kind in ("record", "item")]
            for name in [*NAMED.findall(text), *both]:
                for table in tables.get(name, ()):
                    found[table].add(module)
    return found


@pytest.mark.parametrize("table", MODULES)
def test_a_table_has_one_writing_module(table: str) -> None:
    beside = {module for module, (_, tables) in BESIDE.items() if table in tables.split()}
    assert writers()[table] == {MODULES[table]} | beside


def test_only_one_function_enters_commits() -> None:
    inserts = re.compile(r"INSERT\s+INTO\s+engine\.outbox\b")
    named = [path.stem for path in FUNCTIONS.rglob("*.sql") if inserts.search(path.read_text(encoding="utf-8"))]
    assert named == ["accept_commit"]
    assert [name for name in sql_names() if inserts.search(sql_source(name))] == ["leaks/insert_outbox"]
