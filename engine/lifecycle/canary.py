"""The build of an embedding version: every row and shell without a vector of it gets one, beside the active version.

The rows themselves show the progress, so an interrupted build is simply started again, and two at once are safe. A batch
is embedded outside of any transaction and written in a short one, row by row and only where the text is still the same;
readers never wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

import numpy as np

from engine.domain.description import summary_vector
from engine.domain.embedding import Embedded, Pace
from engine.domain.forms import IdText
from engine.domain.node import shell_text
from engine.domain.utterance import below, embedded_text
from engine.errors import Conflict, EmbeddingsChanged
from engine.progress import Progress
from engine.providers.active import Model, shell_vector
from engine.providers.embedder import Vectors
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Parameters, Postgres
from engine.stores.rows import R
from engine.stores.statements import cypher, sql_in, sql_text

TASK = "embeddings"
BATCH = 64
NODES = 100
ATTEMPTS = 20
"""Attempts on a node in use before it is left for the next pass."""
PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class NodeTables:
    """A node and the schema of its tables; None where the node is not registered."""

    node_id: UUID
    schema_name: str | None


@dataclass(frozen=True, slots=True)
class BareShell:
    """A shell without a vector of a version."""

    node_id: IdText
    revision: int
    name: str
    summary: str | None
    keywords: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Item:
    """A row of an item that is to be embedded, with the title of its record. `whole`: it holds a whole input."""

    row_id: UUID
    kind: str
    session: UUID
    section: str
    title: str
    content: str
    content_hash: bytes
    whole: bool


@dataclass(frozen=True, slots=True)
class _Record:
    row_id: UUID
    summary: str
    original: bool


@dataclass(frozen=True, slots=True)
class _Speakers:
    session: UUID
    speakers: list[str]


@dataclass(frozen=True, slots=True)
class _RecordItem:
    record_id: UUID
    content: str
    embedding: Any


M = TypeVar("M", Item, _Record)


class CanaryBuild:
    """One run over all nodes and shells for one version."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, model: Model, pace: Pace, progress: Progress) -> None:
        self._postgres, self._neo4j, self._model = postgres, neo4j, model
        self._pace, self._progress = pace, progress
        self._column = model.version.column
        self.filled = 0
        self.exhausted = False

    async def run(self) -> None:
        """One pass. Raises ProviderUnavailable, StoreUnavailable, EmbeddingsChanged when the version lost its slot."""
        await self._shells()
        async for node in nodes(self._postgres):
            if self.exhausted:
                return
            await self._tables(node)

    async def of_node(self, node: NodeTables) -> None:
        """One node alone, its shell too. Raises as `run`."""
        nodes = [str(node.node_id)]
        missing = cypher("embedding/missing_of")
        if shells := await self._neo4j.read(missing, row=BareShell, **self._labelled, nodes=nodes):
            await self._fill_shells(shells)
        await self._tables(node)

    async def _tables(self, node: NodeTables) -> None:
        if node.schema_name and await settled(partial(prepared, self._postgres, node.node_id)):
            await self._items(node.schema_name)
            await self._records(node.schema_name)

    # items and records -----------------------------------------------------------------------------------

    async def _items(self, schema: str) -> None:
        speakers: dict[UUID, list[str]] | None = None
        async for rows in self._missing("embedding/slot_items", schema, row=Item):
            if speakers is None:
                speakers = await speakers_of(self._postgres, schema)
            await self._fill("embedding/slot_items_fill", schema, rows, items_embedded(self._model, rows, speakers))

    async def _records(self, schema: str) -> None:
        async for rows in self._missing("embedding/slot_records", schema, row=_Record):
            await self._fill("embedding/slot_records_fill", schema, rows, self._summaries(schema, rows))

    async def _summaries(self, schema: str, rows: Sequence[_Record]) -> Sequence[Embedded]:
        """As they are made when they are written: from the items that an unchanged summary quotes, else from its text."""
        originals = [row.row_id for row in rows if row.original]
        parameters = {"records": originals, "version": self._model.name}
        statement = "embedding/slot_record_items"
        items = await self._rows(statement, schema, parameters, row=_RecordItem) if originals else []
        by_record = {record: list(group) for record, group in groupby(items, key=lambda item: item.record_id)}
        rest = [row.summary for row in rows if row.row_id not in by_record]
        embedded = iter(await self._model.vectors(rest))
        return [
            Embedded(_quoting(row.summary, by_record[row.row_id]) if row.row_id in by_record else next(embedded))
            for row in rows
        ]

    async def _rows(self, name: str, schema: str, parameters: Parameters, *, row: type[R]) -> list[R]:
        return await self._postgres.fetch_as_service(sql_in(name, schema, self._column), parameters, row=row)

    async def _missing(self, name: str, schema: str, *, row: type[M]) -> AsyncIterator[list[M]]:
        """Rows of a node without a vector, in batches, each once."""
        after = UUID(int=0)
        while not self.exhausted:
            parameters = {"version": self._model.name, "after": after, "most": BATCH}
            rows = await self._rows(name, schema, parameters, row=row)
            if not rows:
                return
            after = rows[-1].row_id
            yield rows

    async def _fill(self, name: str, schema: str, rows: Sequence[M], embedding: Awaitable[Iterable[Embedded]]) -> None:
        started = monotonic()
        parameters = [
            {**asdict(row), **self._model.item_meaning(one), "version": self._model.name}
            for row, one in zip(rows, await embedding, strict=True)
        ]
        try:
            async with self._postgres.as_service() as connection, connection.cursor() as cursor:
                await connection.execute(sql_text("embedding/slot_hold"), self._held)
                await cursor.executemany(sql_in(name, schema, self._column), parameters)
                written = max(cursor.rowcount, 0)
        except EmbeddingsChanged:
            raise
        except Conflict:
            written = 0  # a writer was in the way; the next pass finds the rows again
        await self._pause(started, written)

    @property
    def _held(self) -> Parameters:
        return {"version": self._model.name, "slot": self._model.version.slot}

    # shells ----------------------------------------------------------------------------------------------

    async def _shells(self) -> None:
        after = ""
        while not self.exhausted:
            page = {"after": after, "limit": BATCH}
            shells = await self._neo4j.read(cypher("embedding/missing"), row=BareShell, **self._labelled, **page)
            if not shells:
                return
            after = shells[-1].node_id
            await self._fill_shells(shells)

    @property
    def _labelled(self) -> Parameters:
        return {"version": self._model.name, "label": f"{self._column}_version"}

    async def _fill_shells(self, shells: Sequence[BareShell]) -> None:
        started = monotonic()
        texts = [shell_text(shell.name, shell.summary or "", shell.keywords or ()) for shell in shells]
        vectors = await self._model.vectors(texts)
        filling = [
            {"node_id": shell.node_id, "revision": shell.revision, "vector": shell_vector(vector)}
            for shell, vector in zip(shells, vectors, strict=True)
        ]
        async with self._postgres.as_service() as connection:  # held until the graph has written
            await connection.execute(sql_text("embedding/slot_hold"), self._held)
            [filled] = await self._neo4j.write(
                cypher("embedding/filled"), row=int, **self._labelled, column=self._column, rows=filling
            )
        await self._pause(started, filled)

    async def _pause(self, started: float, written: int) -> None:
        """Sleeps for the rest of the time, which is left to requests."""
        self.filled += written
        self._progress.advance(TASK, written)
        self.exhausted = self._pace.most is not None and self.filled >= self._pace.most
        await asyncio.sleep((monotonic() - started) * (1 / self._pace.duty - 1))


