"""The errors of Postgres and of its driver, in the engine's words; the only place where they are translated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout

from engine.errors import (
    Archived,
    Conflict,
    DepthExceeded,
    EmbeddingsChanged,
    InvalidInput,
    MovedIntoItself,
    NameTaken,
    NeurigraphError,
    NodeOutdated,
    NotFound,
    StoreDamaged,
    StoreFailed,
    StoreFull,
    StoreTimeout,
    StoreUnavailable,
    WritingStopped,
)
from engine.stores.limited import SilentServer
from engine.turns import TurnTimeout

STORE = "metadata store"
DriverError = psycopg.Error
RaisedError = errors.RaiseException
"""An error that a function of the database raised by itself."""

STOPPED = "NG503"
"""SQLSTATE of the error that refuses writes while the stores' generations differ."""

TABLES_LOST = (NotFound, StoreDamaged)
"""Errors at a node whose tables, or whose rights on them, are missing."""
_OWN_STATES: dict[str, type[NeurigraphError]] = {
    "NG404": NotFound,
    "NG409": Conflict,
    "NG410": NameTaken,
    "NG411": EmbeddingsChanged,
    "NG422": DepthExceeded,
    "NG423": Archived,
    "NG424": MovedIntoItself,
    "NG426": NodeOutdated,
}
_TRANSLATIONS: tuple[tuple[type[BaseException], type[NeurigraphError]], ...] = (
    (errors.QueryCanceled, StoreTimeout),
    (SilentServer, StoreTimeout),
    (errors.DiskFull, StoreFull),
    (errors.OutOfMemory, StoreFull),
    (errors.InsufficientPrivilege, NotFound),
    (errors.UndefinedTable, StoreDamaged),
    (errors.UndefinedColumn, StoreDamaged),
    (errors.UndefinedFunction, StoreDamaged),
    (errors.UndefinedFile, StoreDamaged),
    (errors.InvalidSchemaName, StoreDamaged),
    (errors.DataCorrupted, StoreDamaged),
    (errors.IndexCorrupted, StoreDamaged),
    (errors.InternalError_, StoreDamaged),
    (errors.UniqueViolation, Conflict),
    (errors.ForeignKeyViolation, NotFound),
    (errors.SerializationFailure, Conflict),
    (errors.DeadlockDetected, Conflict),
    (errors.DataError, InvalidInput),
    (PoolTimeout, StoreUnavailable),
    (TurnTimeout, StoreUnavailable),
    (psycopg.OperationalError, StoreUnavailable),
    (psycopg.InterfaceError, StoreUnavailable),
)


def translated(error: BaseException) -> NeurigraphError | None:
    """The engine's error for a driver's error; None where it is a bug of the engine.

    A database's own message never reaches a caller: it could reveal what exists.
    """
    state = getattr(error, "sqlstate", None)
    found = _OWN_STATES.get(state or "")
    if found is None:
        found = next((ours for driver_error, ours in _TRANSLATIONS if isinstance(error, driver_error)), None)
    if state == STOPPED:  # the only message of the database that callers see: the engine wrote it
        diagnostics = getattr(error, "diag", None)
        return WritingStopped(STORE, diagnostics.message_primary if diagnostics else None)
    if found is None:
        return None
    return found(STORE) if issubclass(found, StoreUnavailable | StoreFailed) else found()


@contextmanager
def translating() -> Iterator[None]:
    """Translates the driver's errors inside the block into the engine's."""
    try:
        yield
    except (psycopg.Error, PoolTimeout, TurnTimeout) as error:
        ours = translated(error)
        if ours is None:
            raise
        raise ours from error
