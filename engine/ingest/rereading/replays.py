"""Replays: every record of a user is rebuilt from its sources beside the live ones, then all are swapped in one step.

    building   page by page in the order of nodes and records; a later run continues after the last staged page
    built      can be compared at any time; no other read sees it
    swapped    all records that differ were renewed, in one transaction

No model is called: where its answer is not kept, its part of a record stays as it is. Records that are missing in the graph
are entered there again from Postgres: manifest lines, their past, the counts of shells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from pydantic import TypeAdapter

from engine.commit.graph import RestatedSlice, restated
from engine.commit.outbox import StepHook
from engine.commit.rows import due
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.embedding import Embedded
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.domain.replay import Replay, ReplayComparison, ReplayState
from engine.errors import Conflict, NotFound, Outdated
from engine.ingest.rereading.again import Reread, Rereading
from engine.progress import Progress, Silent, counted
from engine.providers.active import ActiveModel, Model
from engine.records.diff import KEYWORDS, Rebuilt
from engine.records.writer import RecordPlace
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Connection, Jsonb, Parameters, Postgres
from engine.stores.rows import only
from engine.stores.statements import cypher, sql_in, sql_text

PAGE = 20
"""Records that are made between two commits of a build, and read at once by a swap."""
MOST_TRIES = 10
"""Retries of a swap because of concurrent changes of records."""

_PLAN: TypeAdapter[Rebuilt] = TypeAdapter(Rebuilt)


class LostManifests:
    """Enters records that are missing in the graph; missing shells can only be restored from a backup."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, units: UnitsOfWork) -> None:
        self._postgres, self._neo4j, self._units = postgres, neo4j, units

    async def restore(self, principal: Principal, places: Sequence[RecordPlace]) -> None:
        """Enters those of the records that are missing. May be interrupted and run twice at once. Raises StoreUnavailable."""
        wanted = [{"record_id": str(place.record_id), "node_id": str(place.node_id)} for place in places]
        missing = await self._neo4j.read(cypher("doctor/records_missing"), row=UUID, records=wanted)
        lost = [place for place in places if place.record_id in missing]
        for place in lost:
            await self._enter(principal, place)
        if lost:
            nodes = sorted({str(place.node_id) for place in lost})
            await self._neo4j.write(cypher("lifecycle/recounted"), nodes=nodes)

    async def _enter(self, principal: Principal, place: RecordPlace) -> None:
        statement = sql_in("record/restated", place.schema_name)
        slices = await self._postgres.fetch(principal, statement, {"record_id": place.record_id}, row=RestatedSlice)
        changes = restated(slices, place.node_id, principal.user_id)
        if changes:
            async with self._units.begin(principal) as unit:
                if await _forgotten(unit.connection, [place.record_id]):
                    return
                await unit.accept(*changes)
                await due.note(unit.connection, "entities", [place.node_id])


@dataclass(frozen=True, slots=True)
class BuildsReport:
    """The result of a run of the job: replays that are built now, records that were made for them."""

    built: int
    records: int


@dataclass(frozen=True, slots=True)
class _Opened:
    replay_id: UUID
    user_id: UUID


@dataclass(frozen=True, slots=True)
class _Staged(RecordPlace):
    plan: dict[str, Any]
    vectors: bytes | None
    tokens: list[bytes | None] | None
    embeddings: str | None

    @property
    def reread(self) -> Reread:
        rebuilt = _PLAN.validate_python(self.plan)
        if self.vectors is None or self.embeddings is None:
            return Reread(rebuilt, None, "")
        rows = len(rebuilt.fresh) + (rebuilt.new_summary is not None)
        vectors = np.frombuffer(self.vectors, dtype="<f4").reshape(rows, -1)
        embedded = [Embedded(*one) for one in zip(vectors, self.tokens or [None] * rows, strict=True)]
        return Reread(rebuilt, embedded, self.embeddings)


