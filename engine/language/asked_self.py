"""Whether a question is about the one who asks it: "Where do I work?", "Wie heißt mein Arzt?", "¿Dónde trabajo?". Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from engine.language.tables import alternatives, each, is_unspaced


def asks_for_self(question: str, languages: Collection[str]) -> bool:
    """`languages`: those that the question may be in; of all that are known where none of these is, as for a short one."""
    text = _addressed().sub(" ", question)
    patterns = _patterns()
    spoken = patterns.keys() & set(languages) or patterns.keys()
    if any(one.search(text) for code, one in patterns.items() if code in spoken or is_unspaced(code)):
        return True
    return not spoken.isdisjoint(code for code, _ in each("questions", "self_verbs")) and bool(_verbs().search(text))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """Words for oneself, by language."""
    return {
        code: re.compile(said if is_unspaced(code) else rf"\b(?:{said})\b", re.IGNORECASE)
        for code, said in each("questions", "self")
    }


@cache
def _verbs() -> re.Pattern[str]:
    """Where a language says I by the verb: "¿Dónde trabajo?"."""
    before, asking, denied, verbs = (
        alternatives("questions", key) for key in ("asking_before", "asking", "self_denied", "self_verbs")
    )
    return re.compile(
        rf"^\W*(?:\w+\s+){{0,2}}(?:(?:{before})\s+)?(?:{asking})\s+(?:(?:{denied})\s+)?(?:{verbs})\b", re.IGNORECASE
    )


@cache
def _addressed() -> re.Pattern[str]:
    """What is asked of the one who answers says nothing of who is asked about: "Tell me where Ellen lives"."""
    return re.compile(rf"\b(?:{alternatives('questions', 'addressed')})\b", re.IGNORECASE)
