"""Schemas of nodes from the template; shells, their places, edges and grants in the graph from the registry and the outbox; and
manifests in the graph from the records in Postgres: lines, their past, where they hang, the counts of shells.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from engine.commit.changes import GraphChange, RecordRevised, RecordsEntered, to_json
from engine.commit.graph import Restated, RestatedSlice, apply, restated
from engine.commit.rows import due
from engine.errors import NeurigraphError
from engine.lifecycle.compared import NodeFacts, RegisteredNode, ShownShell
from engine.lifecycle.file_states import NodeState
from engine.lifecycle.mending.tally import Tally
from engine.stores.limited import TABLES_LOST
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.rows import R
from engine.stores.statements import cypher, sql_in, sql_text

PAGE = 200
TALLIED = {
    "node_revised": "changes of nodes",
    "edge_revised": "changes of edges",
    "granted": "grants",
    "revoked": "ends of grants",
}
"""By kind of commit: its name in the tally."""


@dataclass(frozen=True, slots=True)
class _Schema:
    node_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class _Commit:
    commit_id: UUID
    created_at: datetime
    kind: str
    change: dict[str, Any]

    @property
    def subject(self) -> dict[str, Any]:
        """What it changed, and to which revision."""
        changed = self.change.get("revision") or self.change["grant"]
        ids = {name: changed.get(name) for name in ("node_id", "edge_id", "grant_id")}
        own = changed.get("own") if self.kind == "edge_revised" else None
        return ids | {"kind": self.kind, "revision": changed.get("revision"), "own": own}


@dataclass(frozen=True, slots=True)
class _Commits:
    """The graph's parts of the commits that made a node, and that changed it last."""

    node: dict[str, Any] | None
    own: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a shell hangs and what it is called, whatever that is: ids stay text."""

    node_id: UUID
    name: str | None
    name_key: str | None
    layer: int | None
    parent_id: str | None
    revision: int
    parents: list[str]

    def differs(self, node: RegisteredNode) -> bool:
        """Whether it is not what the registry says, or was taken back to before its first change."""
        said = (self.name, self.name_key, self.layer, self.parent_id, self.parents)
        parents = [node.parent] if node.parent else []
        return self.revision == 0 or said != (node.name, node.name_key, node.layer, node.parent, parents)


class ShellMending:
    """Mends what belongs to nodes as a whole; for the service."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def definitions(self, tally: Tally) -> None:
        """Makes policies, rights, triggers and keys of nodes again, whose tables are there. Raises StoreUnavailable."""
        async for nodes in self.nodes():
            asked = [node.node_id for node in nodes]
            for node_id in await self._rows("mend/lacking", row=UUID, nodes=asked):
                tally.add("definitions of nodes")
                if not tally.dry:
                    with suppress(NeurigraphError):  # a row is in the way of a key: the doctor still names it
                        await self._postgres.change_as_service(sql_text("remedy/tables"), {"node_id": node_id})

    async def schemas(self, tally: Tally) -> None:
        """Makes missing tables, empty, where the operator accepts that what was in them is lost. Raises StoreUnavailable."""
        after = UUID(int=0)
        while nodes := await self._rows("mend/schemas", row=_Schema, after=after, limit=PAGE):
            after = nodes[-1].node_id
            for node in nodes:
                tally.add("schemas of nodes")
                if not tally.dry:
                    await self._postgres.change_as_service(sql_text("mend/schema"), asdict(node))
                    lost = {"kind": "tables-lost", "node_id": node.node_id, "detail": "made again, empty"}
                    await self._postgres.change_as_service(sql_text("remedy/accept_note"), lost)

    async def shells(self, tally: Tally) -> None:
        """Makes missing shells, parents first, from the commits that made them. Raises StoreUnavailable."""
        async for nodes in self.nodes():
            there = await self._places(nodes)
            for node in nodes:
                if node.node_id not in there:
                    tally.add("shells")
                    if not tally.dry:
                        first = (await self._commits_of(node)).node
                        await self._neo4j.write(cypher("node/provision"), node=node.shell(first))

    async def commits(self, tally: Tally) -> None:
        """Applies missing changes of nodes, edges and grants in the graph. Raises StoreUnavailable."""
        at, after = datetime.min.replace(tzinfo=UTC), UUID(int=0)
        while commits := await self._rows("mend/commits", row=_Commit, after_time=at, after=after, limit=PAGE):
            at, after = commits[-1].created_at, commits[-1].commit_id
            asked = [{"number": number} | commit.subject for number, commit in enumerate(commits)]
            for number in await self._neo4j.read(cypher("doctor/unapplied"), row=int, changes=asked):
                commit = commits[number]
                tally.add(TALLIED[commit.kind])
                if not tally.dry:
                    await apply(self._neo4j, [commit.change], partly=True)

    async def places(self, tally: Tally) -> None:
        """Corrects names and parents of shells by the registry. Raises StoreUnavailable."""
        async for nodes in self.nodes():
            there = await self._places(nodes)
            wrong = [node for node in nodes if node.node_id in there and there[node.node_id].differs(node)]
            tally.add("names and places of shells", len(wrong))
            if wrong and not tally.dry:
                await self._neo4j.write(cypher("lifecycle/placed"), nodes=[await self._place(node) for node in wrong])

    async def states(self, tally: Tally) -> None:
        """Applies the states of files in the graph; a state older than the shell's changes nothing. Raises StoreUnavailable."""
        after = UUID(int=0)
        while states := await self._rows("mend/states", row=NodeState, after=after, limit=PAGE):
            after = states[-1].node_id
            if not tally.dry:
                shown = [state.graph for state in states]
                changed = await self._neo4j.write(cypher("lifecycle/states"), row=int, states=shown)
                tally.add("states of nodes", sum(changed))

    async def nodes(self) -> AsyncIterator[list[RegisteredNode]]:
        """The registry, parents before children, in pages. Raises StoreUnavailable."""
        layer, after = -1, UUID(int=0)
        while nodes := await self._rows("mend/nodes", row=RegisteredNode, after_layer=layer, after=after, limit=PAGE):
            layer, after = nodes[-1].layer, nodes[-1].node_id
            yield nodes

    async def _rows(self, name: str, *, row: type[R], **parameters: Any) -> list[R]:
        return await self._postgres.fetch_as_service(sql_text(name), parameters, row=row)

    async def _places(self, nodes: list[RegisteredNode]) -> dict[UUID, _Place]:
        ids = [str(node.node_id) for node in nodes]
        places = await self._neo4j.read(cypher("doctor/places"), row=_Place, nodes=ids)
        return {place.node_id: place for place in places}

    async def _commits_of(self, node: RegisteredNode) -> _Commits:
        [commits] = await self._rows("mend/shell", row=_Commits, node_id=node.node_id, user_id=node.user_id)
        return commits

    async def _place(self, node: RegisteredNode) -> dict[str, Any]:
        commits = await self._commits_of(node)
        own, made = commits.own or {}, commits.node
        said = {name: made[name] for name in ("summary", "keywords", "aliases", "alias_keys")} if made else None
        times = {name: own.get(name) for name in ("valid_from", "valid_to", "known_from")}
        return node.graph | times | {"said": said}


