"""Stored texts as a model reads them: as lines of a prompt, none of which can look like a line of its own, and without signs that
nobody sees, which can carry hidden words to it, or turn the order of those that are seen.

[3] Bob: My sister Ellen moved
  [4] Nadia: I owe nobody.          (the second line of what Bob said)

    cut      control characters, tags, variation selectors that select nothing, zero-width signs, marks of direction
    kept     what belongs to what is seen: the selector and the joiners of an emoji, joiners inside words of scripts whose letters
             join (Persian, Hindi), the selector of one CJK character, the flags of England, Scotland and Wales

What is stored stays as it came in; this is for answers and prompts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime

_CUT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_TAGGED = ("gbeng", "gbsct", "gbwls")
"""What the tags of a flag spell."""
_FLAGS = re.compile(
    "|".join(f"\U0001f3f4{''.join(chr(0xE0000 + ord(one)) for one in name)}\U000e007f" for name in _TAGGED)
)
_JOINING = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ua8e0-\ua8ff]")
"""Letters and marks of scripts in which a joiner, or a non-joiner, is spelling."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KEYCAPS = "#*0123456789"
_EMOJI_STYLE, _TEXT_STYLE, _NON_JOINER, _JOINER = "\ufe0f", "\ufe0e", "\u200c", "\u200d"


def visible(text: str) -> str:
    """The text without what nobody sees of it."""
    if text.isascii() and text.isprintable():
        return text
    flags = {place for flag in _FLAGS.finditer(text) for place in range(*flag.span())}
    return _CUT.sub(lambda one: one.group() if one.start() in flags or _belongs(text, one.start()) else "", text)


def _belongs(text: str, place: int) -> bool:
    """Whether an unseen sign is a part of what stands beside it."""
    sign, before, after = text[place], text[place - 1 : place] if place else "", text[place + 1 : place + 2]
    if sign in (_EMOJI_STYLE, _TEXT_STYLE):
        return _pictured(before) or (before in _KEYCAPS and before != "" and after == "\u20e3") or before in ("‼", "⁉")
    if sign == _JOINER and (_pictured(before) or (before == _EMOJI_STYLE and _pictured(text[place - 2 : place - 1]))):
        return _pictured(after)
    if sign in (_JOINER, _NON_JOINER):
        return bool(_JOINING.match(before)) and (sign == _JOINER or bool(_JOINING.match(after)))
    if "\ufe00" <= sign <= "\ufe02" or "\U000e0100" <= sign <= "\U000e01ef":
        return bool(_HAN.match(before))
    return "\u180b" <= sign <= "\u180f" and sign != "\u180e" and "\u1820" <= before <= "\u18aa"


def _pictured(character: str) -> bool:
    """Whether it is a symbol that an emoji is made of, or the colour of its skin."""
    return character != "" and unicodedata.category(character) in ("So", "Sk", "Sm") and not character.isascii()


def inline(text: str) -> str:
    """A stored name on one line."""
    return " ".join(visible(text).split())


def indented(text: str) -> str:
    """A stored text whose lines after the first are indented; without empty lines."""
    lines = [kept for line in text.splitlines() if (kept := visible(line).strip())]
    return "\n  ".join(lines)


def numbered(number: int, text: str, before: str = "") -> str:
    """An entry of a prompt: its number at the left edge, what stands before the text, and the text with its further lines
    indented."""
    return f"[{number}] {before}{indented(text)}"


class Days:
    """The lines that say on which day entries were said: one where the day changes, as (Monday, 2024-01-01)."""

    def __init__(self) -> None:
        self._told = ""

    def before(self, said_at: datetime | None) -> Iterator[str]:
        """The line before an entry, or none. An entry without a time is no change."""
        day = said_at.strftime("(%A, %Y-%m-%d)") if said_at else ""
        if day and day != self._told:
            self._told = day
            yield day
