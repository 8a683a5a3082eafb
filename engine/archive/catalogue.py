"""What an archive holds, in the order of an import. `members.toml` has it, and says what its words mean."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Whose = Literal["user", "nodes", "retractions", "forgettings", "grants"]
FILE = Path(__file__).with_name("members.toml")
PAGE = 500
COMPUTED = "_computed"


@dataclass(frozen=True, slots=True)
class RowMember:
    """Rows of a table. `of_nodes`: the table is one of each node."""

    name: str
    table: str
    key: tuple[str, ...]
    about: str
    whose: Whose = "user"
    by: Literal["reader", "service"] = "reader"
    left: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    part: tuple[str, ...] = ()
    page: int = PAGE
    of_nodes: bool = False

    @property
    def file(self) -> str:
        return f"{self.name}.jsonl"

    @property
    def computed_file(self) -> str:
        """The member with the columns that are computed from the others."""
        return f"{self.name}{COMPUTED}.jsonl"

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file, self.computed_file) if self.apart else (self.file,)


@dataclass(frozen=True, slots=True)
class ElementMember:
    """Nodes of the graph with this label."""

    name: str
    label: str
    id: str
    about: str

    @property
    def file(self) -> str:
        return f"graph/{self.name}.jsonl"


@dataclass(frozen=True, slots=True)
class LinkMember:
    """Relationships between these labels. `types`: as the dictionary names them; those that have a property, and lack another,
    where their type in Neo4j is another one."""

    name: str
    source: str
    target: str
    types: tuple[str, ...]
    has: str = ""
    lacks: str = ""

    @property
    def file(self) -> str:
        return f"graph/{self.name}.jsonl"


@dataclass(frozen=True, slots=True)
class ArchiveCatalogue:
    """All of it; `left_out`: why a table is no part."""

    rows: tuple[RowMember, ...]
    elements: tuple[ElementMember, ...]
    links: tuple[LinkMember, ...]
    left_out: Mapping[str, str]

    @property
    def files(self) -> frozenset[str]:
        """The names of all members with lines."""
        rows = [file for one in self.rows for file in one.files]
        return frozenset([*rows, *(one.file for one in self.elements), *(one.file for one in self.links)])


@cache
def catalogue() -> ArchiveCatalogue:
    """The catalogue of this release."""
    read: Mapping[str, Mapping[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    order = {name: place for place, name in enumerate(_names())}
    rows = [_row(name, one, of_nodes=False) for name, one in read["rows"].items()]
    rows += [_row(name, one, of_nodes=True) for name, one in read["of_nodes"].items()]
    elements = tuple(ElementMember(name, **one) for name, one in read["elements"].items())
    links = tuple(_link(name, one) for name, one in read["links"].items())
    return ArchiveCatalogue(tuple(sorted(rows, key=lambda one: order[one.name])), elements, links, read["left_out"])


def _names() -> list[str]:
    """Of tables, in the order of the file: tables of TOML lose how they stand among each other."""
    heads = [
        line for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith(("[rows.", "[of_nodes."))
    ]
    return [head.partition(".")[2].rstrip("]") for head in heads]


def _row(name: str, one: Mapping[str, Any], *, of_nodes: bool) -> RowMember:
    lists = {key: tuple(str(one[key]).split()) for key in ("key", "left", "apart", "shown", "part") if key in one}
    return RowMember(name, **{**one, **lists}, of_nodes=of_nodes)


def _link(name: str, one: Mapping[str, Any]) -> LinkMember:
    return LinkMember(
        name, one["from"], one["to"], tuple(one["types"].split()), one.get("has", ""), one.get("lacks", "")
    )
