"""Whether a question asks for what was, or for what is now: by words and forms of verbs, in its language. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from engine.language.detection import language_of
from engine.language.tables import each

AskedTime = Literal["past", "present", "open"]
"""`open`: the question says neither; it is read as a question for the present state."""


def asked_time(question: str) -> AskedTime:
    """What a question asks for. Words for the present outweigh forms of the past: "what has become of it now"."""
    language = language_of([question])  # English where it has no stop words
    return next((time for time, said in _patterns().get(language, ()) if said.search(question)), "open")


@cache
def _patterns() -> Mapping[str, tuple[tuple[AskedTime, re.Pattern[str]], ...]]:
    """By language what asks for the present, and for the past."""
    times: tuple[AskedTime, ...] = ("present", "past")
    found: dict[str, tuple[tuple[AskedTime, re.Pattern[str]], ...]] = {}
    for time in times:
        for code, said in each("questions", time):
            found[code] = (*found.get(code, ()), (time, re.compile(rf"\b(?:{said})\b", re.IGNORECASE)))
    return found
