"""What analysts have: statements on the graph of a user, roles that read by SQL, and the data dictionary: labels, relationship
types and tables with their properties and columns, from the live stores.

Meanings of tables and columns are comments in Postgres. Those of the graph are in `cypher/dictionary.toml`, because Neo4j keeps
none, with the types, because it fixes none; `differences` says where a sample of the graph has something else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any
from uuid import UUID

from engine.errors import StoreTimeout, StoreUnavailable
from engine.naming.configuration import Domain
from engine.stores.analyses import Analysis
from engine.stores.limits import ending_within
from engine.stores.neo4j import STORE, Neo4j
from engine.stores.postgres import Postgres
from engine.stores.sql_roles import SqlRole, SqlRoles, listed
from engine.stores.statements import ROOT, cypher, sql_text

MEANINGS = ROOT / "cypher" / "dictionary.toml"
FORMS = ("UUID", "JSON", "ITEM SPAN", "SPAN")
"""Types of the dictionary that are texts of a form; the first that is in a name counts."""
SAMPLE = 2000
"""Nodes of a label, and relationships of a type, that are looked at."""
HEAD = """# Data dictionary

What the stores hold. `neurigraph dictionary > docs/data-dictionary.md` writes this page from the live stores; a test compares
it with them. Meanings of tables and columns are comments in Postgres (`\\d+` in psql shows them), those of the graph stand in
`cypher/dictionary.toml`. Analysts read the tables by [views](sql.md) and the graph by [statements](analysis.md); how objects
are named is in [files.md](files.md).
"""
GRAPH = """## Neo4j

Types are those of Cypher, but for texts of a form: `UUID` is a `STRING` that is an id, `JSON` an object of texts, `SPAN` a place
`start-end` in characters of an item's text, `ITEM SPAN` one as `item:start-end`. A property that a node lacks is null; what is
`NOT NULL` each has. Entities have the label of their kind, too, which the [domain file](knowledge.md) names (Person, Place, …).
"""
TABLES = """## Postgres

