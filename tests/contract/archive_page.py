"""The list of members in docs/archive.md: `python -m tests.contract.archive_page` writes it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from engine.archive.catalogue import RowMember, catalogue
from engine.knowledge.dictionary import described

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "archive.md"
MADE = re.compile(r"(<!-- members: .*? -->\n).*?(<!-- end of members -->)", re.DOTALL)


def columns() -> dict[str, list[str]]:
    """The columns of all tables, by the names of the tables."""
    found: dict[str, list[str]] = defaultdict(list)
    for schema, kind, table, name, _ in json.loads((ROOT / "migrations" / "postgres_definitions.json").read_text()):
        if kind == "column":
            found[f"{schema}.{table}"].append(name)
    return found


def lines() -> Iterator[str]:
    known, (labels, types), held = columns(), described(), catalogue()
    yield "What each column is for stands in [data-dictionary.md](data-dictionary.md) below the table, the label or the type, and in `columns.json`.\n\n"
    for row in held.rows:
        yield f"* `{row.file}`: {row.about} (`{row.table}`). {_named(_shown(row, known))}\n"
        if row.apart:
            yield f"* `{row.computed_file}`: of these, in the same order, what is computed. {_named([*row.key, *row.apart])}\n"
    for element in held.elements:
        yield f"* `{element.file}`: {element.about} (`:{element.label}`). {_named(['labels', *labels[element.label].properties])}\n"
    for link in held.links:
        ends = f"from a `:{link.source}` to a `:{link.target}`"
        names = sorted({name for one in link.types for name in types[one].properties})
        yield (
            f"* `{link.file}`: {', '.join(f'`{one}`' for one in link.types)}, {ends}. {_named(['type', 'from', 'to'])}"
            + (f"; in `properties`: {_named(names)}\n" if names else "\n")
        )


def _shown(row: RowMember, known: dict[str, list[str]]) -> list[str]:
    own = ["node_id"] if row.of_nodes else []
    table = f"{'template' if row.of_nodes else 'engine'}.{row.table}"
    return own + [name for name in known[table] if name not in (*row.left, *row.apart)]


def _named(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page() -> str:
    made = "".join(lines())
    return MADE.sub(lambda found: f"{found[1]}{made}{found[2]}", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
