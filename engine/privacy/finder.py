"""How a kind of personal data is searched for: a pattern, and a check of what matched.

Every pattern is bounded or starts only where a run starts, so that a search is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]
"""The places of a text that hold the kind, in order, none inside another."""
Verify = Callable[[re.Match[str]], Span | None]
"""The place that a match stands for; None where it only looks like one."""

# ASCII alone bounds a number: in scripts without spaces a letter stands right beside it.
START = r"(?<![A-Za-z0-9_])"
END = r"(?![A-Za-z0-9_])"
SPACE = "[ \t\u00a0\u2007\u2009\u202f]"
DASH = r"[-\u2010-\u2015\u2212\uff0d]"


def finder(pattern: str, verify: Verify, flags: re.RegexFlag = re.NOFLAG, *, retry: bool = True) -> Finder:
    """Finds what matches and is verified. After a refusal the search goes on one character later, or behind the match
    (`retry=False`) where nothing inside it could be verified either."""
    compiled = re.compile(pattern, flags)

    def find(text: str) -> Iterator[Span]:
        position = 0
        while match := compiled.search(text, position):
            span = verify(match)
            if span is None:
                position = match.start() + 1 if retry else match.end()
                continue
            yield span
            position = span[1]

    return find


def whole(match: re.Match[str]) -> Span:
    """The match as it is."""
    return match.span()


def value(match: re.Match[str]) -> Span:
    """The first group of the match."""
    return match.span(1)


def digits_of(text: str) -> str:
    """The decimal digits of a text in ASCII, without what separates them."""
    return "".join(str(int(character)) for character in text if character.isdecimal())
