"""The lifecycle of embedding versions: canary, build, comparison, promotion, rollback. For the operator.

Two versions are compared by the same questions over the same scopes, answered with each.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.embedding import (
    BuildReport,
    Compression,
    EmbeddingVersion,
    ModelChoice,
    Pace,
    Slot,
    VersionProgress,
    usual_compression,
    version_name,
)
from engine.domain.node import User
from engine.domain.principal import Principal
from engine.domain.search import SearchAnswer, SearchRequest
from engine.errors import (
    UNREADABLE,
    Conflict,
    InvalidInput,
    NotFound,
    ProviderUnavailable,
    SettingsError,
    StackError,
    unreadable,
)
from engine.lifecycle.canary import NODES, TASK, CanaryBuild, nodes, prepared, settled
from engine.progress import Progress, Silent, counted
from engine.providers.active import ActiveModel, Model
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Jsonb, Parameters, Postgres
from engine.stores.statements import cypher, sql_in, sql_text

Ask = Callable[[Principal, SearchRequest, Model], Awaitable[SearchAnswer]]
"""Searches with the model of a version."""

DEPTH = 10
A_NODE = 4
"""Items taken as questions from one node at most."""
LONGEST = 300

PASSES = 5
"""Walks of one build: writers leave gaps behind a walk, each time fewer."""
LAST_GAPS = 2000
"""So many missing vectors are made by a promotion itself."""
MOST_QUERIES = 2000


@dataclass(frozen=True, slots=True)
class SampledQuery:
    """A question of a user. `item`: the stored item that it is; `expected`: what the source calls the items that answer it."""

    user_id: UUID
    text: str
    item: UUID | None = None
    expected: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Node:
    user_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class _Item:
    item_id: UUID
    content: str


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A question as a file gives it, with the handle of the user."""

    user: str
    query: str
    expected: frozenset[str]


def labelled_queries(path: Path) -> list[LabelledQuery]:
    """Questions of a file: a JSON list of {user, query, expected: [source_ref, …]}. Raises InvalidInput."""
    try:
        return [
            LabelledQuery(str(entry["user"]), str(entry["query"]), frozenset(map(str, entry.get("expected", ()))))
            for entry in json.loads(path.read_text("utf-8"))
        ]
    except UNREADABLE as error:
        raise unreadable(path, "a list of {user, query, expected}", error) from error


async def sampled(postgres: Postgres, most: int) -> list[SampledQuery]:
    """Stored items of all users as questions; those of one node are few."""
    found: list[SampledQuery] = []
    async with postgres.as_service() as connection:
        for node in await connection.fetch(sql_text("embedding/sample_nodes"), {"most": most * 4}, row=_Node):
            items, wanted = sql_in("embedding/sample_items", node.schema_name), min(A_NODE, most - len(found))
            found += [
                SampledQuery(node.user_id, item.content[:LONGEST], item.item_id)
                for item in await connection.fetch(items, {"most": wanted}, row=_Item)
            ]
            if len(found) >= most:
                break
    return found


async def compared(ask: Ask, queries: Sequence[SampledQuery], active: Model, canary: Model) -> dict[str, Any]:
    """Means over the queries: how many of the first ten hits are the same, how often a stored item finds itself among
    them, and the recall where labels are given; fractions."""
    overlaps: list[float] = []
    measures: dict[str, list[float]] = {}
    for query in queries:
        request = SearchRequest(query.text, limit=DEPTH, widen="always")
        principal = Principal.user(query.user_id)
        one, two = await ask(principal, request, active), await ask(principal, request, canary)
        hits = [{hit.item_id for hit in answer.hits} for answer in (one, two)]
        overlaps.append(len(hits[0] & hits[1]) / max(map(len, hits)) if any(hits) else 1.0)
        for name, answer in (("active", one), ("canary", two)):
            for measure, value in _measured(query, answer).items():
                measures.setdefault(f"{measure}, {name}", []).append(value)
    means: Mapping[str, float] = {name: round(fmean(values), 4) for name, values in sorted(measures.items())}
    overlap = round(fmean(overlaps), 4) if overlaps else None
    return {"active": active.name, "canary": canary.name, "queries": len(queries), f"overlap@{DEPTH}": overlap, **means}


def _measured(query: SampledQuery, answer: SearchAnswer) -> dict[str, float]:
    measured = {}
    if query.item is not None:
        measured[f"found itself@{DEPTH}"] = float(query.item in {hit.item_id for hit in answer.hits})
    if query.expected:
        named = {hit.source_ref for hit in answer.hits}
        measured[f"recall@{DEPTH}"] = len(query.expected & named) / len(query.expected)
    return measured


