"""Intentions that a text states, by rules. Pure.

A turn states those of its speaker ("I want to …", "ich möchte …"), a fact those of its subject ("Bob plans to …", "I want to …").
Doubt is silence: questions, conditions, denials, what somebody wanted once, and what is only a way of speaking ("I want to say")
are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from engine.domain.intention import LONGEST_INTENTION
from engine.language.dates import dates_in
from engine.language.tables import alternatives

_SENTENCE = re.compile(r"[^.!?\n;…]+(?:[.](?=\d)[^.!?\n;…]+)*[.!?…]*")
_FIRST_PERSON = re.compile(alternatives("intentions", "first_person"), re.IGNORECASE)
_OF_SUBJECT = re.compile(alternatives("intentions", "of_subject"))
_HINT = re.compile(rf"\b(?:{alternatives('intentions', 'hint')})|['’]d\b", re.IGNORECASE)
_NONE = re.compile(rf"\b(?:{alternatives('intentions', 'none')})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundIntention:
    """Where a text states an intention, and the date by which, if it says one."""

    text: str
    start: int
    end: int
    due: str | None


def intentions_in(text: str, said_at: datetime | None, *, of_fact: bool) -> Iterator[FoundIntention]:
    """What the speaker of a text intends; `of_fact`: also what its subject does, as the beginning of the fact names it."""
    if not _HINT.search(text):
        return
    for sentence in _SENTENCE.finditer(text):
        said = sentence[0].strip()
        if said.endswith("?"):
            continue
        found = _FIRST_PERSON.search(said) or (_OF_SUBJECT.search(said) if of_fact else None)
        if found is None or _NONE.search(said[: found.end()]):
            continue
        start = sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())
        due = next(iter(dates_in(said[found.end() :], said_at)), None)
        yield FoundIntention(_line(said), start, start + len(said), due)


def _line(said: str) -> str:
    """The sentence in one line."""
    line = " ".join(said.split())
    return line if len(line) <= LONGEST_INTENTION else f"{line[: LONGEST_INTENTION - 1].rsplit(' ', 1)[0]}…"
