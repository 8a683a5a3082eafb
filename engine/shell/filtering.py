"""Options that say what a search takes in, for `ask`, `context` and `decayed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.domain.scope import MemoryScope
from engine.domain.search import Filters
from engine.shell.entities import named
from engine.shell.options import point, scope_named
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.memory import Memory

Texts = list[str] | None
Nodes = Annotated[Texts, typer.Option("--node", metavar="NODE", help="Only at this node: its path, or its id.")]
Below = Annotated[Texts, typer.Option("--below", metavar="NODE", help="Only at this node and below it.")]
Kinds = Annotated[Texts, typer.Option("--kind", metavar="KIND", help="turn, chunk, fact, observation or summary.")]
Categories = Annotated[Texts, typer.Option("--category", metavar="TEXT", help="Only of this category.")]
Tags = Annotated[Texts, typer.Option("--tag", metavar="TEXT", help="Only with this tag.")]
Entities = Annotated[Texts, typer.Option("--entity", metavar="NAME", help="Only what names it: a name, or an id.")]
Scopes = Annotated[
    list[MemoryScope] | None,
    typer.Option("--scope", parser=scope_named, metavar="SCOPE", help="Search thread:ID or workflow:ID too."),
]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Only what occurred then or later.")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only what occurred before.")]


@dataclass(frozen=True, slots=True)
class Narrow:
    """These options as they were given."""

    nodes: Texts = None
    below: Texts = None
    kinds: Texts = None
    categories: Texts = None
    tags: Texts = None
    entities: Texts = None
    since: str | None = None
    until: str | None = None

    async def read(self, memory: Memory) -> dict[str, Any]:
        """The arguments of a request. Raises NotFound, Conflict, InvalidInput."""
        filters = Filters(
            below=await _nodes(memory, self.below or ()),
            categories=tuple(self.categories or ()),
            tags=tuple(self.tags or ()),
            entities=tuple([await named(memory, one) for one in self.entities or ()]),
            since=point(self.since),
            until=point(self.until),
        )
        nodes = await _nodes(memory, self.nodes or ())
        return {"nodes": nodes or None, "kinds": tuple(self.kinds) if self.kinds else None, "filters": filters}


async def _nodes(memory: Memory, named_nodes: Sequence[str]) -> tuple[Any, ...]:
    return tuple([await node_at(memory, one) for one in named_nodes])
