"""Bytes on disk in Postgres of a node and of an item, by table and part.

    bytes = nodes with content × (an empty node + what its first content adds) + items × an item

Measured with empty nodes, with some items at each, and with five times as many: the last two give the line. A table of few rows
is whole pages: 8 kB of rows, 16 of a key, 8 for the key of what is stored out of line, and 24 of a map once it has two pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.domain.history import History
from engine.lab.benchmarks.corpus import base_history, more_nodes, repeated
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report
from engine.progress import Progress
from engine.settings import Settings
from engine.stores.statements import sql_text

ITEMS, NODES = 1000, 50
PARTS = ("heap", "keys", "toast", "toast_keys", "maps")
MORE = 5
"""How many times as many items there are in the second measurement."""


@dataclass(frozen=True, slots=True)
class Table:
    """Bytes of one table of all nodes together. `toast`: what is stored out of line; `maps`: of free space and visibility."""

    name: str
    heap: int
    keys: int
    toast: int
    toast_keys: int
    maps: int

    @property
    def whole(self) -> int:
        return sum(getattr(self, part) for part in PARTS)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of all nodes' tables, and of Postgres' own catalogs, which describe them."""

    tables: tuple[Table, ...]
    catalogs: int

    @property
    def whole(self) -> int:
        return sum(table.whole for table in self.tables)


async def measure(
    settings: Settings, data: Path | None, progress: Progress, items: int = ITEMS, nodes: int = NODES
) -> Report:
    """A user with so many nodes: empty, with so many items, with five times as many, and after a vacuum."""
    base = await base_history(data, settings.max_text_bytes, progress)
    planned = more_nodes(base.nodes, nodes - 1)  # the root is the last
    paths = [(), *(node.path for node in planned)]
    texts = [*repeated(base.conversations, items), *repeated(base.conversations, (MORE - 1) * items, first_copy=1000)]
    texts = [replace(one, node=paths[number % nodes] or None) for number, one in enumerate(texts)]
    first = len(repeated(base.conversations, items))
    async with empty_ground(settings, progress) as ground:
        before, found = ground.meter.read(), [await _sizes(ground)]
        memory = await ground.memory()
        for some in ((), texts[:first], texts[first:]):
            await memory.ingests.history(History("bench", "Bench", tuple(some), nodes=planned), progress)
            found.append(await _sizes(ground))
        async with ground.engine.postgres.service.connection() as connection:
            await connection.execute("VACUUM")
        found.append(await _sizes(ground))
        whole = ground.meter.read().since(before)
    names = ("before", "empty", "items", f"{MORE} times", "vacuumed")
    details = {"nodes": nodes, "items": items, **dict(zip(names, found, strict=True))}
    return Report("disk", _figures(found, items, nodes), whole.wall, dict(whole.cpu), details)


async def _sizes(ground: Ground) -> Sizes:
    postgres = ground.engine.postgres
    tables = await postgres.fetch_as_service(sql_text("bench/disk"), {}, row=Table)
    [catalogs] = await postgres.fetch_as_service(sql_text("bench/disk_catalogs"), {}, row=int)
    return Sizes(tuple(tables), catalogs)


def _figures(found: list[Sizes], items: int, nodes: int) -> tuple[Figure, ...]:
    before, empty, some, more, vacuumed = found
    item = (more.whole - some.whole) / ((MORE - 1) * items)
    filled = (some.whole - item * items - empty.whole) / nodes
    of_tables = {f"{table.name}: {part}": getattr(table, part) / nodes for table in some.tables for part in PARTS}
    return (
        _kilobytes("an empty node", empty.whole / nodes),
        _kilobytes("its description in Postgres' catalogs", (empty.catalogs - before.catalogs) / nodes),
        _kilobytes("what its first content adds", filled),
        _kilobytes("each item", item),
        _kilobytes(f"an item of {items:,} at {nodes} nodes, all in all", some.whole / items),
        _kilobytes(f"an item of {MORE * items:,} at {nodes} nodes, all in all", more.whole / (MORE * items)),
        _kilobytes("the same after a vacuum", vacuumed.whole / (MORE * items)),
        *(_kilobytes(f"a node with {items / nodes:g} items, {name}", size) for name, size in of_tables.items() if size),
    )


def _kilobytes(name: str, size: float) -> Figure:
    return Figure(name, round(size / 1024, 2), "kB")
