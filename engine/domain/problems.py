"""Kinds of problems, and which error is of which: what REST answers, and lines of exports that stand for a source that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine import errors


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: its status, the last part of its type URI, and its title."""

    status: int
    slug: str
    title: str


TABLE: Mapping[type[errors.NeurigraphError], ProblemKind] = {
    errors.InvalidInput: ProblemKind(422, "invalid-input", "The request is not valid."),
    errors.DepthExceeded: ProblemKind(422, "depth-exceeded", "A node cannot lie deeper than layer 5."),
    errors.MovedIntoItself: ProblemKind(422, "moved-into-itself", "A node cannot be moved into itself."),
    errors.WrongContentType: ProblemKind(415, "wrong-content-type", "This content type is not supported."),
    errors.TooLarge: ProblemKind(413, "too-large", "The input is too large."),
    errors.NotFound: ProblemKind(404, "not-found", "Not found."),
    errors.Conflict: ProblemKind(409, "conflict", "The request conflicts with the current state."),
    errors.NameTaken: ProblemKind(409, "name-taken", "A sibling already has this name."),
    errors.AliasTaken: ProblemKind(409, "alias-taken", "Another entity already has this alias."),
    errors.Archived: ProblemKind(409, "archived", "An archived node takes no writes."),
    errors.Outdated: ProblemKind(412, "outdated", "It was changed meanwhile."),
    errors.NoLanguageModel: ProblemKind(409, "no-language-model", "No language model is configured."),
    errors.InProgress: ProblemKind(409, "in-progress", "The same request is still in progress."),
    errors.IdempotencyMismatch: ProblemKind(
        422, "idempotency-mismatch", "The idempotency key belongs to another request."
    ),
    errors.StoreUnavailable: ProblemKind(503, "store-unavailable", "A store does not answer."),
    errors.WritingStopped: ProblemKind(
        503, "writing-stopped", "Writes are stopped until the operator acts; reads go on."
    ),
    errors.StoreFull: ProblemKind(507, "store-full", "A store has no room left."),
    errors.ProviderUnavailable: ProblemKind(
        503, "provider-unavailable", "An external service, for models or identities, does not answer."
    ),
    errors.Rehydrating: ProblemKind(503, "rehydrating", "The file is being restored."),
    errors.Forgotten: ProblemKind(409, "forgotten", "It was forgotten; with `again` it is stored anew."),
    errors.CommitSetAside: ProblemKind(409, "commit-set-aside", "An earlier write of it was set aside."),
    errors.StoreFailed: ProblemKind(500, "store-failed", "A store refused a statement of the engine."),
    errors.StoreDamaged: ProblemKind(500, "store-damaged", "Data in a store is damaged."),
    errors.ReceiptUnreadable: ProblemKind(400, "receipt-unreadable", "It is no receipt of a forgetting."),
    errors.ReceiptChanged: ProblemKind(409, "receipt-changed", "The receipt is not as it was signed."),
    errors.ReceiptKeyUnusable: ProblemKind(500, "receipt-key", "The key of receipts cannot be used."),
    errors.DamagedFile: ProblemKind(500, "damaged-file", "The stored file is damaged; it was not served."),
}
UNEXPECTED = ProblemKind(500, "internal", "Internal error; the request was not the cause.")


def kind_of(error: type[BaseException]) -> ProblemKind | None:
    """The kind of problem for an error of the engine; None for a bug."""
    return next((TABLE[cls] for cls in error.__mro__ if cls in TABLE), None)


def members_of(kind: ProblemKind, instance: str, detail: str) -> dict[str, Any]:
    """The members that every problem has."""
    known = {"title": kind.title, "status": kind.status, "detail": detail, "instance": instance}
    return {"type": f"urn:neurigraph:problem:{kind.slug}", **known}
