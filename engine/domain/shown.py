"""What an input says now: its turns or passages after changes by hand, as a text in place of its first file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

CHANGED = "[Changed since it was stored: this is what holds now.]"
LONGEST_BEGINNING = 80
"""Characters of the title that a text without one gets."""
_WORD = re.compile(r"\w+")
_MADE_UP = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{16}", re.IGNORECASE)
"""An id that a program made, as `8b03175e2b5f4575ab1738246112f6ae` or `chat-ceb50220-…`: it says nothing to a reader."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A turn, a passage or a stated fact. `first`: the text that it was stored with; `content`: its text now, None where it does
    not hold. Of a long turn several have one position."""

    item_id: UUID
    kind: str
    position: int
    speaker: str
    section: str
    said_at: datetime | None
    first: str
    content: str | None


def changed(passages: Iterable[ShownPassage]) -> bool:
    """Whether one of them was changed or ended by hand, or its record withdrawn."""
    return any(one.content != one.first for one in passages)


def rendered(passages: Sequence[ShownPassage]) -> str:
    """What holds, as a text; its first line says that it is not the file that came in."""
    parts = [f"{CHANGED}\n"]
    for turn, said in groupby((one for one in passages if one.content is not None), key=_turn):
        texts = [one.content or "" for one in said]
        section, speaker, at = turn[1:] if turn else ("", "", None)
        parts += [f"\n# {section}\n"] if section else []
        stamp = f"[{at.isoformat()}] " if at else ""
        parts += [f"{stamp}{speaker}: {' '.join(texts)}\n"] if speaker else [f"\n{text}\n" for text in texts]
    return "".join(parts)


def _turn(one: ShownPassage) -> tuple[int, str, str, datetime | None]:
    """Passages below one heading, parts of one turn, belong together."""
    return one.position if one.kind == "turn" else -1, one.section, one.speaker, one.said_at if one.speaker else None


def held_text(passages: Sequence[ShownPassage]) -> str:
    """The texts that hold, one below the other."""
    between = "\n" if any(one.kind == "turn" for one in passages) else "\n\n"
    return between.join(one.content for one in passages if one.content is not None)


def begins(title: str, passages: Sequence[ShownPassage]) -> bool:
    """Whether a title was made from the beginning of the text that was stored: all of its words stand there, the last one perhaps
    cut."""
    given = [word.casefold() for word in _WORD.findall(title)]
    text = " ".join(f"{one.section} {one.first}" for one in passages[: len(given) + 1])
    plain = " ".join(one.first for one in passages[: len(given) + 1])
    return bool(given) and any(
        _starts([word.casefold() for word in _WORD.findall(one)], given) for one in (text, plain)
    )


def _starts(words: list[str], given: list[str]) -> bool:
    return (
        words[: len(given) - 1] == given[:-1]
        and len(words) >= len(given)
        and words[len(given) - 1].startswith(given[-1])
    )


def beginning(text: str, most: int = LONGEST_BEGINNING) -> str:
    """The first words of a text, as its title."""
    words = " ".join(text[: 4 * most].split())
    return words if len(words) <= most else words[:most].rpartition(" ")[0] or words[:most]


def titled(source_id: str, text: str) -> str:
    """What a conversation without a title is called: by its id, or, where a program made that, by its first words."""
    return (beginning(text) if _MADE_UP.search(source_id) else "") or source_id
