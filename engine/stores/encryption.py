"""Encryption of objects: the files of each user by a key of that user's own, which the operator's key wraps.

    operator's keys   NEURIGRAPH_ENCRYPTION_KEYS, or a file of them: the first one wraps, each of them unwraps
    user's key        a file in a folder that is no part of a backup. Whoever deletes it makes all files of the user
                      unreadable, those in older backups, too
    object            HEADER, then pieces of 64 KiB, each sealed by AES-256-GCM under a key of the object's own:
                      HKDF of the user's key and a salt

The nonce of a piece is its number and whether it is the last one: pieces cannot be exchanged, repeated or cut off. (The
construction STREAM of Hoang, Reyhanitabar, Rogaway and Vizár: Online Authenticated-Encryption and its Nonce-Reuse
Misuse-Resistance, 2015.)
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from uuid import uuid4

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from engine.errors import DamagedFile, SettingsError, StoreUnavailable

MAGIC = bytes.fromhex("9b4e475201d1e6c7")
"""How an object that is encrypted begins; one that is not, but begins so, is put behind a header of its own (`NO_KEY`)."""
NAME, SALT, NONCE, TAG = 8, 32, 12, 16
"""Bytes of the name of a key, of a salt, of a nonce, of an authentication tag."""
HEADER = len(MAGIC) + NAME + SALT
NO_KEY = bytes(NAME)
PIECE = 64 << 10
KEY = 32
IN_MEMORY = 8 << 20
"""Encrypted objects up to this size wait in memory to be put, larger ones in a temporary file."""
SUFFIX = ".key"
GONE = "The key of this user's files is not there: it was destroyed, or the folder of the keys was not brought here."
NO_OPERATOR = (
    "The file is encrypted, and the operator's key that wraps its key is not set (NEURIGRAPH_ENCRYPTION_KEYS)."
)


def new_operator_key() -> str:
    """A random key as the settings take it."""
    return base64.b64encode(os.urandom(KEY)).decode()


def operator_keys(given: str) -> tuple[bytes, ...]:
    """Keys from a setting or a file: base64, with commas or line ends between. Raises SettingsError."""
    keys = []
    for text in given.replace(",", "\n").split():
        with suppress(ValueError):
            key = base64.b64decode(text, validate=True)
            if len(key) == KEY:
                keys.append(key)
                continue
        raise SettingsError(
            f"An operator's key is {KEY} bytes in base64, as `neurigraph encryption-key new` prints one."
        )
    return tuple(keys)


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """The key of a user as its file holds it. `user`: the first part of the user's object keys; `operator`: the name of the key
    that wraps it."""

    user: str
    operator: str
    nonce: bytes
    wrapped: bytes


class UserKeys:
    """The keys of users in their folder."""

    def __init__(self, folder: Path, operator: Sequence[bytes]) -> None:
        self._folder, self._operator = folder, {_name(key).hex(): key for key in operator}

    def key(self, user: str) -> bytes:
        """The key of a user. Raises DamagedFile where it is not there or cannot be unwrapped. Blocks."""
        try:
            held = self._held(self._file(user))
        except FileNotFoundError as error:
            raise DamagedFile(GONE) from error
        return self._unwrapped(held)

    def key_for_writing(self, user: str) -> bytes:
        """The same, made where there is none; of processes that make it at once all get one. Raises StoreUnavailable where the
        folder cannot be written. Blocks."""
        try:
            if not self._file(user).exists():
                self._make(user)
        except OSError as error:
            raise StoreUnavailable("folder of the keys") from error
        return self.key(user)

    def _make(self, user: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = self._folder / f".{uuid4().hex}.part"
        try:
            self._write(made, self._wrapped(user, os.urandom(KEY)))
            with suppress(FileExistsError):
                os.link(made, self._file(user))
        finally:
            made.unlink(missing_ok=True)
        self._sync()  # before anything is encrypted by it: after a power cut a file must not outlive its key

    def destroy(self, user: str) -> bool:
        """Overwrites and deletes the key of a user; False where there was none. Blocks."""
        file = self._file(user)
        try:
            with file.open("r+b") as key:
                key.write(bytes(os.fstat(key.fileno()).st_size))
                key.flush()
                os.fsync(key.fileno())
            file.unlink()
        except FileNotFoundError:
            return False
        self._sync()
        return True

    def listing(self) -> Iterator[WrappedKey]:
        """All keys, by user. Blocks."""
        for file in sorted(self._folder.glob(f"*{SUFFIX}")):
            with suppress(FileNotFoundError):  # deleted meanwhile
                yield self._held(file)

    def rewrap(self) -> int:
        """Wraps each key by the operator's first key, where another one wraps it; how many. No file of a user is touched. Raises
        DamagedFile for a key that none of the operator's keys unwraps; those before it are done. Blocks."""
        first, number = next(iter(self._operator), ""), 0
        for held in self.listing():
            if held.operator != first:
                again = self._wrapped(held.user, self._unwrapped(held))
                made = self._folder / f".{uuid4().hex}.part"
                self._write(made, again)
                made.replace(self._file(held.user))
                number += 1
        self._sync()
        return number

    def _file(self, user: str) -> Path:
        return self._folder / f"{user}{SUFFIX}"

    def _held(self, file: Path) -> WrappedKey:
        try:
            content = json.loads(file.read_bytes())
            nonce, wrapped = (base64.b64decode(content[name], validate=True) for name in ("nonce", "wrapped"))
            return WrappedKey(content["user"], content["operator"], nonce, wrapped)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StoreUnavailable("folder of the keys") from error
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedFile(f"{file.name} in the folder of the keys is damaged.") from error

    def _wrapped(self, user: str, key: bytes) -> WrappedKey:
        name, operator = next(iter(self._operator.items()))
        nonce = os.urandom(NONCE)
        return WrappedKey(user, name, nonce, AESGCM(operator).encrypt(nonce, key, user.encode()))

    def _unwrapped(self, held: WrappedKey) -> bytes:
        operator = self._operator.get(held.operator)
        if operator is None:
            raise DamagedFile(NO_OPERATOR)
        try:
            return AESGCM(operator).decrypt(held.nonce, held.wrapped, held.user.encode())
        except (InvalidTag, ValueError) as error:
            raise DamagedFile(f"{held.user}{SUFFIX} in the folder of the keys is damaged.") from error

    def _write(self, file: Path, held: WrappedKey) -> None:
        content = {"user": held.user, "operator": held.operator}
        for name in ("nonce", "wrapped"):
            content[name] = base64.b64encode(getattr(held, name)).decode()
        with open(file, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as writer:
            writer.write(json.dumps(content).encode())
            writer.flush()
            os.fsync(writer.fileno())

    def _sync(self) -> None:
        with suppress(FileNotFoundError):
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
            os.fsync(folder)
            os.close(folder)


class Encryption:
    """Encrypts objects where that is `on`, and decrypts those that are."""

    def __init__(self, keys: UserKeys, *, on: bool) -> None:
        self._keys, self._on = keys, on

    async def sealed(self, user: str, content: IO[bytes]) -> IO[bytes]:
        """What is put in place of the content, from its present position on. Raises DamagedFile where the user's key cannot be
        unwrapped."""
        start = content.tell()
        begins_so = content.read(len(MAGIC)) == MAGIC
        content.seek(start)
        return await asyncio.to_thread(self._sealed, user, content) if self._on or begins_so else content

    def _sealed(self, user: str, content: IO[bytes]) -> IO[bytes]:
        target: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed by the caller)
        salt = os.urandom(SALT)
        key = self._keys.key_for_writing(user) if self._on else None
        header = MAGIC + (_name(key) if key else NO_KEY) + salt
        target.write(header)
        pieces = _Pieces(key, header, user) if key else None
        piece, number = content.read(PIECE), 0
        while True:
            following = content.read(PIECE)
            target.write(pieces.seal(number, piece, last=not following) if pieces else piece)
            if not following:
                break
            piece, number = following, number + 1
        target.seek(0)
        return target

    async def opened(self, user: str, blocks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The bytes of an object as they were before they were encrypted. Raises DamagedFile, where they were changed, cut off or
        exchanged, or their key is not there; what came before is right."""
        held = b""
        async for block in blocks:
            held += block
            if len(held) >= HEADER:
                break
        if not held.startswith(MAGIC) or len(held) < HEADER:
            async for block in _with_first(held, blocks):
                yield block
            return
        header, held = held[:HEADER], held[HEADER:]
        name = header[len(MAGIC) : -SALT]
        pieces = None if name == NO_KEY else await asyncio.to_thread(self._pieces, user, name, header)
        async for block in _with_first(held, blocks):
            yield block if pieces is None else await asyncio.to_thread(pieces.take, block)
        if pieces is not None:
            yield pieces.end()

    def _pieces(self, user: str, name: bytes, header: bytes) -> _Pieces:
        key = self._keys.key(user)
        if _name(key) != name:
            raise DamagedFile("The file is encrypted by another key than the one that its user has now.")
        return _Pieces(key, header, user)


class _Pieces:
    """The pieces of one object."""

    def __init__(self, key: bytes, header: bytes, user: str) -> None:
        derived = HKDF(SHA256(), KEY, salt=header[-SALT:], info=b"neurigraph object").derive(key)
        self._cipher, self._about = AESGCM(derived), header + user.encode()
        self._held, self._number = b"", 0

    def seal(self, number: int, piece: bytes, *, last: bool) -> bytes:
        return self._cipher.encrypt(_nonce(number, last=last), piece, self._about)

    def take(self, block: bytes) -> bytes:
        """What can be opened with a further block; a whole piece is kept back, as it may be the last one."""
        held, at, opened = self._held + block, 0, []
        while len(held) - at > PIECE + TAG:
            opened.append(self._open(held[at : at + PIECE + TAG], last=False))
            at += PIECE + TAG
        self._held = held[at:]
        return b"".join(opened)

    def end(self) -> bytes:
        return self._open(self._held, last=True)

    def _open(self, piece: bytes, *, last: bool) -> bytes:
        try:
            opened = self._cipher.decrypt(_nonce(self._number, last=last), piece, self._about)
        except (InvalidTag, ValueError) as error:
            raise DamagedFile from error
        self._number += 1
        return opened


async def _with_first(first: bytes, blocks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if first:
        yield first
    async for block in blocks:
        yield block


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(NONCE - 1, "big") + bytes([last])


def _name(key: bytes) -> bytes:
    """What tells keys apart and says nothing of them."""
    return hashlib.sha256(b"neurigraph key name" + key).digest()[:NAME]
