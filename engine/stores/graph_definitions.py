"""The indexes and constraints of the graph: those that the migrations make, and those that are there with their state.

A search asks the indexes for names, words and vectors by their names, so without one of them it fails. What is missing is
made at each start. One that failed, as after a full disk, is named by the doctor, and made again by its remedy.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from engine.errors import NeurigraphError
from engine.stores.migrations import LONGEST, migrations, statements
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher

FILLED_WITHIN = 25
"""Seconds that the start waits for an index that it made."""
_MADE = re.compile(
    r"(?:CREATE) (?:(?P<kind>FULLTEXT|VECTOR) )?(?P<what>INDEX|CONSTRAINT) (?P<name>\w+) IF NOT EXISTS FOR \S*:(?P<of>\w+)\S* "
    r"(?:ON|REQUIRE) (?P<properties>.+?)(?: IS UNIQUE| OPTIONS .*)?$"
)
_DROPPED = re.compile(r"DROP (?:INDEX|CONSTRAINT) (\w+) IF EXISTS")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GraphDefinition:
    """An index, or a constraint with the index that it owns (`unique`), of a label or of a type of relationship."""

    name: str
    kind: str
    of: tuple[str, ...]
    properties: tuple[str, ...]
    unique: bool

    @property
    def title(self) -> str:
        """What it is, in words: `the index node_text of Node`."""
        return f"the {'constraint' if self.unique else 'index'} {self.name} of {', '.join(self.of)}"


@dataclass(frozen=True, slots=True)
class _There(GraphDefinition):
    state: str

    @property
    def plain(self) -> GraphDefinition:
        return GraphDefinition(self.name, self.kind, self.of, self.properties, self.unique)


@dataclass(frozen=True, slots=True)
class GraphFault:
    """A definition that is not there as its migration makes it: `missing`, `another`, `failed`, or `filling`."""

    definition: GraphDefinition
    fault: str


@cache
def expected() -> dict[GraphDefinition, str]:
    """What the migrations make, and do not drop later, with the statement of each."""
    found: dict[str, tuple[GraphDefinition, str]] = {}
    for text in (text for migration in migrations("neo4j") for text in statements(migration.text)):
        line = " ".join(line for line in text.splitlines() if not line.startswith("//")).strip()
        line = line.removeprefix("CYPHER 25 ")
        if dropped := _DROPPED.match(line):
            found.pop(dropped[1], None)
        if made := _MADE.match(line):
            properties = tuple(re.findall(r"\w+\.(\w+)", made["properties"]))
            unique, kind = made["what"] == "CONSTRAINT", made["kind"] or "RANGE"
            found[made["name"]] = (GraphDefinition(made["name"], kind, (made["of"],), properties, unique), text)
    return dict(found.values())


async def faults(neo4j: Neo4j) -> list[GraphFault]:
    """What is missing, another, failed or not filled yet. Raises StoreUnavailable."""
    there = {one.name: one for one in await neo4j.read(cypher("schema/definitions"), row=_There)}
    return [*_compared(there)]


def _compared(there: dict[str, _There]) -> Iterator[GraphFault]:
    for wanted in expected():
        found = there.get(wanted.name)
        if found is None:
            yield GraphFault(wanted, "missing")
        elif found.plain != wanted:
            yield GraphFault(wanted, "another")
        elif found.state != "ONLINE":
            yield GraphFault(wanted, "failed" if found.state == "FAILED" else "filling")


async def repeat(neo4j: Neo4j) -> list[str]:
    """Makes what is missing; the titles of what was made. What cannot be made stays for the doctor. Raises StoreUnavailable."""
    missing = [one.definition for one in await faults(neo4j) if one.fault == "missing"]
    for one in missing:
        log.warning("%s was missing; it is made again", one.title)
        try:
            await make(neo4j, one)
        except NeurigraphError as error:
            log.error("%s cannot be made: %s", one.title, error.detail)
    return [one.title for one in missing]


async def make(neo4j: Neo4j, definition: GraphDefinition) -> None:
    """Makes one again, also where another or a failed one has its name. Raises Conflict where two nodes have one key, and
    StoreUnavailable."""
    for dropped in ("schema/constraint_dropped", "schema/index_dropped"):
        await neo4j.write(cypher(dropped), name=definition.name)
    await neo4j.migrate(expected()[definition], LONGEST)
    await neo4j.write(cypher("schema/index_awaited"), name=definition.name, seconds=FILLED_WITHIN)
