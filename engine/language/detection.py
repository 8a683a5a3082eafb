"""Which language a text is written in, its stop words and stems: for the languages that libraries have them of. Pure."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import snowballstemmer
import stopwordsiso

from engine.language.tables import LANGUAGES

_STEMMERS = {
    "en": "english", "de": "german", "es": "spanish", "pt": "portuguese", "fr": "french", "it": "italian", "nl": "dutch",
    "pl": "polish", "sv": "swedish", "da": "danish", "tr": "turkish", "cs": "czech", "no": "norwegian", "fi": "finnish",
    "hu": "hungarian", "ro": "romanian", "ca": "catalan", "eu": "basque", "ga": "irish", "et": "estonian", "lt": "lithuanian",
    "id": "indonesian", "el": "greek", "ru": "russian", "hy": "armenian", "ar": "arabic", "fa": "persian", "hi": "hindi",
}  # fmt: skip
"""The stemmers of languages that the other library has stop words of."""
STEMMED = tuple(_STEMMERS)
"""Languages that words are stemmed in."""
SAMPLE = 4000
"""Characters of a text, from its start, by which its language is detected."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")

_stemmers = {code: snowballstemmer.stemmer(name) for code, name in _STEMMERS.items()}
_stemming = threading.Lock()  # a stemmer keeps the word it works on


@lru_cache(maxsize=1)
def _lists() -> dict[str, frozenset[str]]:
    return {language: frozenset(stopwordsiso.stopwords(language)) for language in STEMMED}


@lru_cache(maxsize=1)
def _languages() -> dict[str, tuple[str, ...]]:
    """By stop word the languages that have it."""
    every = frozenset[str]().union(*_lists().values())
    return {word: tuple(language for language, words in _lists().items() if word in words) for word in every}


def stop_words(language: str) -> frozenset[str]:
    """Stop words of a language, folded; empty for an unknown one."""
    return _lists().get(language, frozenset())


@lru_cache(maxsize=1 << 16)
def stem(word: str, language: str) -> str:
    """The stem of a folded word in one of the languages `STEMMED`."""
    with _stemming:
        return str(_stemmers[language].stemWord(word))


def language_of(texts: Sequence[str]) -> str:
    """The language whose stop words the texts hold most of."""
    counts = _counts(texts)
    return max(LANGUAGES, key=lambda language: counts[language])


def languages_of(text: str) -> tuple[str, ...]:
    """The languages, of `STEMMED`, whose stop words the text holds most of: English alone where it is among them, none where the
    text holds no stop word."""
    counts = _counts_in(text[:SAMPLE])
    most = max(counts.values(), default=0)
    return ("en",) if most and counts["en"] == most else tuple(one for one in STEMMED if most and counts[one] == most)


def likely_languages(text: str, among: Sequence[str]) -> tuple[str, ...]:
    """The languages, of those, that the text may be written in, the likeliest first: all that have at least half as many stop
    words in it as the likeliest one. English alone where it has more than each other one; its list has "la", "je" and "que",
    too, so it has as many in some French texts. All where the text has one stop word at most: "hier soir"."""
    counts = _counts_in(text[:SAMPLE])
    most = max(counts.values(), default=0)
    if counts["en"] > max((counts[one] for one in among if one != "en"), default=0):
        return ("en",)
    likely = (one for one in among if most <= 1 or 2 * counts[one] >= most)
    return tuple(sorted(likely, key=lambda one: -counts[one]))


@lru_cache(maxsize=1024)  # what is stored and what counts it ask for the same texts, a question is asked twice
def _counts_in(text: str) -> Mapping[str, int]:
    return _counts([text])


def _counts(texts: Sequence[str]) -> Counter[str]:
    said = (word for text in texts for word in _WORD.findall(text.casefold()))
    return Counter(language for word in said for language in _languages().get(word, ()))
