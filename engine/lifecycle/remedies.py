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

from engine.commit.changes import to_json
from engine.commit.graph import RestatedSlice, apply, restated
from engine.domain.node import MAX_LAYER
from engine.errors import InvalidInput, NeurigraphError, NotFound
from engine.lifecycle.compared import NO_VECTORS, RegisteredNode
from engine.lifecycle.definition_check import KIND as DEFINITIONS
from engine.lifecycle.definition_check import WRONG, DefinitionCheck
from engine.lifecycle.finding import ACCEPTABLE, FIXABLE, Finding
from engine.lifecycle.mending.entities import EntityMending
from engine.lifecycle.record_check import RecordCheck
from engine.progress import counted
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Parameters, Postgres
from engine.stores.rows import R, only
from engine.stores.statements import cypher, sql_in, sql_text

PAGE = 1000

Remedy = Callable[[UUID], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Mended:
    """A remedy that was carried out; `failure` is empty where it succeeded. `node_id`: None of what belongs to no node."""

    kind: str
    node_id: UUID | None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _Node(RegisteredNode):
    graph_part: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class _Counted:
    record_id: UUID
    items: int


class Remedies:
    """Carries out remedies, node by node; for the operator."""

    def __init__(
        self,
        stores: tuple[Postgres, Neo4j, ObjectStore],
        vectors: Callable[[], Awaitable[object]],
        entities: EntityMending,
    ) -> None:
        self._definitions = DefinitionCheck(stores[0], stores[1])
        self._postgres, self._neo4j, self._objects = stores
        self._missing_vectors, self._entities_of = vectors, entities.of_user
        self._fixes: Mapping[str, Remedy] = {
            "tables-damaged": self._running("remedy/tables"),
            "shell-missing": self._shell,
            "shell-wrong": self._named,
            "manifest-lost": self._lines,
            "record-wrong": RecordCheck(stores[0], stores[1]).of_node,
            "counts-off": self._counts,
            "vector-lost": self._vectors,
            "deltas-lost": self._running("remedy/deltas"),
            "source-lost": self._sources,
            "entry-lost": self._entries,
            "knowledge-off": self._entities_of,
        }
        self._settlements: Mapping[str, Remedy] = {
            "tables-lost": self._without_tables,
            "records-gone": self._kept,
            "items-gone": self._kept,
            "text-changed": self._running("remedy/accept_texts"),
            "source-lost": self._running("remedy/accept_sources"),
            "entry-lost": self._without_entries,
        }

    async def fix(self, findings: Sequence[Finding]) -> tuple[Mended, ...]:
        """Mends what can be mended without a loss. Raises StoreUnavailable; what was mended stays."""
        done: list[Mended] = []
        if any(one.kind == DEFINITIONS for one in findings):
            failures = await self._definitions.mend()
            done += [Mended(DEFINITIONS, None, why) for why in failures or ("",)]
        unreadable = {one.node_id for one in findings if one.kind == WRONG}
        for kind in FIXABLE:
            waiting = list(dict.fromkeys(one.node_id for one in findings if one.kind == kind and one.node_id))
            if kind == "knowledge-off":  # a relation whose id is none looks like one that nothing states
                done += [
                    Mended(kind, one, "values of another type must be mended first")
                    for one in waiting
                    if one in unreadable
                ]
                waiting = [one for one in waiting if one not in unreadable]
            for _ in range(MAX_LAYER + 1):  # a shell waits for that of its parent
                failed = [(node_id, why) for node_id in waiting if (why := await self._tried(kind, node_id))]
                left = {node_id for node_id, _ in failed}
                done += [Mended(kind, node_id) for node_id in waiting if node_id not in left]
                if not failed or len(failed) == len(waiting):
                    break
                waiting = [node_id for node_id, _ in failed]
            done += [Mended(kind, node_id, why) for node_id, why in failed]
        if any(one.kind in ("vector-lost", "shell-missing", "tables-damaged") for one in done):
            await self._missing_vectors()
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
        await self._missing_vectors()

    async def _tried(self, kind: str, node_id: UUID) -> str:
        """Why a remedy failed; empty where it did not."""
        try:
            await self._fixes[kind](node_id)
        except NeurigraphError as error:
            return error.detail
        return ""

    async def _execute(self, name: LiteralString, parameters: Parameters) -> None:
        await self._postgres.change_as_service(sql_text(name), parameters)

    async def _rows(self, name: LiteralString, node_id: UUID, *, row: type[R]) -> list[R]:
        return await self._postgres.fetch_as_service(sql_text(name), {"node_id": node_id}, row=row)

    async def _node(self, node_id: UUID) -> _Node:
        return only(await self._rows("remedy/node", node_id, row=_Node))

    # shells ----------------------------------------------------------------------------------------------

    async def _shell(self, node_id: UUID) -> None:
        """Rebuilds a shell: fields of the registry, words of its provisioning where they are still kept, manifest and grants."""
        node = await self._node(node_id)
        if not await self._neo4j.write(cypher("node/provision"), node=node.shell(node.graph_part) | NO_VECTORS):
            raise NotFound("The shell of its parent is missing, too.")
        for grant in await self._rows("remedy/grants", node_id, row=dict):
            await self._neo4j.write(cypher("access/granted"), grant=grant)
        await self._lines(node_id)
        await self._vectors(node_id)

    async def _named(self, node_id: UUID) -> None:
        if not await self._neo4j.write(cypher("lifecycle/shell_named"), node=(await self._node(node_id)).graph):
            raise NotFound("The shell of its parent is missing.")

    async def _vectors(self, node_id: UUID) -> None:
        await self._neo4j.write(cypher("lifecycle/vector_dropped"), nodes=[str(node_id)])
        await self._execute("remedy/vectors", {"node_id": node_id})

    # manifests -------------------------------------------------------------------------------------------

    async def _lines(self, node_id: UUID) -> None:
        """Has records of other nodes listed there, and enters the records again that the graph lacks."""
        node = await self._node(node_id)
        homes = await self._neo4j.write(cypher("lifecycle/lines_home"), row=str, node_id=str(node_id))
        await self._neo4j.write(cypher("lifecycle/recounted"), nodes=homes)
        listed = {record async for records in self._listed(node_id) for record in records}
        after = UUID(int=0)
        while records := await self._page("remedy/lines", node.schema_name, {"after": after, "limit": PAGE}, row=UUID):
            after = records[-1]
            for record in records:
                if record not in listed:
                    await self._entered(node, record)
        await self._counts(node_id)
        await self._entities_of(node.user_id)

    async def _entered(self, node: RegisteredNode, record_id: UUID) -> None:
        asked = {"user_id": node.user_id, "records": [record_id]}
        if await self._postgres.fetch_as_service(sql_text("tombstone/records_of_user"), asked, row=UUID):
            return  # forgotten, and not erased yet
        slices = await self._page("record/restated", node.schema_name, {"record_id": record_id}, row=RestatedSlice)
        changes = restated(slices, node.node_id, node.user_id)
        if changes:
            await apply(self._neo4j, [to_json(change) for change in changes], partly=True)

    async def _kept(self, node_id: UUID) -> None:
        """Makes the manifest match Postgres: lines of missing records are removed, items recounted."""
        node = await self._node(node_id)
        async for records in self._listed(node_id):
            found = await self._page("remedy/counted", node.schema_name, {"records": records}, row=_Counted)
            there = [{"record_id": str(one.record_id), "items": one.items} for one in found]
            gone = sorted(map(str, {*records} - {one.record_id for one in found}))
            await self._neo4j.write(cypher("lifecycle/lines_kept"), there=there, gone=gone)
        await self._lines(node_id)

    async def _counts(self, node_id: UUID) -> None:
        await self._neo4j.write(cypher("lifecycle/recounted"), nodes=[str(node_id)])

    async def _listed(self, node_id: UUID) -> AsyncIterator[list[UUID]]:
        after = ""
        lines, node = cypher("lifecycle/lines_of"), str(node_id)
        while records := await self._neo4j.read(lines, row=UUID, node_id=node, after=after, limit=PAGE):
            after = str(records[-1])
            yield records

    async def _page(self, name: LiteralString, schema: str, parameters: Parameters, *, row: type[R]) -> list[R]:
        return await self._postgres.fetch_as_service(sql_in(name, schema), parameters, row=row)

    # tables and contents ---------------------------------------------------------------------------------

    def _running(self, statement: LiteralString) -> Remedy:
        """The remedy that is one statement about the node."""
        return lambda node_id: self._execute(statement, {"node_id": node_id})

    async def _without_tables(self, node_id: UUID) -> None:
        await self._execute("remedy/tables", {"node_id": node_id})
        await self._kept(node_id)

    async def _sources(self, node_id: UUID) -> None:
        [left] = await self._rows("remedy/sources", node_id, row=int)
        if left:
            raise NotFound(f"It is unknown how much of {counted(left, 'source')} is stored.")

    async def _entries(self, node_id: UUID) -> None:
        """Restores lines of the manifest from the raw inputs; only of existing files."""
        sizes: dict[str, int] = {}
        for path in await self._rows("remedy/entries_lost", node_id, row=str):
            with suppress(NotFound):
                sizes[path] = (await self._objects.find(path)).size
        parameters = {"node_id": node_id, "paths": list(sizes), "sizes": list(sizes.values())}
        [left] = await self._postgres.fetch_as_service(sql_text("remedy/entries"), parameters, row=int)
        if left:
            raise NotFound(f"{counted(left, 'file')} in no raw input, or missing.")

    async def _without_entries(self, node_id: UUID) -> None:
        [records] = await self._rows("remedy/accept_entries", node_id, row=list[UUID])
        await self._neo4j.write(cypher("lifecycle/files_forgotten"), records=list(map(str, records)))

    async def _inputs_stay(self, node_id: UUID) -> None:
        schema = (await self._node(node_id)).schema_name
        await self._postgres.change_as_service(sql_in("remedy/accept_inputs", schema), {"node_id": node_id})
