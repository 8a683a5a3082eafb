"""Neo4j: one driver, reads and idempotent writes, and the only translation of its errors.

A read is one auto-commit statement, one round trip. A write is one transaction of one statement that may be
repeated (everything is MERGE by id), so the driver's own retries are safe.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    NotificationMinimumSeverity,
    Query,
    TrustCustomCAs,
)
from neo4j.exceptions import AuthError, ClientError, ConstraintError, DriverError, Neo4jError, TransientError

from engine.errors import (
    Conflict,
    InvalidInput,
    NeurigraphError,
    SettingsError,
    StoreFailed,
    StoreTimeout,
    StoreUnavailable,
)

Row = dict[str, Any]

STORE = "graph store"
WRITE_ATTEMPTS = 8
"""Two writers that wait for each other's locks: the server ends one of them, which tries again, later each time."""


def translated(error: BaseException) -> NeurigraphError | None:
    """The engine's error for a driver's error; None where it is a defect of ours."""
    if isinstance(error, ConstraintError):
        return Conflict()
    if isinstance(error, ClientError) and not isinstance(error, AuthError):
        code = error.code or ""
        if "Timeout" in code or "TransactionTimedOut" in code:
            return StoreTimeout(STORE)
        if "Database" in code or "Transaction" in code:
            return StoreUnavailable(STORE)
        return (
            InvalidInput() if "Argument" in code else StoreFailed(STORE, f"The {STORE} refused a statement ({code}).")
        )
    if isinstance(error, TransientError | DriverError | Neo4jError):
        return StoreUnavailable(STORE)
    return None


@contextmanager
def translating() -> Iterator[None]:
    """Within this block the driver's errors leave as the engine's."""
    try:
        yield
    except (Neo4jError, DriverError, OSError) as error:
        ours = StoreUnavailable(STORE) if isinstance(error, OSError) else translated(error)
        if ours is None:
            raise
        raise ours from error


def _encrypted(url: str, authority: Path | None) -> tuple[str, dict[str, Any]]:
    """The URL and the driver's options that ask for a certificate of the authority, fitting the host name.

    The driver knows an authority of one's own only beside the plain schemes; `+s` becomes such an option.
    """
    if authority is None:
        return url, {}
    scheme, separator, place = url.partition("://")
    if scheme.endswith("+ssc"):
        raise SettingsError(f"NEURIGRAPH_NEO4J_CA does not go with {scheme}://, which takes any certificate; use +s.")
    options = {"encrypted": True, "trusted_certificates": TrustCustomCAs(str(authority))}
    return scheme.removesuffix("+s") + separator + place, options


class Neo4j:
    """The driver and the two ways to use it."""

    def __init__(
        self,
        url: str,
        auth: tuple[str, str],
        *,
        database: str,
        pool: int,
        timeout: float,
        authority: Path | None = None,
    ) -> None:
        url, encryption = _encrypted(url, authority)
        self.driver: AsyncDriver = AsyncGraphDatabase.driver(
            url,
            auth=auth,
            **encryption,
            max_connection_pool_size=pool,
            connection_acquisition_timeout=timeout,
            connection_timeout=timeout,
            max_transaction_retry_time=timeout,
            keep_alive=True,
            telemetry_disabled=True,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
        )
        self._database = database
        self._timeout = timeout

    async def open(self) -> None:
        """Proves that the server answers and accepts the password; raises StoreUnavailable."""
        with translating():
            await self.driver.verify_connectivity()

    async def close(self) -> None:
        """Closes all connections."""
        await self.driver.close()

    async def read(self, statement: LiteralString, **parameters: Any) -> list[Row]:
        """The rows of one reading statement, in one round trip; a dead pooled connection is replaced once."""
        try:
            return await self._run(statement, parameters, READ_ACCESS)
        except StoreUnavailable as error:
            if isinstance(error, StoreTimeout):
                raise
            return await self._run(statement, parameters, READ_ACCESS)

    async def write(self, statement: LiteralString, **parameters: Any) -> list[Row]:
        """One idempotent writing statement, its rows; repeated once when the connection broke, and for some time while other
        writers are in its way."""
        for attempt in range(1, WRITE_ATTEMPTS):
            try:
                return await self._run(statement, parameters, WRITE_ACCESS)
            except StoreUnavailable as error:
                in_the_way = isinstance(error.__cause__, TransientError)
                if isinstance(error, StoreTimeout) or (attempt > 1 and not in_the_way):
                    raise
                if in_the_way:
                    await asyncio.sleep(random.uniform(0, 0.02 * 2**attempt))
        return await self._run(statement, parameters, WRITE_ACCESS)

    async def _run(self, statement: LiteralString, parameters: Row, access: str) -> list[Row]:
        with translating():
            async with self.driver.session(
                database=self._database, default_access_mode=access, fetch_size=-1
            ) as session:
                result = await session.run(Query(statement, timeout=self._timeout), parameters)
                return await result.data()