`engine` is shared, with row-level security. Each node has a schema of its own with the tables that `template` shows. `_queue`
belongs to the library of the job queue ([jobs.md](jobs.md)); `public.neurigraph_migrations` and `public.neurigraph_functions`
list what was applied ([stores.md](stores.md)).
"""

Table = tuple[list[str], list[dict[str, Any]]]
"""The names of the columns, also where there is no row, and the rows."""


@dataclass(frozen=True, slots=True)
class Property:
    """One of a label or a relationship type."""

    name: str
    type: str
    meaning: str
    always: bool = field(default=False, kw_only=True)
    """Whether whatever has this label, or type, has it."""

    @property
    def form(self) -> str:
        """Of which form its texts are; empty for any."""
        return next((one for one in FORMS if one in self.type), "")

    @property
    def stored(self) -> str:
        """The type in Cypher, which has none for texts of a form."""
        return self.type.replace(self.form, "STRING") if self.form else self.type


@dataclass(frozen=True, slots=True)
class Described:
    """A label, or a relationship type with its ends. `of`: the label that it stands beside, whose properties it has; `open`:
    users add others."""

    name: str
    meaning: str
    properties: Mapping[str, Property]
    of: str = ""
    ends: tuple[str, ...] = ()
    open: bool = False


@dataclass(frozen=True, slots=True)
class _Column:
    place: str
    meaning: str
    name: str
    type: str
    nullable: bool
    keys: list[str]
    comment: str


@dataclass(frozen=True, slots=True)
class _Index:
    name: str
    kind: str
    of: list[str]
    properties: list[str]
    unique: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    name: str
    property: str
    types: list[str]
    ends: list[str]


@dataclass(frozen=True, slots=True)
class _SeenNode:
    name: str
    property: str
    types: list[str]


@cache
def described() -> tuple[Mapping[str, Described], Mapping[str, Described]]:
    """The labels and the relationship types of the engine, by their names."""
    read = tomllib.loads(MEANINGS.read_text(encoding="utf-8"))
    labels, types = (
        {name: _described(name, one, read["properties"]) for name, one in read[part].items()}
        for part in ("labels", "relationships")
    )
    return labels, types


def _described(name: str, one: Mapping[str, object], common: Mapping[str, list[str]]) -> Described:
    own: Mapping[str, list[str]] = one.get("own", {})  # type: ignore[assignment]
    names: Sequence[str] = one.get("properties", ())  # type: ignore[assignment]
    always: Sequence[str] = one.get("always", ())  # type: ignore[assignment]
    properties = {
        key: Property(key, *(own.get(key) or common[key]), always=key in always) for key in sorted({*names, *own})
    }
    ends: Sequence[str] = one.get("ends", ())  # type: ignore[assignment]
    return Described(name, str(one["meaning"]), properties, str(one.get("of", "")), tuple(ends), bool(one.get("open")))


async def page(postgres: Postgres, neo4j: Neo4j) -> str:
    """The page, in Markdown."""
    indexes = await neo4j.read(cypher("schema/dictionary_indexes"), row=_Index)
    columns = await postgres.fetch_as_service(sql_text("schema/dictionary"), row=_Column)
    labels, types = described()
    parts = [HEAD, GRAPH]
    parts += [_section(f"### `:{one.name}`", one, indexes, labels) for one in labels.values()]
    parts += [_section(f"### `-[:{one.name}]->`", one, indexes, labels) for one in types.values()]
    parts += [TABLES, *_tables(columns)]
    return "\n".join(parts)


def _section(title: str, one: Described, indexes: Iterable[_Index], labels: Mapping[str, Described]) -> str:
    lines = [title, "", one.meaning]
    if one.ends:
        lines += ["", f"Ends: {', '.join(one.ends)}."]
    found = [_found(index) for index in indexes if one.name in index.of]
    if found:
        lines += ["", f"Indexes: {'; '.join(found)}."]
    if one.open:
        lines += ["", "It also has the properties that its owner gave it."]
    if one.properties:
        lines += ["", "| property | type | meaning |", "|---|---|---|"]
        lines += [f"| `{each.name}` | `{_type(each)}` | {each.meaning} |" for each in one.properties.values()]
    elif one.of:
        lines += ["", f"Beside `:{labels[one.of].name}`, whose properties it has."]
    return "\n".join([*lines, ""])


def _type(one: Property) -> str:
    return f"{one.type} NOT NULL" if one.always else one.type


def _found(index: _Index) -> str:
    kind = "unique" if index.unique else {"FULLTEXT": "full text", "VECTOR": "vector"}.get(index.kind, "range")
    return f"`{index.name}` ({kind}: {', '.join(index.properties)})"


def _tables(columns: Iterable[_Column]) -> Iterator[str]:
    for (place, meaning), parts in groupby(columns, lambda one: (one.place, one.meaning)):
        lines = [f"### `{place}`", "", meaning, "", "| column | type | null | key | meaning |", "|---|---|---|---|---|"]
        for one in parts:
            null = "yes" if one.nullable else ""
            lines.append(f"| `{one.name}` | {one.type} | {null} | {', '.join(one.keys)} | {one.comment} |")
        yield "\n".join([*lines, ""])


async def differences(neo4j: Neo4j, kinds: Iterable[str]) -> list[str]:
    """What a sample of the graph has that the dictionary does not say. `kinds`: labels of entities that the domain file names."""
    labels, types = described()
    bases = [one.name for one in labels.values() if not one.of]
    nodes = await neo4j.read(cypher("schema/dictionary_nodes"), row=_SeenNode, sample=SAMPLE)
    lines = await neo4j.read(cypher("schema/dictionary_relationships"), row=_Seen, sample=SAMPLE, labels=bases)
    beside = {**labels, **{kind: Described(kind, "", {}, "Entity") for kind in kinds}}
    seen = [_Seen(one.name, one.property, one.types, []) for one in nodes]
    found = [_difference(one, beside) for one in seen] + [_difference(one, types) for one in lines]
    return sorted({one for one in found if one})


def _difference(seen: _Seen, known: Mapping[str, Described]) -> str:
    one = known.get(seen.name)
    if one is None:
        return f"{seen.name} is not described."
    if ends := {*seen.ends} - {*one.ends}:
        return f"{seen.name} stands between {', '.join(sorted(ends))}, too."
    each = (known[one.of] if one.of else one).properties.get(seen.property)
    if each is None:
        return f"{seen.name}: {seen.property} is not described." if seen.property and not one.open else ""
    types = {_plain(kind, each.stored) for kind in seen.types} - {each.stored}
    return f"{seen.name}: {seen.property} is {', '.join(sorted(types))}." if types else ""


def _plain(kind: str, wanted: str) -> str:
    """Without what Cypher says of nulls. An empty list fits all lists."""
    plain = kind.replace(" NOT NULL", "")
    return wanted if plain == "LIST<NOTHING>" and wanted.startswith("LIST<") else plain


class Analysts:
    """For the operator alone: a statement reads all of a user's graph. Each is sent as a read, which writes nothing."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, domain: Domain) -> None:
        self._postgres, self._neo4j, self._kinds = postgres, neo4j, domain.labels.values()
        self._types = {
            "functional": sorted(one.name for one in domain.relations if one.functional),
            "symmetric": sorted(one.name for one in domain.relations if one.symmetric),
        }

    async def run(self, analysis: Analysis, user_id: UUID, typed: Mapping[str, str], seconds: float) -> Table:
        """The rows of a statement; `typed`: its parameters as texts. Raises InvalidInput, StoreUnavailable."""
        values = self._types | analysis.filled(typed) | {"user_id": str(user_id)}
        try:
            with ending_within(seconds):
                names, rows = await self._neo4j.table(analysis.text, **values)
        except StoreTimeout as error:
            hint = "--seconds gives it more time, a lower limit less to do"
            raise StoreUnavailable(STORE, f"{analysis.name} took longer than {seconds:g} s; {hint}.") from error
        return list(names), [dict(zip(names, row, strict=True)) for row in rows]

    async def dictionary(self) -> str:
        """What the stores hold and what each part is for, as Markdown."""
        return await page(self._postgres, self._neo4j)

    async def undescribed(self) -> list[str]:
        """What a sample of the graph has that the dictionary does not say."""
        return await differences(self._neo4j, self._kinds)

    async def roles(self) -> list[SqlRole]:
        """The roles in Postgres that read the rows of a user."""
        return await listed(self._postgres)

    def administered(self, admin_url: str) -> SqlRoles:
        """What makes and drops them, as an administrator of Postgres, whom the engine itself does not know."""
        return SqlRoles(self._postgres, admin_url)
