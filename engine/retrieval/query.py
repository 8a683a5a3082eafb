"""Parses a question: its words, the names it may contain, the dates it asks about. Pure; calls no model."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from engine.domain.names import name_key
from engine.domain.terms import STOP_WORDS, asked_words, term_id, unspaced_word
from engine.errors import InvalidInput
from engine.language.dates import dates_asked
from engine.language.detection import languages_of
from engine.language.questions import AskedTime, Period, asked_time, asks_for_self, months_of_states, state_asked
from engine.language.tables import alternatives
from engine.retrieval.weights import SearchLimits

LONGEST_NAME = 5
"""Words of a name that is looked for in a question."""
NAMED_WORDS = 64
"""Words of a question, from its start, in which names are looked for."""
TEXT_WORDS = 32
"""Words that are handed to the full-text index."""

_PUNCTUATION = "".join(chr(c) for c in range(0x3000) if unicodedata.category(chr(c))[0] in "PS")
_POSSESSIVE = re.compile(r"['’]s?$")
_GENITIVE = re.compile(r"\b([^\W\d_]\w+)s$")
"""A name in the German genitive, or an English one without its apostrophe: "Ellens"."""
_PLAIN_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the search uses it.

    `name_keys`: normal forms of every run of words that could be a node's name or alias; `tokens`: folded words, to
    recognise speakers; `lucene`: words for the full-text index, which need no escaping; `dates`: ISO prefixes;
    `asks_time`: whether it asks when; `asked_time`: for what was or what is. A question that names a date and does
    not ask for the present asks for the past. `languages`: those that it may be in, none where that is not clear.
    `unspaced_word`: it is one short word of a script without spaces, for which an encoder of English has hardly a vector.
    `of_self`: it is about the one who asks. `state_in`: the period for which it asks what held in it.
    """

    text: str
    terms: tuple[int, ...]
    tokens: frozenset[str]
    name_keys: tuple[str, ...]
    lucene: tuple[str, ...]
    dates: tuple[str, ...]
    asks_time: bool
    asked_time: AskedTime
    languages: tuple[str, ...]
    of_self: bool
    state_in: Period | None
    cut: bool
    unspaced_word: bool = False

    @property
    def other_language(self) -> bool:
        """Whether its language was detected as another one than English."""
        return self.languages not in ((), ("en",))


def parse(text: str, now: datetime, limits: SearchLimits) -> Question:
    """Parses a question; relative dates count from `now`. Raises InvalidInput for one without any text.

    Characters that no store takes (NUL, halves of surrogate pairs) are dropped; longer questions are cut.
    """
    clean = text[: limits.query_characters].replace("\x00", " ").encode("utf-8", "ignore").decode("utf-8").strip()
    if not clean:
        raise InvalidInput("A question needs at least one visible character.")
    folded = unicodedata.normalize("NFKC", clean).casefold()
    tokens = dict.fromkeys(_PLAIN_WORD.findall(folded))
    asked, languages = asked_time(clean), languages_of(clean)
    dates = tuple(dict.fromkeys((*dates_asked(clean, now), *months_of_states(clean))))
    return Question(
        text=clean,
        terms=tuple(dict.fromkeys(term_id(word) for word in asked_words(clean)))[: limits.query_terms],
        tokens=frozenset(tokens),
        name_keys=_name_keys(clean),
        lucene=tuple(token[:64] for token in tokens if token not in STOP_WORDS)[:TEXT_WORDS],
        dates=dates,
        asks_time=_asks_time().search(clean) is not None,
        asked_time="past" if asked == "open" and dates else asked,
        languages=languages,
        of_self=asks_for_self(clean, languages),
        state_in=state_asked(clean, dates, now),
        cut=len(text) > limits.query_characters,
        unspaced_word=unspaced_word(clean),
    )


def _name_keys(text: str) -> tuple[str, ...]:
    """Normal forms of all runs of one to five words; a single stop word is no name."""
    tokens = [stripped for token in text.split()[:NAMED_WORDS] if (stripped := token.strip(_PUNCTUATION))]
    keys: dict[str, None] = {}
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + LONGEST_NAME, len(tokens)) + 1):
            run = " ".join(tokens[start:end])
            bare = _GENITIVE.sub(r"\1", run) if tokens[end - 1][0].isupper() else run
            for form in (run, bare, _POSSESSIVE.sub("", run), _elided().sub("", run)):
                key = name_key(form)
                if key and key not in STOP_WORDS:
                    keys[key] = None
    return tuple(keys)


@cache
def _elided() -> re.Pattern[str]:
    """Words that are written together with the next one: "l'adresse"."""
    return re.compile(rf"^(?:{alternatives('spelling', 'elided')})['’](?=\w)", re.IGNORECASE)


@cache
def _asks_time() -> re.Pattern[str]:
    """ "When" asks at the start, or before a verb; elsewhere it only joins ("what to do when the lease ends")."""
    return re.compile(alternatives("questions", "when"), re.IGNORECASE)
