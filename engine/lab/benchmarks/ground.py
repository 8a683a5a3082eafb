"""The temporary, empty home of a benchmark, separate from the user's data."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from engine.domain.node import User
from engine.embedded import stop
from engine.lab.benchmarks.meter import Meter
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Progress
from engine.providers.language import LanguageModel
from engine.settings import Settings
from engine.wiring.open_engine import open_engine


@dataclass(frozen=True, slots=True)
class Ground:
    """An open, empty engine, and the meter of its processes."""

    engine: Engine
    meter: Meter

    async def user(self) -> User:
        """A new user with only a root."""
        return await self.engine.workspace.users.create(f"bench-{uuid4().hex[:12]}", "Bench")

    async def memory(self) -> Memory:
        """The memory of a new user."""
        return self.engine.memory((await self.user()).user_id)


@asynccontextmanager
async def empty_home(settings: Settings) -> AsyncIterator[Settings]:
    """Settings with a home whose servers are stopped and which is removed at the end."""
    home = settings.home.absolute() / f"bench-{uuid4().hex[:8]}"
    try:
        yield settings.with_home(home).model_copy(update={"workspace": "bench"})
    finally:
        await stop(home)
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
        await asyncio.to_thread(_remove_if_empty, settings.home)


@asynccontextmanager
async def empty_ground(
    settings: Settings, progress: Progress, language: LanguageModel | None = None
) -> AsyncIterator[Ground]:
    """An engine on empty embedded servers; on managed servers, in a new workspace, which stays. `language`: its model."""
    if settings.neo4j_url:
        settings = settings.model_copy(update={"workspace": "bench"})
        async with open_engine(settings, progress=progress, language=language) as engine:
            yield Ground(engine, Meter(None))
        return
    async with empty_home(settings) as fresh, open_engine(fresh, progress=progress, language=language) as engine:
        yield Ground(engine, Meter(fresh.home))


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
