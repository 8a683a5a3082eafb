"""Receipts of forgettings: what was forgotten, by keyed hashes, when and by whom, how much it was, and what was still found;
signed with Ed25519 by the key of the home.

What is signed is the receipt as JSON: keys sorted, no blanks, UTF-8. So everybody who has the public key can check a receipt
without the engine, and nobody reads from it what was forgotten: the key of the hashes stays in Postgres.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import orjson
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from engine.domain.forgetting import Trace
from engine.errors import ReceiptChanged, ReceiptKeyUnusable, ReceiptUnreadable

VERSION: Literal[1] = 1
Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A keyed hash, as hex digits; see `engine.tombstone` in Postgres."""


def _distinct(hashes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*hashes}))


Moment = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]
Count = Annotated[int, Field(ge=0)]
Hashes = Annotated[tuple[Hex, ...], AfterValidator(_distinct)]


class Receipt(BaseModel):
    """What a forgetting did. `subject` and `user`: keyed hashes of what was forgotten and whose it was; `asked_by`: who asked, by
    a surrogate once that one is forgotten; `counts`: what was erased, by store and place; `ids` and `words`: keyed hashes of what
    was looked for at the end; `words_of_others`: how many words were not looked for, because others say them; `found`: what was
    found then, nothing where all is gone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["neurigraph forgetting"] = "neurigraph forgetting"
    version: Literal[1] = VERSION
    forgetting_id: UUID
    number: Count
    kind: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    subject: Hex
    user: Hex
    asked_by: Annotated[str, StringConstraints(max_length=200)]
    asked_at: Moment
    began_at: Moment
    ended_at: Moment
    counts: Mapping[str, Mapping[str, Count]]
    ids: Hashes
    words: Hashes
    words_of_others: Count = 0
    found: tuple[Trace, ...] = ()

    @property
    def plain(self) -> dict[str, Any]:
        """The receipt as JSON has it."""
        return self.model_dump(mode="json")


class SignedReceipt(BaseModel):
    """A receipt as it is kept and handed out. `key`: which key signed it, see `fingerprint`; `signature`: Ed25519, in base64."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    receipt: dict[str, Any]
    key: str
    signature: str


def canonical(plain: Mapping[str, Any]) -> bytes:
    """What is signed: JSON with sorted keys and no blanks. Raises ReceiptUnreadable for what JSON cannot hold."""
    try:
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONEncodeError, RecursionError) as error:
        raise ReceiptUnreadable from error


def fingerprint(public: Ed25519PublicKey) -> str:
    """What tells public keys apart: the first 16 hex digits of the SHA-256 of the key's 32 bytes."""
    digest = Hash(SHA256())
    digest.update(public.public_bytes(Encoding.Raw, PublicFormat.Raw))
    return digest.finalize().hex()[:16]


class ReceiptKey:
    """The key that signs receipts, in a file of its own (PEM, PKCS 8, for the owner alone); no part of a backup. All block."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def sign(self, receipt: Receipt) -> SignedReceipt:
        """The receipt with its signature; makes the key where there is none. Raises ReceiptKeyUnusable."""
        key = self._key_for_signing()
        plain = receipt.plain
        signature = base64.b64encode(key.sign(canonical(plain))).decode()
        return SignedReceipt(receipt=plain, key=fingerprint(key.public_key()), signature=signature)

    def verify(self, signed: Mapping[str, Any] | bytes) -> Receipt:
        """The receipt, where this key signed it as it is; see `verify_signature`. Raises ReceiptKeyUnusable, and ReceiptChanged
        also where there is no key: a new one could only say that it did not sign it."""
        document = _document(signed).model_dump()
        if not os.path.lexists(self._file):
            raise ReceiptChanged(ReceiptChanged.NO_KEY)
        return verify_signature(document, _pem(self._held().public_key()))

    @property
    def exists(self) -> bool:
        """Whether there is a key."""
        return os.path.lexists(self._file)

    def public_key(self) -> str:
        """The public key as PEM, for all who check receipts; makes the key where there is none. Raises ReceiptKeyUnusable."""
        return _pem(self._key_for_signing().public_key())

    def _key_for_signing(self) -> Ed25519PrivateKey:
        """The key, made where there is none; of processes that make it at once all get one."""
        if not os.path.lexists(self._file):
            try:
                self._make()
            except OSError as error:
                raise ReceiptKeyUnusable(f"The key of receipts cannot be written: {error.strerror}.") from error
        return self._held()

    def _make(self) -> None:
        key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = self._file.with_name(f".{uuid4().hex}.part")
        try:
            with open(made, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as writer:
                writer.write(key)
                writer.flush()
                os.fsync(writer.fileno())
            with suppress(FileExistsError):
                os.link(made, self._file)
        finally:
            made.unlink(missing_ok=True)
        folder = os.open(self._file.parent, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(folder)  # before anything is signed by it: after a power cut a receipt must not outlive its key
        os.close(folder)

    def _held(self) -> Ed25519PrivateKey:
        try:
            key = load_pem_private_key(self._file.read_bytes(), password=None)
        except FileNotFoundError as error:
            raise ReceiptKeyUnusable("The key of receipts was removed meanwhile.") from error
        except OSError as error:
            raise ReceiptKeyUnusable(f"The key of receipts cannot be read: {error.strerror}.") from error
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise ReceiptKeyUnusable from error
        if not isinstance(key, Ed25519PrivateKey):
            raise ReceiptKeyUnusable
        return key


def verify_signature(signed: Mapping[str, Any] | bytes, public_key: str) -> Receipt:
    """The receipt, where the key of this public key (PEM) signed it as it is. `signed`: as `SignedReceipt`, or the bytes of its
    JSON.

    Raises ReceiptChanged where a value of it is another one, or another key signed it; ReceiptUnreadable for what is no receipt,
    or is one of a later version; ReceiptKeyUnusable where the public key is none.
    """
    document = _document(signed)
    public = _public(public_key)
    try:
        public.verify(base64.b64decode(document.signature, validate=True), canonical(document.receipt))
    except (InvalidSignature, ValueError) as error:
        other = document.key != fingerprint(public)
        raise ReceiptChanged(ReceiptChanged.OTHER_KEY if other else None) from error
    if document.key != fingerprint(public):
        raise ReceiptChanged
    try:
        return Receipt.model_validate_json(canonical(document.receipt))
    except ValidationError as error:
        raise ReceiptUnreadable from error


def _document(signed: Mapping[str, Any] | bytes) -> SignedReceipt:
    try:
        given = orjson.loads(signed) if isinstance(signed, bytes) else signed
        return SignedReceipt.model_validate(given, strict=True)
    except (orjson.JSONDecodeError, ValidationError, RecursionError) as error:
        raise ReceiptUnreadable from error


def _public(pem: str) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ReceiptKeyUnusable("This is no public key of receipts.") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ReceiptKeyUnusable("This is no public key of receipts.")
    return key


def _pem(public: Ed25519PublicKey) -> str:
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
