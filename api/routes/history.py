"""Living records: changes as deltas, states at any moment, how something came to be, what differs between two days."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response

from api.bodies import JsonRoute
from api.context import AtMoment, IdempotencyKey, UserMemory, once
from api.models import ChangeBody, EdgeChange, Instant, ItemChange, NodeChange, RecordChange
from api.problems import documented, replayable
from engine.domain.delta import Change, Changed, Delta, SubjectKind, SubjectState
from engine.history.reading import DifferencePage
from engine.memory import Memory

router = APIRouter(prefix="/v1/users/{user_id}", tags=["history"], route_class=JsonRoute)

ETAG = {"ETag": {"description": "The revision, for If-Match of the next change.", "schema": {"type": "string"}}}
WRITE_PROBLEMS = documented(400, 404, 409, 412, 413, 415, 422, 503, 507)
READ_PROBLEMS = documented(404, 409, 422, 503)
CHANGED: dict[int | str, dict[str, Any]] = {200: {"headers": ETAG}}
STATE: dict[int | str, dict[str, Any]] = {200: {"headers": ETAG}}

Expected = Annotated[
    str | None,
    Header(
        alias="If-Match",
        pattern=r'^"[1-9][0-9]{0,8}"$',
        description="The revision that the change starts from; another one is 412.",
        examples=['"3"'],
    ),
]
After = Annotated[int, Query(ge=0, le=2**31 - 1, description="The last revision of the page before.")]
Limit = Annotated[int, Query(ge=1, le=500)]


def etag(revision: int) -> str:
    """A revision as an entity tag."""
    return f'"{revision}"'


class _Changing:
    """One change on its way in: what it is about, and the request that it came with."""

    def __init__(self, request: Request, response: Response, memory: Memory, expected: str | None) -> None:
        self._request, self._response, self._memory = request, response, memory
        self._revision = int(expected.strip('"')) if expected else None

    async def write(
        self, kind: SubjectKind, subject_id: UUID, node_id: UUID | None, body: ChangeBody, key: str | None
    ) -> Any:
        """Writes the change once for each idempotency key; the answer carries the new revision as ETag."""
        change = Change(
            kind, subject_id, body.fields(), node_id, body.effective_at, body.correction, self._revision, body.reason
        )  # fmt: skip

        async def action() -> tuple[int, Changed]:
            return 200, await self._memory.change(change)

        answer = await once(self._request, self._response, self._memory, key, action)
        self._response.headers["ETag"] = etag(answer["revision"])
        return answer


@router.patch(
    "/nodes/{node_id}", operation_id="changeNode", response_model=Changed,
    responses=replayable(CHANGED) | WRITE_PROBLEMS,
)  # fmt: skip
async def change_node(
    node_id: UUID, body: NodeChange, memory: UserMemory, request: Request, response: Response,
    key: IdempotencyKey = None, expected: Expected = None,
) -> Any:  # fmt: skip
    """Renames, describes or moves a node. Schemas, files and ids stay; a path is a view."""
    return await _Changing(request, response, memory, expected).write("node", node_id, None, body, key)


@router.patch(
    "/nodes/{node_id}/records/{record_id}", operation_id="changeRecord", response_model=Changed,
    responses=replayable(CHANGED) | WRITE_PROBLEMS,
)  # fmt: skip
async def change_record(
    node_id: UUID, record_id: UUID, body: RecordChange, memory: UserMemory, request: Request, response: Response,
    key: IdempotencyKey = None, expected: Expected = None,
) -> Any:  # fmt: skip
    """Changes a record by a delta, from now on or from a time on; nothing is overwritten."""
    return await _Changing(request, response, memory, expected).write("record", record_id, node_id, body, key)


@router.patch(
    "/nodes/{node_id}/items/{item_id}", operation_id="changeItem", response_model=Changed,
    responses=replayable(CHANGED) | WRITE_PROBLEMS,
)  # fmt: skip
async def change_item(
    node_id: UUID, item_id: UUID, body: ItemChange, memory: UserMemory, request: Request, response: Response,
    key: IdempotencyKey = None, expected: Expected = None,
) -> Any:  # fmt: skip
    """Changes a memory item by a delta; its old wording is still found in the past."""
    return await _Changing(request, response, memory, expected).write("item", item_id, node_id, body, key)


@router.patch(
    "/edges/{edge_id}",
    operation_id="changeEdge",
    response_model=Changed,
    responses=replayable(CHANGED) | WRITE_PROBLEMS,
)
async def change_edge(
    edge_id: UUID, body: EdgeChange, memory: UserMemory, request: Request, response: Response,
    key: IdempotencyKey = None, expected: Expected = None,
) -> Any:  # fmt: skip
    """Changes a cross-node edge, ends it, or lets it hold again."""
    return await _Changing(request, response, memory, expected).write("relation", edge_id, None, body, key)


@router.get("/nodes/{node_id}/records/{record_id}", operation_id="getRecord", responses=STATE | READ_PROBLEMS)
async def record(
    node_id: UUID, record_id: UUID, memory: UserMemory, moment: AtMoment, response: Response
) -> SubjectState:
    """A record as it was at a moment; `fields` is null where it was not there."""
    state = await memory.state("record", record_id, node_id=node_id, moment=moment)
    response.headers["ETag"] = etag(state.revision)
    return state


@router.get("/nodes/{node_id}/items/{item_id}", operation_id="getItem", responses=STATE | READ_PROBLEMS)
async def item(node_id: UUID, item_id: UUID, memory: UserMemory, moment: AtMoment, response: Response) -> SubjectState:
    """A memory item as it was at a moment; `fields` is null where it was not there."""
    state = await memory.state("item", item_id, node_id=node_id, moment=moment)
    response.headers["ETag"] = etag(state.revision)
    return state


@router.get("/edges/{edge_id}", operation_id="getEdge", responses=STATE | READ_PROBLEMS)
async def edge(edge_id: UUID, memory: UserMemory, moment: AtMoment, response: Response) -> SubjectState:
    """A cross-node edge as it was at a moment; `fields` is null where it did not hold."""
    state = await memory.state("relation", edge_id, moment=moment)
    response.headers["ETag"] = etag(state.revision)
    return state


@router.get("/nodes/{node_id}/history", operation_id="getNodeHistory", responses=READ_PROBLEMS)
async def node_history(node_id: UUID, memory: UserMemory, after: After = 0, limit: Limit = 100) -> tuple[Delta, ...]:
    """How a node changed, by revision, one page."""
    return await memory.deltas("node", node_id, after=after, limit=limit)


@router.get("/nodes/{node_id}/records/{record_id}/history", operation_id="getRecordHistory", responses=READ_PROBLEMS)
async def record_history(
    node_id: UUID, record_id: UUID, memory: UserMemory, after: After = 0, limit: Limit = 100
) -> tuple[Delta, ...]:
    """How a record changed, by revision, one page; for those who may change it."""
    return await memory.deltas("record", record_id, node_id=node_id, after=after, limit=limit)


@router.get("/nodes/{node_id}/items/{item_id}/history", operation_id="getItemHistory", responses=READ_PROBLEMS)
async def item_history(
    node_id: UUID, item_id: UUID, memory: UserMemory, after: After = 0, limit: Limit = 100
) -> tuple[Delta, ...]:
    """How a memory item changed, by revision, one page; for those who may change it."""
    return await memory.deltas("item", item_id, node_id=node_id, after=after, limit=limit)


@router.get("/edges/{edge_id}/history", operation_id="getEdgeHistory", responses=READ_PROBLEMS)
async def edge_history(edge_id: UUID, memory: UserMemory, after: After = 0, limit: Limit = 100) -> tuple[Delta, ...]:
    """How a cross-node edge changed, by revision, one page."""
    return await memory.deltas("relation", edge_id, after=after, limit=limit)


@router.get("/difference", operation_id="getDifference", responses=READ_PROBLEMS)
async def difference(
    memory: UserMemory,
    start: Annotated[Instant, Query(alias="from", description="The earlier time.")],
    end: Annotated[Instant, Query(alias="to", description="The later time.")],
    node_id: Annotated[UUID | None, Query(description="Only this node.")] = None,
    after_node: Annotated[UUID | None, Query(description="`after[0]` of the page before.")] = None,
    after_subject: Annotated[UUID | None, Query(description="`after[1]` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 100,
) -> DifferencePage:
    """What differs between what held and was known at the one time and at the other, one page."""
    after = (after_node, after_subject) if after_node and after_subject else None
    return await memory.difference(start, end, node_id=node_id, after=after, limit=limit)
