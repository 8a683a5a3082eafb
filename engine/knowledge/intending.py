"""Intentions that a text states, by rules for English, German, Spanish, Portuguese and French. Pure.

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

_SENTENCE = re.compile(r"[^.!?\n;…]+(?:[.](?=\d)[^.!?\n;…]+)*[.!?…]*")
_SAYING = (
    r"(?!(?:say|tell|ask|know|thank|hear|see|believe|think|be|mention|note|add|share|point|emphasi[sz]e|cry|die|remember"
    r"|scream)\b)"
)
_ADVERB = r"(?:\s+(?:really|also|still|just|definitely|finally|maybe|so|both|all|always|eventually|one day))?"
_NO_PLACE = r"(?!(?:the|a|an|my|our|his|her|their|this|that)\b)"
"""`I'm going to the lake` is none."""
_SOON = r"(?:\s+\w+){0,9}?\s+"
_FIRST_PERSON = re.compile(
    rf"""
    # English
      \b(?:I|we){_ADVERB}\s+(?:want|plan|intend|hope|aim|wish)\s+to\s+{_SAYING}\w+
    | \b(?:I|we)(?:'d|’d|\s+would){_ADVERB}\s+(?:like|love)\s+to\s+{_SAYING}\w+
    | \b(?:I(?:'m|’m|\s+am)|we(?:'re|’re|\s+are)){_ADVERB}\s+(?:planning|intending|hoping|aiming|going)\s+to\s+
      {_SAYING}{_NO_PLACE}[a-z]+
    # German: the verb stands at the end
    | \b(?:ich|wir)\s+(?:möchten?|will|wollen|planen?|beabsichtigen?|haben?\s+vor,){_SOON}\w+(?:en|ern|eln)\b
    | \b(?:möchten?|will|wollen|plane|planen)\s+(?:ich|wir){_SOON}\w+(?:en|ern|eln)\b
    # Spanish
    | (?<!no\s)\b(?:quiero|queremos|pienso|pensamos|planeo|planeamos|(?:me|nos)\s+gustaría
      |(?:tengo|tenemos)\s+la\s+intención\s+de|voy\s+a|vamos\s+a)\s+(?!decir|saber)\w+(?:ar|er|ir|ír)(?:me|nos|l[aeo]s?|se)?\b
    # Portuguese
    | (?<!não\s)\b(?:quero|queremos|pretendo|pretendemos|planejo|planejamos|planeio|gostaria\s+de|gostaríamos\s+de|vou|vamos)
      \s+(?!dizer|saber)\w+(?:ar|er|ir|ôr)(?:-\w+)?\b
    # French
    | \b(?:je\s+veux|nous\s+voulons|j['’]aimerais|nous\s+aimerions|je\s+voudrais|nous\s+voudrions|je\s+compte|nous\s+comptons
      |(?:j['’]ai|nous\s+avons)\s+l['’]intention\s+de|je\s+prévois\s+de|nous\s+prévoyons\s+de|je\s+vais|nous\s+allons)
      \s+(?!dire|savoir)\w+(?:er|ir|re|oir)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_SUBJECT = re.compile(
    rf"""
    ^\W*(?:[^\W\d_][\w'’.-]*\s+){{1,5}}?
    (?:(?:wants|plans|intends|hopes|aims|wishes)\s+to|would\s+(?:like|love)\s+to|is\s+(?:planning|intending|hoping|going)\s+to)
    \s+{_SAYING}{_NO_PLACE}[a-z]+
    """,
    re.VERBOSE,
)
_HINT = re.compile(
    r"\b(?:want|plan|intend|hop(?:e|ing)|aim|wish|would|going|möcht|will|woll|beabsichtig|vor,|quier|quer|pien|pens|gusta|inten|voy|vamos|pretend|gostar|vou"
    r"|veux|voul|aimer|voud|compt|prév|vais|allons)|['’]d\b",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:what\s+(?:I|we)|if|unless|whether|wenn|falls|ob|si|se|don['’]t|do\s+not|never|no\s+longer|not\s+going|nicht|kein\w*|nie|niemals|nunca|jamais)\b"
    r"|\bne\s+\w+\s+pas\b",
    re.IGNORECASE,
)


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
