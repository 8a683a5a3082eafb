"""Addresses in texts, and their normal forms."""

from __future__ import annotations

import pytest

from engine.domain.entity import AliasType, alias_key
from engine.naming.names import contacts_in


@pytest.mark.ledger("F07")
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Write to Dave.K+x@Mail.Example.org, or call.", ["dave.k+x@mail.example.org"]),
        ("Dave (+49 171 234-56 78) and 0049 (171) 2345678", ["+491712345678", "+491712345678"]),
        ("by @davek and @Ellen.H.", ["@davek", "@ellen.h"]),
        ("see https://www.Example.org/a/ or www.example.org.", ["example.org/a", "example.org"]),
        ("at 10:30 on 12.5., 3,000 euro, a@b, e@", []),
        ("version 1.2.3 of 2024, 3.5 %", []),
        ("user@host.example:8080/x", ["user@host.example"]),
    ],
)
def test_addresses_are_found(text: str, keys: list[str]) -> None:
    found = contacts_in(text)
    assert [one.name for one in found] == keys
    assert all(one.form == "contact" and not one.sure and text[one.start : one.end].strip() for one in found)


@pytest.mark.ledger("F07")
@pytest.mark.parametrize(
    ("alias_type", "value", "key"),
    [
        ("name", "  Dave   KOWALSKI", "dave kowalski"),
        ("email", "Dave@Example.org", "dave@example.org"),
        ("email", "dave", ""),
        ("phone", "00 49 171 2345", "+491712345"),
        ("phone", "(0171) 23 45-67", "0171234567"),
        ("phone", "call me", ""),
        ("phone", "12345", ""),
        ("handle", "@DaveK", "@davek"),
        ("handle", "DaveK", "@davek"),
        ("handle", "a b", ""),
        ("url", "HTTPS://www.Example.org/Dave/", "example.org/dave"),
        ("id", "Customer 7", "customer 7"),
    ],
)
def test_an_alias_has_one_normal_form(alias_type: AliasType, value: str, key: str) -> None:
    assert alias_key(alias_type, value) == key
