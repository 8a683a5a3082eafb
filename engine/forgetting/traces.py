"""Looks for traces of the forgotten in all stores: every table and column with texts, ids or JSON, what the planner keeps of
them, names of schemas and roles, every property of the graph, keys of all that the object store has, names of files of the home.

What is looked for is known by keyed hashes, so every id and word that is there is hashed and compared: the time grows with what
is stored, the memory does not. Not looked at: vectors, hashes of contents, bytes of objects, files of servers, words in indexes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from engine.domain.forgetting import Trace
from engine.forgetting.keyed_hashes import keyed_hashes
from engine.forgetting.matching import Matching, TraceHashes, Where
from engine.forgetting.personal_data import Store, personal_data
from engine.lifecycle.sweep import PREFIX
from engine.stores.limited import Connection
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, copy_of, user_of
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_of, sql_text
from engine.stores.tier import OWN

NODES_AT_ONCE = 2000
"""Nodes, or relationships, that one read of the graph gives."""
OF_FORGETTINGS = frozenset({"engine.forgetting_things", "engine.forgetting_objects", "engine.forgettings"})
"""Tables that name what is forgotten until it is done."""
OF_SERVERS = frozenset({"postgres", "neo4j", "objects"})
"""Folders of a home whose files are looked at through their stores, or not at all."""
WHOLE_FILES = "taken-out-*.json"
"""Files of a home whose contents are looked at, too."""
LARGEST_FILE = 256 << 20


@dataclass(frozen=True, slots=True)
class _Table:
    schema_name: str
    table_name: str
    of_node: bool
    by_user: bool
    columns: tuple[str, ...]
    terms: tuple[str, ...]

    @property
    def place(self) -> str:
        """Its name in the catalogue: the schema of a node has the names of a person."""
        return f"{'template' if self.of_node else self.schema_name}.{self.table_name}"


@dataclass(frozen=True, slots=True)
class _Name:
    place: str
    name: str


@dataclass(frozen=True, slots=True)
class _Largest:
    nodes: int
    relationships: int


@dataclass(frozen=True, slots=True)
class _Part:
    kinds: tuple[str, ...]
    properties: list[Any]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a look found. `ids`: where ids, keys and terms that no text explains are; `words`: where words are, which others may
    say; `apart`: the hashes of words that are nowhere."""

    ids: tuple[Trace, ...]
    words: tuple[Trace, ...]
    apart: frozenset[bytes]


