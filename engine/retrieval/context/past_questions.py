"""Whether a question asks for what was: then facts that are over belong to its context, too."""

from __future__ import annotations

import re
from functools import cache

from engine.language.tables import alternatives
from engine.retrieval.query import Question


def asks_past(question: Question) -> bool:
    """Whether it asks for earlier states: by its words, or by a date of the past."""
    dated = bool(question.dates) and question.asked_time == "past"
    return dated or _past().search(question.text) is not None


@cache
def _past() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives('questions', 'history')})\b", re.IGNORECASE)
