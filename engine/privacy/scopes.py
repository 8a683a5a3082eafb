"""Ids of threads and workflows without personal data: as ids of sources, they become markers and a keyed hash."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.scope import LONGEST_SCOPE_ID, MemoryScope, Origin
from engine.privacy.redact import Redactor


def redacted_scope(scope: MemoryScope, redactor: Redactor) -> MemoryScope:
    """The scope as it is stored and searched; the same for the same id."""
    if scope.scope_id is None:
        return scope
    return replace(scope, scope_id=redactor.identifier(scope.scope_id)[-LONGEST_SCOPE_ID:])


def redacted_origin(origin: Origin, redactor: Redactor) -> Origin:
    """The origin as it is stored."""
    return replace(origin, scope=redacted_scope(origin.scope, redactor))
