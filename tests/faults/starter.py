"""A process that opens the engine and says so: `python -m tests.faults.starter`, the stores by the environment."""

from __future__ import annotations

import asyncio

from engine.settings import Settings
from engine.wiring.open_engine import open_engine


async def main() -> None:
    async with open_engine(Settings(_env_file=None), warming=False) as engine:
        assert all(store.healthy for store in await engine.health())
        print("opened", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
