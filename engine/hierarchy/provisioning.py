"""Provisioning of nodes: registry row and schema in one Postgres transaction, then the shell, then visible.

A crash leaves either nothing or a commit that recovery finishes. Sibling names are unique, so repeated or concurrent
requests create one node and return the same answer.
The meaning of a shell is its vector in the slot of the active version, or the note that it is still to be made.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from engine.commit.changes import NodeProvisioned, to_json
from engine.commit.outbox import Commit
from engine.commit.rows import due
from engine.commit.unit_of_work import Follow, UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.graph import NewShell
from engine.domain.names import clean_name, look_alike_key, name_key, schema_name, slug
from engine.domain.node import MAX_LAYER, NewNode, NodeType, ProvisionedNode, User, shell_text
from engine.domain.principal import Principal
from engine.errors import Conflict, DepthExceeded, InvalidInput, NotFound, ProviderUnavailable
from engine.hierarchy.shells import require_unarchived
from engine.providers.active import ActiveModel
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

MAX_SUMMARY = 2000
MAX_TERMS = 100
_LABELS: dict[NodeType, str] = {"user": "User", "concept": "Concept", "persona": "Persona"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node hangs: names from the root down, and the readable start of its schema name."""

    names: tuple[str, ...]
    layer: int
    user_id: UUID
    root_schema: str


@dataclass(frozen=True, slots=True)
class _Registered:
    node_id: UUID
    schema_name: str
    layer: int
    state: str
    node_type: NodeType
    created: bool


@dataclass(frozen=True, slots=True)
class _RegisteredUser:
    """A user with the root; of a look-alike there is only `taken_by`."""

    user_id: UUID
    node_id: UUID
    schema_name: str
    display_name: str
    state: str
    created: bool
    taken_by: str | None


class Provisioning:
    """Creates users and nodes in all stores."""

    def __init__(self, postgres: Postgres, units: UnitsOfWork, active: ActiveModel, clock: Clock) -> None:
        self._postgres, self._units, self._active, self._clock = postgres, units, active, clock

    async def user(self, workspace: str, handle: str, display_name: str) -> User:
        """The user with this handle, created with a root node when there is none.

        Raises InvalidName for a handle or name that is not 1 to 200 visible characters, Conflict for a handle that looks like
        another user's.
        """
        handle, display_name = clean_name(handle), clean_name(display_name or handle)
        user_id = uuid4()
        root = NewNode(user_id, display_name)
        shell = self._shell(user_id, user_id, root, "user", await self._meaning(user_id, root))
        parameters = {
            "user_id": user_id,
            "workspace": workspace,
            "handle": handle,
            "handle_key": look_alike_key(handle),
            "name": display_name,
            "key": name_key(display_name),
            "schemas": _schema_names(slug(handle), (), user_id),
            "payload": Jsonb(to_json(NodeProvisioned(shell))),
        }
        async with self._units.begin(Principal.user(user_id), by_service=True) as unit:
            [row] = await unit.connection.fetch(sql_text("user/provision"), parameters, row=_RegisteredUser)
            if row.taken_by is not None:
                raise Conflict(f"The handle looks like that of another user, {row.taken_by}.")
            made = _Registered(row.node_id, row.schema_name, 0, row.state, "user", row.created)
            unit.follow(_follow(made, shell))
        return User(row.user_id, handle, row.display_name, row.created)

    async def node(self, principal: Principal, new: NewNode, own_id: UUID | None = None) -> ProvisionedNode:
        """The child of that name, created when there is none. Under the `own_id` of a request it is one that this request
        created, also where it is repeated.

        Raises NotFound for an unknown parent, DepthExceeded below layer 5 (logged, nothing is created),
        InvalidName, InvalidInput.
        """
        new = _checked(new)
        if not principal.owns:
            raise NotFound  # only its user shapes a graph: a sibling's name is an answer too
        node_id = own_id or uuid4()
        place, meaning = await asyncio.gather(self._place(principal, new.parent_id), self._meaning(node_id, new))
        if place.layer >= MAX_LAYER:
            await self._log_too_deep(principal, new, place)
            raise DepthExceeded(
                f"{new.name!r} would lie below layer {MAX_LAYER}; {place.names[-1]!r} is the deepest node that can hold it."
            )
        shell = self._shell(place.user_id, node_id, new, new.node_type, meaning)
        path = (*place.names[1:], new.name)
        parameters = _registration(node_id, new, _schema_names(place.root_schema, path, node_id), shell)
        provision = sql_text("node/provision")
        row = await self._units.call(principal, provision, parameters, _Registered, lambda made: _follow(made, shell))
        return replace(_provisioned(row), created=row.created or row.node_id == own_id)

    async def whole_path(self, principal: Principal, nodes: Sequence[NewNode]) -> ProvisionedNode:
        """The node at the end of a path below the root. Missing nodes of the path are created, all or none.

        `nodes` are in the order of the path, the first one below the root. All are registered in one transaction, so a crash
        leaves none of them, or commits that recovery finishes. Raises the same as `node`.
        """
        checked = [_checked(new) for new in nodes]
        if not principal.owns or not checked:
            raise NotFound
        place = await self._place(principal, principal.user_id)
        if len(checked) > MAX_LAYER:
            await self._log_too_deep(principal, checked[-1], place)
            raise DepthExceeded(f"{checked[-1].name!r} would lie below layer {MAX_LAYER}; none of the path was made.")
        ids = [uuid4() for _ in checked]
        meanings = await asyncio.gather(*(self._meaning(one, new) for one, new in zip(ids, checked, strict=True)))
        async with self._units.begin(principal) as unit:
            parent = principal.user_id
            for depth, (node_id, new, meaning) in enumerate(zip(ids, checked, meanings, strict=True), 1):
                new = replace(new, parent_id=parent)
                shell = self._shell(principal.user_id, node_id, new, new.node_type, meaning)
                schemas = _schema_names(place.root_schema, [one.name for one in checked[:depth]], node_id)
                parameters = _registration(node_id, new, schemas, shell)
                [row] = await unit.connection.fetch(sql_text("node/provision"), parameters, row=_Registered)
                unit.follow(_follow(row, shell))
                parent = row.node_id
        return _provisioned(row)

    async def require_unarchived(self, principal: Principal, node_id: UUID) -> None:
        await require_unarchived(self._postgres, principal, node_id)

    async def path(self, principal: Principal, names: Sequence[str]) -> ProvisionedNode | None:
        """The node at a path below the root. Missing nodes of the path are created.

        Below layer 5 nothing is created: the deepest node of the path takes the content and the event is
        logged. None for the empty path, which is the user.
        """
        parent, deepest = principal.user_id, None
        for name in names:
            try:
                deepest = await self.node(principal, NewNode(parent, name))
            except DepthExceeded:
                return deepest
            parent = deepest.node_id
        return deepest

    async def _place(self, principal: Principal, node_id: UUID) -> _Place:
        return only(await self._postgres.fetch(principal, sql_text("node/path"), {"node_id": node_id}, row=_Place))

    async def _log_too_deep(self, principal: Principal, new: NewNode, place: _Place) -> None:
        detail = Jsonb({"name": new.name, "path": list(place.names)})
        parameters = {"user_id": place.user_id, "node_id": new.parent_id, "event": "too_deep", "detail": detail}
        await self._postgres.change(principal, sql_text("node/hierarchy_event"), parameters)

    async def _meaning(self, node_id: UUID, new: NewNode) -> dict[str, Any]:
        text = shell_text(new.name, new.summary, new.keywords)
        return await shell_meaning(self._postgres, self._active, node_id, text)

    def _shell(
        self, user_id: UUID, node_id: UUID, new: NewNode, node_type: NodeType, meaning: dict[str, Any]
    ) -> NewShell:
        """The graph's part of the commit; the schema's name and the layer are known after registration."""
        return NewShell(
            node_id=node_id,
            user_id=user_id,
            user_key=user_id.hex,
            parent_id=new.parent_id if node_type != "user" else None,
            name=new.name,
            name_key=name_key(new.name),
            node_type=node_type,
            label=_LABELS[node_type],
            summary=new.summary,
            keywords=new.keywords,
            aliases=new.aliases,
            alias_keys=[name_key(alias) for alias in new.aliases],
            created_at=self._clock.now(),
            **meaning,
        )


