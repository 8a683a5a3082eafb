"""How long what is stored is kept: rules of retention, for a user and for all users; legal holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace, UserMemory
from api.cursors import PAGE_HEADERS, APage, number
from api.problems import WRITES, documented
from engine.domain.file_state import LONGEST_NOTE
from engine.domain.retention import (
    LONGEST_DAYS,
    LONGEST_SOURCE,
    LONGEST_TAG,
    SHORTEST_DAYS,
    Hold,
    HoldKind,
    HoldSubject,
    NewRetentionRule,
    RecordKind,
    RetentionPreviews,
    RetentionRule,
)
from engine.domain.scope import LONGEST_SCOPE_ID, ScopeKind
from engine.domain.written import Body

of_retention = APIRouter(prefix="/v1/users/{user_id}/retention", tags=["retention"], route_class=JsonRoute)
of_workspace_retention = APIRouter(
    prefix="/v1/retention", tags=["retention"], route_class=JsonRoute, dependencies=ADMINISTRATORS
)
of_holds = APIRouter(prefix="/v1/holds", tags=["holds"], route_class=JsonRoute, dependencies=ADMINISTRATORS)

Source = Annotated[str | None, Field(min_length=1, max_length=LONGEST_SOURCE)]


class RetentionRuleBody(Body):
    """What is forgotten once it is old enough: records that fit all that is named."""

    older_than_days: float = Field(
        ge=SHORTEST_DAYS, le=LONGEST_DAYS, description="Days since the record, or its newest version, was stored."
    )
    kind: RecordKind | None = Field(default=None, description="Only records of this kind.")
    source: Source = Field(default=None, description="Only the source with this id.")
    source_prefix: Source = Field(default=None, description="Only sources whose ids begin so.")
    tag: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_TAG, description="Only records of which an item has this tag."
    )
    scope: ScopeKind | None = Field(default=None, description="Only records of this kind of scope.")
    scope_id: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_SCOPE_ID, description="Only this thread or workflow."
    )
    node_id: UUID | None = Field(default=None, description="Only records at this node and below.")
    everything: bool = Field(default=False, strict=True, description="It may take all records that there are.")
    note: str = Field(default="", max_length=LONGEST_NOTE, description="Why.")

    @property
    def rule(self) -> NewRetentionRule:
        """The rule that it writes down. Raises InvalidInput."""
        return NewRetentionRule(**self.model_dump())


class HoldBody(Body):
    """What is held, and why."""

    user_id: UUID
    kind: HoldKind = Field(description="A user is held with everything, a node with what lies below.")
    subject: str = Field(
        default="",
        max_length=LONGEST_SOURCE,
        description="The id that was given for a source; the id of a node or a record; of a user nothing.",
    )
    reason: str = Field(min_length=1, max_length=LONGEST_NOTE)


class ReleaseBody(Body):
    """Why a hold is released."""

    reason: str = Field(min_length=1, max_length=LONGEST_NOTE)


def wanted(  # noqa: PLR0913 (the parameters of a query are its parameters)
    older_than_days: Annotated[
        float | None,
        Query(
            ge=SHORTEST_DAYS, le=LONGEST_DAYS, description="Of a rule that is not set yet; without it, of all that are."
        ),
    ] = None,
    kind: Annotated[RecordKind | None, Query(description="Only records of this kind.")] = None,
    source: Annotated[
        str | None, Query(min_length=1, max_length=LONGEST_SOURCE, description="Only the source with this id.")
    ] = None,
    source_prefix: Annotated[
        str | None, Query(min_length=1, max_length=LONGEST_SOURCE, description="Only sources whose ids begin so.")
    ] = None,
    tag: Annotated[
        str | None,
        Query(min_length=1, max_length=LONGEST_TAG, description="Only records of which an item has this tag."),
    ] = None,
    scope: Annotated[ScopeKind | None, Query(description="Only records of this kind of scope.")] = None,
    scope_id: Annotated[
        str | None, Query(min_length=1, max_length=LONGEST_SCOPE_ID, description="Only this thread or workflow.")
    ] = None,
    node_id: Annotated[UUID | None, Query(description="Only records at this node and below.")] = None,
) -> NewRetentionRule | None:
    """The rule that a preview is for."""
    if older_than_days is None:
        return None
    named = (kind, source, source_prefix, tag, scope, scope_id, node_id)
    return NewRetentionRule(older_than_days, *named, everything=True)


@of_retention.get("", operation_id="listRetentionRules", responses=PAGE_HEADERS)
async def rules(memory: UserMemory, page: APage) -> Sequence[RetentionRule]:
    """Rules, those for all users among them, the oldest first, one page."""
    found = await memory.retention.list(after=page.start(number, None) or 0, limit=page.limit)
    return page.of(found, lambda one: one.number)


@of_retention.post("", operation_id="setRetentionRule", status_code=201, responses=WRITES)
async def set_rule(body: RetentionRuleBody, memory: UserMemory) -> RetentionRule:
    """Sets a rule; a job forgets what it takes, each hour. One that takes all records that there are is refused unless it says
    `everything`."""
    return await memory.retention.set(body.rule)


@of_retention.get("/preview", operation_id="previewRetention")
async def preview(
    memory: UserMemory,
    rule: Annotated[NewRetentionRule | None, Depends(wanted)],
    limit: Annotated[int, Query(ge=1, le=500, description="Examples of each at most.")] = 20,
) -> RetentionPreviews:
    """What a rule would take now; without `older_than_days`, what each rule that is set takes and what has expired. Nothing is
    written."""
    return RetentionPreviews(await memory.retention.preview(rule, limit=limit))


@of_retention.delete("/{rule_id}", operation_id="removeRetentionRule")
async def remove_rule(rule_id: UUID, memory: UserMemory) -> RetentionRule:
    """Removes a rule. What it has forgotten does not come back."""
    return await memory.retention.remove(rule_id)


@of_workspace_retention.get("", operation_id="listWorkspaceRetentionRules", responses=PAGE_HEADERS)
async def workspace_rules(workspace: CurrentWorkspace, page: APage) -> Sequence[RetentionRule]:
    """Rules for all users, the oldest first, one page."""
    found = await workspace.retention.list(after=page.start(number, None) or 0, limit=page.limit)
    return page.of(found, lambda one: one.number)


@of_workspace_retention.post("", operation_id="setWorkspaceRetentionRule", status_code=201, responses=WRITES)
async def set_workspace_rule(body: RetentionRuleBody, workspace: CurrentWorkspace) -> RetentionRule:
    """Sets a rule for every user of the workspace, also for those who come later."""
    return await workspace.retention.set(body.rule)


@of_workspace_retention.delete("/{rule_id}", operation_id="removeWorkspaceRetentionRule")
async def remove_workspace_rule(rule_id: UUID, workspace: CurrentWorkspace) -> RetentionRule:
    """Removes a rule for all users."""
    return await workspace.retention.remove(rule_id)


@of_holds.get("", operation_id="listHolds", responses=PAGE_HEADERS)
async def holds(
    workspace: CurrentWorkspace,
    page: APage,
    user_id: Annotated[UUID | None, Query(description="Only holds of this user.")] = None,
    released: Annotated[bool, Query(description="Also those that are over.")] = False,
) -> Sequence[Hold]:
    """Legal holds, newest first, one page. One that is released does not say any more what it named."""
    before = page.start(number, None)
    found = await workspace.holds.list(user_id=user_id, released=released, before=before, limit=page.limit)
    return page.of(found, lambda one: one.number)


@of_holds.post("", operation_id="setHold", status_code=201, responses=WRITES)
async def set_hold(body: HoldBody, workspace: CurrentWorkspace) -> Hold:
    """Holds something: no rule and no forgetting erases it until the hold is released. Repeating it changes nothing."""
    return await workspace.holds.set(body.user_id, HoldSubject(body.kind, body.subject), body.reason)


@of_holds.post("/{hold_id}/release", operation_id="releaseHold", responses=documented(400, 404, 409, 413, 415))
async def release_hold(hold_id: UUID, body: ReleaseBody, workspace: CurrentWorkspace) -> Hold:
    """Releases a hold. Repeating it changes nothing."""
    return await workspace.holds.release(hold_id, body.reason)
