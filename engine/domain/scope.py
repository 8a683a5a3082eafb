"""The scope and the source of a record.

    user               part of the user's memory everywhere
    thread, workflow   part of the one that the id names: found by those who ask within it, and only by the user

Scoped records are private. An id of a thread is no secret, so naming one gives no other principal access.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from engine.domain.principal import Principal
from engine.errors import InvalidInput

Privacy = Literal["org", "private"]
"""Whether others than the user may ever read it: personas and integrations never see what is private."""
ScopeKind = Literal["user", "thread", "workflow"]
SourceKind = Literal["manual", "extracted", "ingested"]
"""Written by hand; derived by the engine or a model; came in with a conversation or a file."""

LONGEST_SCOPE_ID = 200
MOST_SCOPES = 100


def check_sources(sources: Sequence[str]) -> None:
    """Raises InvalidInput for an unknown source."""
    if not set(sources) <= set(get_args(SourceKind)):
        raise InvalidInput(f"A source is one of {', '.join(get_args(SourceKind))}.")


def _check_id(scope_id: str) -> None:
    if not 1 <= len(scope_id) <= LONGEST_SCOPE_ID:
        raise InvalidInput(f"The id of a scope has 1 to {LONGEST_SCOPE_ID} characters.")
    if "\x00" in scope_id or not scope_id.isprintable():
        raise InvalidInput("The id of a scope holds no control characters.")


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """The user's memory as a whole, or one thread or workflow by its id (1 to 200 characters). Raises InvalidInput."""

    kind: ScopeKind = "user"
    scope_id: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(ScopeKind):
            raise InvalidInput(f"A scope is one of {', '.join(get_args(ScopeKind))}.")
        if (self.kind == "user") != (self.scope_id is None):
            raise InvalidInput("A thread or a workflow is named by its id; the scope of the user has none.")
        if self.scope_id is not None:
            _check_id(self.scope_id)

    @property
    def narrow(self) -> bool:
        """Whether it is a thread or a workflow."""
        return self.kind != "user"

    def __str__(self) -> str:
        return f"{self.kind}:{self.scope_id}" if self.narrow else self.kind


USERS = MemoryScope()
"""The user's memory as a whole."""


@dataclass(frozen=True, slots=True)
class Origin:
    """To what something that is stored belongs, and how it came in. Raises InvalidInput."""

    scope: MemoryScope = USERS
    source: SourceKind = "ingested"

    def __post_init__(self) -> None:
        check_sources([self.source])


INGESTED = Origin()
"""What came in with a conversation or a file and belongs to the user's memory as a whole."""


def check_scopes(principal: Principal, scopes: Sequence[MemoryScope]) -> None:
    """Raises InvalidInput where a principal other than the user names a thread or a workflow, or for too many."""
    if not principal.owns and any(scope.narrow for scope in scopes):
        raise InvalidInput("Only the user of a memory stores and searches within a thread or a workflow.")
    if len(scopes) > MOST_SCOPES:
        raise InvalidInput(f"At most {MOST_SCOPES} scopes are named.")


def check_privacy(principal: Principal, privacy: str) -> None:
    """Raises InvalidInput for an unknown privacy, or where a principal other than the user stores what is private."""
    if privacy not in ("org", "private"):
        raise InvalidInput("What is stored is org or private.")
    if privacy == "private" and not principal.owns:
        raise InvalidInput("Only the user of a memory stores what is private.")


def parsed_scope(text: str) -> MemoryScope:
    """A scope as a person writes it: `user`, `thread:ID`, `workflow:ID`. Raises InvalidInput."""
    kind, colon, scope_id = text.partition(":")
    for known in get_args(ScopeKind):
        if kind == known:
            return MemoryScope(known, scope_id if colon else None)
    raise InvalidInput(f"A scope is written user, thread:ID or workflow:ID, not {text[:60]!r}.")


def counted_unit(unit: str, privacy: Privacy, scope: ScopeKind) -> str:
    """Under what name words are counted: what is private and what is scoped apart from the rest."""
    if scope != "user":
        return f"private scoped {unit}"
    return f"private {unit}" if privacy == "private" else unit
