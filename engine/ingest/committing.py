"""A commit beside the next batch."""

from __future__ import annotations

import asyncio


class Committing:
    """The commit under way, beside which the next batch is read and embedded. It is never abandoned."""

    task: asyncio.Task[None] | None = None

    async def ended(self) -> None:
        """Waits for it. Raises its error."""
        if self.task is not None:
            await self.task

    async def __aenter__(self) -> None:
        self.task = None

    async def __aexit__(self, *error: object) -> None:
        if self.task is not None:
            await asyncio.wait([self.task])
