"""What a derived thing is: one declaration, from which its job, its part of the doctor's question and its version follow; what
makes it node by node, and what that says of each page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from engine.commit.rows.due import DueNode
from engine.derive.means import Means

Counts = Mapping[str, int]
"""What a run made, by name; part of the report of a job."""


@dataclass(frozen=True, slots=True)
class Made:
    """One page: what was made, and how far the node is. Without `after` nothing is left of the node, and it is struck off, unless
    it `waits`: some of it could not be made yet."""

    counts: Counts
    after: UUID | None = None
    waits: bool = False


class Maker(Protocol):
    """Makes one derived thing."""

    async def page(self, node: DueNode) -> Made | None:
        """The next page of a node, committed together with how far the node is; it may be made twice, at once or half.
        None: nothing of this kind can be made now."""
        ...


@dataclass(frozen=True, slots=True)
class ByNode:
    """Made at the nodes that `engine.due` names, page by page, archived ones too. A run ends after `seconds`, and the next
    one goes on there; it works in `duty` of the time."""

    maker: Callable[[Means], Maker]
    seconds: float = 900.0
    duty: float = 1.0


@dataclass(frozen=True, slots=True)
class ByItself:
    """Made by something that knows itself what is left, as of each record or of each user."""

    run: Callable[[Means], Awaitable[Counts]]


@dataclass(frozen=True, slots=True)
class Derivation:
    """One derived thing. `about`: what it is, as in "makes …". `job`: the job that makes it, alone or with others; schedules and
    requests name that. `version`: of the code that makes it; a higher one makes it again at every node. `needs`: what it is made
    from, which notes its nodes: "content" (records and items), "embeddings" (which version is active), other derivations; other
    needs take a higher version. `late`: it is a finding when it is due for so many seconds."""

    name: str
    about: str
    made: ByNode | ByItself
    job: str
    schedule: str
    version: int = 1
    late: float = 3600.0
    needs: tuple[str, ...] = ()
