"""Whether response times reveal hidden data: denied against missing, many samples of each in random order.

The share of pairs in which the denied request took longer is one half if time reveals nothing (the Mann-Whitney U
statistic, divided by the number of pairs); it is reported with its 99 % interval under chance.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np

from engine.domain.history import History
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.errors import NotFound
from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, percentiles
from engine.memory import Memory
from engine.progress import Progress
from engine.settings import Settings

SAMPLES = 400
"""Samples of each kind, for each operation."""
NODES = 20
CHANCE = 2.58
"""Standard deviations that chance exceeds once in a hundred."""
_TASK = "denied beside missing"

Ask = Callable[[UUID], Awaitable[object]]


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """An integration without any grant reads nodes of a user and nodes that do not exist."""
    base = await base_history(data, settings.max_text_bytes, progress)
    async with empty_ground(settings, progress) as ground:
        stranger, nodes = await _stranger(ground, base)
        before = ground.meter.read()
        figures: list[Figure] = []
        operations = _operations(stranger)
        progress.start(_TASK, len(operations) * SAMPLES * 2, "requests")
        for name, ask in operations.items():
            denied, missing = await _sampled(ask, nodes, progress)
            figures += _compared(name, denied, missing)
        progress.finish(_TASK)
        whole = ground.meter.read().since(before)
    return Report("oracle", tuple(figures), whole.wall, dict(whole.cpu), {"samples": SAMPLES, "nodes": NODES})


async def _stranger(ground: Ground, base: History) -> tuple[Memory, list[UUID]]:
    user = await ground.user()
    memory = ground.engine.memory(user.user_id)
    conversations = base.conversations[:NODES]
    nodes = []
    for number, conversation in enumerate(conversations):
        node = await memory.nodes.provision(NewNode(user.user_id, f"Node {number}"))
        await memory.records.remember(conversation, node_id=node.node_id)
        nodes.append(node.node_id)
    integration = await ground.engine.workspace.integrations.create("stranger")
    return ground.engine.memory_as(Principal("third_party", integration.integration_id, user.user_id)), nodes


def _operations(stranger: Memory) -> dict[str, Ask]:
    file = uuid4()
    return {
        "shell": stranger.nodes.shell,
        "metadata": stranger.nodes.metadata,
        "file": lambda node: stranger.files.read(node, file),
    }


async def _sampled(ask: Ask, nodes: Sequence[UUID], progress: Progress) -> tuple[list[float], list[float]]:
    """Seconds of denied and of missing requests, in random order after some for warm-up."""
    taken: dict[bool, list[float]] = {True: [], False: []}
    order = [True, False] * SAMPLES
    random.Random(7).shuffle(order)
    for number, denied in enumerate([True, False] * 20 + order):
        node = nodes[number % len(nodes)] if denied else uuid4()
        started = time.perf_counter()
        try:
            await ask(node)
        except NotFound:
            spent = time.perf_counter() - started
        else:
            raise AssertionError("A request that must be refused was answered.")
        if number >= 40:
            taken[denied].append(spent)
            progress.advance(_TASK)
    return taken[True], taken[False]


def _compared(name: str, denied: Sequence[float], missing: Sequence[float]) -> Iterator[Figure]:
    yield percentiles(f"{name} denied", denied)[0]
    yield percentiles(f"{name} missing", missing)[0]
    slower = np.asarray(denied)[:, None] > np.asarray(missing)[None, :]
    share, samples = float(slower.mean()), len(denied)
    chance = CHANCE * math.sqrt((2 * samples + 1) / (12 * samples * samples))
    goal = f"{0.5 - chance:.3f} to {0.5 + chance:.3f} by chance"
    yield Figure(f"{name}: denied took longer", round(share, 3), "of pairs", goal, abs(share - 0.5) <= chance)
