"""Which language a text is written in, and its stop words: for the languages that a library has lists of. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import stopwordsiso

LANGUAGES = ("en", "de", "es", "pt", "fr", "it", "nl", "pl", "sv", "da", "tr", "cs")
"""Languages that are distinguished, by their ISO 639-1 codes; the first is the default."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


@lru_cache(maxsize=1)
def _lists() -> dict[str, frozenset[str]]:
    return {language: frozenset(stopwordsiso.stopwords(language)) for language in LANGUAGES}


def stop_words(language: str) -> frozenset[str]:
    """Stop words of a language, folded; empty for an unknown one."""
    return _lists().get(language, frozenset())


def language_of(texts: Sequence[str]) -> str:
    """The language whose stop words the texts hold most of."""
    said = [word for text in texts for word in _WORD.findall(text.casefold())]
    counts = {language: sum(word in words for word in said) for language, words in _lists().items()}
    return max(LANGUAGES, key=lambda language: counts[language])
