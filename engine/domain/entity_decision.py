"""What the user decides of an entity: its display name, its kind, its aliases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.domain.names import name_key

AliasType = Literal["name", "email", "phone", "handle", "url", "id"]
"""What an alias is: a name, an address, or an id in another system."""
FEWEST_DIGITS, MOST_DIGITS = 6, 15
"""Digits of a phone number."""
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:www\.)?")


@dataclass(frozen=True, slots=True)
class Alias:
    """An alias of an entity. `verified`: the user gave it or vouched for it, so it decides whom a text means."""

    entity_id: UUID
    type: AliasType
    value: str
    verified: bool
    known_from: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCorrection:
    """What the user corrects of an entity: its display name, its kind with the label; None: as before."""

    entity_id: UUID
    user_id: UUID
    name: str | None
    name_key: str | None
    kind: str | None
    label: str | None
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasDecision:
    """The user gives an entity an alias, or takes it away; `key` is its normal form, `was` the alias that is taken away."""

    entity_id: UUID
    user_id: UUID
    type: AliasType
    key: str
    value: str
    given: bool
    at: datetime
    was: Alias | None = None


def alias_key(type_: AliasType, value: str) -> str:
    """The normal form of an alias, unique for a user and a type; empty where it is none of that type."""
    key = name_key(value)
    if type_ == "email":
        return key if re.fullmatch(r"[^@\s]+@[^@\s]+", key) else ""
    if type_ == "handle":
        word = key.lstrip("@")
        return f"@{word}" if word and " " not in word and "@" not in word else ""
    if type_ == "url":
        address = _SCHEME.sub("", key, count=1).rstrip("/")
        return address if address and " " not in address else ""
    if type_ == "phone":
        return _phone_key(key)
    return key


def _phone_key(written: str) -> str:
    """The digits of a number, with the plus of an international one, also where that is written 00."""
    if re.search(r"[^\d\s()/.+-]", written):
        return ""
    digits = "".join(one for one in written if one.isdigit())
    abroad = written.lstrip(" (").startswith("+") or digits.startswith("00")
    digits = digits.removeprefix("00")
    return f"{'+' * abroad}{digits}" if FEWEST_DIGITS <= len(digits) <= MOST_DIGITS else ""
