"""All errors of the engine, in one tree. The docstring is the default message.

NeurigraphError
├── InvalidInput              the request itself is wrong; nothing was written
│   ├── InvalidName
│   ├── InvalidText
│   ├── InvalidHistory        knows the place: file, line, column, JSON path
│   ├── DepthExceeded
│   ├── MovedIntoItself
│   ├── WrongDimension
│   ├── WrongContentType
│   ├── VersionRefused        a document's new version that does not belong where its document is
│   └── TooLarge
├── NotFound                  missing, or not for this principal: both look the same
├── Conflict
│   ├── NameTaken
│   ├── AliasTaken
│   ├── Archived              the node takes no writes until it is taken back
│   ├── Outdated              it was changed meanwhile; read it again
│   ├── EmbeddingsChanged     another version was promoted while this was written
│   ├── NoLanguageModel       an answer needs one, and none is configured
│   ├── InProgress            the same request is in progress; knows when to retry
│   ├── Forgotten             it was forgotten, and is stored anew only where that is asked for
│   ├── OnHold                a legal hold keeps it: it is not erased before that is released
│   ├── CommitSetAside        an earlier write of the same thing waits for a person's decision; knows which
│   └── IdempotencyMismatch
├── StoreFailed               a store refused a statement of the engine
│   ├── NotErased             objects that should be gone are still there; knows their keys
│   └── StoreDamaged          what it holds is damaged; knows the node, where it is one
├── StoreUnavailable          knows which store and when to retry
│   ├── CommitWaits           a write waits for another one of the same graph
│   ├── StoreFull
│   ├── StoreTimeout
│   └── WritingStopped        a store was restored from another time; the operator decides, reads go on
├── ProviderUnavailable       a model service did not answer
│   ├── RequestRefused        it refuses the request
│   └── UnusableAnswer        its answer is invalid; knows what the answer cost
│       └── CutAnswer         it ends at the limit of its length
├── DamagedFile               the stored bytes do not match their hash
├── ReceiptChanged            a receipt is not as it was signed, or another key signed it
├── ReceiptUnreadable         it is none, or one of a later version
├── ReceiptKeyUnusable        the key of receipts is damaged or cannot be written
├── Rehydrating               a file is being restored; knows when to retry
├── StackError                the embedded servers could not be brought up
│   ├── DownloadFailed
│   └── MissingPrerequisite
├── MigrationError
├── StoresDoNotBelong         a store carries the mark of another installation, or none
├── ArchiveError              an archive of a user cannot be made or imported; nothing was
│   ├── ArchiveDamaged        it is cut, changed, or no archive
│   └── ArchiveOfOtherRelease its format, or the release that made it, is another one
├── BackupError               a backup cannot be made, is not whole, or may not be restored there
└── SettingsError
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID


class NeurigraphError(Exception):
    """Something went wrong in the engine."""

    def __init__(self, detail: str | None = None) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip()
        super().__init__(self.detail)


class InvalidInput(NeurigraphError):
    """The request is not valid; nothing was written."""


class InvalidName(InvalidInput):
    """A name has 1 to 200 visible characters."""


class InvalidText(InvalidInput):
    """The text cannot be stored."""


class InvalidHistory(InvalidInput):
    """The history cannot be read."""

    def __init__(self, detail: str, *, line: int | None = None, column: int | None = None, path: str = "") -> None:
        place = f" (line {line}, column {column})" if line is not None else f" (at {path})" if path else ""
        self.line, self.column, self.path = line, column, path
        super().__init__(detail + place)


class DepthExceeded(InvalidInput):
    """A node cannot lie deeper than layer 5."""


class MovedIntoItself(InvalidInput):
    """A node cannot be moved into itself."""


class WrongDimension(InvalidInput):
    """The vector does not have the dimension of the active embedding version."""


class WrongContentType(InvalidInput):
    """This kind of content is not read here."""


class VersionRefused(InvalidInput):
    """A new version of this document is not stored."""


class TooLarge(InvalidInput):
    """The input is larger than the configured limit."""


class NotFound(NeurigraphError):
    """Not found."""


class Conflict(NeurigraphError):
    """The request does not fit the present state."""


class NameTaken(Conflict):
    """A sibling already has this name."""


class AliasTaken(Conflict):
    """Another entity already has this alias."""


class Archived(Conflict):
    """This node is archived: it takes no writes until it is taken back."""


class Outdated(Conflict):
    """This was changed meanwhile; read it again."""


class EmbeddingsChanged(Conflict):
    """The active embeddings were changed meanwhile; try again."""


class NoLanguageModel(Conflict):
    """No language model is configured: set NEURIGRAPH_LANGUAGE_MODEL, as openai:NAME, and its key; see docs/models.md."""


class InProgress(Conflict):
    """The same request is still in progress; retry later."""

    retry_after = 2.0
    """Seconds."""


class Forgotten(Conflict):
    """This was forgotten, and is not stored again; with `again` it is stored anew, once its forgetting is done."""


class OnHold(Conflict):
    """A legal hold keeps this: it is erased once the hold is released, by the operator or an administrator."""


class CommitSetAside(Conflict):
    """An earlier write was accepted, but could not be finished; it was set aside."""

    def __init__(self, commit_id: UUID, cause: str | None = None) -> None:
        self.commit_id = commit_id
        why = f" ({cause})" if cause else ""
        super().__init__(
            f"The earlier write {commit_id} could not be finished and was set aside{why};"
            " retry or discard it: `neurigraph commits list`."
        )


class IdempotencyMismatch(Conflict):
    """This idempotency key was used for another request."""


class StoreFailed(NeurigraphError):
    """A store refused a statement of the engine."""

    def __init__(self, store: str, detail: str | None = None) -> None:
        self.store = store
        super().__init__(detail or f"The {store} refused a statement; the log says why.")


class NotErased(StoreFailed):
    """Objects cannot be deleted."""

    def __init__(self, store: str, keys: Sequence[str], why: str) -> None:
        self.keys = tuple(keys)  # not in the message: names of persons stand in them
        super().__init__(store, f"{len(keys)} objects cannot be deleted. {why}")


class StoreDamaged(StoreFailed):
    """What a store holds is damaged."""

    def __init__(self, store: str, node_id: UUID | None = None) -> None:
        self.node_id = node_id
        place = f" at node {node_id}" if node_id else ""
        super().__init__(store, f"The {store} is damaged{place}; `neurigraph doctor` says where and what mends it.")


class StoreUnavailable(NeurigraphError):
    """A store does not answer."""

    def __init__(self, store: str, detail: str | None = None, *, retry_after: float = 2.0) -> None:
        self.store, self.retry_after = store, retry_after
        super().__init__(detail or f"The {store} does not answer; try again in {retry_after:g} s.")


class CommitWaits(StoreUnavailable):
    """A node that this write belongs to is still being finished."""

    def __init__(self, store: str) -> None:
        super().__init__(store, "A node that this write belongs to is still being finished; try again.")


class StoreFull(StoreUnavailable):
    """A store has no room left."""

    def __init__(self, store: str, detail: str | None = None) -> None:
        super().__init__(store, detail or f"The {store} has no room left; make room, then try again.", retry_after=60)


class StoreTimeout(StoreUnavailable):
    """A store did not answer in time."""

    def __init__(self, store: str) -> None:
        super().__init__(store, f"The {store} did not answer in time; try again in 2 s.")


class WritingStopped(StoreUnavailable):
    """Writing is stopped until the operator decides; reads go on."""

    def __init__(self, store: str, detail: str | None = None) -> None:
        super().__init__(store, detail or (type(self).__doc__ or "").strip(), retry_after=60.0)


class ProviderUnavailable(NeurigraphError):
    """The model service does not answer."""

    def __init__(self, detail: str | None = None, *, retry_after: float | None = None) -> None:
        self.retry_after = retry_after  # seconds, where the service asked for a pause
        super().__init__(detail)


class RequestRefused(ProviderUnavailable):
    """The model service refuses this request."""


class UnusableAnswer(ProviderUnavailable):
    """The model's answer cannot be used."""

    def __init__(self, detail: str | None = None, *, input_tokens: int = 0, output_tokens: int = 0) -> None:
        self.input_tokens, self.output_tokens = input_tokens, output_tokens
        super().__init__(detail)


