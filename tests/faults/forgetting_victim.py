"""A process that forgets and is killed at a step: `python forgetting_victim.py HOME CACHE USER KIND SUBJECT STEP`; the user of kind
`user` is forgotten by the workspace."""

from __future__ import annotations

import asyncio
import sys
from uuid import UUID

from engine.domain.forgetting import ForgettingSubject
from engine.forgetting.erasure import Erasure
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of


async def main(home: str, cache: str, user: str, kind: str, subject: str, step: str) -> None:
    trap = Trap(step, armed=True)
    settings = on_stores_of(home, cache, forget_settle_s=0.0)
    async with open_engine(settings, on_step=trap, warming=False) as engine:
        erasure, user_id = engine.parts[Erasure], UUID(user)
        named = ForgettingSubject(kind, subject)  # type: ignore[arg-type]
        await erasure.forget(user_id, named, "", f"user:{user}", within_s=300)
    print(LIVED)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
