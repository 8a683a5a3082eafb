"""Titles in quotation marks or italics, and nicknames. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.tables import one_of
from engine.naming.spelling import CAPITALS
from engine.naming.words import NATIONALITIES, NOUNS, OPENERS, STOP_WORDS

_MOST = 120
_QUOTED = re.compile(
    rf"(?<![\w\"])\"{{1,2}}(?P<a>[^\"\n]{{1,{_MOST}}})\"{{1,2}}(?![\w])"
    rf"|“(?P<b>[^“”\n]{{1,{_MOST}}})”|„(?P<c>[^„“”\n]{{1,{_MOST}}})[“”]"
    rf"|«\s?(?P<d>[^«»\n]{{1,{_MOST}}})\s?»|``\s?(?P<e>[^`\n]{{1,{_MOST}}}?)\s?''|(?<!\w)‘(?P<f>[^‘’\n]{{1,{_MOST}}})’(?!\w)"
    rf"|(?<![\w*])\*(?P<g>[^*\n]{{1,{_MOST}}})\*(?![\w*])|(?<![\w_])_(?P<h>[^_\n]{{1,{_MOST}}})_(?![\w_])"
    rf"|(?<![\w'])'(?P<i>[^'\n]{{1,{_MOST}}})'(?![\w'])"
)
_MARK = re.compile(r"[\"“„«`‘*_]|(?<!\w)'")
_WORD = re.compile(r"[^\W_][\w'’.-]*")
_CALLED = re.compile(rf"(?:{one_of('written_names', 'announced')})[ ,:=(]*$", re.IGNORECASE)
_LEAST_LARGE = 0.7
"""Share of the longer words that have a capital in a title."""
_MOST_WORDS = 14


def titles_in(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where titles stand, without their marks; True for one that a noun or verb announces, as in: the novel "Emma"."""
    if _MARK.search(text) is None:
        return
    for match in _QUOTED.finditer(text):
        group = match.lastgroup or "a"
        start, end = match.span(group)
        while end > start and text[end - 1] in " ,;.":
            end -= 1
        while start < end and text[start] == " ":
            start += 1
        words = _WORD.findall(text[start:end])
        before = text[max(0, match.start() - 40) : match.start()].rstrip(" (“\"`'")
        noun = re.search(r"([^\W\d_]+)$", before)
        announced = _CALLED.search(before) is not None or (noun is not None and NOUNS.get(noun[1].casefold()) == "work")
        if words and len(words) <= _MOST_WORDS and _is_title(text[start:end], words, announced):
            yield start, end, announced


def _is_title(text: str, words: list[str], announced: bool) -> bool:
    if not any(word[0] in CAPITALS for word in words):
        return False
    if len(words) == 1:
        folded = words[0].casefold()
        return announced or not (
            folded in STOP_WORDS or folded in OPENERS or folded in NATIONALITIES or text[-1] in ".!?"
        )
    long = [word for word in words if len(word) > 3]
    large = sum(word[0] in CAPITALS for word in long)
    if long and large >= _LEAST_LARGE * len(long):
        return announced or text[-1] not in ".!?" or large > 1
    return announced and text[-1] != "." and words[0][0] in CAPITALS
