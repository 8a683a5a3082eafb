"""Keys of entities: readable, and never one for two names. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable

from engine.domain.names import name_key, slug
from engine.entities.resolution.romanized import romanized

LONGEST_READABLE, HASH_DIGITS = 80, 8
"""Characters of the readable part of a key, and of a hash in it."""


def canonical_key(kind: str, name: str) -> str:
    """`person:dave-kowalski`: the kind and the name in a-z, 0-9 and hyphens; two names have one key if their `name_key` is one.

    Letters of other scripts are romanized. Where the readable part does not say all of the name, as for `C++` or `José`, a dot
    and the hash of the name follow: entities are joined by their key, so it must not be that of another name.
    """
    key = name_key(name)
    whole = slug(romanized(key) or key)
    readable = whole[:LONGEST_READABLE].strip("_").replace("_", "-")
    return f"{kind}:{readable}" if readable.replace("-", " ") == key else f"{kind}:{readable}.{_hashed(key)}"


def free_key(kind: str, name: str, taken: Container[str], batch: str) -> str:
    """The canonical key; where another entity has it, with a tilde and a hash behind it that no other batch gives."""
    key = base = canonical_key(kind, name)
    number = 1
    while key in taken:
        number += 1
        key = f"{base}~{_hashed(batch, base, str(number))}"
    return key


def is_key_of(key: str, names: Iterable[str]) -> bool:
    """Whether a key is that of one of these names."""
    base, kind = key.partition("~")[0], key.partition(":")[0]
    return any(canonical_key(kind, name) == base for name in names)


def words_of(key: str) -> str:
    """The words of the readable part of a key."""
    return re.split(r"[.~]", key.partition(":")[2])[0].replace("-", " ")


def _hashed(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
