"""Forgetting step by step: what is named is withdrawn, then erased in all stores, searched for, and a receipt says so.

    running    hold      nothing of it can be stored again, and no write of it goes on
               withdraw  chains of facts and relations become as if it had never been said
               rows      Postgres           graph   Neo4j           objects   files           (a user: key, of the files)
    settling   what was accepted before may still be written by a process that is slow: it is waited for, then the stores are
               erased once more, and pages that held deleted rows are written anew
    done       nothing was found any more; `left`: something was, and the receipt says where

Each step may be repeated: a process that is killed leaves a forgetting that the next call, or the job, takes up. Two processes
may carry out the same one: what one has erased the other does not find.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import cast
from uuid import UUID

from engine.commit.outbox import Outbox, StepHook, no_step
from engine.commit.rows.retractions import REFUSED, WithdrawnSource
from engine.domain.clock import Clock
from engine.domain.forgetting import Forgetting, ForgettingPreview, ForgettingState, ForgettingSubject, RecordPlace
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionKind, RetractionSubject
from engine.errors import Conflict, NeurigraphError, NotFound, StoreTimeout, StoreUnavailable
from engine.forgetting.ending import ForgettingEnd
from engine.forgetting.forgettings import ForgettingLog
from engine.forgetting.graph import ErasedGraph
from engine.forgetting.holds import refuse_held
from engine.forgetting.nodes import ErasedNode, ErasedNodes, RecordsLeft
from engine.forgetting.objects import ErasedObjects
from engine.forgetting.pages import TablePages
from engine.forgetting.rows import ErasedRows, UnfinishedCommits
from engine.forgetting.subjects import Belongings, Subjects
from engine.forgetting.users import ErasedUsers
from engine.history.retractions import SourceRetractions
from engine.stores.limited import STORE
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

log = logging.getLogger(__name__)

Course = Sequence[tuple[ForgettingState, str]]
Step = Callable[[Forgetting], Awaitable[None]]

PAGE = 50
"""Records of one transaction."""
MOST_TEXTS = 5000
"""Texts of a node by whose words it is searched for afterwards."""
LONGEST_S = 600.0
"""Seconds that the job gives one of them at a time."""
TRIES, PAUSE_S = 20, 0.5
"""How often, and after which pause, a page is tried again while the user writes."""

LATER: Course = (
    ("settling", "rows_again"), ("settling", "graph_again"), ("settling", "objects_again"), ("settling", "pages"),
    ("settling", "receipt"),
)  # fmt: skip
OF_RECORDS: Course = (
    ("running", "hold"), ("running", "withdraw"), ("running", "rows"), ("running", "graph"), ("running", "objects"), *LATER,
)  # fmt: skip
OF_USER: Course = (
    ("running", "hide"), ("running", "rows"), ("running", "graph"), ("running", "objects"), *LATER,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ErasureParts:
    """What erases in each store."""

    rows: ErasedRows
    nodes: ErasedNodes
    users: ErasedUsers
    graph: ErasedGraph
    objects: ErasedObjects
    pages: TablePages


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """Of a run of the job: forgettings that were taken further, those that are over, and those that failed."""

    carried_on: int = 0
    over: int = 0
    failed: int = 0


class Erasure:
    """Carries out forgettings; for callers who may ask for them, see `engine.operations`."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        postgres: Postgres,
        outbox: Outbox,
        forgettings: ForgettingLog,
        subjects: Subjects,
        retractions: SourceRetractions,
        parts: ErasureParts,
        end: ForgettingEnd,
        clock: Clock,
        settle_s: float,
        reached: StepHook = no_step,
    ) -> None:
        """`settle_s`: seconds that writers which began before are waited for; `reached`: told of each step at its end."""
        self._reached = reached
        self._postgres, self._outbox, self.forgettings, self._subjects = postgres, outbox, forgettings, subjects
        self._retractions, self._parts, self.end = retractions, parts, end
        self._clock, self._settle_s = clock, settle_s
        self._steps: Mapping[str, Step] = {
            "hold": self._hold, "withdraw": self._withdraw, "hide": self._hide, "rows": self._rows, "graph": self._graph,
            "objects": self._objects, "pages": self._pages, "receipt": self._receipt,
        }  # fmt: skip

    async def preview(self, user_id: UUID, subject: ForgettingSubject, *, limit: int) -> ForgettingPreview:
        """What a forgetting would erase, and what would end or hold again; nothing is written. Raises NotFound, InvalidInput."""
        try:
            found = await self._subjects.preview(user_id, subject)
        except NotFound:
            if await self.forgettings.open(user_id, subject) is None:
                raise
            return ForgettingPreview(subject)  # one that goes on has erased it
        if subject.kind in ("user", "node") or not found.records:
            return found
        named = _retracted(subject)
        return replace(found, withdrawn=await self._retractions.preview(Principal.user(user_id), named, limit=limit))

    async def forget(
        self, user_id: UUID, subject: ForgettingSubject, reason: str, author: str, *, within_s: float
    ) -> Forgetting:
        """Forgets; goes on with a forgetting of the same subject that is not done. After `within_s` the job goes on with it.

        Raises NotFound, Conflict, OnHold, InvalidInput, StoreUnavailable.
        """
        one = await self.forgettings.open(user_id, subject)
        if one is None:
            belongs = Belongings((), ())
            if subject.kind != "user":
                belongs = await self._subjects.belongings(user_id, subject)
            async with self._postgres.as_service() as connection:
                await refuse_held(connection, subject.kind, user_id, belongs.sources, belongs.records)
            one = await self.forgettings.ask(user_id, subject, reason, author)
        return await self.carry_on(one, within_s=within_s)

    async def carry_on(self, one: Forgetting, *, within_s: float) -> Forgetting:
        """Takes it as far as can be: to its end, or until writers are waited for, or the time is over. Raises StoreUnavailable,
        Conflict; what else goes wrong ends it as `failed`."""
        end, began = monotonic() + within_s, False  # one that is `left`, or failed, begins anew: once
        while monotonic() < end and one.state != "done" and not (began and one.over):
            if one.state == "settling" and one.settles_at and one.settles_at > self._clock.now():
                break
            try:
                await self._take_step(one)
            except (StoreUnavailable, Conflict):
                raise  # the same call, or the job, tries again
            except NeurigraphError as error:
                await self.forgettings.fail(one.forgetting_id, f"{one.step}: {error.detail}")
                raise
            one, began = await self.forgettings.get(one.forgetting_id), True
        return one

    async def run(self) -> ErasureReport:
        """Takes all that wait further, for the job."""
        report = Counter[str]()
        for one in await self.forgettings.due():
            try:
                done = await self.carry_on(one, within_s=LONGEST_S)
                report["over" if done.over else "carried_on"] += 1
            except NeurigraphError as error:
                log.warning("the forgetting %d waits: %s", one.number, error.detail)
                report["failed"] += 1
        return ErasureReport(report["carried_on"], report["over"], report["failed"])

    async def _take_step(self, one: Forgetting) -> None:
        """One step, and the way to the next."""
        course = OF_USER if one.kind == "user" else OF_RECORDS
        if one.state not in ("running", "settling"):
            await self.forgettings.move(one, *course[0])
            return
        await self._steps[one.step.removesuffix("_again")](one)
        self._reached(f"forgetting_{one.step}")
        place = [step for _, step in course].index(one.step) + 1
        if place < len(course):
            state, step = course[place]
            await self.forgettings.move(one, state, step, self._settle_s if state == "settling" else None)

    # records --------------------------------------------------------------------------------------------------

    async def _hold(self, one: Forgetting) -> None:
        """Enters the sources with their tombstones, while no write of the user goes on: a later one finds them. A node takes
        nothing any more before it is looked at."""
        try:
            if one.kind == "node":
                await self._close(one)
            belongs = await self._subjects.belongings(_user(one), ForgettingSubject(one.kind, one.subject))
        except NotFound:
            return  # an earlier attempt erased it
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgetting/hold"), {"user_id": one.user_id})
            await refuse_held(connection, one.kind, _user(one), belongs.sources, belongs.records)
            await self.forgettings.enter(connection, one, "source", belongs.sources, known=True)
        await self._enter_places(one, belongs.records)
        if belongs.nodes:
            await self._enter_nodes(one, belongs.nodes)

    async def _withdraw(self, one: Forgetting) -> None:
        """As if it had never been said; what is withdrawn already stays so. Then its records are known as forgotten."""
        if one.kind in ("node", "retention"):
            await self._withdraw_places(one)
        else:
            named = _retracted(ForgettingSubject(one.kind, one.subject))
            await _passing(self._retractions.retract(Principal.user(_user(one)), named, ""))
        await self._enter_places(one, await self._late_records(one))
        async for page in self.forgettings.things(one.forgetting_id, "place"):
            async with self._postgres.as_service() as connection:
                ids = [str(_place(thing).record_id) for thing in page]
                await self.forgettings.enter(connection, one, "record", ids, known=True)

    async def _withdraw_places(self, one: Forgetting) -> None:
        """Each page of records of a node that are there still."""
        principal = Principal.user(_user(one))
        async for page in self.forgettings.things(one.forgetting_id, "place"):
            for first in range(0, len(page), PAGE):
                places = [_place(thing) for thing in page[first : first + PAGE]]
                there = await self._subjects.there(_user(one), places)
                named = [WithdrawnSource(place.node_id, place.record_id) for place in there]
                if named:
                    await _passing(self._retractions.withdraw_records(principal, named))

    async def _late_records(self, one: Forgetting) -> tuple[RecordPlace, ...]:
        """Records of its sources that came in before its tombstones."""
        sources = [source async for page in self.forgettings.things(one.forgetting_id, "source") for source in page]
        return await self._subjects.of_sources(_user(one), sources) if sources else ()

    async def _enter_places(self, one: Forgetting, records: Sequence[RecordPlace]) -> None:
        texts = await self._subjects.texts(records, MOST_TEXTS)
        places = [f"{place.record_id} {place.node_id} {place.schema_name}" for place in records]
        async with self._postgres.as_service() as connection:
            await self.forgettings.enter(connection, one, "place", places, known=False)
            await self.end.note(connection, one, [str(place.record_id) for place in records], texts)

    async def _rows(self, one: Forgetting) -> None:
        if one.kind == "user":
            erased = await self._parts.users.erase(one.forgetting_id, _user(one))
            await self.forgettings.count(one.forgetting_id, "postgres", erased)
            return
        after = str(await self.forgettings.so_far(one.forgetting_id) or "")
        if one.state == "settling" and not after:
            await self._withdraw(one)
        await self._erase_places(one, after)
        if one.kind == "node":
            await self._erase_nodes(one)

    async def _erase_places(self, one: Forgetting, after: str = "") -> None:
        async for page in self.forgettings.things(one.forgetting_id, "place", after):
            for first in range(0, len(page), PAGE):
                some = page[first : first + PAGE]
                counts = await self._erased(one, [_place(thing) for thing in some])
                await self.forgettings.count(one.forgetting_id, "postgres", counts)
                self._reached("forgetting_page")
                await self.forgettings.note(one.forgetting_id, some[-1])

    async def _erased(self, one: Forgetting, records: Sequence[RecordPlace]) -> Mapping[str, int]:
        """The rows of some records, as soon as no commit of the user waits for the graph. Raises StoreUnavailable."""
        for attempt in range(TRIES):
            await self._finish_commits(_user(one))
            try:
                return await self._parts.rows.erase(one.forgetting_id, _user(one), records)
            except (UnfinishedCommits, StoreUnavailable) as error:
                if attempt == TRIES - 1:
                    raise StoreTimeout(STORE) from error
                await asyncio.sleep(PAUSE_S)
        raise AssertionError

    async def _finish_commits(self, user_id: UUID) -> None:
        """Raises CommitSetAside where one waits for the operator's decision."""
        asked = {"user_id": user_id}
        for commit in await self._postgres.fetch_as_service(sql_text("forgetting/commits_unfinished"), asked, row=UUID):
            await self._outbox.await_commit(commit)

    async def _graph(self, one: Forgetting) -> None:
        graph = self._parts.graph
        if one.kind == "user":
            counts = await graph.erase_user(_user(one))
            await self.forgettings.count(one.forgetting_id, "graph", counts)
            return
        for kind in ("fact", "record"):
            async for page in self.forgettings.things(one.forgetting_id, kind):
                for first in range(0, len(page), PAGE):
                    some = [UUID(thing) for thing in page[first : first + PAGE]]
                    records, facts = (some, []) if kind == "record" else ([], some)
                    await self._note_entities(one, records)
                    counts = await graph.erase_records(_user(one), records, facts)
                    await self.forgettings.count(one.forgetting_id, "graph", counts)
        if one.kind == "node":
            async for nodes in self.forgettings.things(one.forgetting_id, "node"):
                counts = await graph.erase_nodes(_user(one), [UUID(node) for node in nodes])
                await self.forgettings.count(one.forgetting_id, "graph", counts)
        await self._enter_gone_entities(one)

    async def _note_entities(self, one: Forgetting, records: Sequence[UUID]) -> None:
        """Entities that may go with these records; nobody knows afterwards which they were."""
        mentioned = await self._parts.graph.entities_of(_user(one), records)
        async with self._postgres.as_service() as connection:
            await self.forgettings.enter(connection, one, "mentioned", mentioned, known=False)

    async def _enter_gone_entities(self, one: Forgetting) -> None:
        """Those that went: what is decided about them goes from Postgres in the next pass."""
        async for page in self.forgettings.things(one.forgetting_id, "mentioned"):
            gone = {*page} - {*await self._parts.graph.entities_there(_user(one), page)}
            async with self._postgres.as_service() as connection:
                await self.forgettings.enter(connection, one, "entity", sorted(gone), known=False)

    async def _objects(self, one: Forgetting) -> None:
        erased = 0
        async for roots in self.forgettings.things(one.forgetting_id, "root"):
            for root in roots:
                erased += await self._parts.objects.erase_user(root)
        while keys := await self.forgettings.objects(one.forgetting_id):
            erased += await self._parts.objects.erase(keys)
            await self.forgettings.objects_gone(one.forgetting_id, keys)
        await self.forgettings.count(one.forgetting_id, "objects", {"objects": erased})

    # nodes ------------------------------------------------------------------------------------------------------

    async def _close(self, one: Forgetting) -> None:
        """It takes nothing any more, and what it took before is there."""
        await self._parts.nodes.close(_user(one), _named(one))
        await self._finish_commits(_user(one))

    async def _enter_nodes(self, one: Forgetting, nodes: Sequence[ErasedNode]) -> None:
        """Nodes and their edges, with the words by which they are found again, and records that only the graph has."""
        ids = [node.node_id for node in nodes]
        edges = await self._parts.graph.edges_of(_user(one), ids)
        held = await self._parts.graph.records_at(_user(one), ids)
        texts = await self._parts.nodes.texts(nodes)
        async with self._postgres.as_service() as connection:
            for kind, things in (("node", ids), ("relation", [edge.edge_id for edge in edges])):
                await self.forgettings.enter(connection, one, kind, [str(thing) for thing in things], known=False)
            await self.forgettings.enter(connection, one, "record", [str(record) for record in held], known=True)
            await self.forgettings.enter(connection, one, "schema", [node.schema_name for node in nodes], known=False)
            await self.end.note(connection, one, [str(node) for node in ids], texts)

    async def _erase_nodes(self, one: Forgetting) -> None:
        """The nodes themselves, the lowest first, as soon as nothing is left of their records. Raises StoreTimeout."""
        for _ in range(TRIES):
            try:
                for node in await self._parts.nodes.below(_user(one), _named(one)):
                    await self._finish_commits(_user(one))
                    edges = await self._parts.graph.edges_of(_user(one), [node.node_id])
                    ids, ends = [edge.edge_id for edge in edges], [edge.node_id for edge in edges]
                    counts = await self._parts.nodes.erase(one.forgetting_id, _user(one), node, ids, ends)
                    await self.forgettings.count(one.forgetting_id, "postgres", counts)
                    self._reached("forgetting_node")
                return
            except RecordsLeft:  # moved here from elsewhere, since
                await self._hold(one)
                await self._withdraw(one)
                await self._erase_places(one)
        raise StoreTimeout(STORE)

    # users ------------------------------------------------------------------------------------------------------

    async def _hide(self, one: Forgetting) -> None:
        """The user is unknown from now on. What was accepted is finished first: no commit is left to come back."""
        users, user_id = self._parts.users, _user(one)
        await users.hide(user_id)
        await self._finish_commits(user_id)
        ids, names = await users.ids(user_id), await users.names(user_id)
        root = await users.root(user_id)
        async with self._postgres.as_service() as connection:
            await self.forgettings.enter(connection, one, "user", [str(user_id)], known=True)
            await self.forgettings.enter(connection, one, "root", [root] if root else [], known=False)
            await self.end.note(connection, one, ids, names)

    # the end ----------------------------------------------------------------------------------------------------

    async def _pages(self, one: Forgetting) -> None:
        """Deleted rows rest in their pages until these are written anew."""
        schemas = {
            _place(thing).schema_name
            async for page in self.forgettings.things(one.forgetting_id, "place")
            for thing in page
        }
        async for page in self.forgettings.things(one.forgetting_id, "schema"):
            schemas -= {*page}  # their tables are gone
        await self._parts.pages.write_anew(sorted(schemas))

    async def _receipt(self, one: Forgetting) -> None:
        """Looks for traces, and ends it with a signed receipt."""
        signed = await self.end.receipt(await self.forgettings.get(one.forgetting_id))
        await self.forgettings.end(one.forgetting_id, "left" if signed["receipt"]["found"] else "done", signed)


def _user(one: Forgetting) -> UUID:
    """Whose memory it is; a forgetting that goes on names it."""
    if one.user_id is None:
        raise NotFound
    return one.user_id


def _named(one: Forgetting) -> UUID:
    """The node that is forgotten."""
    return UUID(one.subject)


async def _passing(withdrawn: Awaitable[object]) -> None:
    """Waits for a withdrawal; what is withdrawn already, or was never stored as a record, is passed over."""
    try:
        await withdrawn
    except NotFound:
        pass  # also where an earlier attempt erased it
    except Conflict as error:
        if error.detail != REFUSED["elsewhere"]:  # another retraction withdrew it; anything else has to end first
            raise


def _retracted(subject: ForgettingSubject) -> RetractionSubject:
    """What is withdrawn for it: an item is a fact."""
    kind = "fact" if subject.kind == "item" else subject.kind
    return RetractionSubject(cast(RetractionKind, kind), subject.id)


def _place(thing: str) -> RecordPlace:
    record, node, schema = thing.split(" ", 2)
    return RecordPlace(UUID(node), schema, UUID(record))