@dataclass(frozen=True, slots=True)
class _Page:
    rows_in_all: int
    rows_done: int
    last: UUID | None


@dataclass(frozen=True, slots=True)
class _Shells:
    shells: int
    done: int


class EmbeddingVersions:
    """The versions of one instance: they hold for all of its users."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, active: ActiveModel, ask: Ask, workspace: str, clock: Clock
    ) -> None:  # fmt: skip
        self._postgres, self._neo4j, self._active = postgres, neo4j, active
        self._ask, self._workspace, self._clock = ask, workspace, clock

    async def list(self) -> tuple[EmbeddingVersion, ...]:
        """All versions, oldest first."""
        return tuple(await self._postgres.fetch_as_service(sql_text("embedding/versions"), row=EmbeddingVersion))

    async def version(self, name: str | None = None) -> EmbeddingVersion:
        """The version of that name; without one, the canary. Raises NotFound."""
        for version in await self.list():
            if version.name == name or (name is None and version.status == "canary"):
                return version
        raise NotFound("There is no canary." if name is None else f"There are no embeddings {name}.")

    async def start(self, choice: ModelChoice, compression: Compression | None = None) -> EmbeddingVersion:
        """Makes a canary of a model, or finds it; its vectors come with `build`.

        The archived version loses its vectors. Raises Conflict where there is another canary or the version is active,
        InvalidInput for a model that is not known or has no key, ProviderUnavailable where it cannot be had.
        """
        try:
            embedder = await self._active.embedder_of(choice)
        except SettingsError as error:
            raise InvalidInput(error.detail) from error
        except StackError as error:
            raise ProviderUnavailable(error.detail) from error
        compression = compression or usual_compression(embedder.dimension)
        if embedder.dimension > 1000 and compression == "float32":
            raise InvalidInput("Vectors of more than 1,000 numbers are stored in half precision.")
        name = version_name(embedder.version, embedder.dimension, compression)
        parameters: Parameters = {"name": name, "provider": embedder.provider, "model": embedder.model}
        parameters |= {"dimension": embedder.dimension, "compression": compression}
        try:
            await self._postgres.change_as_service(sql_text("embedding/canary"), parameters)
        except Conflict as error:
            raise Conflict(
                f"{name} cannot become a canary: it is active, or was another model, or there is another canary; "
                "promote or drop that first."
            ) from error
        return await self.version(name)

    async def build(
        self, name: str | None = None, *, pace: Pace | None = None, progress: Progress | None = None
    ) -> BuildReport:
        """Makes the missing vectors of a version, without a name of the canary. Continues an interrupted build; two at once are
        safe.

        Raises NotFound, Conflict (the version has no slot, or loses it meanwhile), ProviderUnavailable, StoreUnavailable.
        """
        started, progress, pace = monotonic(), progress or Silent(), pace or Pace()
        if not 0 < pace.duty <= 1:
            raise InvalidInput("The share of the time in which a build works is above 0 and at most 1.")
        far = await self.progress(name)
        if far.version.slot is None:
            raise Conflict(f"{far.version.name} has lost its slot; start it as a canary again.")
        build = CanaryBuild(
            self._postgres, self._neo4j, await self._active.model_of(far.version), pace, progress
        )  # fmt: skip
        progress.start(TASK, far.remaining, "texts")
        for _ in range(PASSES):
            await build.run()
            far = await self.progress(far.version.name)
            if build.exhausted or not far.remaining:
                break
        if not far.remaining:
            parameters = {"name": far.version.name, "now": self._clock.now()}
            await self._postgres.change_as_service(sql_text("embedding/built"), parameters)
        progress.finish(TASK, counted(build.filled, "vector"))
        return BuildReport(far.version.name, build.filled, far.remaining, round(monotonic() - started, 3))

    async def progress(self, name: str | None = None) -> VersionProgress:
        """How far a version is, without a name the canary; counts every row. Raises NotFound."""
        version = await self.version(name)
        total = done = 0
        after: UUID | None = UUID(int=0)
        while after is not None:
            parameters = {"version": version.name, "after": after, "most": NODES}
            [page] = await self._postgres.fetch_as_service(sql_text("embedding/progress"), parameters, row=_Page)
            total, done, after = total + page.rows_in_all, done + page.rows_done, page.last
        labelled = {"version": version.name, "label": f"{version.column}_version"}
        [shells] = await self._neo4j.read(cypher("embedding/progress"), row=_Shells, **labelled)
        done += shells.done if version.slot is not None else 0
        return VersionProgress(version, total + shells.shells, done)

    async def compare(
        self, samples: int = 100, queries: Sequence[LabelledQuery] = (), *, name: str | None = None
    ) -> dict[str, Any]:
        """The canary beside the active version, on given queries or on sampled texts; kept with the canary.

        Raises NotFound, InvalidInput, ProviderUnavailable, StoreUnavailable.
        """
        if not 1 <= samples <= MOST_QUERIES or len(queries) > MOST_QUERIES:
            raise InvalidInput(f"A comparison takes 1 to {MOST_QUERIES:,} queries.")
        far = await self.progress(name)
        canary = await self._active.model_of(far.version)
        asked = [await self._of_user(query) for query in queries] or await sampled(self._postgres, samples)
        report = await compared(self._ask, asked, await self._active.follow(), canary)
        report |= {"remaining": far.remaining, "at": self._clock.now().isoformat()}
        parameters = {"name": far.version.name, "comparison": Jsonb(report)}
        await self._postgres.change_as_service(sql_text("embedding/compared"), parameters)
        return report

    async def promote(self, name: str | None = None, *, force: bool = False) -> VersionProgress:
        """The canary becomes the version that is searched, in one step for all engines; the last gaps are filled first.

        Raises NotFound, Conflict where vectors are missing (`force` goes on with words alone for those), and what a
        build raises.
        """
        far = await self.progress(name)
        if far.version.status != "canary":
            raise Conflict(f"{far.version.name} is no canary.")
        if 0 < far.remaining <= LAST_GAPS:
            await self.build(far.version.name, pace=Pace(duty=1))
            far = await self.progress(far.version.name)
        if far.remaining and not force:
            raise Conflict(
                f"{counted(far.remaining, 'text')} without a vector of {far.version.name}: build it to the end before."
            )
        if far.remaining:
            await self._prepare()
        await self._active.model_of(far.version)  # a model that cannot be loaded here is not promoted here
        await self._postgres.change_as_service(sql_text("embedding/promote"), {"name": far.version.name})
        return await self._after_the_step(far.version.name)

    async def _prepare(self) -> None:
        """Prepares the columns of all nodes for the versions: writes after the step must fit."""
        async for node in nodes(self._postgres):
            await settled(partial(prepared, self._postgres, node.node_id))

    async def roll_back(self) -> VersionProgress:
        """Rollback: the version before is searched again, at once; then vectors for later writes are made.

        Raises Conflict where no earlier version still has its vectors, and the errors of loading its model.
        """
        for version in await self.list():
            if version.status == "archived" and version.slot is not None:
                await self._active.model_of(version)
        try:
            [name] = await self._postgres.fetch_as_service(sql_text("embedding/roll_back"), row=str)
        except Conflict as error:
            raise Conflict("There is no earlier version whose vectors are still there.") from error
        return await self._after_the_step(name)

    async def _after_the_step(self, name: str) -> VersionProgress:
        """Fills gaps that writers left between the last look and the step; no more can appear after it."""
        await self._active.follow()
        far = await self.progress(name)
        if far.remaining:
            await self.build(name, pace=Pace(duty=1, most=LAST_GAPS))
            far = await self.progress(name)
        return far

    async def drop(self, name: str) -> EmbeddingVersion:
        """Removes the vectors of a version that is not active. Raises NotFound, Conflict; repeatable."""
        version = await self.version(name)
        try:
            await self._postgres.change_as_service(sql_text("embedding/drop"), {"name": name})
        except Conflict as error:
            raise Conflict("The active embeddings cannot be dropped.") from error
        if version.slot is not None:
            await self._clear(version, version.slot)
        return await self.version(name)

    async def _clear(self, version: EmbeddingVersion, slot: Slot) -> None:
        async for node in nodes(self._postgres):
            await settled(partial(self._cleared, node.node_id, slot))
        properties = {"version": version.name, "column": version.column, "label": f"{version.column}_version"}
        while any(await self._neo4j.write(cypher("embedding/cleared"), row=int, **properties, limit=NODES * 10)):
            pass

    async def _cleared(self, node_id: UUID, slot: Slot) -> bool:
        parameters = {"node_id": node_id, "slot": slot}
        [ready] = await self._postgres.fetch_as_service(sql_text("embedding/slot_clear"), parameters, row=bool)
        return ready

    async def _of_user(self, query: LabelledQuery) -> SampledQuery:
        parameters = {"workspace": self._workspace, "handle": query.user}
        found = await self._postgres.fetch_as_service(sql_text("user/by_handle"), parameters, row=User)
        if not found:
            raise NotFound(f"There is no user {query.user} in the workspace {self._workspace}.")
        return SampledQuery(found[0].user_id, query.query, None, query.expected)
