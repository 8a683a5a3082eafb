"""What both databases are made of, beside what this release makes: policies, rights, keys, indexes, functions, sequences. And
values of the graph beside the data dictionary: those that are of another type or form than it says, such as ids that are none,
and those that are missing.

Definitions are looked at before any row: where a policy is missing, the service reads no rows, and whole records look lost.
Values that are wrong cannot be read by the statements of the engine, or these pass over what has them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.domain.forms import ID, ITEM_SPAN, SPAN
from engine.errors import NeurigraphError
from engine.knowledge.dictionary import Described, described
from engine.lifecycle.finding import FIX, Finding, Store
from engine.stores import definitions, graph_definitions
from engine.stores.graph_definitions import GraphFault
from engine.stores.migrations import functions, lost_functions, migrate_postgres, migrations
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

KIND = "definition-lost"
_FAULTS = {
    "missing": "is missing",
    "another": "is another than its migration makes",
    "failed": "failed: what it should find is not found",
    "filling": "is still being filled",
}

WRONG = "value-wrong"
PAGE = 10_000
"""Nodes of a label, or relationships of a type, that one statement looks at."""
MOST_SHOWN = 200
_TEXT = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
IS_TEXTS = rf"\s*\{{\s*(?:{_TEXT}\s*:\s*{_TEXT}\s*(?:,\s*{_TEXT}\s*:\s*{_TEXT}\s*)*+)?\}}\s*"
"""JSON: an object of texts. What repeats gives nothing back, which Java matches without a deeper stack."""
FORMS: Mapping[str, str] = {"UUID": ID, "JSON": IS_TEXTS, "ITEM SPAN": ITEM_SPAN, "SPAN": SPAN}
KEYS: Mapping[str, str] = {
    "Node": "node_id", "Past": "slice_id", "Record": "record_id", "Entity": "entity_id", "Alias": "key",
    "Fact": "fact_id",
    "Community": "community_id", "Subject": "subject_id", "Migration": "name", "Installation": "installation_id",
    "HAD_CHILD": "slice_id", "RELATED": "edge_id", "WAS_RELATED": "slice_id", "GRANTED": "grant_id", "SUPERSEDES": "merge_id",
    "POSSIBLY_SAME": "pair_id", "RELATION": "relation_id", "EVIDENCE": "relation_id", "STATES": "fact_id",
    "INTENDS": "intention_id",
}  # fmt: skip
"""The property that names a thing to its reader, where it has one."""
COPIES: Mapping[str, str] = {
    "Node": "`engine.nodes`",
    "Record": "`metadata_records` in the schema of its node",
    "Fact": "`engine.facts`",
    "GRANTED": "`engine.grants`",
}
"""Where Postgres has what it should be."""
DERIVED: Mapping[str, Mapping[str, str]] = {
    "Node": {"embedding": "null", "items": "0", "records": "0"},
    "Entity": {"mentions": "0", "fact_count": "0"},
    "RELATION": {"strength": "0", "confidence": "0.0"},
}
"""Values that the doctor makes again from others, and in whose place it finds these."""


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


@dataclass(frozen=True, slots=True)
class _Wrong:
    name: str
    of: str
    id: str | None
    property: str
    type: str
    value: str
    element_id: str
    user_id: UUID | None


@dataclass(frozen=True, slots=True)
class _Page:
    seen: int
    last: int | None
    wrong: tuple[_Wrong, ...]


class ValueCheck:
    """Examines the values of all users' graphs; for the operator."""

    def __init__(self, neo4j: Neo4j) -> None:
        self._neo4j = neo4j

    async def findings(self) -> AsyncIterator[Finding]:
        """One for each value, at most 200. Raises StoreUnavailable."""
        shown = 0
        async for finding in self._all():
            if shown == MOST_SHOWN:
                problem = f"more than the {MOST_SHOWN} wrong values that are listed"
                yield Finding("error", "neo4j", "values", problem, "mend those, and call the doctor again")
                return
            shown += 1
            yield finding

    async def _all(self) -> AsyncIterator[Finding]:
        labels, types = described()
        nodes = {name: one for name, one in labels.items() if not one.of}
        for name in nodes:
            async for wrong in self._wrong("doctor/values_of_nodes", name, nodes):
                yield _finding_of_value(wrong, nodes[name], "(x)")
        for name in await self._neo4j.read(cypher("doctor/types"), row=str):
            async for wrong in self._wrong("doctor/values_of_relationships", name, types):
                yield _finding_of_value(wrong, types[wrong.of], "()-[x]->()")

    async def _wrong(self, statement: str, name: str, known: Mapping[str, Described]) -> AsyncIterator[_Wrong]:
        """Of nodes of a label, or relationships of a type, page by page."""
        every = known.values()
        asked: dict[str, Any] = {
            "types": {one.name: {key: _fitting(each.stored) for key, each in one.properties.items()} for one in every},
            "forms": {one.name: {key: FORMS[each.form] for key, each in one.properties.items() if each.form} for one in every},
            "always": {one.name: [key for key, each in one.properties.items() if each.always] for one in every},
            "keys": {one: KEYS.get(one, "") for one in known},
        }  # fmt: skip
        after, seen = -1, PAGE
        while seen == PAGE:
            place = {"name": name, "after": after, "page": PAGE, "most": MOST_SHOWN + 1, "uuid": ID}
            [page] = await self._neo4j.read(cypher(statement), row=_Page, **asked, **place)
            for one in page.wrong:
                yield one
            after, seen = after if page.last is None else page.last, page.seen


def _fitting(kind: str) -> list[str]:
    """What Cypher says of values that fit a type: an empty list is of all types of lists, and whole numbers are numbers."""
    if (each := kind.removeprefix("LIST<").removesuffix(">")) != kind:
        return ["LIST<NOTHING> NOT NULL", *(f"LIST<{one}> NOT NULL" for one in _fitting(each))]
    return [f"{one} NOT NULL" for one in ((kind, "INTEGER") if kind == "FLOAT" else (kind,))]


def _finding_of_value(wrong: _Wrong, of: Described, pattern: str) -> Finding:
    id_ = f" {wrong.id}" if wrong.id else ""
    owner = f" of user {wrong.user_id}" if wrong.user_id else ""
    kind = wrong.type.replace(" NOT NULL", "")
    value = f" ({wrong.value!r})" if wrong.value else ""
    is_ = "missing" if kind == "NULL" else f"{kind}{value} in place of {of.properties[wrong.property].type}"
    problem = f"{wrong.property} is {is_}"
    subject = f"{wrong.name}{id_}{owner}, element {wrong.element_id}"
    return Finding("error", "neo4j", subject, problem, _remedy(wrong, pattern), WRONG, wrong.user_id)


def _remedy(wrong: _Wrong, pattern: str) -> str:
    found = f"MATCH {pattern} WHERE elementId(x) = '{wrong.element_id}' SET x.{wrong.property} ="
    if blank := DERIVED.get(wrong.of, {}).get(wrong.property):
        return f"in Neo4j, `{found} {blank}`; then {FIX} makes it again"
    copy = f" ({COPIES[wrong.of]} may have it)" if wrong.of in COPIES else ""
    return (
        f"set the right value in Neo4j{copy}: `{found} …`; where nobody knows it, restore a backup."
        " Do not delete it: its other values may be right"
    )