def _follow(row: _Registered, shell: NewShell) -> Follow:
    """The commit of a node that was registered now; of one that another process registers, its id."""
    if row.created:
        registered = replace(shell, layer=row.layer, schema_name=row.schema_name)
        return Commit(row.node_id, [to_json(NodeProvisioned(registered))])
    return row.node_id if row.state == "pending" else None


def _provisioned(row: _Registered) -> ProvisionedNode:
    return ProvisionedNode(row.node_id, row.schema_name, row.layer, row.node_type, row.created)


def _registration(node_id: UUID, new: NewNode, schemas: Sequence[str], shell: NewShell) -> dict[str, Any]:
    return {
        "node_id": node_id,
        "parent_id": new.parent_id,
        "name": new.name,
        "key": name_key(new.name),
        "type": new.node_type,
        "schemas": schemas,
        "payload": Jsonb(to_json(NodeProvisioned(shell))),
    }


def _schema_names(root: str, path: Sequence[str], node_id: UUID) -> list[str]:
    return [schema_name(root, path, node_id), schema_name(root, path, node_id, distinct=True)]


def _checked(new: NewNode) -> NewNode:
    if new.node_type not in ("concept", "persona"):
        raise InvalidInput("A node is a concept or a persona.")
    if len(new.summary) > MAX_SUMMARY or re.search("[\x00\ud800-\udfff]", new.summary):
        raise InvalidInput(
            f"A node's summary has at most {MAX_SUMMARY} characters, no NUL and no half of a surrogate pair."
        )
    if len(new.keywords) > MAX_TERMS or len(new.aliases) > MAX_TERMS:
        raise InvalidInput(f"A node has at most {MAX_TERMS} keywords and {MAX_TERMS} aliases.")
    keywords = tuple(clean_name(word) for word in new.keywords)
    aliases = tuple(clean_name(alias) for alias in new.aliases)
    return NewNode(new.parent_id, clean_name(new.name), new.node_type, new.summary, keywords, aliases)


async def shell_meaning(postgres: Postgres, active: ActiveModel, node_id: UUID, text: str) -> dict[str, Any]:
    """The properties of a shell that hold its vector, empty while the embedding service does not answer: until a job makes the
    vector, the node is found by words alone. Raises StoreUnavailable."""
    try:
        return await active.patience.asked(lambda: active.current.shell(text))
    except ProviderUnavailable:
        # Noted before the shell is written: after a crash in between the job still makes its vector.
        async with postgres.as_service() as connection:
            await due.note(connection, "vectors", [node_id])
        return {}
