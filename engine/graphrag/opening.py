"""An engine for programs without asyncio: it is open in a thread of its own for as long as the retriever is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal

from engine.errors import NotFound
from engine.graphrag.retriever import MemoryRetriever
from engine.settings import Settings
from engine.wiring.open_engine import open_engine


@contextmanager
def opened_retriever(handle: str, settings: Settings | None = None) -> Iterator[MemoryRetriever]:
    """A retriever for the memory of the user with this handle. Raises NotFound, and what `open_engine` raises."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(open_engine(settings)) as engine:
        try:
            user = portal.call(engine.workspace.users.find, handle)
        except NotFound:
            raise NotFound(f"There is no user {handle!r}.") from None
        memory = engine.memory(user.user_id)
        yield MemoryRetriever(lambda request: portal.call(memory.context, request))
