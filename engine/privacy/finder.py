"""How a kind of personal data is searched for: a pattern, and a check of what matched.

Every pattern is bounded or starts only where a run starts, so that a search is linear in the text, whatever it holds. One call
of a pattern sees a window of a long text: a call holds the interpreter's lock, so other threads run between two windows.
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


WINDOW, AHEAD = 16_384, 16_384
"""Characters in which a match of one call may begin, and how many it sees behind them."""
NEAR = 64
"""Characters behind a match that decide whether it is one: a match that ends nearer to the end of what was seen is looked at
again with more of the text."""


def finder(pattern: str, verify: Verify, flags: re.RegexFlag = re.NOFLAG, *, retry: bool = True) -> Finder:
    """Finds what matches and is verified. After a refusal the search goes on one character later, or behind the match
    (`retry=False`) where nothing inside it could be verified either."""
    compiled = re.compile(pattern, flags)

    def find(text: str) -> Iterator[Span]:
        position = 0
        while match := first_match(compiled, text, position):
            span = verify(match)
            if span is None:
                position = match.start() + 1 if retry else match.end()
                continue
            yield span
            position = span[1]

    return find


def first_match(pattern: re.Pattern[str], text: str, position: int = 0) -> re.Match[str] | None:
    """The first match from a position on, window by window; as `pattern.search` finds it, up to AHEAD characters long."""
    while len(text) - position > WINDOW + AHEAD:
        match = pattern.search(text, position, position + WINDOW + AHEAD)
        if match is None or match.start() >= position + WINDOW:
            position += WINDOW
        elif match.end() <= match.endpos - NEAR:
            return match
        elif (longer := _read_on(pattern, match)) is not None:
            return longer
        else:
            position = match.start() + 1
    return pattern.search(text, position)


def _read_on(pattern: re.Pattern[str], match: re.Match[str]) -> re.Match[str] | None:
    """The match at the same place with as much of the text as it goes on, twice as much each time; None where it is none then."""
    text, start, end = match.string, match.start(), match.endpos
    while match.end() > end - NEAR and end < len(text):
        end = min(len(text), start + 2 * (end - start))
        longer = pattern.match(text, start, end)
        if longer is None:
            return None
        match = longer
    return match


def whole(match: re.Match[str]) -> Span:
    """The match as it is."""
    return match.span()


def value(match: re.Match[str]) -> Span:
    """The first group of the match."""
    return match.span(1)


def digits_of(text: str) -> str:
    """The decimal digits of a text in ASCII, without what separates them."""
    return "".join(str(int(character)) for character in text if character.isdecimal())
