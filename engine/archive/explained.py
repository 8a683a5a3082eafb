"""What an archive says of itself: the meaning of each column of each member, and how to read it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import orjson

from engine.archive.catalogue import RowMember, catalogue
from engine.knowledge.dictionary import Described, described
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

READ_ME_TEXT = """An archive of everything that Neurigraph keeps of one user, or of what a reader may read there.

manifest.json   whose it is, who made it and when; of each member its size, its SHA-256 and its number of lines
columns.json    of each member what it holds, and what each of its columns is for
*.jsonl         one JSON object a line, UTF-8; times in UTC, ISO 8601; bytes as hex digits after \\x; vectors as texts of numbers
graph/*.jsonl   nodes of the graph (with their labels), and relationships (type, from, to, properties)
files/          files as they came in

unzip -p ARCHIVE records.jsonl | jq .title
python -c 'import pandas, zipfile; print(pandas.read_json(zipfile.ZipFile("ARCHIVE").open("items.jsonl"), lines=True))'

`neurigraph archive import ARCHIVE` makes the user of it again, with the same answers.
"""


@dataclass(frozen=True, slots=True)
class _Meaning:
    place: str
    name: str
    type: str
    meaning: str


async def explained(postgres: Postgres) -> bytes:
    """The columns of all members, as JSON."""
    by_table: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for one in await postgres.fetch_as_service(sql_text("archive/meanings"), row=_Meaning):
        by_table[one.place][one.name] = {"type": one.type, "meaning": one.meaning}
    held = catalogue()
    labels, types = described()
    found: dict[str, Any] = {}
    for row in held.rows:
        known = by_table[f"{'template' if row.of_nodes else 'engine'}.{row.table}"]
        found[row.file] = {"about": row.about, "key": row.key, "columns": _of_rows(row, known)}
        if row.apart:
            about = f"of {row.file}, in the same order: what is computed from its columns"
            columns = {name: known[name] for name in (*row.key, *row.apart)}
            found[row.computed_file] = {"about": about, "key": row.key, "columns": columns}
    for element in held.elements:
        found[element.file] = {
            "about": element.about,
            "key": [element.id],
            "columns": _properties(labels[element.label]),
        }
    for link in held.links:
        about = " ".join(f"{name}: {types[name].meaning}" for name in link.types)
        properties = {key: one for name in link.types for key, one in _properties(types[name]).items()}
        ends = {"from": f"the id of a {link.source}", "to": f"the id of a {link.target}"}
        found[link.file] = {"about": about, **ends, "properties": properties}
    return orjson.dumps(found, option=orjson.OPT_INDENT_2)


def _of_rows(row: RowMember, known: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    own = {"node_id": {"type": "uuid", "meaning": "the node"}} if row.of_nodes else {}
    return own | {name: one for name, one in known.items() if name not in (*row.left, *row.apart)}


def _properties(one: Described) -> dict[str, dict[str, str]]:
    return {name: {"type": each.type, "meaning": each.meaning} for name, each in one.properties.items()}
