"""Schemas of nodes from the template; shells, their places, edges and grants in the graph from the registry and the outbox."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from engine.lifecycle.mending.tally import Tally
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 200
LABELS = {"user": "User", "concept": "Concept", "persona": "Persona"}
GRAPH_PARTS = {
    "node_revised": ("node/revised", "changes of nodes"),
    "relation": ("edge/revised", "changes of edges"),
    "granted": ("access/granted", "grants"),
    "revoked": ("access/revoked", "ends of grants"),
}
"""By kind of commit: the statement that applies it in the graph, and its name in the tally."""

Row = dict[str, Any]


class ShellMending:
    """Mends what belongs to nodes as a whole; for the service."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def schemas(self, tally: Tally) -> None:
        """Makes missing tables, empty. Raises StoreUnavailable."""
        after = UUID(int=0)
        while rows := await self._rows("mend/schemas", after=after, limit=PAGE):
            after = rows[-1]["node_id"]
            for row in rows:
                tally.add("schemas of nodes")
                if not tally.dry:
                    await self._rows("mend/schema", **row)

    async def shells(self, tally: Tally) -> None:
        """Makes missing shells, parents first, from the commits that made them. Raises StoreUnavailable."""
        async for rows in self.nodes():
            there = await self._places(rows)
            for row in rows:
                if row["node_id"] not in there:
                    tally.add("shells")
                    if not tally.dry:
                        await self._neo4j.write(cypher("node/provision"), node=await self._shell(row))

    async def commits(self, tally: Tally) -> None:
        """Applies missing changes of nodes, edges and grants in the graph. Raises StoreUnavailable."""
        at, after = datetime.min.replace(tzinfo=UTC), UUID(int=0)
        while rows := await self._rows("mend/commits", after_time=at, after=after, limit=PAGE):
            at, after = rows[-1]["created_at"], rows[-1]["commit_id"]
            asked = [_subject(row) for row in rows]
            unapplied = {row["commit_id"] for row in await self._neo4j.read(cypher("doctor/unapplied"), commits=asked)}
            for row in [row for row in rows if str(row["commit_id"]) in unapplied]:
                statement, kind = GRAPH_PARTS[row["kind"]]
                tally.add(kind)
                if not tally.dry:
                    await self._neo4j.write(cypher(statement), **row["payload"])

    async def places(self, tally: Tally) -> None:
        """Corrects names and parents of shells by the registry. Raises StoreUnavailable."""
        async for rows in self.nodes():
            there = await self._places(rows)
            wrong = [row for row in rows if row["node_id"] in there and _differs(row, there[row["node_id"]])]
            tally.add("names and places of shells", len(wrong))
            if wrong and not tally.dry:
                await self._neo4j.write(cypher("lifecycle/placed"), nodes=[await self._place(row) for row in wrong])

    async def states(self, tally: Tally) -> None:
        """Applies the states of files in the graph; a state older than the shell's changes nothing. Raises StoreUnavailable."""
        after = UUID(int=0)
        while rows := await self._rows("mend/states", after=after, limit=PAGE):
            after = rows[-1]["node_id"]
            states = [
                {"node_id": str(row["node_id"]), "state": row["state"], "seq": row["seq"]}
                | {"changed_at": row["changed_at"].isoformat()}
                for row in rows
            ]
            if not tally.dry:
                changed = await self._neo4j.write(cypher("lifecycle/states"), states=states)
                tally.add("states of nodes", changed[0]["changed"] if changed else 0)

    async def nodes(self) -> AsyncIterator[list[Row]]:
        """The registry, parents before children, in pages. Raises StoreUnavailable."""
        layer, after = -1, UUID(int=0)
        while rows := await self._rows("mend/nodes", after_layer=layer, after=after, limit=PAGE):
            layer, after = rows[-1]["layer"], rows[-1]["node_id"]
            yield rows

    async def _rows(self, name: str, **parameters: Any) -> list[Row]:
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text(name), parameters)
            return await cursor.fetchall()

    async def _places(self, rows: list[Row]) -> dict[UUID, Row]:
        found = await self._neo4j.read(cypher("doctor/places"), nodes=[str(row["node_id"]) for row in rows])
        return {UUID(row["node_id"]): row for row in found}

    async def _shell(self, row: Row) -> Row:
        """The shell of a node from the commit that made it; from the registry alone where that commit is gone."""
        made = (await self._rows("mend/shell", node_id=row["node_id"], user_id=row["user_id"]))[0]["node"] or {}
        vectors = {"embedding": None, "embedding_version": None, "embedding_b": None, "embedding_b_version": None}
        said = {
            "name": row["name"],
            "name_key": row["name_key"],
            "summary": "",
            "keywords": [],
            "aliases": [],
            "alias_keys": [],
        }
        parent = row["parent_id"]
        fixed = {
            "node_id": str(row["node_id"]),
            "user_id": str(row["user_id"]),
            "user_key": row["user_id"].hex,
            "parent_id": str(parent) if parent else None,
            "node_type": row["node_type"],
            "label": LABELS[row["node_type"]],
            "layer": row["layer"],
            "schema_name": row["schema_name"],
            "created_at": row["created_at"].isoformat(),
        }
        return vectors | said | made | fixed

    async def _place(self, row: Row) -> Row:
        shell = (await self._rows("mend/shell", node_id=row["node_id"], user_id=row["user_id"]))[0]
        own, made = shell["own"] or {}, shell["node"]
        said = {name: made[name] for name in ("summary", "keywords", "aliases", "alias_keys")} if made else None
        times = {name: own.get(name) for name in ("valid_from", "valid_to", "known_from")}
        parent = str(row["parent_id"]) if row["parent_id"] else None
        return times | {
            "said": said,
            "node_id": str(row["node_id"]),
            "parent_id": parent,
            "name": row["name"],
            "name_key": row["name_key"],
            "layer": row["layer"],
        }


def _subject(row: Row) -> Row:
    """What a commit changed, and to which revision."""
    changed = row["payload"].get("revision") or row["payload"]["grant"]
    ids = {name: changed.get(name) for name in ("node_id", "edge_id", "grant_id")}
    return ids | {"commit_id": str(row["commit_id"]), "kind": row["kind"], "revision": changed.get("revision")}


def _differs(row: Row, shell: Mapping[str, Any]) -> bool:
    parent = str(row["parent_id"]) if row["parent_id"] else None
    said = (row["name"], row["name_key"], row["layer"], parent, [parent] if parent else [])
    return shell["revision"] == 0 or said != (
        shell["name"],
        shell["name_key"],
        shell["layer"],
        shell["parent_id"],
        shell["parents"],
    )
