"""Changes and history: deltas, states at any time, chains of changes, differences between two times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Response

from api.bodies import JsonRoute
from api.context import ETAG, AtMoment, OnceMemory, UserMemory, etag
from api.cursors import PAGE_HEADERS, APage, PageRequest, encoded, identity, number
from api.models import ChangeBody, EdgeChange, ItemChange, NodeChange, RecordChange
from api.problems import WRITES, documented, replayable
from engine.domain.delta import Change, Changed, Delta, DifferencePage, SubjectKind, SubjectState, Within
from engine.domain.written import Instant
from engine.errors import InvalidInput
from engine.memory import Memory

router = APIRouter(prefix="/v1/users/{user_id}", tags=["history"], route_class=JsonRoute)

MOST_DIFFERENCES = 100
HISTORY = PAGE_HEADERS | documented(409)
TAGGED: dict[int | str, dict[str, Any]] = {200: {"headers": ETAG}}
STATE = TAGGED | documented(409)
CHANGED = replayable(TAGGED, created=False) | WRITES | documented(412)

Expected = Annotated[
    str | None,
    Header(
        alias="If-Match",
        pattern=r'^"[1-9][0-9]{0,8}(-[0-9a-f]{32})?"$',
        description="The ETag that the change is based on; another revision is 412. Of a shell's tag the revision counts.",
        examples=['"3"'],
    ),
]
After = Annotated[int, Query(ge=0, le=2**31 - 1, description="The last revision of the previous page.")]


class Writing:
    """A requested change: its memory and the revision that it expects."""

    def __init__(self, memory: OnceMemory, response: Response, expected: Expected = None) -> None:
        self._memory, self._response = memory, response
        self._revision = int(expected.strip('"').partition("-")[0]) if expected else None

    async def write(self, kind: SubjectKind, subject_id: UUID, node_id: UUID | None, body: ChangeBody) -> Changed:
        """Writes the change; the answer carries the new revision as ETag."""
        answer = await self._memory.history.change(
            Change(kind, subject_id, body.fields(), node_id, body.effective_at, body.correction, self._revision, body.reason)
        )  # fmt: skip
        self._response.headers["ETag"] = etag(answer.revision)
        return answer


AWriting = Annotated[Writing, Depends()]


@router.patch("/nodes/{node_id}", operation_id="changeNode", responses=CHANGED)
async def change_node(node_id: UUID, body: NodeChange, writing: AWriting) -> Changed:
    """Renames, describes or moves a node. Its schema, files and ids stay the same; only its path changes."""
    return await writing.write("node", node_id, None, body)


@router.patch("/nodes/{node_id}/records/{record_id}", operation_id="changeRecord", responses=CHANGED)
async def change_record(node_id: UUID, record_id: UUID, body: RecordChange, writing: AWriting) -> Changed:
    """Changes a record by a delta, valid from now or from a given time; nothing is overwritten."""
    return await writing.write("record", record_id, node_id, body)


@router.patch("/nodes/{node_id}/items/{item_id}", operation_id="changeItem", responses=CHANGED)
async def change_item(node_id: UUID, item_id: UUID, body: ItemChange, writing: AWriting) -> Changed:
    """Changes an item by a delta; searches of the past still find its old content."""
    return await writing.write("item", item_id, node_id, body)


@router.patch("/edges/{edge_id}", operation_id="changeEdge", responses=CHANGED)
async def change_edge(edge_id: UUID, body: EdgeChange, writing: AWriting) -> Changed:
    """Changes a cross-node edge, ends it, or restores it."""
    return await writing.write("edge", edge_id, None, body)


@router.get("/nodes/{node_id}/records/{record_id}", operation_id="getRecord", responses=STATE)
async def record(
    node_id: UUID, record_id: UUID, memory: UserMemory, moment: AtMoment, response: Response
) -> SubjectState:
    """A record as it was at a time; `fields` is null if it did not exist then."""
    return _tagged(response, await memory.history.state("record", record_id, node_id=node_id, moment=moment))


@router.get("/nodes/{node_id}/items/{item_id}", operation_id="getItem", responses=STATE)
async def item(node_id: UUID, item_id: UUID, memory: UserMemory, moment: AtMoment, response: Response) -> SubjectState:
    """An item as it was at a time; `fields` is null if it did not exist then."""
    return _tagged(response, await memory.history.state("item", item_id, node_id=node_id, moment=moment))


@router.get("/edges/{edge_id}", operation_id="getEdge", responses=STATE)
async def edge(edge_id: UUID, memory: UserMemory, moment: AtMoment, response: Response) -> SubjectState:
    """A cross-node edge as it was at a time; `fields` is null if it did not hold then."""
    return _tagged(response, await memory.history.state("edge", edge_id, moment=moment))


@router.get("/nodes/{node_id}/history", operation_id="getNodeHistory", responses=HISTORY)
async def node_history(node_id: UUID, memory: UserMemory, page: APage, after: After = 0) -> Sequence[Delta]:
    """Changes of a node by revision, one page."""
    return await _revisions(memory, page, after, "node", node_id)


@router.get("/nodes/{node_id}/records/{record_id}/history", operation_id="getRecordHistory", responses=HISTORY)
async def record_history(
    node_id: UUID, record_id: UUID, memory: UserMemory, page: APage, after: After = 0
) -> Sequence[Delta]:
    """Changes of a record by revision, one page; needs the right to change it."""
    return await _revisions(memory, page, after, "record", record_id, node_id)


@router.get("/nodes/{node_id}/items/{item_id}/history", operation_id="getItemHistory", responses=HISTORY)
async def item_history(
    node_id: UUID, item_id: UUID, memory: UserMemory, page: APage, after: After = 0
) -> Sequence[Delta]:
    """Changes of an item by revision, one page; needs the right to change it."""
    return await _revisions(memory, page, after, "item", item_id, node_id)


@router.get("/edges/{edge_id}/history", operation_id="getEdgeHistory", responses=HISTORY)
async def edge_history(edge_id: UUID, memory: UserMemory, page: APage, after: After = 0) -> Sequence[Delta]:
    """Changes of a cross-node edge by revision, one page."""
    return await _revisions(memory, page, after, "edge", edge_id)


@router.get("/difference", operation_id="getDifference", responses=HISTORY)
async def difference(  # noqa: PLR0913 (the parameters of a request are its parameters)
    memory: UserMemory,
    page: APage,
    start: Annotated[Instant, Query(alias="from", description="The earlier time.")],
    end: Annotated[Instant, Query(alias="to", description="The later time.")],
    node_id: Annotated[UUID | None, Query(description="Only this node.")] = None,
    subject_id: Annotated[UUID | None, Query(description="Only this record, item, node or edge.")] = None,
    after: Annotated[
        str | None,
        Query(
            pattern=r"^[0-9a-f-]{36},[0-9a-f-]{36}$",
            description="The two ids in `after` of the previous page, separated by a comma.",
            examples=["2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11,197bb090-2c76-4583-9b96-f72cda486d3a"],
        ),
    ] = None,
) -> DifferencePage:
    """Differences between the states at two times, one page."""
    last, most = page.start(_pair, _last(after)), min(page.limit, MOST_DIFFERENCES)
    found = await memory.history.difference(start, end, Within(node_id, subject_id), after=last, limit=most)
    if found.after is not None:
        page.next(encoded(found.after))
    return found


def _tagged(response: Response, state: SubjectState) -> SubjectState:
    response.headers["ETag"] = etag(state.revision)
    return state


async def _revisions(
    memory: Memory, page: PageRequest, after: int, kind: SubjectKind, subject_id: UUID, node_id: UUID | None = None
) -> Sequence[Delta]:
    start = page.start(number, after)
    deltas = await memory.history.deltas(kind, subject_id, node_id=node_id, after=start, limit=page.limit)
    return page.of(deltas, lambda delta: delta.revision)


def _pair(parts: Any) -> tuple[UUID, UUID]:
    node, subject = parts
    return identity(node), identity(subject)


def _last(after: str | None) -> tuple[UUID, UUID] | None:
    if after is None:
        return None
    try:
        node, subject = (UUID(part) for part in after.split(","))
    except ValueError as error:
        raise InvalidInput("after takes two ids, separated by a comma.") from error
    return node, subject
