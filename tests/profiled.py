"""How much work the graph store has with a statement: a figure that no other load changes."""

from __future__ import annotations

from typing import Any

from engine.neurigraph import Engine
from engine.stores.statements import cypher


async def work(engine: Engine, name: str, /, *, planned_anew: bool = False, **asked: object) -> int:
    """How often the statement of this name touches the store: by the plan that it has, or by one for what the store holds now."""
    return (await profile(engine, name, planned_anew=planned_anew, **asked))[0]


async def profile(
    engine: Engine, name: str, /, *, planned_anew: bool = False, **asked: object
) -> tuple[int, list[dict[str, Any]]]:
    """The same, and the rows of the statement."""
    options = "replan=force PROFILE " if planned_anew else "PROFILE "
    text = cypher(name).replace("CYPHER 25\n", "CYPHER 25 " + options)
    async with engine.neo4j.driver.session() as session:
        result = await session.run(text, asked)  # type: ignore[arg-type]
        rows = await result.data()
        plans, hits = [(await result.consume()).profile], 0
    while plans:
        plan = plans.pop() or {}
        hits += plan.get("dbHits", 0)
        plans += plan.get("children", [])
    return hits, rows