async def speakers_of(postgres: Postgres, schema: str) -> dict[UUID, list[str]]:
    """Who speaks in each session of a node."""
    found = await postgres.fetch_as_service(sql_in("embedding/slot_speakers", schema), {}, row=_Speakers)
    return {one.session: one.speakers for one in found}


async def items_embedded(model: Model, items: Sequence[Item], speakers: Mapping[UUID, Sequence[str]]) -> list[Embedded]:
    """Items as they are embedded; what holds a whole input has no tokens: its turns or passages have them."""
    made = await model.embed_documents([_text(item, speakers.get(item.session, ())) for item in items])
    return [replace(one, tokens=None) if item.whole else one for item, one in zip(items, made, strict=True)]


def _text(item: Item, speakers: Sequence[str]) -> str:
    """What an item's vector is made from, as when it was written: turns without names, passages below their section or title."""
    if item.kind == "turn":
        return embedded_text(item.content, speakers)
    return below(item.section or item.title, item.content) if item.kind == "chunk" else item.content


def _quoting(summary: str, items: Sequence[_RecordItem]) -> Vectors:
    vectors = np.array([_plain(item.embedding) for item in items], dtype=np.float32)
    return summary_vector(summary, [item.content for item in items], vectors)


def _plain(vector: Any) -> Vectors:
    plain: Vectors = vector if isinstance(vector, np.ndarray) else vector.to_numpy()
    return plain


async def nodes(postgres: Postgres) -> AsyncIterator[NodeTables]:
    """All nodes of all users in the order of their ids, page by page."""
    after, page_of = UUID(int=0), sql_text("embedding/slot_nodes")
    while page := await postgres.fetch_as_service(page_of, {"after": after, "most": NODES}, row=NodeTables):
        after = page[-1].node_id
        for node in page:
            yield node


async def prepared(postgres: Postgres, node_id: UUID) -> bool:
    """Whether the columns of a node are now those of the embedding versions; not where the node is in use."""
    [ready] = await postgres.fetch_as_service(sql_text("embedding/slot_prepare"), {"node_id": node_id}, row=bool)
    return ready


async def settled(attempt: Callable[[], Awaitable[bool]]) -> bool:
    """Whether an attempt succeeded; it is retried for a while where the node is in use."""
    for _ in range(ATTEMPTS):
        if await attempt():
            return True
        await asyncio.sleep(PAUSE)
    return False
