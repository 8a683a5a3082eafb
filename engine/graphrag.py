"""A memory as a retriever of neo4j-graphrag: it asks for context, and gives each piece as an item with its source.

    with opened_retriever("bob") as retriever:
        GraphRAG(retriever, llm).search("Where does Ellen live?")

For programs without asyncio an engine is open in a thread of its own for as long as the retriever is used. `api.client.graphrag`
has the same over REST.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Self

from anyio.from_thread import start_blocking_portal
from neo4j import Record
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

from engine.domain.clock import Moment
from engine.domain.context import Context, ContextRequest, Piece
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.settings import Settings
from engine.wiring.open_engine import open_engine

_MARK = re.compile(r"\[(\d+)\] ")
MOST_WAIT_S = 120.0
"""Seconds for one context in all; a request names fewer with `max_ms`."""


class MemoryRetriever(Retriever):
    """A memory for `GraphRAG` of neo4j-graphrag, with any of its language models, and as one of its tools.

    The contents of the items, one below the other, are the text of `Memory.context`, with the lines around stored texts that a
    model needs to tell them from instructions. The metadata of each: `mark` (its number in the text), `kind`, `score`, `title`,
    `speaker`, `occurred_at`, `record_id`, `node_id`, `item_id`. It reads with the rights of the memory.
    """

    VERIFY_NEO4J_VERSION = False

    def __init__(
        self,
        ask: Callable[[ContextRequest], Context],
        result_formatter: Callable[[Record], RetrieverResultItem] | None = None,
    ) -> None:
        """`ask` returns the context for a request; `result_formatter` makes an item of a record with `content` and `metadata`."""
        # Retriever.__init__ wants a driver; the engine has its own, with the rights of the caller in every statement.
        self._ask, self.result_formatter = ask, result_formatter

    @classmethod
    def of(cls, memory: Memory, loop: asyncio.AbstractEventLoop | None = None) -> Self:
        """For a memory whose engine is open in this loop, by default the running one. `GraphRAG` waits for its retriever:
        run it in a thread, as in `await asyncio.to_thread(rag.search, "…")`."""
        loop = loop or asyncio.get_running_loop()

        def ask(request: ContextRequest) -> Context:
            if _running() is loop:
                raise InvalidInput(
                    "A retriever waits: call it from another thread than its engine's, with asyncio.to_thread."
                )
            return asyncio.run_coroutine_threadsafe(memory.context(request), loop).result(MOST_WAIT_S)

        return cls(ask)

    def get_search_results(
        self,
        query_text: str,
        top_k: int = 30,
        tokens: int = 2000,
        as_of: str | None = None,
        known_at: str | None = None,
    ) -> RawSearchResult:
        """What a memory holds that matters to a question.

        Args:
            query_text (str): The question.
            top_k (int): Hits of the search that the context is made of.
            tokens (int): Tokens that all contents have together at most.
            as_of (str): When it was true (ISO 8601); by default now.
            known_at (str): When it was known (ISO 8601); by default now.

        Returns:
            RawSearchResult: Records with `content` and `metadata`, in the order of the text.

        Raises InvalidInput, NotFound, StoreUnavailable; over REST what the client raises.
        """
        if not isinstance(query_text, str):
            raise InvalidInput("query_text is a text.")
        for name, number in (("top_k", top_k), ("tokens", tokens)):
            if not isinstance(number, int) or isinstance(number, bool):  # a language model calls it, too, as its tool
                raise InvalidInput(f"{name} is a whole number.")
        moment = Moment(_time("as_of", as_of), _time("known_at", known_at))
        context = self._ask(ContextRequest(query_text, tokens, top_k, moment=moment))
        records = [_record(text, piece) for text, piece in items(context)]
        left_out, partial = len(context.left_out), list(context.partial)
        return RawSearchResult(
            records=records, metadata={"tokens": context.tokens, "left_out": left_out, "partial": partial}
        )

    def default_record_formatter(self, record: Record) -> RetrieverResultItem:
        """The content of a record and its metadata."""
        return RetrieverResultItem(content=record["content"], metadata=record["metadata"])


def items(context: Context) -> Iterator[tuple[str, Piece]]:
    """The pieces of a context with their lines in its text: headings go with the piece below them, the last border with the
    last piece, so that all lines together are the text."""
    texts: list[list[str]] = []
    above: list[str] = []
    for line in context.text.splitlines():
        mark = _MARK.match(line)
        if mark and int(mark[1]) == len(texts) + 1:
            texts.append([*above, line])
            above = []
        elif line.startswith(" ") and texts and not above:
            texts[-1].append(line)
        else:
            above.append(line)
    if texts:
        texts[-1].extend(above)
    for text, piece in zip(texts, context.pieces, strict=True):
        yield "\n".join(text), piece


def _record(text: str, piece: Piece) -> Record:
    ids = {name: getattr(piece, name) for name in ("record_id", "node_id", "item_id")}
    source = {
        **{name: getattr(piece, name) for name in ("mark", "kind", "score", "title", "speaker")},
        "occurred_at": piece.occurred_at and piece.occurred_at.isoformat(),
        **{name: value and str(value) for name, value in ids.items()},
    }
    return Record([("content", text), ("metadata", source)])  # type: ignore[no-untyped-call]


def _time(name: str, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} is a point in time in ISO 8601, such as 2025-03-01T18:00:00Z.") from error
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


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
