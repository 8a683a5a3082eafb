"""Kinds of problems, and which error is of which: what REST answers, and lines of exports that stand for a source that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine import errors


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its status, the last part of its type URI, and its title."""

    status: int
    slug: str
    title: str


TABLE: Mapping[type[errors.NeurigraphError], Kind] = {
    errors.InvalidInput: Kind(422, "invalid-input", "The request is not valid."),
    errors.DepthExceeded: Kind(422, "depth-exceeded", "A node cannot lie deeper than layer 5."),
    errors.MovedIntoItself: Kind(422, "moved-into-itself", "A node cannot be moved into itself."),
    errors.WrongContentType: Kind(415, "wrong-content-type", "This content type is not supported."),
    errors.TooLarge: Kind(413, "too-large", "The input is too large."),
    errors.NotFound: Kind(404, "not-found", "Not found."),
    errors.Conflict: Kind(409, "conflict", "The request conflicts with the current state."),
    errors.NameTaken: Kind(409, "name-taken", "A sibling already has this name."),
    errors.AliasTaken: Kind(409, "alias-taken", "Another entity already has this alias."),
    errors.Archived: Kind(409, "archived", "An archived node takes no writes."),
    errors.Outdated: Kind(412, "outdated", "It was changed meanwhile."),
    errors.NoLanguageModel: Kind(409, "no-language-model", "No language model is configured."),
    errors.InProgress: Kind(409, "in-progress", "The same request is still in progress."),
    errors.IdempotencyMismatch: Kind(422, "idempotency-mismatch", "The idempotency key belongs to another request."),
    errors.StoreUnavailable: Kind(503, "store-unavailable", "A store does not answer."),
    errors.WritingStopped: Kind(503, "writing-stopped", "Writes are stopped until the operator acts; reads go on."),
    errors.StoreFull: Kind(507, "store-full", "A store has no room left."),
    errors.ProviderUnavailable: Kind(
        503, "provider-unavailable", "An external service, for models or identities, does not answer."
    ),
    errors.Rehydrating: Kind(503, "rehydrating", "The file is being restored."),
    errors.CommitSetAside: Kind(409, "commit-set-aside", "An earlier write of it was set aside."),
    errors.StoreFailed: Kind(500, "store-failed", "A store refused a statement of the engine."),
    errors.StoreDamaged: Kind(500, "store-damaged", "Data in a store is damaged."),
    errors.DamagedFile: Kind(500, "damaged-file", "The stored file is damaged; it was not served."),
}
UNEXPECTED = Kind(500, "internal", "Internal error; the request was not the cause.")


def kind_of(error: type[BaseException]) -> Kind | None:
    """The kind of problem for an error of the engine; None for a bug."""
    return next((TABLE[cls] for cls in error.__mro__ if cls in TABLE), None)


def members_of(kind: Kind, instance: str, detail: str) -> dict[str, Any]:
    """The members that every problem has."""
    known = {"title": kind.title, "status": kind.status, "detail": detail, "instance": instance}
    return {"type": f"urn:neurigraph:problem:{kind.slug}", **known}
