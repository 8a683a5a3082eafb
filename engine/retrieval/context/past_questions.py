"""Whether a question asks for what was: then facts that are over belong to its context, too."""

from __future__ import annotations

import re

_PAST = re.compile(
    r"\b(?:used\s+to|formerly|former|previous(?:ly)?|earlier|before|in\s+the\s+past|no\s+longer|any\s?more|history|changed?|over\s+time|"
    r"back\s+then|at\s+(?:the|that)\s+time|originally|until\s+when|so\s+far|ever|"
    r"fr(?:ü|ue)her|ehemals|vorher|damals|vormals|bisher|jemals|zuvor|"
    r"antes|anteriormente|anterior|sol(?:ía|ia)n?|antiguamente|hist(?:ó|o)ri[ac]o?|"
    r"antigamente|costumava|outrora)\b",
    re.IGNORECASE,
)


def asks_past(question: str) -> bool:
    """Whether its words ask for earlier states, in English, German, Spanish or Portuguese. A date alone does not: what held
    then is read with `as_of`."""
    return _PAST.search(question) is not None
