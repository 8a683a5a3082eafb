"""What both databases are made of, beside what this release makes: policies, rights, keys, indexes, functions, sequences.

It is looked at before any row: where a policy is missing, the service reads no rows, and whole records look lost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from engine.errors import NeurigraphError
from engine.lifecycle.finding import FIX, Finding, Store
from engine.stores import definitions, graph_definitions
from engine.stores.graph_definitions import GraphFault
from engine.stores.migrations import functions, lost_functions, migrate_postgres, migrations
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

KIND = "definition-lost"
_FAULTS = {
    "missing": "is missing",
    "another": "is another than its migration makes",
    "failed": "failed: what it should find is not found",
    "filling": "is still being filled",
}


@dataclass(frozen=True, slots=True)
class _Sequence:
    place: str
    name: str


class DefinitionCheck:
    """Compares and mends the definitions of both databases; for the operator."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def findings(self) -> list[Finding]:
        """One for each thing that is missing or another; while functions are, which the comparison calls, these alone. Raises
        StoreUnavailable."""
        if lost := await lost_functions(self._postgres):
            return [_lost(f"the function {name}") for name in lost]
        lacking = await self._lacking()
        mendable = set(definitions.mendable(lacking))
        found = [_lost(one.title, mended=one in mendable) for one in lacking]
        for one in await definitions.foreign(self._postgres, "policy"):
            problem = f"{one.title} is of no migration: it shows rows to others, or hides them"
            found.append(_finding("postgres", "definitions", problem, f"{FIX} drops it"))
        for one in await definitions.foreign(self._postgres, "trigger"):
            problem = f"{one.title} is of no migration: it runs at changes of the table, and may alter or refuse them"
            drop = f"where nobody needs it: `DROP TRIGGER {one.name} ON {one.schema_name}.{one.place}`"
            found.append(Finding("warning", "postgres", "definitions", problem, drop))
        for behind in await self._behind(mend=False):
            problem = f"the numbers of {behind.place}.{behind.name} begin again: new rows are refused"
            found.append(_finding("postgres", behind.place, problem, f"{FIX} lets them go on after the largest"))
        found += [_of_graph(fault) for fault in await graph_definitions.faults(self._neo4j)]
        return [*found, *await self._embeddings()]

    async def mend(self) -> list[str]:
        """Makes everything again that can be made without losing anything; why something could not. Raises StoreUnavailable."""
        failures: list[str] = []
        await migrate_postgres(self._postgres, migrations("postgres"), functions())
        await definitions.repeat(self._postgres)
        for lost in definitions.mendable(await self._lacking()):
            await _tried(lost.title, lambda lost=lost: definitions.make(self._postgres, lost), failures)  # type: ignore[misc]
        for one in await definitions.foreign(self._postgres, "policy"):
            await _tried(one.title, lambda one=one: definitions.make(self._postgres, one), failures)  # type: ignore[misc]
        await _tried("sequences", lambda: self._behind(mend=True), failures)
        for fault in await graph_definitions.faults(self._neo4j):
            if fault.fault != "filling":
                wanted = fault.definition
                await _tried(wanted.title, lambda one=wanted: graph_definitions.make(self._neo4j, one), failures)  # type: ignore[misc]
        return failures

    async def _behind(self, *, mend: bool) -> list[_Sequence]:
        statement = sql_text("schema/sequences_behind")
        return await self._postgres.fetch_as_service(statement, {"mend": mend}, row=_Sequence)

    async def _embeddings(self) -> list[Finding]:
        [active] = await self._postgres.fetch_as_service(sql_text("embedding/active_count"), row=int)
        if active == 1:
            return []
        problem = f"{active} of them are active, of which one has to be: nothing is searched by meaning"
        remedy = "restore Postgres from a backup, or set the status of the version that was searched to active"
        return [_finding("postgres", "embedding versions", problem, remedy, "")]

    async def _lacking(self) -> list[definitions.Definition]:
        """What the shared tables lack; of a missing table or column that alone, which says it all."""
        lacking = await definitions.lacking(self._postgres)
        tables = {(one.schema_name, one.place) for one in lacking if one.kind == "table"}
        columns = {(one.schema_name, one.place, one.name) for one in lacking if one.kind == "column"}
        found = [one for one in lacking if one.kind == "table" or (one.schema_name, one.place) not in tables]
        return [
            one
            for one in found
            if one.kind != "column setting" or (one.schema_name, one.place, one.name) not in columns
        ]


def _finding(store: Store, subject: str, problem: str, remedy: str, kind: str = KIND) -> Finding:
    return Finding("error", store, subject, problem, remedy, kind)


def _lost(title: str, *, mended: bool = True) -> Finding:
    problem = f"{title} is missing, or another than this release makes"
    if mended:
        return _finding("postgres", "definitions", problem, f"{FIX} makes it again")
    return _finding("postgres", "definitions", problem, "restore Postgres from a backup", "")


def _of_graph(fault: GraphFault) -> Finding:
    problem = f"{fault.definition.title} {_FAULTS[fault.fault]}"
    if fault.fault == "filling":
        return Finding("warning", "neo4j", "definitions", problem, "nothing to do: it is filled in the background")
    unique = "; where two have one key, this says so" if fault.definition.unique else ""
    return _finding("neo4j", "definitions", problem, f"{FIX} makes it again{unique}")


async def _tried(title: str, make: Callable[[], Awaitable[object]], failures: list[str]) -> None:
    try:
        await make()
    except NeurigraphError as error:
        failures.append(f"{title}: {error.detail}")
