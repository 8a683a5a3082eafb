"""Addresses in texts: e-mail addresses, phone numbers, handles and web addresses. Whose they are, the user's aliases say. Pure.

+49 171 23 45    as +491712345: a number is found again with other spaces and marks, not with another prefix
@dave            a handle with its sign, and no part of an e-mail address
www.dave.org/    as dave.org: without scheme, www. and the last slash
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from engine.domain.entity import Mention
from engine.domain.entity_decision import AliasType, alias_key

MOST_OF_TEXT = 50
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HANDLE = re.compile(r"(?<![\w@./:+-])@\w[\w.-]*\w")
_PHONE = re.compile(r"(?<![\w.,/:+-])(?:\+|00)?\(?\d[\d ()/.\u00a0-]{5,22}\d(?![\w])")
_URL = re.compile(r"(?<![\w@])(?:https?://|www\.)[^\s<>\"'()\[\]{}]+[\w/]")
_FOUND: Mapping[AliasType, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "url": (_URL, lambda text: "://" in text or "www." in text),
    "email": (_EMAIL, lambda text: "@" in text),
    "handle": (_HANDLE, lambda text: "@" in text),
    "phone": (_PHONE, lambda _: True),
}


def contacts_in(text: str) -> list[Mention]:
    """The addresses of a text, apart from each other, at most 50; their `name` is the normal form."""
    found = sorted(_found(text), key=lambda one: (one.start, -one.end))
    apart: list[Mention] = []
    for one in found:
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return apart[:MOST_OF_TEXT]


def without_addresses(text: str) -> str:
    """The text without addresses of words: `dave@example.org` does not say that `dave` is an ordinary word."""
    for pattern, possible in (_FOUND["url"], _FOUND["email"], _FOUND["handle"]):
        text = pattern.sub(" ", text) if possible(text) else text
    return text


def _found(text: str) -> Iterator[Mention]:
    for type_, (pattern, possible) in _FOUND.items():
        if possible(text):
            for match in pattern.finditer(text):
                key = alias_key(type_, match[0])
                if key:
                    yield Mention(key, match.start(), match.end(), form="contact", sure=False)
