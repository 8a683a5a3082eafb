"""Remedies for damage that the doctor found. `fix` loses nothing; `accept` settles a loss that only a backup restores, and
logs it.

Postgres is right about names, places, records and items; the graph follows it. Every remedy may be ended anywhere and run again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

from engine.domain.node import MAX_LAYER, NodeType
from engine.errors import InvalidInput, NeurigraphError, NotFound
from engine.lifecycle.finding import ACCEPTABLE, FIXABLE, Finding
from engine.lifecycle.pending_vectors import PendingVectors
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in, sql_text

PAGE = 1000
_LABELS: dict[NodeType, str] = {"user": "User", "concept": "Concept", "persona": "Persona"}

Row = dict[str, Any]
Remedy = Callable[[UUID], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Mended:
    """A remedy that was carried out; `failure` is empty where it succeeded."""

    kind: str
    node_id: UUID
    failure: str = ""


class Remedies:
    """Carries out remedies, node by node; for the operator."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, pending: PendingVectors) -> None:
        self._postgres, self._neo4j, self._objects, self._pending = postgres, neo4j, objects, pending
        self._fixes: Mapping[str, Remedy] = {
            "tables-damaged": self._tables,
            "shell-missing": self._shell,
            "shell-wrong": self._named,
            "manifest-lost": self._lines,
            "counts-off": self._counts,
            "vector-lost": self._vectors,
            "deltas-lost": self._deltas,
            "source-lost": self._sources,
            "entry-lost": self._entries,
        }
        self._settlements: Mapping[str, Remedy] = {
            "tables-lost": self._without_tables,
            "records-gone": self._kept,
            "items-gone": self._kept,
            "text-changed": self._texts,
            "source-lost": self._forgotten,
            "entry-lost": self._without_entries,
        }

    async def fix(self, findings: Sequence[Finding]) -> tuple[Mended, ...]:
        """Mends what can be mended without a loss. Raises StoreUnavailable; what was mended stays."""
        done: list[Mended] = []
        for kind in FIXABLE:
            waiting = [one.node_id for one in findings if one.kind == kind and one.node_id]
            for _ in range(MAX_LAYER + 1):  # a shell waits for that of its parent
                failed = [(node_id, why) for node_id in waiting if (why := await self._tried(kind, node_id))]
                left = {node_id for node_id, _ in failed}
                done += [Mended(kind, node_id) for node_id in waiting if node_id not in left]
                if not failed or len(failed) == len(waiting):
                    break
                waiting = [node_id for node_id, _ in failed]
            done += [Mended(kind, node_id, why) for node_id, why in failed]
        if any(one.kind in ("vector-lost", "shell-missing", "tables-damaged") for one in done):
            await self._pending.run()
        return tuple(done)

    async def accept(self, kind: str, node_id: UUID, findings: Sequence[Finding]) -> None:
        """Settles damage of this kind at a node as it was found. Raises NotFound where it was not, InvalidInput for a kind that
        is not to be accepted, StoreUnavailable."""
        if kind not in ACCEPTABLE:
            raise InvalidInput(f"What can be accepted is {', '.join(ACCEPTABLE)}.")
        found = next((one for one in findings if (one.kind, one.node_id) == (kind, node_id)), None)
        if found is None:
            raise NotFound(f"The doctor finds no {kind} at the node {node_id}.")
        if kind == "file-lost":
            await self._execute("remedy/accept_files", {"node_id": node_id, "files": list(found.files)})
            return
        await self._settlements[kind](node_id)
        if kind not in ("text-changed", "source-lost", "entry-lost"):  # those log for themselves
            parameters = {"kind": kind, "node_id": node_id, "detail": found.problem}
            await self._execute("remedy/accept_note", parameters)
        if kind in ("records-gone", "tables-lost"):
            await self._inputs_stay(node_id)
        await self._pending.run()

    async def _tried(self, kind: str, node_id: UUID) -> str:
        """Why a remedy failed; empty where it did not."""
        try:
            await self._fixes[kind](node_id)
        except NeurigraphError as error:
            return error.detail
        return ""

    async def _execute(self, name: LiteralString, parameters: Row) -> None:
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text(name), parameters)

    async def _rows(self, name: LiteralString, node_id: UUID) -> list[Row]:
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text(name), {"node_id": node_id})
            return await cursor.fetchall()

    async def _node(self, node_id: UUID) -> Row:
        rows = await self._rows("remedy/node", node_id)
        if not rows:
            raise NotFound
        return rows[0]

    # shells ----------------------------------------------------------------------------------------------

    async def _shell(self, node_id: UUID) -> None:
        """Rebuilds a shell: fields of the registry, words of its provisioning where they are still kept, manifest and grants."""
        row = await self._node(node_id)
        words = (
            {name: [] for name in ("keywords", "aliases", "alias_keys")} | {"summary": ""} | (row["graph_part"] or {})
        )
        meaning = dict.fromkeys(("embedding", "embedding_version", "embedding_b", "embedding_b_version"))
        node = words | meaning | _registered(row)
        node |= {
            "user_key": row["user_id"].hex,
            "label": _LABELS[row["node_type"]],
            "created_at": row["created_at"].isoformat(),
        }
        if not await self._neo4j.write(cypher("node/provision"), node=node):
            raise NotFound("The shell of its parent is missing, too.")
        for grant in await self._rows("remedy/grants", node_id):
            await self._neo4j.write(cypher("access/granted"), grant=grant["line"])
        await self._lines(node_id)
        await self._vectors(node_id)

    async def _named(self, node_id: UUID) -> None:
        if not await self._neo4j.write(cypher("lifecycle/shell_named"), node=_registered(await self._node(node_id))):
            raise NotFound("The shell of its parent is missing.")

    async def _vectors(self, node_id: UUID) -> None:
        await self._neo4j.write(cypher("lifecycle/vector_dropped"), nodes=[str(node_id)])
        await self._execute("remedy/vectors", {"node_id": node_id})

    # manifests -------------------------------------------------------------------------------------------

    async def _lines(self, node_id: UUID) -> None:
        """Enters the records again that the graph lacks."""
        row = await self._node(node_id)
        listed = {line["record_id"] async for lines in self._listed(node_id) for line in lines}
        after = UUID(int=0)
        while records := await self._page("remedy/lines", row["schema_name"], {"after": after, "limit": PAGE}):
            after = records[-1]["record_id"]
            for record in records:
                if str(record["record_id"]) not in listed:
                    await self._entered(row, record["record_id"])
        await self._counts(node_id)

    async def _entered(self, node: Row, record_id: UUID) -> None:
        parameters = {"record_id": record_id, "node_id": node["node_id"], "user_id": node["user_id"]}
        for row in await self._page("record/graph_payload", node["schema_name"], parameters):
            await self._neo4j.write(cypher("record/apply"), records=[row["line"]])
            if row["revision"]:
                await self._neo4j.write(cypher("record/revised"), revision=row["revision"])

    async def _kept(self, node_id: UUID) -> None:
        """Makes the manifest match Postgres: lines of missing records are removed, items recounted."""
        row = await self._node(node_id)
        async for lines in self._listed(node_id):
            ids = [UUID(line["record_id"]) for line in lines]
            found = await self._page("remedy/counted", row["schema_name"], {"records": ids})
            there = [{"record_id": str(one["record_id"]), "items": one["items"]} for one in found]
            gone = sorted({str(one) for one in ids} - {one["record_id"] for one in there})
            await self._neo4j.write(cypher("lifecycle/lines_kept"), there=there, gone=gone)
        await self._lines(node_id)

    async def _counts(self, node_id: UUID) -> None:
        await self._neo4j.write(cypher("lifecycle/recounted"), nodes=[str(node_id)])

    async def _listed(self, node_id: UUID) -> AsyncIterator[list[Row]]:
        after = ""
        while lines := await self._neo4j.read(
            cypher("lifecycle/lines_of"), node_id=str(node_id), after=after, limit=PAGE
        ):
            after = lines[-1]["record_id"]
            yield lines

    async def _page(self, name: LiteralString, schema: str, parameters: Row) -> list[Row]:
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_in(name, schema), parameters)
            return await cursor.fetchall()

    # tables and contents ---------------------------------------------------------------------------------

    async def _tables(self, node_id: UUID) -> None:
        await self._execute("remedy/tables", {"node_id": node_id})

    async def _without_tables(self, node_id: UUID) -> None:
        await self._tables(node_id)
        await self._kept(node_id)

    async def _deltas(self, node_id: UUID) -> None:
        await self._execute("remedy/deltas", {"node_id": node_id})

    async def _sources(self, node_id: UUID) -> None:
        rows = await self._rows("remedy/sources", node_id)
        if rows[0]["left"]:
            raise NotFound(f"It is unknown how far {rows[0]['left']} sources are stored.")

    async def _entries(self, node_id: UUID) -> None:
        """Restores lines of the manifest from the raw inputs; only of existing files."""
        sizes: dict[str, int] = {}
        for row in await self._rows("remedy/entries_lost", node_id):
            with suppress(NotFound):
                sizes[row["storage_path"]] = (await self._objects.find(row["storage_path"])).size
        async with self._postgres.as_service() as connection:
            parameters = {"node_id": node_id, "paths": list(sizes), "sizes": list(sizes.values())}
            found = await (await connection.execute(sql_text("remedy/entries"), parameters)).fetchone()
        if found and found["left"]:
            raise NotFound(f"{found['left']} files are in no raw input, or are missing.")

    async def _without_entries(self, node_id: UUID) -> None:
        rows = await self._rows("remedy/accept_entries", node_id)
        records = [str(record) for record in rows[0]["records"]]
        await self._neo4j.write(cypher("lifecycle/files_forgotten"), records=records)

    async def _texts(self, node_id: UUID) -> None:
        await self._execute("remedy/accept_texts", {"node_id": node_id})

    async def _inputs_stay(self, node_id: UUID) -> None:
        schema = (await self._node(node_id))["schema_name"]
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_in("remedy/accept_inputs", schema), {"node_id": node_id})

    async def _forgotten(self, node_id: UUID) -> None:
        await self._execute("remedy/accept_sources", {"node_id": node_id})


def _registered(row: Row) -> Row:
    """A shell's properties from the registry, as the graph takes them."""
    return {
        "node_id": str(row["node_id"]),
        "user_id": str(row["user_id"]),
        "parent_id": str(row["parent_id"]) if row["parent_id"] else None,
        **{name: row[name] for name in ("name", "name_key", "node_type", "layer", "schema_name")},
    }
