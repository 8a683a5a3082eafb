"""Findings about one node: its tables, its shell against the registry, its manifest, its contents. Pure comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.lifecycle.finding import FIX, Finding, accepting

Row = dict[str, Any]
_LOST = ("its schema", "its table")


def tables(row: Row) -> Iterator[Finding]:
    """The tables of a node beside the template."""
    subject, node_id, damage = f"node {row['schema_name']}", row["node_id"], row["damage"]
    if damage and damage.startswith(_LOST) and damage.endswith("missing"):
        remedy = accepting("tables-lost", node_id, "the node goes on without what was in them")
        problem = damage if damage.startswith("its schema") else f"its tables are not those of the template: {damage}"
        yield Finding("error", "postgres", subject, problem, remedy, "tables-lost", node_id)
    elif damage:
        problem = f"its tables are not those of the template: {damage}"
        remedy = f"{FIX}; a column that may not be empty takes a backup"
        yield Finding("error", "postgres", subject, problem, remedy, "tables-damaged", node_id)
    elif not row["shape_ok"]:
        problem = "its tables are not those of the template: they are of an older version"
        yield Finding(
            "error", "postgres", subject, problem, "nothing to do: the job node-upgrade brings them up to date"
        )


def shell(row: Row, shown: Row | None) -> Iterator[Finding]:
    """The shell of a node beside the registry, and its vector."""
    subject, node_id = f"node {row['schema_name']}", row["node_id"]
    if shown is None:
        remedy = f"{FIX} rebuilds it with its manifest and grants; its edges to other nodes are only in a backup"
        yield Finding("error", "neo4j", subject, "its shell is missing", remedy, "shell-missing", node_id)
        return
    if not row["busy"] and (wrong := [*_differing(row, shown)]):
        yield Finding("error", "neo4j", subject, "; ".join(wrong), FIX, "shell-wrong", node_id)
    if row["active"] and row["active"] not in shown["versions"] and not row["waits"]:
        problem = "its shell has no vector, and no job will make it: the node is found by words alone"
        yield Finding("error", "neo4j", subject, problem, FIX, "vector-lost", node_id)
    yield from _state(row, shown)


def _differing(row: Row, shown: Row) -> Iterator[str]:
    for field in ("name", "name_key", "node_type", "layer", "schema_name"):
        if shown[field] != row[field]:
            yield f"its shell says {field} {shown[field]!r}, it is {row[field]!r}"
    parent = str(row["parent_id"]) if row["parent_id"] else None
    if shown["user_id"] != str(row["user_id"]):
        yield f"its shell belongs to the user {shown['user_id']}"
    if shown["parents"] != ([parent] if parent else []) or shown["parent_id"] != parent:
        yield f"its shell hangs below {', '.join(shown['parents']) or 'no node'}, its parent is {parent or 'none'}"


def manifest(row: Row, shown: Row) -> Iterator[Finding]:
    """The manifest and the counts of a shell beside the records and items of its node."""
    subject, node_id = f"node {row['schema_name']}", row["node_id"]
    listed, records = shown["records"], row["records"]
    if records is None:
        return
    if listed > records:
        problem = f"{listed - records} records are gone: the manifest lists {listed}, the node has {records}"
        remedy = accepting("records-gone", node_id, "the manifest forgets them")
        yield Finding("error", "postgres", subject, problem, remedy, "records-gone", node_id)
    elif listed < records:
        problem = f"the manifest lists {listed} records, the node has {records}"
        yield Finding("error", "neo4j", subject, problem, f"{FIX} enters the others", "manifest-lost", node_id)
    elif shown["listed_items"] > row["items"]:
        gone = shown["listed_items"] - row["items"]
        problem = f"{gone} items are gone: its records had {shown['listed_items']}, the node has {row['items']}"
        remedy = accepting("items-gone", node_id, "the manifest counts what is there")
        yield Finding("error", "postgres", subject, problem, remedy, "items-gone", node_id)
    elif shown["listed_items"] < row["items"] or _counted(shown) != (listed, shown["listed_items"]):
        counted = f"{shown['counted_records']} records and {shown['counted_items']} items"
        problem = f"the shell counts {counted}, there are {records} and {row['items']}"
        yield Finding("warning", "neo4j", subject, problem, f"nothing is lost; {FIX} recounts", "counts-off", node_id)


def _counted(shown: Row) -> tuple[int, int]:
    return shown["counted_records"], shown["counted_items"]


def contents(row: Row) -> Iterator[Finding]:
    """Findings about the contents of a node."""
    subject, node_id = f"node {row['schema_name']}", row["node_id"]
    if row["unreadable"]:
        problem = f"its rows cannot be read ({row['unreadable']}); searches leave it out"
        yield Finding(
            "error", "postgres", subject, problem, "restore Postgres from a backup", "rows-unreadable", node_id
        )
        return
    if row["texts"]:
        problem = f"the text of {row['texts']} items is not what was stored"
        remedy = accepting("text-changed", node_id, "the present texts are accepted, their vectors rebuilt")
        yield Finding("error", "postgres", subject, problem, remedy, "text-changed", node_id)
    if row["vectors"]:
        problem = f"{row['vectors']} items or records have no vector that can be searched, and no job will make it"
        yield Finding("error", "postgres", subject, problem, FIX, "vector-lost", node_id)
    if row["deltas"]:
        problem = f"the log of changes lacks {row['deltas']} entries"
        remedy = f"restore a backup; {FIX} rebuilds the first entries of records and marks the others as lost"
        yield Finding("error", "postgres", subject, problem, remedy, "deltas-lost", node_id)
    if row["sources"]:
        problem = f"it is unknown how far {row['sources']} sources are stored: sent again, they are stored twice"
        remedy = f"{FIX}; sources in no ingest session: {accepting('source-lost', node_id, 'they stay unknown')}"
        yield Finding("error", "postgres", subject, problem, remedy, "source-lost", node_id)
    if row["files"]:
        problem = f"the files of {row['files']} records have no line in its manifest: they cannot be opened"
        remedy = f"{FIX}; files in no raw input: {accepting('entry-lost', node_id, 'the records stay without a file')}"
        yield Finding("error", "postgres", subject, problem, remedy, "entry-lost", node_id)


def _state(row: Row, shown: Row) -> Iterator[Finding]:
    """The state of files in the shell, where it is wrong and was not right a moment ago."""
    right, shown_seq = row["file_state"], shown["state_seq"]
    if right is None:  # no file ever moved: they sleep, as they were written
        right = "dormant" if row["pointers"] and shown_seq is None else shown["state"]
    elif shown_seq is not None and shown_seq > row["file_seq"]:
        return  # one moved since the registry was read
    if shown["state"] != right:
        problem = f"the shell shows its files as {shown['state']}, they are {right}"
        remedy = (
            "the next file that wakes or sleeps there mends it"
            if row["applied"]
            else "nothing to do: the sweep mends it"
        )
        yield Finding("warning", "neo4j", f"node {row['schema_name']}", problem, remedy)
