"""A process that writes and is killed at a step: `python -m tests.faults.victim HOME CACHE HANDLE OPERATION STEP`.

Prints what the engine acknowledged. STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import sys

from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.memory import Memory
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of


async def changing(memory: Memory, operation: str) -> Change:
    """A whole record, node or relation, and the change of it that is about to come."""
    root = memory.principal.user_id
    node = await memory.provision(NewNode(root, "Before"))
    if operation == "change node":
        home = await memory.provision(NewNode(root, "Home"))
        return Change("node", node.node_id, {"name": "After", "parent_id": str(home.node_id)})
    if operation == "change archived":
        await memory.provision(NewNode(node.node_id, "Below"))
        return Change("node", node.node_id, {"archived": True})
    if operation == "change relation":
        edge, _ = await memory.relate(root, node.node_id, "holds", {"since": "2001"})
        return Change("relation", edge, {"properties": {"since": "2002"}})
    report = await memory.remember_text("Before", "A walleye was caught.", node_id=node.node_id)
    return Change("record", report.records[0].record_id, {"title": "After"}, node.node_id)


async def main(home: str, cache: str, handle: str, operation: str, step: str) -> None:
    trap = Trap(step)
    async with open_engine(on_stores_of(home, cache), on_step=trap, warming=False) as engine:
        user = await engine.create_user(handle)
        memory = engine.memory(user.user_id)
        change = await changing(memory, operation) if operation.startswith("change") else None
        trap.armed = True
        if operation == "user":
            await engine.create_user(f"{handle}-new")
        elif operation == "node":
            await engine.memory(user.user_id).provision(NewNode(user.user_id, "Victim"))
        elif operation == "path":
            await memory.provision_whole([NewNode(user.user_id, name) for name in ("Family", "Siblings", "Ellen")])
        elif change is not None:
            await memory.change(change)
        else:
            turns = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(40))
            await engine.memory(user.user_id).remember(Conversation("victim", turns))
        print(LIVED, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
