"""What a derived thing is: one declaration, from which its job, its part of the doctor's question and its version follow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from engine.derive.made import Counts, Maker
from engine.derive.means import Means


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
