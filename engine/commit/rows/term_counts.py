"""In how many documents of a node each term occurs, by unit; term 0 counts all documents of the unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.stores.postgres import Connection
from engine.stores.statements import sql_in


@dataclass(frozen=True, slots=True)
class Moved:
    """Documents that the counts of one unit gain, or lose."""

    statement: str
    unit: str
    terms: list[int]
    counts: list[int]


def moves(counts: Mapping[str, Counter[int]]) -> list[Moved]:
    """What moves the counts of a node, in the one order of units and terms: so writers cannot lock each other out."""
    return list(_moves(counts))


def _moves(counts: Mapping[str, Counter[int]]) -> Iterator[Moved]:
    for unit in sorted(counts):
        for statement, sign in (("term_count/add", 1), ("term_count/take", -1)):
            terms = sorted(term for term, count in counts[unit].items() if count * sign > 0)
            if terms:
                yield Moved(statement, unit, terms, [abs(counts[unit][term]) for term in terms])


async def move(connection: Connection, schema: str, moved: Sequence[Moved]) -> None:
    """Moves the counts of a node."""
    for one in moved:
        parameters = {"unit": one.unit, "terms": one.terms, "counts": one.counts}
        await connection.execute(sql_in(one.statement, schema), parameters)
