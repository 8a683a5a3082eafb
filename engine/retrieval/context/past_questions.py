"""Whether a question asks for what was: then facts that are over belong to its context, too."""

from __future__ import annotations

import re

from engine.retrieval.query import Question

_PAST = re.compile(
    r"\b(?:used\s+to|formerly|former|previous(?:ly)?|earlier|before|in\s+the\s+past|no\s+longer|any\s?more|history|changed?|over\s+time|"
    r"back\s+then|at\s+(?:the|that)\s+time|originally|until\s+when|so\s+far|ever|"
    r"fr(?:ü|ue)her|ehemals|vorher|damals|vormals|bisher|jemals|zuvor|"
    r"antes|anteriormente|anterior|sol(?:ía|ia)n?|antiguamente|hist(?:ó|o)ri[ac]o?|"
    r"antigamente|costumava|outrora)\b",
    re.IGNORECASE,
)


def asks_past(question: Question) -> bool:
    """Whether it asks for earlier states: by its words, in English, German, Spanish or Portuguese, or by a date of the past."""
    dated = bool(question.dates) and question.asked_time == "past"
    return dated or _PAST.search(question.text) is not None
