"""What is written beside every turn, so that a search need not read it again.

Whether a turn asks, answers, opens a conversation or speaks of its speaker helps to find an answer
as much as its words do. All of it comes from the text and the turn before; no model is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.language.dates import time_expressions
from engine.language.tables import alternatives

_WORDS = re.compile(r"\w+")
_ASKING = "[?\uff1f\u061f\u037e]"  # Latin, full width, Arabic, Greek
_QUESTION_MARK = re.compile(_ASKING)
_ENDS_ASKING = re.compile(_ASKING + "[^\\w?]*$")
_STAMP = re.compile(r"\[?\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?\]?")


@dataclass(frozen=True, slots=True)
class Utterance:
    """The columns of a turn that come from its text and its neighbour; the names are those of the table.

    `is_question`: it ends by asking, so the answer lies elsewhere. `previous_has_question`: the turn before
    asks something, wherever in it, so this one may answer.
    """

    is_question: bool
    previous_has_question: bool
    first_of_session: bool
    first_person: bool
    word_count: int
    time_expressions: int


def utterance(text: str, previous: str | None) -> Utterance:
    """The columns of a turn. `previous`: the text of the turn before, None for the first of its session."""
    return Utterance(
        is_question=_ENDS_ASKING.search(text) is not None,
        previous_has_question=previous is not None and has_question(previous),
        first_of_session=previous is None,
        first_person=_first_person().search(text) is not None,
        word_count=len(_WORDS.findall(text)),
        time_expressions=min(time_expressions(text), 32767),
    )


def has_question(text: str) -> bool:
    """Whether the text asks anything, wherever it does."""
    return _QUESTION_MARK.search(text) is not None


def embedded_text(text: str, speakers: Iterable[str]) -> str:
    """The text as it is embedded: without the speakers' names and without time stamps, which are columns.

    A name left in would make everything that its speaker said similar to every question about them.
    The text stays as it is where nothing else would remain.
    """
    stripped = _STAMP.sub(" ", text)
    names = _name_forms(tuple(sorted(set(speakers))))
    if names is not None:
        stripped = names.sub(" ", stripped)
    stripped = " ".join(stripped.split())
    return stripped if _WORDS.search(stripped) else text


def below(heading: str, text: str) -> str:
    """A text as it is embedded below its heading: what a passage is about often stands there alone."""
    return f"{heading}. {text}" if heading and text else heading or text


@lru_cache(maxsize=1024)
def _name_forms(speakers: tuple[str, ...]) -> re.Pattern[str] | None:
    """Matches full names and their parts, with a possessive ending."""
    forms = {form for name in speakers for form in (name, *name.split()) if len(form) > 1}
    if not forms:
        return None
    choices = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.compile(rf"\b(?:{choices})\b(?:['’]s\b)?", re.IGNORECASE)


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives('pronouns', 'first_person')})\b", re.I)
