"""Neurigraph: long-term memory and knowledge for assistants and the people behind them.

    async with open_engine() as engine:
        bob = await engine.workspace.users.create("bob", "Bob")
        memory = engine.memory(bob.user_id)
        await memory.nodes.provision(NewNode(bob.user_id, "Family"))
        await memory.records.remember(Conversation("c1", (Turn("Bob", "Dave married my sister in May."),)))
        answer = await memory.search(SearchRequest("Who is Dave?"))

The names below are loaded when they are first used: a process that only supervises the servers must not pay
for encoders and drivers.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# Read when numpy is loaded, which is later. The matrices of a search are small: with more threads they take three times the CPU.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if TYPE_CHECKING:
    from engine.domain.clock import Moment
    from engine.domain.context import Context, ContextAnswer, ContextRequest
    from engine.domain.embedding import ModelChoice
    from engine.domain.history import Conversation, History, HistoryFile, Turn
    from engine.domain.node import Anchor, NewNode, ProvisionedNode, Shell, User
    from engine.domain.read_limits import ReadLimits
    from engine.domain.report import IngestReport
    from engine.domain.scope import MemoryScope
    from engine.domain.search import DecayRequest, Filters, Hit, SearchAnswer, SearchRequest
    from engine.memory import Memory
    from engine.neurigraph import Engine
    from engine.settings import Settings
    from engine.wiring.open_engine import open_engine
    from engine.wiring.opening import Opening

__all__ = [
    "Anchor",
    "Context",
    "ContextAnswer",
    "ContextRequest",
    "Conversation",
    "DecayRequest",
    "Engine",
    "Filters",
    "History",
    "HistoryFile",
    "Hit",
    "IngestReport",
    "Memory",
    "MemoryScope",
    "ModelChoice",
    "Moment",
    "NewNode",
    "Opening",
    "ProvisionedNode",
    "ReadLimits",
    "SearchAnswer",
    "SearchRequest",
    "Settings",
    "Shell",
    "Turn",
    "User",
    "open_engine",
]

_HOMES = {
    "engine.wiring.open_engine": ("open_engine",),
    "engine.domain.clock": ("Moment",),
    "engine.domain.context": ("Context", "ContextAnswer", "ContextRequest"),
    "engine.domain.embedding": ("ModelChoice",),
    "engine.domain.history": ("Conversation", "History", "HistoryFile", "Turn"),
    "engine.domain.node": ("Anchor", "NewNode", "ProvisionedNode", "Shell", "User"),
    "engine.domain.read_limits": ("ReadLimits",),
    "engine.domain.report": ("IngestReport",),
    "engine.domain.scope": ("MemoryScope",),
    "engine.domain.search": ("DecayRequest", "Filters", "Hit", "SearchAnswer", "SearchRequest"),
    "engine.memory": ("Memory",),
    "engine.neurigraph": ("Engine",),
    "engine.wiring.opening": ("Opening",),
    "engine.settings": ("Settings",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