class RecordReplays:
    """The replays of graphs, for their users alone; others get none. See also `engine.operations.ingests`."""

    def __init__(
        self,
        postgres: Postgres,
        rereading: Rereading,
        manifests: LostManifests,
        active: ActiveModel,
        clock: Clock,
        reached: StepHook,
    ) -> None:
        self._postgres, self._rereading, self._manifests, self._active = postgres, rereading, manifests, active
        self._clock, self._reached = clock, reached

    async def begin(self, principal: Principal) -> Replay:
        if not principal.owns:
            raise NotFound
        parameters = {"replay_id": uuid4(), "user_id": principal.user_id, "now": self._clock.now()}
        [replay_id] = await self._postgres.fetch_once(principal, sql_text("replay/begin"), parameters, row=UUID)
        return await self.replay(principal, replay_id)

    async def page(self, principal: Principal, *, before: UUID | None = None, limit: int = 50) -> tuple[Replay, ...]:
        check_page(limit)
        parameters = {"user_id": principal.user_id, "replay_id": None, "before": before, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("replay/page"), parameters, row=Replay))

    async def replay(self, principal: Principal, replay_id: UUID) -> Replay:
        parameters = {"user_id": principal.user_id, "replay_id": replay_id, "before": None, "limit": 1}
        return only(await self._postgres.fetch(principal, sql_text("replay/page"), parameters, row=Replay))

    async def compare(self, principal: Principal, replay_id: UUID) -> ReplayComparison:
        replay = await self.replay(principal, replay_id)
        parameters = {"replay_id": replay_id}
        [changed] = await self._postgres.fetch(principal, sql_text("replay/changed"), parameters, row=int)
        return ReplayComparison(replay.counts, changed)

    # building ---------------------------------------------------------------------------------------------

    async def run(self) -> BuildsReport:
        """Builds the started replays, for the job. Raises StoreUnavailable; staged records stay."""
        built = records = 0
        after = UUID(int=0)
        while opened := await self._postgres.fetch_as_service(
            sql_text("replay/building"), {"after": after}, row=_Opened
        ):
            after, principal = opened[0].replay_id, Principal.user(opened[0].user_id)
            before = await self.replay(principal, after)
            replay = await self.build(principal, after)
            built, records = built + 1, records + replay.counts.records - before.counts.records
        return BuildsReport(built, records)

    async def build(self, principal: Principal, replay_id: UUID, progress: Progress | None = None) -> Replay:
        """Builds the missing records and returns the replay. It may be interrupted and repeated at any time, also twice at once.
        Raises NotFound, StoreUnavailable."""
        replay, progress = await self.replay(principal, replay_id), progress or Silent()
        progress.start("replay", replay.total, "records")
        progress.advance("replay", replay.counts.records)
        while replay.state == "building":
            parameters = {"replay_id": replay_id, "most": PAGE}
            places = await self._postgres.fetch(principal, sql_text("replay/next"), parameters, row=RecordPlace)
            await self._manifests.restore(principal, places)
            made = [(place, await self._rereading.reread(principal, place, by_model=False)) for place in places]
            staged = await self._stage(principal, replay_id, made)
            self._reached("replay_staged")
            progress.advance("replay", len(made))
            if not made or not staged:
                replay = await self.replay(principal, replay_id)
        counts = replay.counts
        progress.finish("replay", f"{counted(counts.records, 'record')}, {counts.differing:,} come out otherwise")
        return replay

    async def _stage(
        self, principal: Principal, replay_id: UUID, made: Sequence[tuple[RecordPlace, Reread | None]]
    ) -> bool:
        """Stages one page with the progress of the build, or its end without records; False where it is no longer being built."""
        last = made[-1][0] if made else None
        parameters = {
            "replay_id": replay_id,
            "node_id": last.node_id if last else None,
            "record_id": last.record_id if last else None,
        }
        async with self._postgres.as_principal(principal) as connection:
            if not await connection.fetch(sql_text("replay/advance"), parameters, row=UUID):
                return False
            gone = await _forgotten(connection, [place.record_id for place, _ in made])
            for place, reread in made:
                if reread is not None and place.record_id not in gone:
                    await connection.execute(sql_text("replay/record_put"), _row(principal, replay_id, reread))
        return True

    # the end ----------------------------------------------------------------------------------------------

    async def discard(self, principal: Principal, replay_id: UUID) -> Replay:
        """Drops the staged records; repeating it changes nothing. Raises NotFound, Conflict where it was swapped."""
        replay = await self.replay(principal, replay_id)
        if replay.state == "discarded":
            return replay
        async with self._postgres.as_principal(principal) as connection:
            await _end(connection, replay_id, "discarded", self._clock.now())
            await connection.execute(sql_text("replay/records_drop"), {"replay_id": replay_id})
        return await self.replay(principal, replay_id)

    async def swap(self, principal: Principal, replay_id: UUID) -> Replay:
        """Renews all records that differ, all or none; those that were changed meanwhile are rebuilt first. Repeating it changes
        nothing.

        Raises NotFound, Conflict (not built, discarded, or too many concurrent changes), EmbeddingsChanged, StoreUnavailable.
        """
        for _ in range(MOST_TRIES):
            replay = await self.replay(principal, replay_id)
            if replay.state == "swapped":
                return replay
            if replay.state != "built":
                raise Conflict("Only a replay that is built can be swapped.")
            await self._refresh(principal, replay_id)
            done = await self._swapped(principal, replay_id, await self._active.follow())
            if not isinstance(done, RecordPlace):
                self._reached("replay_swapped")
                for commit_id in done:
                    await self._rereading.units.outbox.await_commit(commit_id)
                    self._reached("replay_applied")
                return await self.replay(principal, replay_id)
            await self._again(principal, replay_id, done)
        raise Conflict("Its records were changed too often meanwhile; try again.")

    async def _refresh(self, principal: Principal, replay_id: UUID) -> None:
        """Rebuilds the records that were changed since they were staged."""
        parameters = {"replay_id": replay_id, "most": PAGE}
        while places := await self._postgres.fetch(principal, sql_text("replay/outdated"), parameters, row=RecordPlace):
            for place in places:
                await self._again(principal, replay_id, place)

    async def _again(self, principal: Principal, replay_id: UUID, place: RecordPlace) -> None:
        reread = await self._rereading.reread(principal, place, by_model=False)
        async with self._postgres.as_principal(principal) as connection:
            forgotten = await _forgotten(connection, [place.record_id])
            if reread is None or forgotten:  # it was moved, or it ended
                gone = {"replay_id": replay_id, "record_id": place.record_id}
                await connection.execute(sql_text("replay/record_drop"), gone)
            else:
                await connection.execute(sql_text("replay/record_put"), _row(principal, replay_id, reread))

    async def _swapped(self, principal: Principal, replay_id: UUID, model: Model) -> list[UUID] | RecordPlace:
        """The commits of the transaction that renews all; or, with nothing written, a record that was changed meanwhile."""
        now, place = self._clock.now(), RecordPlace(UUID(int=0), UUID(int=0), "")
        commits: list[UUID] = []
        try:
            async with self._rereading.units.begin(principal) as unit:
                connection = unit.connection
                await unit.require(embeddings=model.name)
                await _end(connection, replay_id, "swapped", now)
                while page := await connection.fetch(
                    sql_text("replay/records_page"), _page_behind(replay_id, place), row=_Staged
                ):
                    for staged in page:
                        place = staged
                        await self._rereading.renew(unit, staged.reread, model, now)
                    commits += unit.postpone()
                    self._reached("replay_page_swapped")
                await connection.execute(sql_text("replay/records_drop"), {"replay_id": replay_id})
        except Outdated:
            return place
        return commits


