"""What a database of this release is made of: its tables, columns, keys, indexes, triggers, policies and rights, by the catalog.

`migrations/postgres_definitions.json` has them as the migrations make them, each with the statement that makes it again; a test
compares it with a new database. The tables of nodes are compared with those of a new node instead (`engine.node_lacks`).

A restore that ends half way leaves a database whose rows are whole and whose policies are not: then searches find nothing and
nothing fails. So what can be repeated without looking at a row is applied at each start; the doctor names the rest.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache

from psycopg import sql

from engine.stores.limited import Connection
from engine.stores.limits import MARGIN
from engine.stores.migrations import LONGEST
from engine.stores.postgres import Postgres
from engine.stores.statements import ROOT, sql_text

FILE = ROOT / "migrations" / "postgres_definitions.json"
SCHEMAS = ("engine", "template")
REPEATABLE = ("schema", "view", "trigger", "policy", "rights", "row-level security")
"""Kinds that are made again at each start."""
MENDED = ("column setting", "constraint", "index", *REPEATABLE)
"""Kinds that are made again without losing anything; a row may stand in the way of a key."""
_MARK = re.compile(r"\{(schema|name)\}")
_WITHOUT_PARENTHESES = str.maketrans("", "", "()")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Definition:
    """One thing that a schema is made of. `place`: its table; `statement`: makes it again, with `{schema}` and `{name}` in it."""

    schema_name: str
    kind: str
    place: str
    name: str
    statement: str

    @property
    def compared(self) -> tuple[str, ...]:
        """What two databases have alike: a dump that was loaded has other parentheses, an upgraded one other names of keys."""
        named = "" if self.kind in ("constraint", "index") else self.name
        return self.schema_name, self.kind, self.place, named, self.statement.translate(_WITHOUT_PARENTHESES)

    @property
    def title(self) -> str:
        """What it is, in words: `the policy own of engine.facts`."""
        whole = ".".join(filter(None, (self.schema_name, self.place)))
        return f"the {self.kind} {self.name} of {whole}" if self.name else f"the {self.kind} of {whole}"

    def script(self, taken: Collection[str] = ()) -> sql.Composed:
        """What is sent: the statement with the names in it. `taken`: names of keys that an older database gave to others."""
        statement = self.statement.replace("CONSTRAINT {name} ", "") if self.name in taken else self.statement
        names = {"schema": self.schema_name, "name": self.name}
        parts = [names.get(part, part) if number % 2 else part for number, part in enumerate(_MARK.split(statement))]
        return sql.Composed(
            sql.Identifier(part) if number % 2 else sql.SQL(part)  # type: ignore[arg-type]  # a statement of the file
            for number, part in enumerate(parts)
        )


@cache
def expected() -> tuple[Definition, ...]:
    """What the migrations of this release make."""
    return tuple(Definition(*one) for one in json.loads(FILE.read_text(encoding="utf-8")))


def as_json(definitions: Sequence[Definition]) -> str:
    """The text of the file: a line for each."""
    lines = [json.dumps(astuple(one), ensure_ascii=False) for one in definitions]
    return "[\n" + ",\n".join(lines) + "\n]\n"


async def there(connection: Connection) -> list[Definition]:
    """What the schemas of this database are made of. Raises StoreUnavailable."""
    return await connection.fetch(sql_text("schema/definitions"), {"schemas": list(SCHEMAS)}, row=Definition)


async def lacking(postgres: Postgres) -> list[Definition]:
    """What this database lacks of its release, or has otherwise. Raises StoreUnavailable."""
    async with postgres.as_service() as connection:
        known = {one.compared for one in await there(connection)}
    return [one for one in expected() if one.compared not in known]


async def foreign(postgres: Postgres, kind: str) -> list[Definition]:
    """Policies or triggers that no migration of this release makes, each with the statement that drops it. Raises
    StoreUnavailable."""
    async with postgres.as_service() as connection:
        found = [one for one in await there(connection) if one.kind == kind]
    own = {(one.schema_name, one.place, one.name) for one in expected() if one.kind == kind}
    drop = f"DROP {kind.upper()} {{name}} ON {{schema}}."
    return [
        replace(one, statement=drop + one.place) for one in found if (one.schema_name, one.place, one.name) not in own
    ]


async def repeat(postgres: Postgres) -> list[str]:
    """Makes what can be made again at each start; the titles of what was lacking. Raises StoreUnavailable."""
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("schema/migrations_lock"))
        known = {one.compared for one in await there(connection)}
        tables = {one.place for one in expected() if one.kind == "table" and one.compared in known}
        made = [one for one in _in_order(expected(), REPEATABLE) if one.compared not in known]
        made = [one for one in made if one.kind in ("schema", "view") or one.place in tables]
        for one in made:
            log.warning("%s was missing or another; it is made again", one.title)
            await connection.execute(sql_text("schema/template_tables") if one.kind == "view" else one.script())
    return [one.title for one in made]


async def make(postgres: Postgres, definition: Definition) -> None:
    """Makes one again. Raises Conflict or InvalidInput where rows stand in its way, and StoreUnavailable."""
    async with postgres.as_service() as connection:
        usual, connection.limit = connection.limit, LONGEST + MARGIN
        await connection.execute(sql_text("schema/migrations_limit"), {"limit": f"{LONGEST:.0f}s"})
        taken = {
            one.name for one in await there(connection) if (one.kind, one.place) == ("constraint", definition.place)
        }
        await connection.execute(definition.script(taken))
        connection.limit = usual


def mendable(definitions: Collection[Definition]) -> list[Definition]:
    """Those that can be made again, in their order: keys before what refers to them."""
    return _in_order(definitions, MENDED)


def _in_order(definitions: Collection[Definition], kinds: Sequence[str]) -> list[Definition]:
    of_kinds = (one for one in definitions if one.kind in kinds)
    return sorted(of_kinds, key=lambda one: (kinds.index(one.kind), " FOREIGN KEY " in one.statement))
