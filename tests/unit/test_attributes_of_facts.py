"""What the value of an attribute is: a date, a number, a name, or other words."""

from __future__ import annotations

from uuid import UUID

import pytest

from engine.facts.chains import attribute_of


@pytest.mark.parametrize(
    ("text", "attribute", "kind"),
    [
        ("My birthday is May 3.", "birthday", "date"),
        ("Mein Geburtstag ist am 3. Mai.", "birthday", "date"),
        ("Mi cumpleaños es el 3 de mayo.", "birthday", "date"),
        ("Meu aniversário é em 3 de maio.", "birthday", "date"),
        ("Mon anniversaire est le 3 mai.", "birthday", "date"),
        ("The price is about 50 euros.", "price", "number"),
        ("El precio es de unos 50 euros.", "price", "number"),
        ("O preço é cerca de 50 euros.", "price", "number"),
        ("Le loyer est d'environ 500 euros.", "rent", "number"),
        ("Das Passwort ist once.", "password", "text"),
    ],
)
def test_the_kind_of_a_value_is_told_in_each_language(text: str, attribute: str, kind: str) -> None:
    found = attribute_of(UUID(int=1), text, "user", None, None)
    assert (found.attribute, found.kind) == (attribute, kind)