async def _forgotten(connection: Connection, records: Sequence[UUID]) -> set[UUID]:
    """Those of the records that were forgotten: erased since they were read, they are not written again."""
    asked = {"records": list(map(str, records))}
    return set(await connection.fetch(sql_text("tombstone/records"), asked, row=UUID))


async def _end(connection: Connection, replay_id: UUID, state: ReplayState, now: datetime) -> None:
    """Stores the final counts; staged records can be dropped then. Raises Conflict where it has already ended."""
    parameters = {"replay_id": replay_id, "state": state, "now": now}
    if not await connection.fetch(sql_text("replay/end"), parameters, row=UUID):
        raise Conflict("This replay has ended, or is not built yet.")


def _page_behind(replay_id: UUID, place: RecordPlace) -> Parameters:
    """The next page of staged records, in the order of nodes and records."""
    return {"replay_id": replay_id, "node_id": place.node_id, "record_id": place.record_id, "most": PAGE}


def _row(principal: Principal, replay_id: UUID, reread: Reread) -> Parameters:
    rebuilt = reread.rebuilt
    vectors = reread.vectors if rebuilt.fresh or rebuilt.new_summary else None
    return {
        "replay_id": replay_id,
        "record_id": rebuilt.record_id,
        "user_id": principal.user_id,
        "node_id": rebuilt.node_id,
        "revision": rebuilt.revision,
        "kept": rebuilt.kept,
        "added": len(rebuilt.fresh),
        "ended": len(rebuilt.gone),
        "summary": rebuilt.new_summary is not None,
        "keywords": not rebuilt.fields.keys().isdisjoint(KEYWORDS),
        "missing": rebuilt.missing,
        "plan": Jsonb(_PLAN.dump_python(rebuilt, mode="json")) if rebuilt.differs else None,
        "vectors": None if vectors is None else np.asarray([one.vector for one in vectors], dtype="<f4").tobytes(),
        "tokens": None if vectors is None else [one.tokens for one in vectors],
        "embeddings": None if vectors is None else reread.embeddings,
    }
