"""Receipts: signed by the key of the home, checked by whoever has the public one; what was changed is noticed."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_public_key,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.domain.forgetting import Trace
from engine.errors import ReceiptChanged, ReceiptKeyUnusable, ReceiptUnreadable
from engine.forgetting.receipts import Receipt, ReceiptKey, SignedReceipt, canonical, verify_signature
from engine.settings import Settings
from engine.wiring.addresses import key_of_receipts

ASKED = datetime(2026, 11, 30, 12, tzinfo=UTC)


def receipt(**changed: Any) -> Receipt:
    given = {
        "forgetting_id": UUID("0190a5c4-0000-7000-8000-000000000001"),
        "number": 7,
        "kind": "record",
        "subject": "a" * 64,
        "user": "b" * 64,
        "asked_by": "user:0190a5c4-0000-8000-8000-000000000002",
        "asked_at": ASKED,
        "began_at": ASKED + timedelta(seconds=1),
        "ended_at": ASKED + timedelta(minutes=11),
        "counts": {"tables": {"template.memory_items": 12}, "objects": {"ROOT/NODES/FILE/NAME": 2}},
        "ids": ("d" * 64, "c" * 64),
        "words": ("e" * 64,),
        "words_of_others": 3,
        "found": (Trace("tables", "engine.outbox", "payload", 2),),
    }
    return Receipt(**(given | changed))


@pytest.fixture
def key(tmp_path: Path) -> ReceiptKey:
    return ReceiptKey(tmp_path / "receipt-key.pem")


def test_a_signed_receipt_is_read_again_as_it_was_by_whoever_has_the_public_key(key: ReceiptKey) -> None:
    signed = key.sign(receipt()).model_dump()
    assert key.verify(signed) == receipt()
    assert verify_signature(json.dumps(signed, indent=2).encode(), key.public_key()) == receipt()
    kept = json.loads(json.dumps(dict(reversed(signed.items()))))  # a store may order keys anew
    kept["receipt"] = dict(reversed(kept["receipt"].items()))
    assert key.verify(kept) == receipt()


def test_times_are_in_utc_and_hashes_in_order(key: ReceiptKey) -> None:
    there = receipt(asked_at=ASKED.astimezone(timezone(timedelta(hours=5))))
    assert there == receipt() and canonical(there.plain) == canonical(receipt().plain)
    assert there.ids == ("c" * 64, "d" * 64)
    with pytest.raises(ValidationError):
        receipt(asked_at=datetime(2026, 11, 30))
    for odd in ("x" * 64, "a" * 63, "Anna"):
        with pytest.raises(ValidationError):
            receipt(words=(odd,))


def test_what_is_signed_can_be_checked_without_the_engine(key: ReceiptKey) -> None:
    signed = key.sign(receipt())
    text = json.dumps(signed.receipt, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert text == canonical(signed.receipt)
    public = load_pem_public_key(key.public_key().encode())
    public.verify(base64.b64decode(signed.signature), text)  # type: ignore[union-attr, call-arg]


def leaves(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    found = [leaf for name, part in parts for leaf in leaves(part, (*path, name))]
    return found or [path]


@pytest.mark.parametrize(
    "path", leaves(json.loads(canonical(receipt().plain))), ids=lambda path: "-".join(map(str, path))
)
def test_a_receipt_of_which_anything_was_changed_is_refused(key: ReceiptKey, path: tuple[Any, ...]) -> None:
    for change in ("other", "less", "more"):
        signed = json.loads(orjson.dumps(key.sign(receipt()).model_dump()))
        place = signed["receipt"]
        for name in path[:-1]:
            place = place[name]
        if change == "other":
            place[path[-1]] = place[path[-1]] + 1 if isinstance(place[path[-1]], int) else f"{place[path[-1]]}0"
        elif change == "less":
            del place[path[-1]]
        elif isinstance(place, list):
            place.append(place[-1])
        else:
            place["more"] = 1
        with pytest.raises(ReceiptChanged):
            key.verify(signed)


@given(at=st.integers(min_value=0), to=st.integers(0, 255))
def test_bytes_that_were_changed_are_never_taken_for_another_receipt(at: int, to: int) -> None:
    signed = bytearray(WHOLE)
    signed[at % len(signed)] = to
    try:
        read = verify_signature(bytes(signed), PUBLIC)
    except (ReceiptChanged, ReceiptUnreadable):
        return
    assert read == receipt()  # a blank, or the same byte


def signed_once() -> tuple[bytes, str]:
    with tempfile.TemporaryDirectory() as folder:
        key = ReceiptKey(Path(folder) / "key.pem")
        return orjson.dumps(key.sign(receipt()).model_dump()), key.public_key()


WHOLE, PUBLIC = signed_once()


def test_a_receipt_of_another_key_is_refused_with_that_reason(key: ReceiptKey, tmp_path: Path) -> None:
    other = ReceiptKey(tmp_path / "other.pem")
    signed = other.sign(receipt()).model_dump()
    key.public_key()
    with pytest.raises(ReceiptChanged, match="another key"):
        key.verify(signed)
    ours = key.sign(receipt()).model_dump()
    with pytest.raises(ReceiptChanged):
        key.verify(ours | {"key": signed["key"]})
    with pytest.raises(ReceiptChanged):
        key.verify(ours | {"signature": signed["signature"]})


@pytest.mark.parametrize(
    "given",
    [
        b"", b"{", b"[]", b"null", b"{}", b'{"receipt": 1, "key": "", "signature": ""}', b"\xff",
        b'{"receipt": {}, "key": "", "signature": "", "more": 1}', b"[" * 100_000,
    ],
    ids=range(9),
)  # fmt: skip
def test_what_is_no_receipt_is_said(key: ReceiptKey, given: bytes) -> None:
    key.public_key()
    with pytest.raises(ReceiptUnreadable):
        key.verify(given)


def test_a_receipt_of_a_later_version_is_said(key: ReceiptKey) -> None:
    key.public_key()
    plain = receipt().plain | {"version": 2, "more": "something"}
    held = key._held()
    signature = base64.b64encode(held.sign(canonical(plain))).decode()
    signed = SignedReceipt(receipt=plain, key=key.sign(receipt()).key, signature=signature)
    with pytest.raises(ReceiptUnreadable, match="later release"):
        key.verify(signed.model_dump())


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    file = folder / "receipt-key.pem"
    os.umask(0o022)
    with ThreadPoolExecutor(8) as threads:
        keys = {*threads.map(lambda _: ReceiptKey(file).public_key(), range(32))}
    assert len(keys) == 1 and file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == [file.name]
    before = file.read_bytes()
    ReceiptKey(file).sign(receipt())
    assert file.read_bytes() == before


def test_processes_that_make_the_key_at_once_get_the_same(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from engine.forgetting.receipts import ReceiptKey;"
        " print(ReceiptKey(pathlib.Path(sys.argv[1])).public_key())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "key.pem")], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert len({process.communicate(timeout=60)[0] for process in running}) == 1


def test_a_missing_key_is_said_and_not_made_to_check(key: ReceiptKey, tmp_path: Path) -> None:
    signed = key.sign(receipt()).model_dump()
    (tmp_path / "receipt-key.pem").unlink()
    with pytest.raises(ReceiptChanged, match="lost"):
        key.verify(signed)
    with pytest.raises(ReceiptUnreadable):
        key.verify({"receipt": {}, "key": ""})
    assert not [*tmp_path.iterdir()]
    key.public_key()
    with pytest.raises(ReceiptChanged, match="another key"):
        key.verify(signed)


def pem(key: Any, password: bytes | None = None) -> bytes:
    lock = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)


DAMAGE = {
    "empty": lambda: b"",
    "no PEM": lambda: b"nothing",
    "cut": lambda: pem(Ed25519PrivateKey.generate())[:60],
    "of RSA": lambda: pem(generate_private_key(65537, 2048)),
    "locked": lambda: pem(Ed25519PrivateKey.generate(), b"password"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_key_is_said_and_stays(key: ReceiptKey, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "receipt-key.pem"
    file.write_bytes(DAMAGE[damage]())
    before = file.read_bytes()
    for call in (key.public_key, lambda: key.sign(receipt()), lambda: key.verify(WHOLE)):
        with pytest.raises(ReceiptKeyUnusable, match="damaged"):
            call()
    assert file.read_bytes() == before


def test_a_key_that_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ReceiptKeyUnusable, match="cannot be read"):
        ReceiptKey(tmp_path / "folder").public_key()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ReceiptKeyUnusable, match="cannot be"):
        ReceiptKey(tmp_path / "file" / "key.pem").sign(receipt())
    rsa = generate_private_key(65537, 2048).public_key()
    of_rsa = rsa.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    for odd in ("", "nothing", pem(Ed25519PrivateKey.generate()).decode(), of_rsa):
        with pytest.raises(ReceiptKeyUnusable):
            verify_signature(WHOLE, odd)


def test_the_key_lies_in_the_home_or_where_the_setting_says(tmp_path: Path) -> None:
    home = Settings(_env_file=None, home=tmp_path / "home")
    key_of_receipts(home).public_key()
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["receipt-key.pem"]
    elsewhere = Settings(_env_file=None, home=tmp_path / "other", receipt_key=tmp_path / "key.pem")
    key_of_receipts(elsewhere).public_key()
    assert (tmp_path / "key.pem").exists() and not (tmp_path / "other").exists()