class Traces:
    """Looks for traces. `home`: of the engine's files, None where there is none. All raise StoreUnavailable."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, home: Path | None) -> None:
        self._postgres, self._neo4j, self._objects, self._home = postgres, neo4j, objects, home

    async def search(
        self, user_id: UUID | None, hashes: TraceHashes, *, of_user: bool = False, done: bool = False
    ) -> AsyncIterator[Trace]:
        """Everything that is found of ids and words, store by store. See `look`."""
        found = await self.look(user_id, hashes, of_user=of_user, done=done)
        for one in (*found.ids, *found.words):
            yield one

    async def apart(self, user_id: UUID | None, words: frozenset[bytes], *, of_user: bool = False) -> frozenset[bytes]:
        """Those hashes of words that are found nowhere. See `look`."""
        return (await self.look(user_id, TraceHashes(frozenset(), words), of_user=of_user)).apart

    async def look(
        self, user_id: UUID | None, hashes: TraceHashes, *, of_user: bool = False, done: bool = False
    ) -> Findings:
        """Looks through all stores. `user_id`: whose things the hashes are of; `of_user`: what is of other users is left out,
        which takes less time; `done`: also tables that name what a forgetting takes until it is done. Raises StoreDamaged where
        the key of the hashes is lost."""
        matching = Matching(await keyed_hashes(self._postgres, user_id), hashes)
        only = user_id if of_user else None
        tables = await self._postgres.fetch_as_service(sql_text("trace/columns"), {"user_id": only}, row=_Table)
        for table in tables:
            if done or table.place not in OF_FORGETTINGS:
                await self._table(matching, table, only)
        await self._explain(matching, tables, only)
        await self._names(matching, only)
        await self._graph(matching, only)
        await self._keys(matching, only)
        if self._home is not None:
            await asyncio.to_thread(_files, matching, self._home)
        return Findings(_traces(matching.ids), _traces(matching.words), hashes.words - matching.found)

    async def _table(self, matching: Matching, table: _Table, only: UUID | None) -> None:
        async for row in self._rows(table, (*table.columns, *table.terms), only):
            terms = {column: row.pop(column) for column in table.terms}
            matching.row("tables", table.place, row)
            for column, value in terms.items():
                if value is not None:
                    matching.term(("tables", table.place, column), value)

    async def _explain(self, matching: Matching, tables: Sequence[_Table], only: UUID | None) -> None:
        """Terms of forgotten words that texts which are there have, too, are no traces: a second look, where there are any."""
        for table in tables:
            if matching.terms and table.of_node and table.terms:
                async for row in self._rows(table, table.columns, only):
                    for value in row.values():
                        if isinstance(value, str):
                            matching.explain(value)
        matching.end_terms()

    async def _rows(self, table: _Table, columns: Sequence[str], only: UUID | None) -> AsyncIterator[dict[str, Any]]:
        """All rows of a table with these columns, a page in memory at a time."""
        if not columns:
            return
        filtered = only is not None and table.by_user
        begin = sql_of(
            "trace/rows_of_user" if filtered else "trace/rows",
            columns=columns,
            schema=table.schema_name,
            table=table.table_name,
        )
        async with self._postgres.as_service() as connection:
            await connection.execute(begin, {"user_id": only} if filtered else None)
            async for row in _following(connection):
                yield row

    async def _names(self, matching: Matching, only: UUID | None) -> None:
        for one in await self._postgres.fetch_as_service(sql_text("trace/names"), {"user_id": only}, row=_Name):
            matching.text(("tables", one.place, "name"), one.name)
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("trace/statistics"), {"user_id": only})
            async for row in _following(connection):
                of_node = row["table_name"] in _TEMPLATE
                place = f"{'template' if of_node else row['schema_name']}.{row['table_name']}"
                if place not in OF_FORGETTINGS:
                    matching.text(("tables", "pg_statistic", f"{place}.{row['column_name']}"), row["held"])

    async def _graph(self, matching: Matching, only: UUID | None) -> None:
        [largest] = await self._neo4j.read(cypher("trace/largest"), row=_Largest)
        reads: tuple[tuple[Store, str, int], ...] = (
            ("labels", cypher("trace/nodes"), largest.nodes),
            ("relationships", cypher("trace/relationships"), largest.relationships),
        )
        for store, statement, last in reads:
            catalogue = {one.name: one for one in personal_data().of(store)}
            vectors = sorted({column for one in catalogue.values() for column in one.of("vector")})
            for first in range(0, last + 1, NODES_AT_ONCE):
                for part in await self._neo4j.read(
                    statement, row=_Part, first=first, last=first + NODES_AT_ONCE - 1, vectors=vectors,
                    user_id=str(only) if only else None,
                ):  # fmt: skip
                    place = next((kind for kind in part.kinds if kind in catalogue), next(iter(part.kinds), ""))
                    matching.row(store, place, dict(part.properties))

    async def _keys(self, matching: Matching, only: UUID | None) -> None:
        roots = frozenset[str]()
        if only is not None:
            found = await self._postgres.fetch_as_service(sql_text("trace/roots"), {"user_id": only}, row=str)
            roots = frozenset(found)
        async for one in self._objects.held(""):
            if roots and (user_of(_before_quarantine(one.key)) or "") not in {"", *roots}:
                continue
            where: Where = ("objects", _kind_of_key(one.key), "key")
            matching.text(where, one.key)
            for part in one.key.split("/"):
                matching.text(where, part)


_TEMPLATE = frozenset(
    one.name.removeprefix("template.") for one in personal_data().of("tables") if one.name.startswith("template.")
)
"""Tables of the schema of each node."""


async def _following(connection: Connection) -> AsyncIterator[dict[str, Any]]:
    """The rows of the cursor that was begun."""
    while page := await (await connection.execute(sql_text("trace/rows_next"))).fetchall():
        for row in page:
            yield cast(dict[str, Any], row)
    await connection.execute(sql_text("trace/rows_end"))


def _before_quarantine(key: str) -> str:
    """The key that a file had before it lay in quarantine; of another one the key itself."""
    return key.removeprefix(PREFIX).partition("/")[2] if key.startswith(PREFIX) else key


def _kind_of_key(key: str) -> str:
    """The kind of a key, as the catalogue names it."""
    if key.startswith(PREFIX):
        return f"{PREFIX}DAY/KEY"
    if key.startswith(OWN):
        return key
    return "ROOT/NODES/FILE/warm/CLAIM" if copy_of(key) else "ROOT/NODES/FILE/NAME"


def _files(matching: Matching, home: Path) -> None:
    """The names of the files of a home, and the contents of those that the engine wrote of records."""
    kinds = [one.name for one in personal_data().of("home")]
    for top in sorted(home.iterdir()) if home.is_dir() else ():
        kind = next((one for one in kinds if fnmatchcase(top.name, one)), top.name)
        where: Where = ("home", kind, "name")
        matching.text(where, top.name)
        if top.is_dir() and not top.is_symlink() and top.name not in OF_SERVERS:
            for file in top.rglob("*"):
                matching.text(where, file.stem)
                matching.text(where, file.name)
        if fnmatchcase(top.name, WHOLE_FILES) and top.is_file() and top.stat().st_size <= LARGEST_FILE:
            matching.text(("home", kind, "content"), top.read_text(encoding="utf-8", errors="replace"))


def _traces(found: Mapping[Where, int]) -> tuple[Trace, ...]:
    return tuple(Trace(*where, count) for where, count in sorted(found.items()))
