"""A process that attaches to a stack, prints it as one line of JSON, and holds it until its input closes."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from engine.embedded import attached
from engine.progress import Silent


async def hold(home: Path, cache: Path) -> None:
    async with attached(home, cache, progress=Silent()) as stack:
        print(json.dumps(stack.as_json()), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(hold(Path(sys.argv[1]), Path(sys.argv[2])))