@dataclass(frozen=True, slots=True)
class _Record:
    record_id: UUID
    revision: int
    items: int


@dataclass(frozen=True, slots=True)
class _Listed:
    record_id: UUID
    revision: int
    items: int
    holders: tuple[str, ...]


class ManifestMending:
    """Mends manifests node by node; for the service.

    Where Postgres has fewer items than a manifest lists, the manifest is the one witness that they are lost: it stays as it is
    until a backup brings them back, or the operator accepts the loss.
    """

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def of_node(self, node: RegisteredNode, tally: Tally, *, accept_loss: bool = False) -> None:
        """Compares the records of a node with its manifest and enters what is missing. Raises StoreUnavailable."""
        after, changed = UUID(int=0), False
        while records := await self._records(node.schema_name, after):
            after = records[-1].record_id
            ids = [str(record.record_id) for record in records]
            found = await self._neo4j.read(cypher("doctor/records"), row=_Listed, records=ids)
            there = {listed.record_id: listed for listed in found}
            missing = [record for record in records if record.record_id not in there]
            behind = [record for record in records if record.revision > there.get(record.record_id, record).revision]
            kept = [
                record if accept_loss or not listed else replace(record, items=max(record.items, listed.items))
                for record in records
                for listed in [there.get(record.record_id)]
            ]
            astray = [
                record
                for record in kept
                if (listed := there.get(record.record_id))
                and (listed.holders != (str(node.node_id),) or listed.items != record.items)
            ]
            tally.add("records in manifests", len(missing))
            tally.add("changes of records", len(behind))
            tally.add("places and items of records", len(astray))
            changed = changed or bool(missing or behind or astray)
            if not tally.dry:
                await self._enter(node, missing, [*missing, *behind])
                if astray or behind:
                    await self._hold(node, [*astray, *behind])
        if changed and not tally.dry:
            await self._neo4j.write(cypher("lifecycle/recounted"), nodes=[str(node.node_id)])

    async def counts(self, tally: Tally) -> None:
        """Recounts where a shell counts another number than its manifest lists. Raises StoreUnavailable."""
        after = UUID(int=0)
        page = sql_text("doctor/nodes")
        while facts := await self._postgres.fetch_as_service(page, {"after": after, "limit": PAGE}, row=NodeFacts):
            after = facts[-1].node_id
            nodes = [str(node.node_id) for node in facts]
            shells = await self._neo4j.read(cypher("doctor/shells"), row=ShownShell, nodes=nodes)
            wrong = [
                str(shell.node_id)
                for shell in shells
                if (shell.counted_records, shell.counted_items) != (shell.records, shell.listed_items)
            ]
            tally.add("counts of shells", len(wrong))
            if wrong and not tally.dry:
                await self._neo4j.write(cypher("lifecycle/recounted"), nodes=wrong)

    async def _records(self, schema: str, after: UUID) -> list[_Record]:
        try:
            page = {"after": after, "limit": PAGE}
            return await self._postgres.fetch_as_service(sql_in("mend/records", schema), page, row=_Record)
        except TABLES_LOST:  # its tables are not there, or not those of the template: a finding of its own
            return []

    async def _enter(self, node: RegisteredNode, lines: list[_Record], changes: list[_Record]) -> None:
        """Enters records again, but for what was forgotten: Postgres may not have erased it yet."""
        asked = {"user_id": node.user_id, "records": [one.record_id for one in (*lines, *changes)]}
        found = await self._postgres.fetch_as_service(sql_text("tombstone/records_of_user"), asked, row=UUID)
        wanted = {record.record_id for record in lines} - {*found}
        changes = [one for one in changes if one.record_id not in found]
        parts = [change for record in changes for change in await self._restated(node, record.record_id)]
        entered = [line for one in parts if isinstance(one, RecordsEntered) for line in one.records]
        entered = [line for line in entered if line.record_id in wanted]
        revised = [one for one in parts if isinstance(one, RecordRevised)]
        whole: list[GraphChange] = [RecordsEntered(entered), *revised]
        await apply(self._neo4j, [to_json(one) for one in whole], partly=True)
        async with self._postgres.as_service() as connection:
            await due.note(connection, "entities", [node.node_id])

    async def _restated(self, node: RegisteredNode, record_id: UUID) -> Restated:
        statement = sql_in("record/restated", node.schema_name)
        slices = await self._postgres.fetch_as_service(statement, {"record_id": record_id}, row=RestatedSlice)
        return restated(slices, node.node_id, node.user_id)

    async def _hold(self, node: RegisteredNode, records: list[_Record]) -> None:
        held = [
            {"record_id": str(record.record_id), "node_id": str(node.node_id)}
            | {"items": record.items, "revision": record.revision}
            for record in records
        ]
        await self._neo4j.write(cypher("lifecycle/held"), records=held)