class CutAnswer(UnusableAnswer):
    """The model's answer ends at the limit of its length, in the middle."""


class DamagedFile(NeurigraphError):
    """The stored file does not match its hash; it was not served."""


class ReceiptChanged(NeurigraphError):
    """The receipt is not as it was signed."""

    OTHER_KEY = "The receipt was signed by another key, or is not as it was signed."
    NO_KEY = "No receipt was signed here, or the key that signed it was lost; its public key still checks it."


class ReceiptUnreadable(NeurigraphError):
    """This is no signed receipt of a forgetting, or one of a later release."""


class ReceiptKeyUnusable(NeurigraphError):
    """The key of receipts is damaged, or no Ed25519 key without a password."""


class Rehydrating(NeurigraphError):
    """The file is being restored; retry in a moment."""

    retry_after = 1.0
    """Seconds."""


class StackError(NeurigraphError):
    """The embedded servers could not be started."""


class DownloadFailed(StackError):
    """A locked file could not be fetched."""


class MissingPrerequisite(StackError):
    """Something that the embedded servers need is not on this machine."""


class MigrationError(NeurigraphError):
    """The migrations could not be applied."""


class StoresDoNotBelong(NeurigraphError):
    """The stores do not belong together."""


class BackupError(NeurigraphError):
    """The backup cannot be made or used."""


class ArchiveError(NeurigraphError):
    """The archive cannot be made or imported; nothing was."""


class ArchiveDamaged(ArchiveError):
    """The archive is damaged; nothing was imported."""


class ArchiveOfOtherRelease(ArchiveError):
    """The archive was made by another release; nothing was imported."""


class SettingsError(NeurigraphError):
    """The settings do not fit together."""


UNREADABLE = (OSError, RecursionError, ValueError, LookupError, TypeError, AttributeError)
"""What reading a file raises that is not of the form which the code takes for granted."""


def unreadable(file: Path, what: str, error: Exception) -> InvalidInput:
    """The error for a file that cannot be read as what it should be: in words, without names of Python's."""
    if isinstance(error, OSError) and error.strerror:
        return InvalidInput(f"{file} cannot be read: {error.strerror}.")
    if isinstance(error, json.JSONDecodeError):
        why = f"it is not JSON (line {error.lineno}, column {error.colno})"
    elif isinstance(error, UnicodeDecodeError):
        why = "it is not UTF-8"
    else:
        why = f"{error.args[0]} is missing" if isinstance(error, KeyError) else "it has another form"
    return InvalidInput(f"{file} cannot be read as {what}: {why}.")
