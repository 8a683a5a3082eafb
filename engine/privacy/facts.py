"""Redaction of facts that a user states."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from engine.domain.fact import LONGEST_FACT, LONGEST_SUBJECT, WrittenFact
from engine.privacy.redact import Redactor


def redacted_fact(value: WrittenFact, redactor: Redactor, counts: Counter[str] | None = None) -> WrittenFact:
    """A fact that the user states, cut to what a fact holds where markers are longer than what they replace."""
    about = tuple(redactor.text(one, counts)[:LONGEST_SUBJECT] for one in value.about)
    text, category = redactor.text(value.text, counts), redactor.text(value.category, counts)
    return replace(value, text=text[:LONGEST_FACT], about=about, category=category[:LONGEST_SUBJECT])
