"""Keyed hashes of what is forgotten, as `engine.tombstone` in Postgres makes them: by these a thing is known again, and nothing
of it can be read.
"""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

from engine.errors import StoreDamaged
from engine.stores.limited import STORE
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

NOBODY = UUID(int=0)
"""Stands for the user of what is of no user."""


class KeyedHashes:
    """Makes the hashes of things of one user, with the key read once."""

    def __init__(self, key: bytes, user_id: UUID | None) -> None:
        self._key, self._user = key, (user_id or NOBODY).bytes
        self._begun: dict[str, bytes] = {}

    def of(self, kind: str, thing: str) -> bytes:
        """The hash of a thing of this kind."""
        begin = self._begun.get(kind)
        if begin is None:
            begin = self._begun[kind] = self._key + kind.encode() + b"\x00" + self._user + b"\x00"
        inner = sha256(begin + thing.encode("utf-8", "surrogatepass")).digest()
        return sha256(self._key + inner).digest()


async def keyed_hashes(postgres: Postgres, user_id: UUID | None) -> KeyedHashes:
    """The hashes of things of this user. Raises StoreUnavailable, StoreDamaged where the key is lost."""
    keys = await postgres.fetch_as_service(sql_text("trace/key"), row=bytes)
    if not keys:
        raise StoreDamaged(STORE)
    return KeyedHashes(keys[0], user_id)
