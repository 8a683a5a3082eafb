"""How much work the graph store has with a statement: a figure that no other load changes."""

from __future__ import annotations

from engine.neurigraph import Engine
from engine.stores.statements import cypher


async def work(engine: Engine, name: str, /, **asked: object) -> int:
    """How often the statement of this name touches the store, with a plan made for what the store holds now."""
    text = cypher(name).replace("CYPHER 25\n", "")
    async with engine.neo4j.driver.session() as session:
        result = await session.run("CYPHER 25 replan=force PROFILE " + text, asked)  # type: ignore[arg-type]
        plans, hits = [(await result.consume()).profile], 0
    while plans:
        plan = plans.pop() or {}
        hits += plan.get("dbHits", 0)
        plans += plan.get("children", [])
    return hits
