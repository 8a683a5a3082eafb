"""Nodes a second through all stores with one writer, and whether the cost of a node grows with their number."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from engine.domain.node import NewNode, User
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.meter import Reading
from engine.lab.benchmarks.report import Figure, Report, at_most
from engine.progress import Progress
from engine.settings import Settings

WARM = 200
"""Nodes of another user for warm-up: a cold JVM is slow, and would hide growth."""
CHILDREN = 8
NODES = 2050
AROUND_100, AROUND_2000 = (50, 150), (1950, 2050)


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """Provisions 2,050 nodes of one user, one after the other; `data` is not used."""
    async with empty_ground(settings, progress) as ground:
        await _provision(ground, await ground.user(), WARM, progress)
        readings = await _provision(ground, await ground.user(), NODES, progress)
        servers = dict(readings[NODES].since(readings[0]).cpu)
    whole = readings[NODES].since(readings[0])
    early, late = (readings[end].since(readings[start]) for start, end in (AROUND_100, AROUND_2000))
    width = AROUND_100[1] - AROUND_100[0]
    figures = (
        at_most("CPU a node", whole.total_cpu / NODES * 1000, "ms", 40),
        *(Figure(f"of which {name}", round(cpu / NODES * 1000, 2), "ms") for name, cpu in whole.cpu.items()),
        Figure("nodes a second, one writer", round(NODES / whole.wall, 1), "nodes/s"),
        Figure("CPU a node at 100 nodes", round(early.total_cpu / width * 1000, 2), "ms"),
        Figure("CPU a node at 2,000 nodes", round(late.total_cpu / width * 1000, 2), "ms"),
        at_most("CPU at 2,000 nodes against 100", late.total_cpu / early.total_cpu, "times", 1.3),
        Figure("nodes a second at 100 nodes", round(width / early.wall, 1), "nodes/s"),
        Figure("nodes a second at 2,000 nodes", round(width / late.wall, 1), "nodes/s"),
    )
    details = {
        "nodes": NODES,
        "warm_up_nodes": WARM,
        "at_100": {"wall_s": early.wall, "cpu_s": dict(early.cpu)},
        "at_2000": {"wall_s": late.wall, "cpu_s": dict(late.cpu)},
    }
    return Report("provisioning", figures, whole.wall, servers, details)


async def _provision(ground: Ground, user: User, amount: int, progress: Progress) -> dict[int, Reading]:
    """A tree of so many nodes, eight children each; the clocks at the ends of the windows."""
    memory = ground.engine.memory(user.user_id)
    ids: list[UUID] = [user.user_id]
    marks = {0, amount, *AROUND_100, *AROUND_2000}
    readings = {0: ground.meter.read()}
    task = f"provision {amount:,} nodes"
    progress.start(task, amount, "nodes")
    for number in range(1, amount + 1):
        parent = ids[(number - 1) // CHILDREN]
        summary = f"What is known of subject {number}, in a sentence or two."
        node = await memory.nodes.provision(
            NewNode(parent, f"Subject {number}", "concept", summary, (f"word{number}", "subject"))
        )
        ids.append(node.node_id)
        progress.advance(task)
        if number in marks:
            readings[number] = ground.meter.read()
    progress.finish(task)
    return readings
